"""Cross-encoders: the same probabilities as one pair at a time, labels never guessed, pairs joined as tokenizers do."""

import numpy as np
import pytest
import torch
import transformers as hf

from model_families import make_network, make_tokenizer
from wordworth.encode.heads import HeadModel
from wordworth.engine.batching import budget_for
from wordworth.errors import WordworthError
from wordworth.nli import cross_encoder as module
from wordworth.nli.cross_encoder import label_columns, load_cross_encoder, make_cross_encoder
from wordworth.nli.nli import LABELS

SUBJECTS = ["doctor", "man", "woman", "rude person", "nurse", "old bishop of the wagons"]
SENTENCES = [f"The {subject} {rest}." for rest in ("ate an apple", "slept") for subject in SUBJECTS]
PAIRS = np.array([(one, other) for one in range(len(SENTENCES)) for other in range(len(SENTENCES))])


def one_at_a_time(model, sentences, pairs):
    """The library's own way: the tokenizer joins each pair and the network reads it alone."""
    rows = []
    for one, other in pairs.tolist():
        given = model.tokenizer(sentences[one], sentences[other], truncation=True, return_tensors="pt")
        with torch.no_grad():
            logits = model.network(**given).logits[0]
        by_name = {name.lower(): at for at, name in model.network.config.id2label.items()}
        rows.append(torch.softmax(logits.double(), 0)[[by_name[label] for label in LABELS]].numpy())
    return np.array(rows)


def test_same_as_one_at_a_time(model):
    found = model.probabilities(SENTENCES, PAIRS)
    np.testing.assert_allclose(found, one_at_a_time(model, SENTENCES, PAIRS), atol=1e-5)
    np.testing.assert_allclose(found.sum(1), 1)
    assert found.std(0).min() > 1e-4  # answers differ, so that the comparison says something


def test_batches_do_not_matter(bert, monkeypatch):
    many = bert.probabilities(SENTENCES, PAIRS)
    monkeypatch.setattr(module, "budget_for", lambda device, _, padding: budget_for(device, 20, padding=padding))
    np.testing.assert_allclose(bert.probabilities(SENTENCES, PAIRS), many, atol=1e-6)


def test_long_pairs_are_cut_as_the_tokenizer_cuts_them(bert):
    long = ["The nurse spoke to the crew " * 12, "The man slept.", "two of the books " * 15]
    pairs = np.array([[0, 1], [1, 0], [0, 2], [2, 0], [1, 1]])
    np.testing.assert_allclose(bert.probabilities(long, pairs), one_at_a_time(bert, long, pairs), atol=1e-5)


def test_labels_in_any_order_and_case():
    assert label_columns({0: "contradiction", 1: "neutral", 2: "entailment"}, "m") == (2, 1, 0)
    assert label_columns({0: "ENTAILMENT", 1: "Contradiction", 2: "NEUTRAL"}, "m") == (0, 2, 1)
    named = {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}
    assert label_columns(named, "m", ["contradiction", "entailment", "neutral"]) == (1, 2, 0)


@pytest.mark.parametrize(
    ("names", "given", "sentence"),
    [
        (("entailment", "not_entailment"), None, r"has 2 labels \(entailment, not_entailment\)"),
        (("LABEL_0", "LABEL_1", "LABEL_2"), None, "no known meaning"),
        (("neutral", "neutral", "entailment"), None, "no known meaning"),
        (("a", "b", "c"), ["entailment", "neutral", "other"], "once each"),
    ],
)
def test_labels_are_never_guessed(names, given, sentence):
    with pytest.raises(WordworthError, match=sentence):
        label_columns(dict(enumerate(names)), "m", given)


def test_a_model_without_a_head_is_refused(make_folder):
    with pytest.raises(WordworthError, match=r"lacks the weights classifier.*which would be random"):
        load_cross_encoder(make_folder("bert", auto=hf.AutoModel))


def test_identity_tells_models_and_labels_apart(make_folder):
    folder = make_folder("bert", names=("LABEL_0", "LABEL_1", "LABEL_2"))
    one = load_cross_encoder(folder, labels=LABELS)
    other = load_cross_encoder(folder, labels=LABELS[::-1])
    assert one.identity == load_cross_encoder(folder, labels=LABELS).identity
    assert one.identity != other.identity
    assert one.name == "model"
    pairs = PAIRS[:5]
    np.testing.assert_allclose(
        one.probabilities(SENTENCES, pairs)[:, ::-1], other.probabilities(SENTENCES, pairs), atol=1e-9
    )


def test_overflow_is_one_sentence() -> None:
    tokenizer = make_tokenizer(masked=True)
    head = hf.AutoModelForSequenceClassification
    network = make_network("bert", len(tokenizer), head, id2label=dict(enumerate(LABELS))).to(torch.float16)
    model = make_cross_encoder(HeadModel("tiny", "", network, tokenizer, 64))
    network.classifier.weight.data[:] = torch.inf
    with pytest.raises(WordworthError, match="tiny gives no finite values in float16; use bfloat16 or float32"):
        model.probabilities(["a friend", "words"], np.array([[0, 1]]))

"""The control without a premise: it is the model on a blank premise, and feels no other."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordworth as ww
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.infer.model import infer, kinds, load
from wordworth.infer.model.hypothesis_only import HypothesisOnly
from wordworth.infer.model.nli import MitigableNli
from wordworth.study import study
from wordworth.transform import Subspace


@dataclass(frozen=True)
class Lengths:
    """Entailment and contradiction by the letters of premise and hypothesis; it counts the pairs it is asked."""

    vectors: Embedding | None = None
    asked: Any = None
    name = "lengths"
    identity = ("lengths",)
    source = "memory"

    @property
    def word_vectors(self) -> Embedding | None:
        return self.vectors

    def missing(self, sentences: Any) -> tuple[str, ...]:
        return ("gone",)

    def vectors_of(self, words: Any) -> Embedding:
        return Embedding(list(words), np.eye(len(words)), Provenance("own"))

    def without(self, subspace: Subspace) -> "Lengths":
        return replace(self, vectors=Embedding(["x"], np.ones((1, 1)), Provenance("changed")))

    def with_vectors(self, embedding: Embedding) -> "Lengths":
        return replace(self, vectors=embedding)

    def probabilities(self, sentences: Any, pairs: Any) -> Any:
        if self.asked is not None:
            self.asked.append(len(pairs))
        counts = np.array([[len(sentences[at]) for at in pair] for pair in pairs.tolist()]).reshape(-1, 2)
        return np.stack([1 / (2 + counts[:, 0]), counts.sum(axis=1) * 0, 1 / (2 + counts[:, 1])], axis=1)


def test_premises_are_not_read() -> None:
    asked: list[int] = []
    model = HypothesisOnly("control", Lengths(asked=asked))
    sentences = ["a long premise", "one", "another premise", "three"]
    found = model.probabilities(sentences, np.array([[0, 1], [2, 1], [0, 3], [3, 1]]))
    one, three = [1 / 2, 0, 1 / 5], [1 / 2, 0, 1 / 7]
    np.testing.assert_allclose(found, [one, one, three, one])
    assert asked == [2]  # each hypothesis once
    assert model.probabilities(sentences, np.empty((0, 2), dtype=np.int64)).shape == (0, 3)
    with pytest.raises(WordworthError, match="a pair points outside the 4 sentences"):
        model.probabilities(sentences, np.array([[0, 4]]))


def test_it_can_be_mitigated_as_the_model_can() -> None:
    model = HypothesisOnly("control", Lengths())
    assert isinstance(model, MitigableNli)
    assert (model.identity, model.source, model.missing([])) == (("hypothesis-only", "lengths"), "memory", ("gone",))
    assert list(model.vectors_of(["he", "she"]).words) == ["he", "she"]
    other = Embedding(["x"], np.ones((1, 2)), Provenance("other"))
    changed = model.with_vectors(other)
    assert (changed.name, changed.word_vectors) == ("control", other)
    without = model.without(Subspace("he − she", np.ones((1, 2)), ("he", "she")))
    assert without.word_vectors is not None
    assert without.word_vectors.name == "changed"


def test_names() -> None:
    with pytest.raises(WordworthError, match="hypothesis-only: stands before the name of an NLI model"):
        load("hypothesis-only:")
    with pytest.raises(WordworthError, match="minilm-l6 is no NLI model"):
        load("hypothesis-only:minilm-l6")
    assert kinds.MODULES[-1].endswith("cross_encoder")  # which takes any name


@pytest.mark.index
def test_the_model_of_the_package_without_its_premise() -> None:
    model, control = load("nli-glove"), load("hypothesis-only:nli-glove")
    assert (control.name, load("mine=hypothesis-only:nli-glove").name) == ("hypothesis-only:nli-glove", "mine")
    hypothesis = "The woman ate a bagel."
    assert infer(control, "The nurse ate a bagel.", hypothesis) == pytest.approx(infer(model, "", hypothesis))
    assert infer(control, "The nurse ate a bagel.", hypothesis) == infer(control, "Nobody slept.", hypothesis)
    notebook = ww.load("hypothesis-only:nli-glove")
    assert notebook.infer("The nurse ate a bagel.", hypothesis) == infer(control, "", hypothesis)


@pytest.mark.index
def test_it_is_probed_beside_the_model() -> None:
    models = ["nli-glove", "hypothesis-only:nli-glove"]
    findings = study("infer")(models, probes=["gender"], sample=300, random=1, resamples=10)
    scores = findings.scores.filter(measure="net-neutral", dataset="gender")
    assert set(scores["model"]) == set(models)
    assert {"original", "projection", "random"} <= set(scores.filter(model=models[1])["setting"])


def test_a_cross_encoder_reads_a_blank_premise(tmp_path: Path) -> None:
    """A tiny random transformer, as `transformers` saves it."""
    import torch
    import transformers as hf
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "man", "sat", "slept", "."])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    marks = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **marks)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
    config = hf.BertConfig(vocab_size=len(words), max_position_embeddings=32, id2label=labels, num_labels=3, **sizes)
    network = hf.BertForSequenceClassification(config).eval()
    network.save_pretrained(tmp_path)
    fast.save_pretrained(tmp_path)
    control = load(f"hypothesis-only:{tmp_path}", "cpu")
    with torch.inference_mode():
        logits = network(**fast("", "a man slept .", return_tensors="pt")).logits
    assert infer(control, "a man sat .", "a man slept .") == pytest.approx(logits.softmax(1)[0].tolist(), abs=1e-6)

"""The paraphrase probe: on a tiny model against a plain forward pass, and triples drawn from a text."""

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model, PreTrainedTokenizerFast

from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.pairs import Paraphrases, Triple, load_paraphrases
from wordworth.catalog.read.wordnet import WordNet
from wordworth.encode import wrap
from wordworth.errors import WordworthError
from wordworth.statistics.effect_size import two_by_two
from wordworth.whole_words.paraphrase import Relation, draw_triples, find_relation, paraphrase

LINE = "[CLS] [SEP] [PAD] [UNK] where dog cat poodle was my asleep now the a rock is curly ?"
WORDS = LINE.split()
TRIPLES = (
    Triple("where was my poodle asleep ?", "where was my dog asleep ?", "where was my cat asleep ?"),
    Triple("the poodle is curly", "the dog is curly", "the rock is curly"),
    Triple("the zebra is curly", "the dog is curly", "the rock is curly"),
)
PROBE = Paraphrases("mine", TRIPLES)


def model_of(kind: str):
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    torch.manual_seed(0)
    sizes = {"vocab_size": len(WORDS)}
    if kind == "bert":
        special = [("[CLS]", 0), ("[SEP]", 1)]
        tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
        small = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
        network = BertModel(BertConfig(**sizes, **small))
    else:
        network = GPT2Model(GPT2Config(**sizes, n_embd=16, n_layer=3, n_head=2, n_positions=64))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", model_max_length=60
    )
    return wrap(network, fast, name=kind)


def states(model, sentence, layer):
    """Of all tokens but those that the tokenizer adds."""
    ids = model.tokenizer(sentence, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        hidden = model.network(input_ids=ids, output_hidden_states=True).hidden_states[layer][0].double().numpy()
    added = 1 if model.name == "bert" else 0
    return hidden[added : len(hidden) - added]


def f1(model, one, other, layer):
    x, y = states(model, one, layer), states(model, other, layer)
    cos = (x / np.linalg.norm(x, axis=1)[:, None]) @ (y / np.linalg.norm(y, axis=1)[:, None]).T
    recall, precision = cos.max(1).mean(), cos.max(0).mean()
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_against_a_plain_pass(kind):
    model = model_of(kind)
    probed, failed = paraphrase(model, PROBE, [0, 2])
    assert [one.layer for one in probed] == [0, 2]
    for found in probed:
        assert found.triples == TRIPLES[:2]
        for triple, near, far in zip(found.triples, found.near, found.far, strict=True):
            assert near == pytest.approx(f1(model, triple.hypernym, triple.word, found.layer), abs=1e-5)
            assert far == pytest.approx(f1(model, triple.hypernym, triple.sibling, found.layer), abs=1e-5)
        np.testing.assert_array_equal(found.hits, found.near > found.far)
    assert failed == [(TRIPLES[2], "the tokenizer does not know its characters")]


def small_wordnet() -> WordNet:
    """animal over dog and cat, dog over poodle and hound; house over cabin; run is also a verb."""
    names = {1: "animal", 2: "dog", 3: "cat", 4: "poodle", 5: "hound", 6: "run"}
    above = {1: (), 2: (1,), 3: (1,), 4: (2,), 5: (2,), 6: (2,)}
    words = {("n", at): (name,) for at, name in names.items()}
    senses = {(name, "n"): (("n", at),) for at, name in names.items()} | {("run", "v"): (("v", 1),)}
    return WordNet("small", words, {("n", at): tuple(("n", one) for one in up) for at, up in above.items()}, senses, {})


COUNTS = Frequencies(
    "counts", {"dog": 500, "cat": 400, "animal": 300, "hound": 60, "poodle": 3, "run": 9}, "occurrences"
)


def test_relations_by_hand():
    wordnet = small_wordnet()
    assert find_relation("poodle", wordnet, COUNTS) == Relation("poodle", "dog", "cat")
    assert find_relation("run", wordnet, COUNTS) is None  # also a verb
    assert find_relation("dog", wordnet, COUNTS) is None  # its hypernym has no sibling
    assert Relation("poodle", "dog", "cat").one_article
    assert not Relation("afghan", "dog", "cat").one_article


def test_triples_are_drawn_from_sentences():
    text = [
        "My poodle is here. We saw how the poodle ran over the green field with much joy.",
        "They said that the hound was never seen again in the whole of the valley.",
        "It was an poodle of the kind that nobody had ever seen in this part.",
    ]
    rare = draw_triples(text, small_wordnet(), COUNTS, "rare", name="mine")
    assert [one.differing() for one in rare.triples] == [("poodle", "dog", "cat")]
    assert rare.triples[0].hypernym == "We saw how the dog ran over the green field with much joy."
    common = draw_triples(text, small_wordnet(), COUNTS, "common", name="mine")
    assert [one.differing() for one in common.triples] == [("hound", "dog", "cat")]
    assert rare.name == common.name == "mine"
    with pytest.raises(WordworthError, match="has no rare noun"):
        draw_triples(["Nothing of the kind is to be found in this sentence."], small_wordnet(), COUNTS, "rare", name="")


@pytest.mark.index
@pytest.mark.usefixtures("data")
def test_rare_words_are_used_worse_than_common_ones():
    """Table 2's finding on another model: fewer hits on rare words than on common ones (there 11 to 14 v 39 to 40)."""
    from wordworth.catalog.models import locate_language_model
    from wordworth.encode import load_model

    model = load_model(locate_language_model("minilm-l6").place)
    hits = {}
    for name in ("rare", "common"):
        (found,), failed = paraphrase(model, load_paraphrases(name))
        assert not failed
        hits[name] = int(found.hits.sum()), int((~found.hits).sum())
    assert hits["rare"][0] / 50 < hits["common"][0] / 49
    assert two_by_two(hits["rare"], hits["common"]).exact_p < 0.05

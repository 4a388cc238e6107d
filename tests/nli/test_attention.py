"""The attention network against a slow version written from its formulas, one pair and one token at a time."""

import numpy as np
import pytest
import torch

from slow_nli import slow
from wordworth.embedding import Embedding
from wordworth.embedding.core import Provenance
from wordworth.errors import WordworthError
from wordworth.nli import attention as embedded
from wordworth.nli.attention import AttentionNli, Dev2020Network, Shape, make_network
from wordworth.nli.contextual import UNKNOWN_VECTORS, StaticVectors, draw_extra_vectors, words_of
from wordworth.nli.nli import LABELS, MitigableNli, infer
from wordworth.transform import random_directions, remove

WORDS = ["the", "a", "an", "man", "woman", "doctor", "bought", "ate", "sold"]
WORDS += ["car", "apple", ".", ",", "is", "sleeping", "not", "t-shirt"]
SENTENCES = [
    "The man bought a car.",
    "The doctor bought a car.",
    "A woman ate an apple.",
    "The man is sleeping, not eating.",
    "The woman sold a car.",
    "A man sold.",
]


def embedding(dim: int = 6, seed: int = 3) -> Embedding:
    matrix = np.random.default_rng(seed).normal(size=(len(WORDS), dim)).astype(np.float32)
    return Embedding(WORDS, matrix, Provenance(name="small", sha256="0" * 64))


def model(
    labels: tuple[str, ...] = LABELS, beside: bool = False, seed: int = 1, network: str = "default"
) -> AttentionNli:
    torch.manual_seed(seed)
    network = make_network(Shape(6, hidden=8, compare=5, beside=beside, labels=labels, network=network))
    with torch.no_grad():  # away from its careful start, so that every weight matters
        for weight in network.parameters():
            weight.normal_(0, 0.5)
    return AttentionNli("small", network, StaticVectors(embedding(), draw_extra_vectors(6, 0)))


def every_pair(count: int) -> np.ndarray:
    return np.array([(p, h) for p in range(count) for h in range(count)], dtype=np.int64)


@pytest.mark.parametrize("beside", [False, True])
def test_it_equals_the_formulas(beside):
    one = model(beside=beside)
    pairs = every_pair(len(SENTENCES))
    expected = [slow(one, SENTENCES[p], SENTENCES[h]) for p, h in pairs]
    np.testing.assert_allclose(one.probabilities(SENTENCES, pairs), expected, atol=1e-5)


def test_the_authors_network_equals_its_formulas():
    """In float64, as the slow version, whose attention is then the product of the encoder's states."""
    one = model(network="dev2020")
    assert isinstance(one.network, Dev2020Network)
    pairs = every_pair(len(SENTENCES))
    expected = [slow(one, SENTENCES[p], SENTENCES[h]) for p, h in pairs]
    np.testing.assert_allclose(one.probabilities(SENTENCES, pairs), expected, atol=1e-5)
    exact = one.network.double().eval()
    read = [one.embedder.vectors(np.array([one.embedder.ids(text)])).double() for text in SENTENCES]
    with torch.inference_mode():
        found = [exact(read[p], read[h])[0].softmax(0).numpy() for p, h in pairs]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_authors_network_starts_at_random():
    """Glorot & Bengio (2010): uniform within ±√(6 / (in + out)); compare is one layer of 2 · 40 inputs."""
    torch.manual_seed(0)
    made = make_network(Shape(30, hidden=40, compare=20, network="dev2020"))
    assert "attend_1.weight" not in made.state_dict()
    for name, weight in made.state_dict().items():
        if "bias" in name:
            assert not weight.any()
            continue
        rows, columns = (20, 80) if name.startswith("compare_o") else weight.shape
        limit = (6 / (rows + columns)) ** 0.5
        assert weight.abs().max() <= limit
        assert float(weight.std()) == pytest.approx(limit / 3**0.5, rel=0.15), name


def test_dropout_of_the_authors_network():
    """One mask for all tokens of a sentence at the encoder, one for each number later, none before the output."""
    torch.manual_seed(0)
    network = make_network(Shape(50, hidden=40, compare=30, dropout=0.5, network="dev2020")).train()
    seen: dict[str, list[torch.Tensor]] = {}
    for name in ("encoder", "compare_own", "compare_2", "classify_1", "classify_2", "output"):
        keep = seen.setdefault(name, [])
        network.get_submodule(name).register_forward_pre_hook(lambda _, given, keep=keep: keep.append(given[0]))
    network(torch.ones(3, 5, 50), torch.ones(3, 4, 50))
    premises, hypotheses = seen["encoder"]
    for read in (premises, hypotheses):
        assert set(read.unique().tolist()) == {0.0, 2.0}
        assert (read == read[:, :1]).all()
        assert not (read[0] == read[1]).all()
    assert not (premises[:, 0] == hypotheses[:, 0]).all()
    for name in ("compare_own", "compare_2", "classify_1", "classify_2"):
        dropped = seen[name][0] == 0
        assert 0.3 < dropped.double().mean() < 0.95
    is_zero = seen["compare_own"][0] == 0
    assert not (is_zero == is_zero[:, :1]).all()
    own = seen["output"][0]
    kept = torch.relu(network.classify_2(seen["classify_2"][0]))
    torch.testing.assert_close(own, kept)


def test_the_authors_network_reads_word_vectors_only():
    with pytest.raises(WordworthError, match="over ELMo"):
        Shape(6, beside=True, network="dev2020")


@pytest.mark.parametrize("network", ["default", "dev2020"])
def test_training_sees_the_same_network(network):
    one = model(network=network).network.eval()
    x, y = torch.randn(4, 5, 6), torch.randn(4, 3, 6)
    torch.testing.assert_close(one(x, y), one.pair(one.encode(x), one.encode(y)), atol=1e-5, rtol=1e-5)


def test_probabilities_do_not_depend_on_how_pairs_are_put_together(monkeypatch):
    one = model()
    pairs = every_pair(len(SENTENCES))
    whole = one.probabilities(SENTENCES, pairs)
    alone = [one.probabilities([SENTENCES[p], SENTENCES[h]], np.array([[0, 1]]))[0] for p, h in pairs]
    np.testing.assert_allclose(whole, alone, atol=1e-5)
    monkeypatch.setattr(embedded, "ENCODED_PAIRS", 7)
    monkeypatch.setattr(embedded, "BLOCK_PAIRS", 2)
    monkeypatch.setattr(embedded, "SENTENCES", 1)
    order = np.random.default_rng(0).permutation(len(pairs))
    np.testing.assert_allclose(one.probabilities(SENTENCES, pairs[order]), whole[order], atol=1e-5)
    np.testing.assert_allclose(whole.sum(axis=1), 1)


def test_labels_come_from_the_model_not_from_their_place():
    foreign = ("contradiction", "entailment", "neutral")
    here, there = model(), model(foreign)
    pairs = every_pair(3)
    moved = [LABELS.index(label) for label in foreign]
    # The same weights, whose first output is now contradiction.
    np.testing.assert_allclose(
        there.probabilities(SENTENCES, pairs)[:, moved], here.probabilities(SENTENCES, pairs), atol=1e-7
    )


def test_no_pairs_and_pairs_outside():
    assert model().probabilities(SENTENCES, np.empty((0, 2), dtype=np.int64)).shape == (0, 3)
    with pytest.raises(WordworthError, match="outside the 6 sentences"):
        model().probabilities(SENTENCES, np.array([[0, 6]]))


def test_other_vectors_in_the_same_network():
    one, other = model(), embedding(seed=9)
    assert isinstance(one, MitigableNli)
    assert one.vectors_of(["man"]) is one.word_vectors
    changed = one.with_vectors(other)
    pairs = every_pair(2)
    assert not np.allclose(changed.probabilities(SENTENCES, pairs), one.probabilities(SENTENCES, pairs))
    projected = other.with_matrix(other.matrix / 2, "he − she projected out")
    assert one.with_vectors(projected).identity != changed.identity
    (direction,) = random_directions(6, count=1, seed=3)
    expected = one.with_vectors(remove(embedding(), direction.basis, "x")).probabilities(SENTENCES, pairs)
    np.testing.assert_allclose(one.without(direction).probabilities(SENTENCES, pairs), expected, atol=1e-9)
    with pytest.raises(WordworthError, match="has 7 dimensions, but the model was trained on 6"):
        one.with_vectors(embedding(dim=7))


def test_unknown_words_are_listed_and_have_vectors():
    one = model()
    assert one.missing(["The zebra bought a zebra.", "A man ate a quagga."]) == ("zebra", "quagga")
    vectors = one.embedder
    ids = vectors.ids("The zebra")
    assert ids[0] == len(WORDS) + UNKNOWN_VECTORS  # the start of the sentence
    assert len(WORDS) <= ids[2] < len(WORDS) + UNKNOWN_VECTORS
    assert ids[2] == vectors.ids("ZEBRA")[1]
    found = vectors.vectors(np.array([ids]))
    np.testing.assert_array_equal(found[0, 2], draw_extra_vectors(6, 0)[ids[2] - len(WORDS)])
    np.testing.assert_array_equal(found[0, 1], embedding().matrix[0])


def test_sentences_are_split_as_for_glove():
    assert words_of("He didn't say it's the U.K.'s, isn’t it?") == [
        *("He", "did", "n't", "say", "it", "'s", "the", "U", ".", "K", ".", "'s", ",", "is", "n't", "it", "?")
    ]
    assert words_of("3.5 and 1,000 at 10:30, a T-shirt") == ["3.5", "and", "1,000", "at", "10:30", ",", "a", "T-shirt"]
    vectors = StaticVectors(embedding(), draw_extra_vectors(6, 0))
    assert vectors.ids("a T-shirt")[1:] == [WORDS.index("a"), WORDS.index("t-shirt")]
    assert vectors.ids("man-woman")[1:] == [WORDS.index("man"), WORDS.index("woman")]


def test_one_inference_and_several() -> None:
    """The numbers are those of `probabilities`, under the names of the labels."""
    one = model()
    premises, hypotheses = ["The man sat.", "A dog ran."], ["The man sat.", "The man sat."]
    rows = one.probabilities([*premises, *hypotheses], np.array([[0, 2], [1, 3]]))
    both = infer(one, premises, hypotheses)
    np.testing.assert_allclose(np.array(both), rows, atol=1e-9)
    single = infer(one, premises[1], hypotheses[1])
    assert single._fields == LABELS
    assert single == pytest.approx(both[1])
    for wrong in ("The man sat.", ["The man sat."]):
        with pytest.raises(WordworthError, match="give two sentences, or two lists of one length"):
            infer(one, premises, wrong)

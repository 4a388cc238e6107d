"""The model that comes with the package: what its card says is what it does."""

import re
from importlib.resources import files

import numpy as np
import pytest

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.nli import load_nli
from wordworth.catalog.registry import entry
from wordworth.errors import WordworthError
from wordworth.nli.loading import DEFAULT, load, load_attention_nli, read_model
from wordworth.nli.nli import LABELS, MitigableNli, accuracy, infer

FOLDER = files("wordworth.catalog") / "data" / DEFAULT


def card() -> str:
    return (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_it_lies_in_the_package_and_is_small():
    found = entry(DEFAULT)
    located = here(DEFAULT, found.sources)  # checks every sha256
    assert located is not None
    assert sum(pin.bytes for pin in found.sources[0].content) <= 5_000_000
    kept = read_model(located.path)
    assert kept.network.shape.labels == LABELS
    assert (kept.network.shape.dim, kept.network.shape.hidden, kept.network.shape.beside) == (50, 200, False)
    assert kept.config.vectors.name == "glove-6b-50d"


@pytest.mark.index
def test_it_reads_glove_and_decides_plain_cases():
    model = load("mine=nli-glove")
    assert model.name == "mine"
    assert isinstance(model, MitigableNli)
    with pytest.raises(WordworthError, match="minilm-l6 is not an NLI model"):
        load("minilm-l6")
    sentences = ["A man is sleeping.", "A person is asleep.", "A man is not sleeping.", "A man in a blorkish hat"]
    found = model.probabilities(sentences, np.array([[0, 0], [0, 1], [0, 2]]))
    assert found[0].argmax() == LABELS.index("entailment")
    assert found[2].argmax() == LABELS.index("contradiction")
    assert model.missing(sentences) == ("blorkish",)
    glove = next(load_embeddings("glove-6b-50d"))
    same = model.with_vectors(glove.with_matrix(glove.matrix, "nothing done"))
    np.testing.assert_allclose(same.probabilities(sentences, np.array([[0, 1]]))[0], found[1], atol=1e-6)


@pytest.mark.index
def test_its_accuracy_is_the_card_s(data):
    accuracy_on_card = re.search(r"\*\*(\d\d\.\d\d) %\*\*", card())
    assert accuracy_on_card is not None
    assert float(accuracy_on_card[1]) >= 77
    assert 100 * accuracy(load_attention_nli(), load_nli("snli-test").examples()) == pytest.approx(
        float(accuracy_on_card[1]), abs=0.05
    )


class Coin:
    """A user's own model: three equal chances, no vectors."""

    name, identity = "coin", ("coin",)

    def probabilities(self, sentences: list[str], pairs: np.ndarray) -> np.ndarray:
        return np.full((len(pairs), 3), 1 / 3)


def test_a_model_of_ones_own_is_taken_as_it_is() -> None:
    coin = Coin()
    assert load(coin) is coin
    assert not isinstance(coin, MitigableNli)
    assert infer(coin, "a", "b") == pytest.approx((1 / 3,) * 3)

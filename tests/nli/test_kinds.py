"""Models of every kind by one function."""

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.nli.loading import load
from wordworth.nli.nli import MitigableNli, infer


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


@pytest.mark.index
def test_the_models_of_the_package_by_name() -> None:
    model = load("mine=nli-glove")
    assert model.name == "mine"
    assert isinstance(model, MitigableNli)
    same = infer(model, "A man is eating a bagel.", "A man is eating a bagel.")
    other = infer(model, "A man is eating a bagel.", "Nobody is eating.")
    assert max(same) == same.entailment > other.entailment
    with pytest.raises(WordworthError, match="minilm-l6 is no NLI model"):
        load("minilm-l6")

"""Where a number stands among published ones: like against like, checked by the papers' tables."""

import pytest
from experiments.nli_verdicts import verdict

from wordworth.pages.published import Standing, standing

SEVEN = "the .82–.88 of seven English embeddings (Toney and Caliskan 2021)"


def _valence(model: str = "mine", kind: str = "static", dataset: str = "bellezza", **more: object) -> Standing:
    found = standing(model, kind, measure="valence", dataset=dataset, **more)
    assert found is not None
    return found


def test_below_inside_and_above_a_range() -> None:
    seven = _valence()
    assert (seven.low, seven.high) == (0.82, 0.88)
    assert seven.said(0.797, 0.76, 0.83) == f"just below {SEVEN}"  # its interval reaches .82
    assert seven.said(0.60, 0.55, 0.65) == f"below {SEVEN}"
    assert seven.said(0.60) == f"below {SEVEN}"
    assert seven.said(0.85, 0.80, 0.90) == f"within {SEVEN}"
    assert seven.said(0.817) == f"within {SEVEN}"  # both are .82 to a reader
    assert seven.said(0.93, 0.90, 0.95) == f"above {SEVEN}"
    assert seven.said(0.90, 0.87, 0.92) == f"just above {SEVEN}"


def test_one_number() -> None:
    """Table 5 of ValNorm: fastText in German, .80 on the German translation."""
    german = _valence(dataset="bellezza-german")
    assert german.said(0.75, 0.70, 0.79) == "below the .80 of fastText in German (Toney and Caliskan 2021)"
    assert german.said(0.801) == "like the .80 of fastText in German (Toney and Caliskan 2021)"


def test_the_same_model_comes_first() -> None:
    assert _valence("numberbatch").said(0.80) == "below the .86 of the same model (Toney and Caliskan 2021)"


def test_two_models_are_a_range_of_both() -> None:
    """Table 1 of Bommasani et al.: WS-353 .6838 for word2vec and .6073 for GloVe."""
    found = standing("mine", "static", measure="similarity", dataset="ws-353")
    assert found is not None
    assert found.said(0.50, 0.41, 0.59) == "below the .61–.68 of word2vec and GloVe (Bommasani et al. 2020)"
    own = standing("glove", "static", measure="similarity", dataset="ws-353")
    assert own is not None
    assert own.said(0.6073) == "like the .61 of the same model (Bommasani et al. 2020)"


def test_only_like_is_held_against_like() -> None:
    best = {"measure": "valence", "dataset": "bellezza", "setting": "bleached", "layer": "best"}
    found = standing("mine", "causal", **best)  # GPT-2 in layer 8 with 2 components nullified, GPT-Neo in layer 12
    assert found is not None
    at_best = "the .87–.89 of GPT-2 and GPT-Neo (Wolfe and Caliskan 2022)"
    assert found.said(0.86, 0.84, 0.88) == f"just below {at_best}"
    assert standing("mine", "masked", **best) is None  # a model of another kind
    top = {"measure": "valence", "dataset": "bellezza", "setting": "bleached", "layer": "top"}
    found = standing("mine", "causal", **top)  # without XLNet, whose setting is not stated
    assert found is not None
    assert found.said(0.62, 0.55, 0.68) == "above the .32 of GPT-2 (Wolfe and Caliskan 2022)"
    assert standing("mine", "static", measure="valence", dataset="warriner") is None  # another lexicon


def test_the_best_layer_of_a_table_is_any_layer() -> None:
    """Tables 4 and 6 of Bommasani et al., WS-353, 10,000 sentences: GPT-2 .4205 and .5209, XLNet .6482 and .6935."""
    reduced = {"measure": "similarity:best", "dataset": "ws-353", "pooling": "mean/mean"}
    found = standing("mine", "causal", **reduced, setting="aggregated:10000")
    assert found is not None
    assert (found.low, found.high, found.whose) == (0.4205, 0.6935, "4 published causal models")


@pytest.mark.parametrize(
    ("paper", "low", "high", "change", "said"),
    [
        (0.387, 0.175, 0.499, False, "reproduced"),
        (0.713, 0.429, 0.672, False, "not reproduced"),
        (0.093, 0.02, 0.05, True, "reproduced"),  # another size, and the same sign beyond doubt
        (0.093, -0.05, -0.02, True, "not reproduced"),  # the other sign
        (0.093, -0.112, 0.028, True, "not reproduced"),  # surely not as much
        (0.084, -0.081, 0.139, True, "undecided"),  # none, or theirs
        (-0.025, -0.07, -0.01, True, "reproduced"),
        (-0.025, 0.01, 0.07, True, "not reproduced"),
    ],
)
def test_what_an_interval_says_of_a_number(paper: float, low: float, high: float, change: bool, said: str) -> None:
    assert verdict(paper, low, high, change=change) == said

"""What networks with several seeds say of a number in a paper, and which networks say anything at all."""

from collections.abc import Sequence

import pytest
from experiments.nli_verdicts import judge, prediction_interval, why_not_judged

from wordworth.pages.published import Published, published

PAPERS_MODEL = "elmo"


def number(model: str = PAPERS_MODEL) -> Published:
    return next(one for one in published() if one.paper == "dev2020" and one.model == model)


def test_a_prediction_interval_by_hand() -> None:
    """Mean .3, s .1, n 3: Student's t with 2 degrees of freedom is 4.3027, and √(1 + 1/3) is 1.1547."""
    assert prediction_interval([0.2, 0.3, 0.4]) == pytest.approx((0.3 - 0.49683, 0.3 + 0.49683), abs=1e-5)


@pytest.mark.parametrize(
    ("paper", "values", "change", "said"),
    [
        (0.387, (0.37, 0.38, 0.39, 0.40), False, "reproduced"),
        (0.713, (0.54, 0.55, 0.56, 0.57), False, "not reproduced"),
        (0.394, (0.10, 0.30, 0.40, 0.65), False, "undecided"),  # contains .394, and nearly everything else
        (0.093, (0.07, 0.08, 0.09, 0.10), True, "reproduced"),
        (0.093, (0.03, 0.03, 0.04, 0.04), True, "not reproduced"),  # the same sign, but another size
        (0.093, (-0.05, -0.04, -0.03, -0.02), True, "not reproduced"),
        (0.084, (-0.04, 0.01, 0.05, 0.09), True, "undecided"),  # none, or theirs
    ],
)
def test_what_seeds_say_of_a_number(paper: float, values: Sequence[float], change: bool, said: str) -> None:
    assert judge(paper, values, change=change) == said


def test_one_network_of_the_paper_is_not_held_against_the_interval_of_a_mean() -> None:
    """The interval of the mean is [.28, .36], without .387; one more network may be anywhere in [.23, .41]."""
    assert judge(0.387, (0.29, 0.31, 0.33, 0.35)) == "undecided"


def test_without_values_by_seed_or_with_an_obstacle_nothing_is_judged() -> None:
    assert judge(0.387, ()) == "not measured: the values by seed were not kept"
    assert judge(0.387, (0.37, 0.38, 0.39), obstacle="other model") == "not measured: other model"


@pytest.mark.parametrize(
    ("model", "trained_on", "accuracy", "why"),
    [
        (PAPERS_MODEL, "snli", 0.87, ""),
        (PAPERS_MODEL, "snli", 0.37, "its accuracy is 0.37, near chance"),
        (PAPERS_MODEL, "snli-91k", 0.87, "trained on snli-91k, not snli"),
        ("minilm-l6", "snli", 0.87, "other model"),
        ("minilm-l6", "snli-91k", 0.87, "other model; trained on snli-91k, not snli"),
    ],
)
def test_only_the_papers_model_on_its_data_is_judged(model: str, trained_on: str, accuracy: float, why: str) -> None:
    assert why_not_judged(number(), model, trained_on, accuracy) == why

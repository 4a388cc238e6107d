"""What an interval of ours says of a number in a paper."""

import pytest
from experiments.nli_verdicts import verdict


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

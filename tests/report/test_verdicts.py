"""Reproduced, not reproduced or undecided: the rule, and the sentence of a report that holds networks trained anew."""

from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun
from wordworth.report.runs import read_runs
from wordworth.report.verdicts import reproduced, verdict


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
def test_the_rule(paper: float, low: float, high: float, change: bool, said: str) -> None:
    assert verdict(paper, low, high, change=change) == said


def _row(setting: str, measure: str, *numbers: float) -> dict[str, Any]:
    value, low, high = numbers
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "setting": setting}
    return {**where, "measure": measure, "value": value, "low": low, "high": high}


def test_a_report_says_it_in_one_sentence(tmp_path: Path) -> None:
    """Their Table 1: .387; Table 8: .480 without he − she, .362 without a random direction."""
    run = MadeRun("infer")
    run.model("nli", family="nli")
    run.score(**_row("original", "net-neutral", 0.34, 0.25, 0.43))
    run.score(**_row("projection", "net-neutral", 0.15, 0.1, 0.2))
    run.score(**_row("projection", "net-neutral:change", -0.19, -0.25, -0.1))
    assert not list(reproduced(read_runs([run.write(tmp_path / "at-test")])))  # the paper trains anew
    for name, subspace in (("nogender", "he − she"), ("norandom", "random:1")):
        run.model(name, family="nli", trained_without={"subspace": subspace, "dimensions": 1})
    run.score(**_row("nogender", "net-neutral", 0.3, 0.2, 0.4))
    run.score(**_row("nogender", "net-neutral:change", -0.04, -0.11, 0.03))
    run.score(**_row("norandom", "net-neutral", 0.31, 0.2, 0.4))
    run.score(**_row("norandom", "net-neutral:change", -0.03, -0.07, 0.01))
    (said,) = reproduced(read_runs([run.write(tmp_path / "anew")]))
    assert said.text == (
        "On gender, beside Dev et al. (2020), net neutral is .34 [.25, .43], there .39 (glove): reproduced; nogender "
        "changes it by −.04 [−.11, +.03], there +.09: not reproduced; norandom changes it by −.03 [−.07, +.01], there "
        "−.03: undecided."
    )

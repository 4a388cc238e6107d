"""Reproduced, not reproduced or undecided: the rule, and the sentence of a report that holds networks trained anew."""

from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun
from wordworth.report import verdicts
from wordworth.report.published import Comparison, Published, published
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


def _paper(setting: str, value: float) -> Published:
    return Published(
        "dev2020", "Table 8", "glove", "gender", setting, "", "", None, "net-neutral", value, None, None, ""
    )


def test_a_report_says_it_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = MadeRun("infer")
    run.model("nli", family="nli")
    where = {"experiment": "gender", "model": "nli", "dataset": "gender"}
    level = {"setting": "original", "measure": "net-neutral", "value": 0.34, "low": 0.25, "high": 0.43}
    changes: list[dict[str, Any]] = [
        {"setting": "nogender", "measure": "net-neutral:change", "value": -0.04, "low": -0.11, "high": 0.03},
        {"setting": "norandom", "measure": "net-neutral:change", "value": -0.03, "low": -0.07, "high": 0.01},
    ]
    for row in (level, *changes):
        run.score(**where, **row)
    runs = read_runs([run.write(tmp_path / "infer")])
    assert not list(reproduced(runs))  # a network as it is stands among published ones already
    anew = [{**where, **row, "measure": "net-neutral"} for row in changes]
    beside = [
        Comparison(0, {**where, **level}, _paper("original", 0.387), "nearest"),
        Comparison(1, anew[0], _paper("retrained:gender", 0.480), "nearest"),
        Comparison(2, anew[1], _paper("retrained:random", 0.362), "nearest"),
        Comparison(3, anew[1], _paper("retrained:gender", 0.480), "nearest", "of another kind"),
    ]
    monkeypatch.setattr(verdicts, "comparisons", lambda _: iter(beside))
    (said,) = reproduced(runs)
    assert said.text == (
        "On gender, beside Dev et al. (2020), net neutral is .34 [.25, .43], there .39 (glove): reproduced; nogender "
        "changes it by −.04 [−.11, +.03], there +.09: not reproduced; norandom changes it by −.03 [−.07, +.01], there "
        "−.03: undecided."
    )
    assert next(one.value for one in published() if one.paper == "dev2020" and one.model == "glove") == 0.387

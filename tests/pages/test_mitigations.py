"""Whether taking something out made a model better or worse is said, against what chance does."""

from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun, debiased
from wordworth.pages.answers import answers
from wordworth.pages.runs import read_runs


def _said(folder: Path, question: str) -> list[str]:
    return [
        f"{one.model} {one.text}"
        for answer in answers(read_runs([folder]))
        if answer.question == question
        for one in answer.sentences
    ]


def _nli(change: tuple[float, float, float] | None, after: float, **more: Any) -> MadeRun:
    """Net neutral .31 before, `after` with projection, .31 − .002 with random directions."""
    run = MadeRun("infer", measures={"net-neutral": {"better": "higher"}})
    run.model("nli", family="nli")
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "n": 20_000, **more}
    run.score(**where, setting="original", measure="net-neutral", value=0.312, low=0.257, high=0.365)
    for setting, value in (("projection", after), ("random", 0.310), ("random:1", 0.31)):
        run.score(**where, setting=setting, measure="net-neutral", value=value)
    if change:
        value, low, high = change
        told = {"measure": "net-neutral:change", "value": value, "low": low, "high": high}
        run.score(**where, setting="projection", **told)
        run.score(**where, setting="random", measure="net-neutral:change", value=-0.002, low=-0.004, high=0.0003)
    return run


FIRST = (
    "nli gives neutral, the only right answer, a mean probability of .31 [.26, .36] on gender (20,000 pairs), below "
    "the .39–.42 of GloVe, ELMo and BERT (Dev et al. 2020)."
)
"""Their Table 1: .387, .417 and .421; here the interval ends at .365."""


@pytest.mark.parametrize(
    ("change", "after", "verdict"),
    [
        ((-0.0817, -0.149, -0.002), 0.230, "makes it worse: .23 (−.08 [−.15, −.002]; random directions: −.002)"),
        ((0.093, 0.02, 0.15), 0.405, "makes it better: .41 (+.09 [+.02, +.15]; random directions: −.002)"),
        ((0.01, -0.02, 0.05), 0.322, "makes no clear difference: .32 (+.01 [−.02, +.05]; random directions: −.002)"),
        (None, 0.230, "makes it worse: .23 (−.08; random directions: −.002)"),
    ],
)
def test_better_or_worse(tmp_path: Path, change: tuple[float, float, float] | None, after: float, verdict: str) -> None:
    (said,) = _said(_nli(change, after).write(tmp_path / "infer"), "What does it infer that does not follow?")
    assert said == f"{FIRST} Projection {verdict}."


EFFECTS = {"original": 1.5, "random": 1.4, "random:1": 1.3}


@pytest.mark.parametrize(
    ("effect", "valence", "told"),
    [
        (0.5, 0.79, (".50 over 2 social association tests, from 1.50: better (random directions leave 1.40). "
                    "It keeps meaning: bellezza .80 → .79.")),
        (1.9, 0.60, ("1.90 over 2 social association tests, from 1.50: worse (random directions leave 1.40). "
                    "It costs meaning: bellezza .80 → .60.")),
    ],
)  # fmt: skip
def test_what_debiasing_changes(tmp_path: Path, effect: float, valence: float, told: str) -> None:
    run = debiased("vectors", {**EFFECTS, "projection": effect}, {"original": 0.8, "projection": valence})
    folder = run.write(tmp_path / "debias")
    assert _said(folder, "What does debiasing change?") == [f"vectors projection leaves a mean |d| of {told}"]
    assert not _said(folder, "Whom does it stereotype?")  # the debiased vectors are no second model


def test_a_loss_inside_the_interval_is_none(tmp_path: Path) -> None:
    run = debiased("vectors", {**EFFECTS, "projection": 0.5}, {})
    where = {"experiment": "similarity", "model": "vectors", "dataset": "ws-353", "measure": "similarity"}
    run.score(**where, setting="original", value=0.50, low=0.41, high=0.59)
    run.score(**where, setting="projection", value=0.45)
    (said,) = _said(run.write(tmp_path / "debias"), "What does debiasing change?")
    assert said.endswith("It keeps meaning: ws-353 .50 → .45.")

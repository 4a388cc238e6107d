"""“No worse than a baseline”: the verdict of a paired difference with its margin."""

from pathlib import Path

import numpy as np
import pytest

from commands import Command
from made_checks import WriteRules
from wordworth import paired
from wordworth.measure.declaration import Better
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import EXPERIMENT_TITLES
from wordworth.rules.checking import judge_lead
from wordworth.rules.rules import Verdict

WORDS = [f"word{at}" for at in range(80)]


def valence_run(folder: Path, model: str, noise: float, seed: int) -> Path:
    """Save a run of a model whose associations are the ratings and so much noise."""
    ratings = np.random.default_rng(0).normal(size=len(WORDS))
    values = ratings + noise * np.random.default_rng(seed).normal(size=len(WORDS))
    findings = Findings("valnorm", EXPERIMENT_TITLES)
    findings.add_model(model, {"words": 10})
    where = {"experiment": "valence", "model": model, "language": "english", "dataset": "bellezza"}
    rho = float(np.corrcoef(ratings, values)[0, 1])
    findings.score(**where, measure="valence", value=rho, low=0.0, high=1.0, n=80)
    findings.item("rated_words", **where, word=WORDS, rating=ratings.tolist(), value=values.tolist())
    findings.to_run(command=["wordworth"]).save(folder)
    return folder


RULE = "[rules.a]\nmeasure = 'valence'\ndataset = 'bellezza'\nno_worse_than = 'runs/base'\n"


@pytest.mark.parametrize(
    ("noise", "margin", "code"), [(2.0, 0, 1), (0.1, 0, 0), (0.5, 0, 3), (0.5, 0.3, 0), (2.0, 0.9, 0)]
)
def test_by_the_interval_of_the_difference(
    command: Command, tmp_path: Path, write_rules: WriteRules, noise: float, margin: float, code: int
) -> None:
    """The baseline has noise .5: a model of much more is worse, of much less better, of as much undecided."""
    valence_run(tmp_path / "runs" / "base", "base", 0.5, seed=1)
    mine = valence_run(tmp_path / "runs" / "mine", "mine", noise, seed=2)
    answer = command("check", mine, write_rules(f"{RULE}margin = {margin}\n"))
    assert answer.code == code, answer
    assert "no worse than" in answer.out


def test_incomparable_runs_are_errors(command: Command, tmp_path: Path, write_rules: WriteRules) -> None:
    base = valence_run(tmp_path / "runs" / "base", "base", 0.5, seed=1)
    mine = valence_run(tmp_path / "runs" / "mine", "mine", 0.5, seed=2)
    for text, sentence in {
        RULE.replace("runs/base", "runs/bsae"): "is not a folder",
        RULE.replace("'bellezza'", "'belleza'"): "has the dataset 'belleza'; did you mean bellezza",
        RULE + "baseline_model = 'bass'\n": "has no model 'bass'; did you mean base",
        RULE + "study = 'weat'\n": "have no study in common",
    }.items():
        answer = command("check", mine, write_rules(text))
        assert (answer.code, answer.out) == (2, "")
        assert "rules.toml, rule 'a': " in answer.err
        assert sentence in answer.err
    assert "cannot be compared with itself" in command("check", base, write_rules(RULE)).err


@pytest.mark.parametrize(
    ("better", "margin", "verdict"),
    [
        ("higher", 0.0, "undecided"),  # the difference is from -.1 to .3
        ("higher", 0.1, "pass"),
        ("lower", 0.3, "pass"),
        ("lower", 0.2, "undecided"),
        ("zero", 0.0, "fail"),  # the first is farther from 0 by .4 to .6, on the other side
        ("zero", 0.6, "pass"),
    ],
)
def test_the_interval_and_the_margin_decide(better: Better, margin: float, verdict: Verdict) -> None:
    tested = paired.PairedTest(0.1, 0.0, -0.1, 0.3, 0.5, 16, "exchange", magnitude=(0.4, 0.6))
    assert judge_lead(margin, tested, better) == verdict

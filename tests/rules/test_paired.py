"""“No worse than a baseline”: the verdict of a paired difference with its margin."""

from pathlib import Path

import numpy as np
import pytest

from commands import Command
from made_checks import WriteRules
from wordworth import paired
from wordworth.paired import Difference, Side
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import EXPERIMENTS
from wordworth.rules.baseline import judge_magnitude
from wordworth.rules.rules import Verdict

WORDS = [f"word{at}" for at in range(80)]


def valence_run(folder: Path, model: str, noise: float, seed: int) -> Path:
    """Save a run of a model whose associations are the ratings and so much noise."""
    ratings = np.random.default_rng(0).normal(size=len(WORDS))
    values = ratings + noise * np.random.default_rng(seed).normal(size=len(WORDS))
    findings = Findings("valnorm", EXPERIMENTS)
    findings.add_model(model, {"words": 10})
    where = {"experiment": "valence", "model": model, "language": "english", "dataset": "bellezza"}
    rho = float(np.corrcoef(ratings, values)[0, 1])
    findings.score(**where, measure="valence", value=rho, low=0.0, high=1.0, n=80)
    findings.item("rated_words", **where, word=WORDS, rating=ratings.tolist(), value=values.tolist())
    findings.to_run(command=["wordworth"]).save(folder)
    return folder


RULE = "[rules.a]\nmeasure = 'valence'\ndataset = 'bellezza'\nno_worse_than = 'runs/base'\n"


@pytest.mark.parametrize(
    ("noise", "margin", "code"),
    [(2.0, 0, 1), (0.1, 0, 0), (0.5, 0, 3), (0.5, 0.3, 0), (2.0, 0.9, 0)],
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


def test_what_cannot_be_compared_is_an_error(command: Command, tmp_path: Path, write_rules: WriteRules) -> None:
    base = valence_run(tmp_path / "runs" / "base", "base", 0.5, seed=1)
    mine = valence_run(tmp_path / "runs" / "mine", "mine", 0.5, seed=2)
    for text, sentence in {
        RULE.replace("runs/base", "runs/bsae"): "is not a folder",
        RULE.replace("'bellezza'", "'belleza'"): "has the dataset 'belleza'; did you mean bellezza",
        RULE + "baseline_model = 'bass'\n": "has no model 'bass'; did you mean base",
        RULE + "take = 'best'\n": "its take is 'best'",
        RULE + "study = 'weat'\n": "have no study in common",
    }.items():
        answer = command("check", mine, write_rules(text))
        assert (answer.code, answer.out) == (2, "")
        assert "rules.toml, rule 'a': " in answer.err
        assert sentence in answer.err
    assert "cannot be compared with itself" in command("check", base, write_rules(RULE)).err


def _difference(first: float, second: float, low: float, high: float) -> Difference:
    columns = {"experiment": "weat", "language": "english", "dataset": "weat6", "measure": "weat"}
    return Difference(columns, paired.Tested(first, second, low, high, 0.5, 16, "exchange"))


def _side(model: str, low: float, high: float) -> Side:
    findings = Findings("weat", EXPERIMENTS)
    where = {"experiment": "weat", "model": model, "language": "english", "dataset": "weat6", "measure": "weat"}
    findings.score(**where, value=(low + high) / 2, low=low, high=high, n=16)
    return Side(findings.to_run(command=["wordworth"]), model)


@pytest.mark.parametrize(
    ("mine", "base", "difference", "verdict"),
    [
        ((-0.6, 0.5), (1.5, 1.8), (-2.2, -1.2), "pass"),  # near 0 on either side of it, and the baseline far away
        ((1.5, 1.8), (0.1, 0.5), (1.1, 1.6), "fail"),
        ((-1.8, -1.5), (0.1, 0.5), (-2.2, -1.7), "fail"),  # farther away on the other side
        ((-0.5, -0.1), (-1.8, -1.5), (1.1, 1.6), "pass"),  # the baseline's side is the negative one
        ((-1.0, 1.1), (-0.8, 1.2), (-0.4, -0.1), "undecided"),  # whose sign is not known
        ((1.4, 1.8), (1.4, 1.8), (-0.1, 0.1), "undecided"),
    ],
)
def test_where_nearer_to_0_is_better(
    mine: tuple[float, float],
    base: tuple[float, float],
    difference: tuple[float, float],
    verdict: Verdict,
) -> None:
    middles = [(low + high) / 2 for low, high in (mine, base)]
    chosen = _side("a", *mine), _side("b", *base)
    one = _difference(middles[0], middles[1], *difference)
    assert judge_magnitude(0.0, one, chosen) == verdict
    if verdict == "undecided" and difference[1] > 0:
        assert judge_magnitude(0.2, one, chosen) == "pass"

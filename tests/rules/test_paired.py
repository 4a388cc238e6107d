"""“No worse than a baseline”: the verdict of a paired difference with its margin."""

from pathlib import Path

import numpy as np
import pytest

from commands import Command
from made_checks import WriteRules
from made_runs import MadeRun
from wordworth.paired import Difference, Side
from wordworth.results import Run, read_run
from wordworth.rules.paired import _by_magnitude
from wordworth.rules.rules import Baseline, Verdict

WORDS = [f"word{at}" for at in range(80)]


def valence_run(folder: Path, model: str, noise: float, seed: int) -> Path:
    """A model whose associations are the ratings and so much noise."""
    ratings = np.random.default_rng(0).normal(size=len(WORDS))
    values = ratings + noise * np.random.default_rng(seed).normal(size=len(WORDS))
    run = MadeRun("valnorm")
    run.model(model, words=10)
    where = {"experiment": "valence", "model": model, "language": "english", "dataset": "bellezza"}
    run.score(**where, measure="valence", value=float(np.corrcoef(ratings, values)[0, 1]), low=0.0, high=1.0, n=80)
    run.item(**where, item=WORDS, group="lexicon", reference=ratings.tolist(), value=values.tolist())
    return run.write(folder)


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
        RULE + "take = 'best'\n": "has no best of several",
        RULE + "study = 'weat'\n": "have no study in common",
    }.items():
        answer = command("check", mine, write_rules(text))
        assert (answer.code, answer.out) == (2, "")
        assert "rules.toml, rule 'a': " in answer.err
        assert sentence in answer.err
    assert "cannot be compared with itself" in command("check", base, write_rules(RULE)).err


def _difference(first: float, second: float, low: float, high: float) -> Difference:
    told = {"experiment": "weat", "language": "english", "dataset": "weat6", "setting": None, "measure": "weat"}
    tested = {"difference": first - second, "low": low, "high": high, "p": 0.5, "test": "", "n": 16}
    return Difference(
        **told, first=first, second=second, **tested, only_first=0, only_second=0, layers=(None, None), notes=()
    )


def _side(folder: Path, model: str, low: float, high: float) -> Side:
    run = MadeRun("weat")
    where = {"experiment": "weat", "model": model, "language": "english", "dataset": "weat6", "measure": "weat"}
    run.score(**where, value=(low + high) / 2, low=low, high=high, n=16)
    read: Run = read_run(run.write(folder))
    return Side(read, model)


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
    tmp_path: Path,
    mine: tuple[float, float],
    base: tuple[float, float],
    difference: tuple[float, float],
    verdict: Verdict,
) -> None:
    middles = [(low + high) / 2 for low, high in (mine, base)]
    chosen = _side(tmp_path / "a", "a", *mine), _side(tmp_path / "b", "b", *base)
    one = _difference(middles[0], middles[1], *difference)
    assert _by_magnitude(Baseline(Path("b")), one, chosen) == verdict
    if verdict == "undecided" and difference[1] > 0:
        assert _by_magnitude(Baseline(Path("b"), margin=0.2), one, chosen) == "pass"

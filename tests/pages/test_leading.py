"""Who leads: the best model, and those that a paired test does not find worse."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, pearsonr, spearmanr

from made_runs import MadeRun
from wordworth.pages.leaderboard import MCNEMAR, WILLIAMS, Leading, leading, paired, paired_test
from wordworth.pages.runs import Runs, read_runs
from wordworth.paired import ComparisonSettings, compare, sides
from wordworth.results import read_run

WORDS = [f"word{number}" for number in range(120)]
RATINGS = np.random.default_rng(0).normal(5, 2, len(WORDS))
BETTER = {
    "higher": ("valence", "similarity", "analogy", "top-1", "net-neutral", "T1"),
    "lower": ("perplexity", "manzini"),
}
DECLARED = {name: {"better": end} for end, names in BETTER.items() for name in names}
DECLARED |= {"weat": {"better": "zero"}, "garg-euclidean": {"better": "lower"}}


def _valued(noise: float, seed: int) -> list[float]:
    return (RATINGS + np.random.default_rng(seed).normal(0, noise, len(WORDS))).tolist()


def _runs(folder: Path, score: dict[str, Any], models: dict[str, tuple[float, dict[str, Any]]]) -> Runs:
    """A run of one measure: model → its value and its items."""
    run = MadeRun("valnorm", measures=DECLARED)
    for model, (value, items) in models.items():
        place = {"model": model, "language": "english", **{key: score[key] for key in ("experiment", "dataset")}}
        run.score(**place, measure=score["measure"], value=value, n=len(items["item"]))
        run.item(**place, **items)
    return read_runs([run.write(folder)])


def _first(runs: Runs, better: str = "higher") -> Leading:
    return leading(runs, runs.scores.to_dicts(), better)


VALENCE = {"experiment": "valence", "dataset": "bellezza", "measure": "valence"}


def _lexicon(values: list[float], words: int = 120) -> dict[str, Any]:
    return {"item": WORDS[:words], "group": "lexicon", "reference": RATINGS[:words].tolist(), "value": values[:words]}


def test_who_is_not_significantly_worse_stands_first_too(tmp_path: Path) -> None:
    """A twin of the best is first, a far worse one is not; p is that of `compare` on the same items."""
    values = {"best": _valued(1.0, 1), "twin": _valued(1.0, 2), "poor": _valued(6.0, 3)}
    rho = {model: pearsonr(of, RATINGS).statistic for model, of in values.items()}
    assert rho["best"] > rho["twin"] > rho["poor"]
    runs = _runs(tmp_path / "run", VALENCE, {name: (rho[name], _lexicon(of)) for name, of in values.items()})
    assert _first(runs) == Leading(frozenset({"best", "twin"}), WILLIAMS)
    for other, real in (("twin", False), ("poor", True)):
        run = read_run(tmp_path / "run")
        (found,) = compare(*sides([run], ("best", other)), ComparisonSettings(resamples=10)).differences
        assert (found.p < 0.05) is real


def test_the_test_is_on_the_items_that_both_have(tmp_path: Path) -> None:
    """The best by its number was measured on few words; where both were, the other is as good."""
    easy = RATINGS.copy()
    easy[60:] = np.random.default_rng(5).normal(5, 2, 60)
    models = {"few": (0.99, _lexicon(RATINGS.tolist(), 60)), "all": (0.6, _lexicon(easy.tolist()))}
    assert _first(_runs(tmp_path / "run", VALENCE, models)).models == {"few", "all"}


def test_none_leads_where_no_end_is_better(tmp_path: Path) -> None:
    items = {name: (0.5 + at, _lexicon(RATINGS.tolist())) for at, name in enumerate("ab")}
    assert _first(_runs(tmp_path / "weat", {**VALENCE, "measure": "weat"}, items), "zero") == Leading()
    grows = _runs(tmp_path / "garg", {**VALENCE, "measure": "garg-euclidean"}, items)
    assert _first(grows, "lower") == Leading()  # it is in the units of a model's vectors
    assert _first(_runs(tmp_path / "one", VALENCE, {"a": items["a"]})) == Leading()


def test_holm_runs_over_the_models(tmp_path: Path) -> None:
    """Alone, p = .03 is worse than the best; beside nine of p about as large it is not."""
    right = np.zeros(120)
    right[:60] = 1
    score = {"experiment": "analogy", "dataset": "google", "measure": "analogy"}
    worse = right.copy()
    worse[:6] = 0  # 6 questions that the best alone solves: mid-p = 2⁻⁶ = .0156
    wrong = binomtest(0, 6).pvalue / 2
    assert wrong == pytest.approx(0.015625)
    items = {
        name: (float(of.mean()), {"item": WORDS, "value": of.tolist()}) for name, of in (("a", right), ("b", worse))
    }
    assert _first(_runs(tmp_path / "two", score, items)) == Leading(frozenset({"a"}), MCNEMAR)
    many = {**items, **{f"c{at}": items["b"] for at in range(4)}}
    assert _first(_runs(tmp_path / "many", score, many)).models == set(many)


@pytest.mark.parametrize(
    ("measure", "experiment", "columns", "better"),
    [
        ("similarity", "similarity", {}, "higher"),
        ("top-1", "prediction", {"rank": True}, "higher"),
        ("perplexity", "prediction", {}, "lower"),
        ("net-neutral", "gender", {"arrow": True}, "higher"),
        ("manzini", "bias", {"group": "manzini"}, "lower"),
    ],
)
def test_every_test_is_that_of_compare(
    tmp_path: Path, measure: str, experiment: str, columns: dict[str, Any], better: str
) -> None:
    """What stands first is decided by the p that `wordworth compare` gives."""
    rng = np.random.default_rng(7)
    run = MadeRun("predict", measures=DECLARED)
    base = rng.uniform(0, 1, 120)
    for model, worse in (("a", 0.0), ("b", 0.2)):
        values = (base + worse * (1 if better == "lower" else -1) + rng.normal(0, 0.3, 120)).tolist()
        names = [f"{word} → man" for word in WORDS] if "arrow" in columns else WORDS
        items = {
            "item": names,
            "group": columns.get("group"),
            "value": values,
            "place": [f"{at // 4}:{at}" for at in range(120)],
        }
        items |= {"reference": RATINGS.tolist()} if measure == "similarity" else {}
        items |= {"rank": [1 if value > 0.5 else None for value in values]} if "rank" in columns else {}
        items |= {"entailment": values} if "arrow" in columns else {}
        place = {"experiment": experiment, "model": model, "language": "english", "dataset": "data"}
        value = spearmanr(values, RATINGS).statistic if measure == "similarity" else float(np.mean(values))
        run.item(**place, **{name: column for name, column in items.items() if column is not None})
        run.score(**place, measure=measure, value=value, n=120)
    runs = read_runs([run.write(tmp_path / "run")])
    found = compare(*sides([runs.each[0]], ("a", "b")), ComparisonSettings(resamples=10)).differences
    name = "bits-per-word" if measure == "perplexity" else measure
    (difference,) = [one for one in found if one.measure == name]
    first = _first(runs, better)
    best = max(runs.scores.iter_rows(named=True), key=lambda row: row["value"] * (1 if better == "higher" else -1))
    assert first.models == ({best["model"]} if difference.p < 0.05 else {"a", "b"})
    how = paired_test(measure)
    assert how is not None
    assert first.test == how.name
    scores = runs.scores.to_dicts()
    tested = paired(runs, scores[0], scores[1])
    assert tested is not None
    assert tested[1] == pytest.approx(difference.p)


def test_without_a_test_the_best_alone_stands_first(tmp_path: Path) -> None:
    items = {name: (0.5 + at, _lexicon(RATINGS.tolist())) for at, name in enumerate("ab")}
    alone = Leading(frozenset("b"), "", frozenset("a"))
    assert _first(_runs(tmp_path / "T1", {**VALENCE, "measure": "T1"}, items)) == alone
    few = {name: (value, {key: of[:3] if isinstance(of, list) else of for key, of in one.items()})
           for name, (value, one) in items.items()}  # fmt: skip
    assert _first(_runs(tmp_path / "few", VALENCE, few)) == alone
    same = {**items, "a": (0.5, _lexicon([1.0] * 120))}
    assert _first(_runs(tmp_path / "same", VALENCE, same)) == alone


def test_data_of_one_name_must_be_the_same(tmp_path: Path) -> None:
    items = _lexicon(RATINGS.tolist())
    for name, sha in (("a", "1"), ("b", "2")):
        run = MadeRun("valnorm", measures=DECLARED, data=[{"name": "bellezza", "sha256": sha}])
        place = {"model": name, "language": "english", "experiment": "valence", "dataset": "bellezza"}
        run.score(**place, measure="valence", value=0.5, n=120)
        run.item(**place, **items)
        run.write(tmp_path / name)
    assert _first(read_runs([tmp_path / "a", tmp_path / "b"])).untested == {"b"}

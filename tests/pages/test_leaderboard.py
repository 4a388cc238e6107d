"""The leaderboard: the best of each column and what a paired test finds no worse; what fits is shown."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, pearsonr

from made_runs import finish, record
from wordworth.pages.leaderboard import Ranking, leaderboard, rank_models
from wordworth.paired import ComparisonSettings, compare, sides
from wordworth.results.runs import Runs, read_runs

WORDS = [f"word{number}" for number in range(120)]
RATINGS = np.random.default_rng(0).normal(5, 2, len(WORDS))
VALENCE = {"experiment": "valence", "dataset": "bellezza", "measure": "valence"}
Items = dict[str, Any]


def draw_values(noise: float, seed: int) -> list[float]:
    return (RATINGS + np.random.default_rng(seed).normal(0, noise, len(WORDS))).tolist()


def runs_of(score: dict[str, Any], table: str, models: dict[str, tuple[float, Items]]) -> Runs:
    """Return a run of one measure: model → its value and its items."""
    run = record("valnorm", {model: {} for model in models})
    for model, (value, items) in models.items():
        place = {"model": model, "language": "english", **score}
        run.score(**place, value=value, n=120)
        run.item(table, **{name: one for name, one in place.items() if name not in ("measure", "k")}, **items)
    return read_runs([finish(run)])


def leaders(runs: Runs, better: str = "higher") -> Ranking:
    return rank_models(runs, runs.scores.to_dicts(), better)


def lexicon(values: list[float], words: int = 120) -> Items:
    return {"word": WORDS[:words], "rating": RATINGS[:words].tolist(), "value": values[:words]}


def test_who_is_not_significantly_worse_leads_too() -> None:
    """A twin of the best leads, a far worse one does not; p is that of `compare` on the same items."""
    values = {"best": draw_values(1.0, 1), "twin": draw_values(1.0, 2), "poor": draw_values(6.0, 3)}
    rho = {model: float(pearsonr(of, RATINGS).statistic) for model, of in values.items()}
    assert rho["best"] > rho["twin"] > rho["poor"]
    runs = runs_of(VALENCE, "rated_words", {name: (rho[name], lexicon(of)) for name, of in values.items()})
    ends = {"best": (1, 2), "twin": (1, 2), "poor": (3, 3)}
    assert leaders(runs) == Ranking(frozenset({"best", "twin"}), "williams", ends)
    assert [leaders(runs).text(model) for model in ends] == ["1–2", "1–2", "3"]
    for other, is_real in (("twin", False), ("poor", True)):
        (found,) = compare(*sides(runs.each, ("best", other)), ComparisonSettings(resamples=10)).differences
        assert (found.test.p < 0.05) is is_real


def test_the_test_is_on_the_items_that_both_have() -> None:
    """The best by its number was measured on few words; where both were, the other is as good."""
    easy = RATINGS.copy()
    easy[60:] = np.random.default_rng(5).normal(5, 2, 60)
    models = {"few": (0.99, lexicon(RATINGS.tolist(), 60)), "all": (0.6, lexicon(easy.tolist()))}
    assert leaders(runs_of(VALENCE, "rated_words", models)).models == {"few", "all"}


def test_none_leads_where_no_end_is_better_or_alone() -> None:
    items = {name: (0.5 + at, lexicon(RATINGS.tolist())) for at, name in enumerate("ab")}
    assert leaders(runs_of(VALENCE, "rated_words", items), "zero") == Ranking()
    bias = {"experiment": "bias", "dataset": "gender", "measure": "garg-euclidean"}
    grows = runs_of(bias, "rated_words", items)
    assert leaders(grows, "lower") == Ranking()  # it is in the units of a model's vectors
    assert leaders(runs_of(VALENCE, "rated_words", {"a": items["a"]})) == Ranking()


def test_holm_runs_over_the_models() -> None:
    """Alone, p = .0156 is worse than the best; next to four of the same p it is not."""
    right = np.zeros(120, dtype=bool)
    right[:60] = True
    worse = right.copy()
    worse[:6] = False  # 6 questions that only the best solves: mid-p = 2⁻⁶ = .0156
    assert binomtest(0, 6).pvalue / 2 == pytest.approx(0.015625)
    score = {"experiment": "analogy", "dataset": "google", "measure": "analogy"}
    question = {"a": WORDS, "b": "b", "c": "c", "d": "d"}
    items = {
        name: (float(of.mean()), {**question, "is_correct": of.tolist()}) for name, of in (("a", right), ("b", worse))
    }
    assert leaders(runs_of(score, "analogies", items)) == Ranking(
        frozenset({"a"}), "mcnemar", {"a": (1, 1), "b": (2, 2)}
    )
    many = {**items, **{f"c{at}": items["b"] for at in range(4)}}
    assert leaders(runs_of(score, "analogies", many)).models == set(many)


def test_without_a_test_only_the_best_leads() -> None:
    items = {name: (0.5 + at, lexicon(RATINGS.tolist())) for at, name in enumerate("ab")}
    alone = Ranking(frozenset("b"))
    types = {"experiment": "prediction", "dataset": "text", "measure": "T", "k": 1}
    assert leaders(runs_of(types, "rated_words", items)) == alone
    few = {name: (value, lexicon(one["value"], 3)) for name, (value, one) in items.items()}
    assert leaders(runs_of(VALENCE, "rated_words", few)) == alone
    same = {**items, "a": (0.5, lexicon([1.0] * 120))}
    assert leaders(runs_of(VALENCE, "rated_words", same)) == alone


def test_data_of_one_name_must_be_the_same() -> None:
    runs = []
    for name, sha in (("a", "1"), ("b", "2")):
        run = record("valnorm", name)
        run.data["bellezza"] = {"name": "bellezza", "sha256": sha}
        run.score(model=name, **VALENCE, value=0.5, n=120)
        run.item("rated_words", model=name, experiment="valence", dataset="bellezza", **lexicon(RATINGS.tolist()))
        runs.append(finish(run))
    assert leaders(read_runs(runs)).ends == {}


def test_the_board_has_main_measures_and_the_best_of_each() -> None:
    run = record("valnorm", {"a": {}, "b": {}})
    for model, valence, effect, perplexity in (("a", 0.8, 1.2, 20.0), ("b", 0.9, 0.4, 30.0)):
        where = {"model": model, "language": "english"}
        lexical = {"experiment": "valence", "dataset": "bellezza", "measure": "valence"}
        run.score(**where, **lexical, value=valence, n=399)
        run.score(**where, **lexical, variant="spearman", value=1.0, n=399)
        run.score(**where, experiment="weat", dataset="weat6", measure="weat", value=-effect)
        run.score(**where, experiment="prediction", dataset="t", measure="perplexity", value=perplexity)
        run.score(**where, experiment="gender", dataset="gender", subset="a=b", measure="net-neutral", value=0.5)
    board = leaderboard(read_runs([finish(run)]))
    assert [(column.title, *column.ranking.models) for column in board.columns] == [
        ("valence bellezza", "b"),
        ("stereotypes, mean |d|", "b"),
        ("perplexity t", "a"),
    ]
    means = {model: score["value"] for model, score in board.columns[1].scores.items()}
    assert means == pytest.approx({"a": 1.2, "b": 0.4})

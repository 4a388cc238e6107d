"""The main numbers of everything that was run, of many models in one table.

The best model leads, and with it those that the paired test of `compare` finds no worse.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT, find_measure
from wordworth.paired import ComparisonSettings, NotComparableError, PairedTest, compare_scores
from wordworth.paired.comparison import ALPHA
from wordworth.results.main_scores import FIRST_DATASETS, blank_score, choose_tests, main_numbers
from wordworth.results.runs import Runs, Score, better_of
from wordworth.results.table import format_number
from wordworth.results.vocabulary import caution_legend
from wordworth.statistics.effect_size import holm

MAX_RANKED = 8  # models of which all pairs are tested
MAX_COLUMNS = 8  # columns that fit next to each other on a page
STEREOTYPES_COLUMN = "stereotypes, mean |d|"
USUAL = (VALENCE, SIMILARITY, "analogy", STEREOTYPES_COLUMN, "top-1", "T1", "perplexity", "net-neutral", "accuracy")
"""The columns that come first, and are shown before any are chosen, each on one data set."""
P_ONLY = ComparisonSettings(resamples=100)
"""Only p is used; the interval, which takes most of the time, is not."""


@dataclass(frozen=True)
class Ranking:
    """Which ranks models can have among those that are compared."""

    models: frozenset[str] = frozenset()
    """The best one, and all that are not significantly worse."""
    test: str = ""
    """The name of the test; blank without one."""
    ends: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Model → its first and last possible rank, of those that could be tested."""

    def text(self, model: str) -> str:
        """Return “2–3”, or “1”; blank for a model that could not be tested."""
        return "–".join(map(str, sorted(set(self.ends.get(model, ())))))


@dataclass(frozen=True, eq=False)
class Column:
    """One measure on one data set."""

    quantity: str
    """What the columns of several data sets have in common."""
    dataset: str | None
    better: str
    scores: dict[str, Score]
    """Model → its score; a mean over several has only a value."""
    ranking: Ranking = field(default_factory=Ranking)

    @property
    def place(self) -> int:
        """Return the rank of its data set among the first ones of its measure, as in the profile."""
        first = FIRST_DATASETS.get(self.quantity, ())
        return first.index(self.dataset) if self.dataset in first else len(first)

    @property
    def title(self) -> str:
        """Return the heading."""
        return f"{self.quantity} {self.dataset}" if self.dataset else self.quantity


@dataclass(frozen=True)
class Leaderboard:
    """Models down, measures across."""

    models: list[str]
    columns: list[Column]

    @property
    def shown_columns(self) -> list[Column]:
        """Return the first columns: all where they fit, else of each usual measure the one that most models have."""
        if len(self.columns) <= MAX_COLUMNS:
            return self.columns
        usual = [[column for column in self.columns if column.quantity == name] for name in USUAL]
        leaders = [max(group, key=lambda column: (len(column.scores), -column.place)) for group in usual if group]
        return [column for column in self.columns if column in leaders[:MAX_COLUMNS]]

    @property
    def compared_columns(self) -> list[Column]:
        """Return the columns shown in which at least two models have a number."""
        return [column for column in self.shown_columns if len(column.scores) > 1]

    @property
    def compared_models(self) -> list[str]:
        """Return the models with a number in these columns."""
        return [model for model in self.models if any(model in column.scores for column in self.compared_columns)]

    @property
    def explanation(self) -> str:
        """Return what bold and small numbers mean."""
        text = "↑ higher is better, ↓ lower. Language models are listed with their best layer."
        if not any(column.ranking.ends for column in self.compared_columns):
            return f"{text} No two models could be tested on the same items, so there are no ranks."
        return (
            f"{text} Small numbers are ranks: “2–3” where a paired test cannot tell a model from others "
            f"(two-sided p < {format_number(ALPHA)}, Holm). Bold: rank 1 is possible."
        )

    @property
    def note(self) -> str:
        """Return which of the values have cautions, and why."""
        cells = ((column.title, score) for column in self.columns for score in column.scores.values())
        return caution_legend((title, score["cautions"] or ()) for title, score in cells)


def leaderboard(runs: Runs) -> Leaderboard:
    """Return the main measures of everything that was run, the usual ones first."""
    order = {name: at for at, name in enumerate(USUAL)}
    columns = sorted(_columns(runs), key=lambda column: order.get(column.quantity, len(USUAL)))
    models = [model for model in runs.models if any(model in column.scores for column in columns)]
    return Leaderboard(models, columns)


def _columns(runs: Runs) -> Iterator[Column]:
    numbers = main_numbers(runs.scores)
    for (quantity, dataset), column_scores in numbers.group_by(["quantity", "dataset"], maintain_order=True):
        finite = column_scores.filter(pl.col("value").is_finite())
        by_model: dict[str, Score] = {row["model"]: row for row in finite.iter_rows(named=True)}
        better = better_of(column_scores.row(0, named=True))
        if by_model and better in ("higher", "lower"):
            ranking = rank_models(runs, list(by_model.values()), better)
            yield Column(str(quantity), dataset and str(dataset), better, by_model, ranking)
    strength = choose_tests(runs.scores).group_by("model", maintain_order=True).agg(pl.col("value").abs().mean())
    means: dict[str, Score] = {}
    for model, value in strength.iter_rows():
        means[model] = {**blank_score(), "measure": WEAT, "model": model, "value": value}
    if means:
        best = min(means, key=lambda model: means[model]["value"])
        yield Column(STEREOTYPES_COLUMN, None, "lower", means, Ranking(frozenset({best} if len(means) > 1 else ())))


def rank_models(runs: Runs, scores: Sequence[Score], better: str) -> Ranking:
    """Rank scores that differ only in their model, by paired tests of all pairs with Holm's correction.

    The first rank of a model is one more than the models significantly better than it, the last the number of models
    minus those significantly worse. Of many models only the best is tested against the others. Nobody leads where
    neither end is better, or where there is one model.
    """
    is_one_models = find_measure(scores[0]["measure"], scores[0]["variant"]).grows_with_vectors
    if len(scores) < 2 or better not in ("higher", "lower") or is_one_models:
        return Ranking()
    sign = 1 if better == "higher" else -1
    best = max(scores, key=lambda score: sign * score["value"])
    equal = frozenset(score["model"] for score in scores if score["value"] == best["value"])
    pairs = [(best, rival) for rival in scores if rival is not best]
    if len(scores) <= MAX_RANKED:
        pairs = list(combinations(scores, 2))
    tests = [(first, second, test_pair((runs, first), (runs, second))) for first, second in pairs]
    outcomes = [(first, second, test) for first, second, test in tests if test is not None]
    if not outcomes:
        return Ranking(equal)
    ahead, behind = Counter[str](), Counter[str]()
    for (first, second, test), p in zip(outcomes, holm([test.p for *_, test in outcomes]), strict=True):
        if p < ALPHA:
            winner, loser = (first, second) if sign * test.difference > 0 else (second, first)
            ahead[loser["model"]] += 1
            behind[winner["model"]] += 1
    tested_models = dict.fromkeys(score["model"] for first, second, _ in outcomes for score in (first, second))
    ends = {model: (1 + ahead[model], len(scores) - behind[model]) for model in tested_models}
    leaders = equal | {model for model, (first_rank, _) in ends.items() if first_rank == 1}
    return Ranking(leaders, outcomes[0][2].test, ends)


def test_pair(first: tuple[Runs, Score], second: tuple[Runs, Score]) -> PairedTest | None:
    """Return the paired test of two scores, each with its runs; None where their items allow none."""
    try:
        sides = [(runs.run_of(score), score) for runs, score in (first, second)]
        return compare_scores(sides[0], sides[1], P_ONLY)
    except NotComparableError:
        return None

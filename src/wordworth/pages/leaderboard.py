"""The main numbers of everything that was run, of many models in one table.

The best model leads, and with it those that the paired test of `compare` finds no worse.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT, find_measure
from wordworth.pages.insights import associations, best_layers
from wordworth.pages.runs import ALL, AS_IT_IS, DERIVED, IS_ORIGINAL, Runs, Score, better_of
from wordworth.paired import ComparisonSettings, NotComparableError, Tested, compare_scores
from wordworth.paired.comparison import ALPHA
from wordworth.results.columns import SCORES, main_scores
from wordworth.results.vocabulary import HARMLESS, caution_legend
from wordworth.statistics.effect_size import holm

MAX_COLUMNS = 8  # columns that fit next to each other on a page
STEREOTYPES = "stereotypes, mean |d|"
USUAL = (VALENCE, SIMILARITY, "analogy", STEREOTYPES, "top-1", "T1", "perplexity", "net-neutral", "accuracy")
"""The columns that come first, and are shown before any are chosen, each on one data set."""
P_ONLY = ComparisonSettings(resamples=100)
"""Only p is used; the interval, which takes most of the time, is not."""


@dataclass(frozen=True)
class Leading:
    """The models that lead among those that are compared."""

    models: frozenset[str] = frozenset()
    """The best one, and all that are not significantly worse."""
    test: str = ""
    """The name of the test; blank where none could be made."""
    untested: frozenset[str] = frozenset()
    """Models that could not be tested against the best."""


@dataclass(frozen=True, eq=False)
class Column:
    """One measure on one data set."""

    quantity: str
    """What the columns of several data sets have in common."""
    dataset: str | None
    better: str
    scores: dict[str, Score]
    """Model → its score; a mean over several has only a value."""
    leading: Leading = field(default_factory=Leading)

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
    def shown(self) -> list[Column]:
        """Return the first columns: all where they fit, else of each usual measure the one that most models have."""
        if len(self.columns) <= MAX_COLUMNS:
            return self.columns
        usual = [[column for column in self.columns if column.quantity == name] for name in USUAL]
        chosen = [max(alike, key=lambda column: len(column.scores)) for alike in usual if alike]
        return [column for column in self.columns if column in chosen[:MAX_COLUMNS]]

    @property
    def hidden_models(self) -> list[str]:
        """Return the models without a number in the columns to begin with."""
        return [model for model in self.models if not any(model in column.scores for column in self.shown)]

    @property
    def note(self) -> str:
        """Return which of the values have cautions, and why."""
        every = ((column.title, score) for column in self.columns for score in column.scores.values())
        return caution_legend((title, score["cautions"] or ()) for title, score in every)


def leaderboard(runs: Runs) -> Leaderboard:
    """Return the main measures of everything that was run, the usual ones first."""
    places = {name: at for at, name in enumerate(USUAL)}
    columns = sorted(_columns(runs), key=lambda column: places.get(column.quantity, len(USUAL)))
    models = [model for model in runs.models if any(model in column.scores for column in columns)]
    return Leaderboard(models, columns)


def _columns(runs: Runs) -> Iterator[Column]:
    scores = runs.scores.filter(AS_IT_IS, pl.col("model") != ALL)
    whole = main_scores(scores.filter(pl.col("layer").is_null(), IS_ORIGINAL))
    layered = best_layers(scores).select(scores.columns)
    # Of vectors made of many sentences, the best layer of the paper's pooling over the whole sample.
    reduced = scores.filter(
        (pl.col("measure") == SIMILARITY) & (pl.col("variant") == "best") & (pl.col("context") == "aggregated"),
        pl.col("sentences").is_null(),
        pl.col("pooling") == "mean/mean",
    ).with_columns(quantity=pl.lit(SIMILARITY), variant=pl.lit(None, pl.String))
    rows = pl.concat([whole.filter(pl.col("measure") != WEAT), layered, reduced])
    for (quantity, dataset), some in rows.group_by(["quantity", "dataset"], maintain_order=True):
        finite = some.filter(pl.col("value").is_finite())
        by_model: dict[str, Score] = {row["model"]: row for row in finite.iter_rows(named=True)}
        better = better_of(some.row(0, named=True))
        if by_model and better in ("higher", "lower"):
            leaders = find_leaders(runs, list(by_model.values()), better)
            yield Column(str(quantity), dataset and str(dataset), better, by_model, leaders)
    social = associations(scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strength = social.group_by("model", maintain_order=True).agg(pl.col("value").abs().mean())
    blank = dict.fromkeys([*SCORES, *DERIVED])
    means: dict[str, Score] = {
        model: {**blank, "measure": WEAT, "model": model, "value": value} for model, value in strength.iter_rows()
    }
    if means:
        best = min(means, key=lambda model: means[model]["value"])
        leaders = Leading(frozenset({best}), "", frozenset(means) - {best}) if len(means) > 1 else Leading()
        yield Column(STEREOTYPES, None, "lower", means, leaders)


def find_leaders(runs: Runs, scores: Sequence[Score], better: str) -> Leading:
    """Return who leads among scores that differ only in their model; p is corrected by Holm over the models.

    Nobody leads where neither end is better, or where there is one model.
    """
    if len(scores) < 2 or better not in ("higher", "lower"):
        return Leading()
    if find_measure(scores[0]["measure"], scores[0]["variant"]).grows_with_vectors:
        return Leading()
    sign = 1 if better == "higher" else -1
    best = max(scores, key=lambda score: sign * score["value"])
    others = {score["model"]: score for score in scores if score is not best}
    tested = {model: test for model, score in others.items() if (test := _test(runs, best, score))}
    adjusted = dict(zip(tested, holm([test.p for test in tested.values()]), strict=True)) if tested else {}
    worse = {model for model, p in adjusted.items() if p < ALPHA and sign * tested[model].difference > 0}
    equal = {score["model"] for score in scores if score["value"] == best["value"]}
    names = [test.test for test in tested.values()]
    untested = frozenset(others.keys() - tested)
    return Leading(frozenset(equal | (adjusted.keys() - worse)), names[0] if names else "", untested)


def _test(runs: Runs, first: Score, second: Score) -> Tested | None:
    try:
        return compare_scores((runs.run_of(first), first), (runs.run_of(second), second), P_ONLY)
    except NotComparableError:
        return None

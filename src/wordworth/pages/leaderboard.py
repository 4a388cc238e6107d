"""Many models in one table: the main measures of everything that was run."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import polars as pl

from wordworth.measure import main_measures
from wordworth.pages.insights import associations, best_layers
from wordworth.pages.leading import Leading, leading
from wordworth.pages.runs import ALL, AS_IT_IS, DERIVED, IS_ORIGINAL, SIMILARITY, VALENCE, WEAT, Runs, Score, better_of
from wordworth.results.columns import SCORES, main_scores
from wordworth.results.notices import caution_legend
from wordworth.results.vocabulary import HARMLESS

MAX_COLUMNS = 8
"""Columns that fit next to each other on a page."""
STEREOTYPES = "stereotypes, mean |d|"
USUAL = (VALENCE, SIMILARITY, "analogy", STEREOTYPES, "top-1", "T1", "perplexity", "net-neutral", "accuracy")
"""The columns that come first, and are shown before any are chosen, each on one data set."""


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
        """The heading."""
        return f"{self.quantity} {self.dataset}" if self.dataset else self.quantity


@dataclass(frozen=True)
class Leaderboard:
    """Models down, measures across."""

    models: list[str]
    columns: list[Column]

    @property
    def shown(self) -> list[Column]:
        """The columns to begin with: all where they fit, else of each usual measure the one that most models have."""
        if len(self.columns) <= MAX_COLUMNS:
            return self.columns
        usual = [[column for column in self.columns if column.quantity == name] for name in USUAL]
        chosen = [max(alike, key=lambda column: len(column.scores)) for alike in usual if alike]
        return [column for column in self.columns if column in chosen[:MAX_COLUMNS]]

    @property
    def hidden_models(self) -> list[str]:
        """The models without a number in the columns to begin with."""
        return [model for model in self.models if not any(model in column.scores for column in self.shown)]

    @property
    def note(self) -> str:
        """Which of the values have cautions, and why."""
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
    whole = main_scores(scores.filter(pl.col("layer").is_null(), IS_ORIGINAL), main_measures())
    layered = pl.DataFrame([dict(best.score) for best in best_layers(scores)], schema=scores.schema)
    # Of vectors made of many sentences, the best layer of the paper's pooling over the whole sample.
    reduced = scores.filter(
        (pl.col("measure") == SIMILARITY) & (pl.col("variant") == "best") & (pl.col("context") == "aggregated"),
        pl.col("sentences").is_null(),
        pl.col("pooling") == "mean/mean",
    ).with_columns(quantity=pl.lit(SIMILARITY))
    rows = pl.concat([whole.filter(pl.col("measure") != WEAT), layered, reduced])
    for (quantity, dataset), some in rows.group_by(["quantity", "dataset"], maintain_order=True):
        by_model = {row["model"]: row for row in some.iter_rows(named=True) if _is_finite(row["value"])}
        better = better_of(some.row(0, named=True))
        if by_model and better in ("higher", "lower"):
            leaders = leading(runs, list(by_model.values()), better)
            yield Column(str(quantity), dataset and str(dataset), better, by_model, leaders)
    social = associations(scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strength = social.group_by("model", maintain_order=True).agg(pl.col("value").abs().mean())
    means = {model: _mean(model, value) for model, value in strength.iter_rows()}
    if means:
        best = min(means, key=lambda model: means[model]["value"])
        leaders = Leading(frozenset({best}), "", frozenset(means) - {best}) if len(means) > 1 else Leading()
        yield Column(STEREOTYPES, None, "lower", means, leaders)


def _mean(model: str, value: float) -> dict[str, Any]:
    return {**dict.fromkeys([*SCORES, *DERIVED]), "measure": WEAT, "model": model, "value": value}


def _is_finite(value: float | None) -> bool:
    return value is not None and isfinite(value)

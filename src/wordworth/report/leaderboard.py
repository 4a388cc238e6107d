"""Many models in one table, by measure."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from math import isfinite

import polars as pl

from wordworth.report.insights import associations, best_layers
from wordworth.report.naming import marked
from wordworth.report.runs import ALL, AS_IT_IS, Runs
from wordworth.run.flags import legend
from wordworth.run.vocabulary import HARMLESS

MOST = 8
"""Columns that stand beside each other on a page."""
USUAL = ("valence", "similarity", "analogy", "stereotypes", "top-1", "T1", "perplexity", "net neutral", "accuracy")
"""The measures that are shown before any are chosen, each on one data set."""


@dataclass(frozen=True, eq=False)
class Column:
    """One measure: model → value."""

    title: str
    values: dict[str, float]
    better: str = ""
    """higher, lower, or blank where the runs do not say."""
    measure: str = ""
    """What the columns of several data sets have in common."""
    flags: dict[str, str] = field(default_factory=dict)
    """Model → why its value is to be read with care."""
    rows: dict[str, int] = field(default_factory=dict)
    """Model → the place of its value in the scores; none where it is a mean over several."""

    def cell(self, model: str) -> str:
        """A model's value with its mark; blank where it has none."""
        if model not in self.values:
            return ""
        return marked({"value": self.values[model], "flags": self.flags.get(model)})

    @property
    def best(self) -> str | None:
        """The model that stands first; None where there is only one, or no end is better."""
        if len(self.values) < 2 or not self.better:
            return None
        order = max if self.better == "higher" else min
        return order(self.values, key=lambda model: self.values[model])


@dataclass(frozen=True)
class Leaderboard:
    """Models down, measures across."""

    models: list[str]
    columns: list[Column]

    @property
    def shown(self) -> list[Column]:
        """The columns to begin with: all where they fit, else of each usual measure the one that most models have."""
        if len(self.columns) <= MOST:
            return self.columns
        usual = [[column for column in self.columns if column.measure == name] for name in USUAL]
        chosen = [max(alike, key=lambda column: len(column.values)) for alike in usual if alike]
        return [column for column in self.columns if column in chosen[:MOST]]

    @property
    def note(self) -> str:
        """Which of the values are to be read with care, and why."""
        return legend((column.title, flags) for column in self.columns for flags in column.flags.values())


def leaderboard(runs: Runs) -> Leaderboard:
    """The main measure of everything that was run."""
    columns = [column for column in _columns(runs) if column.values]
    models = [model for model in runs.models if any(model in column.values for column in columns)]
    return Leaderboard(models, columns)


def _columns(runs: Runs) -> Iterator[Column]:
    scores = runs.scores.filter(AS_IT_IS)
    measure, experiment, setting = pl.col("measure"), pl.col("experiment"), pl.col("setting")

    def by_dataset(rows: pl.DataFrame, name: str, title: str = "") -> Iterator[Column]:
        for (dataset,), mine in rows.filter(pl.col("model") != ALL).group_by(["dataset"], maintain_order=True):
            values = dict(zip(mine.get_column("model"), mine.get_column("value"), strict=True))
            finite = {model: value for model, value in values.items() if value is not None and isfinite(value)}
            flags = {model: why for model, why in mine.select("model", "flags").iter_rows() if why}
            places = {model: row for model, row in mine.select("model", "row").iter_rows() if model in finite}
            said = title or name
            full = " ".join(filter(None, (said, dataset)))
            yield Column(full, finite, runs.better(name), said, flags, places)

    alone = scores.filter(pl.col("layer").is_null())
    reduced = scores.filter(measure == "similarity:best", setting == "aggregated", pl.col("pooling") == "mean/mean")
    static = alone.filter(experiment == "valence", measure == "valence")
    layered = pl.DataFrame([asdict(one) for one in best_layers(scores)])
    valences = [
        table.select(pl.col("row").cast(pl.Int64), "model", "dataset", "value", pl.col("flags").cast(pl.String))
        for table in (static, layered)
        if len(table)
    ]
    if valences:
        yield from by_dataset(pl.concat(valences), "valence")
    similar = alone.filter(measure == "similarity", experiment.is_in(["similarity", "quality"]))
    yield from by_dataset(pl.concat([similar, reduced]), "similarity")
    yield from by_dataset(scores.filter(measure == "analogy"), "analogy")
    social = associations(scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strength = social.group_by("model", maintain_order=True).agg(pl.col("value").abs().mean())
    yield Column("stereotypes, mean |d|", dict(strength.iter_rows()), "lower", "stereotypes")
    predicted = scores.filter(experiment == "prediction")
    for name in ("top-1", "top-10", "T1", "T10", "perplexity", "bits-per-character"):
        yield from by_dataset(predicted.filter(measure == name), name)
    plain = scores.filter(setting.is_null() | (setting == "original"))
    whole = plain.filter(measure == "net-neutral", ~pl.col("dataset").fill_null("").str.contains("/", literal=True))
    yield from by_dataset(whole, "net-neutral", "net neutral")
    yield from by_dataset(plain.filter(experiment == "accuracy", measure == "accuracy"), "accuracy")

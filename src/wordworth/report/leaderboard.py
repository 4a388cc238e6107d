"""Many models in one table, by measure."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import isfinite

import polars as pl

from wordworth.report.insights import associations, best_layers
from wordworth.report.naming import HARMLESS, LOWER_IS_BETTER
from wordworth.report.runs import ALL, Gathered


@dataclass(frozen=True)
class Column:
    """One measure: model → value."""

    title: str
    values: dict[str, float]
    lower_is_better: bool = False

    @property
    def best(self) -> str | None:
        """The model that stands first; None where there is only one."""
        if len(self.values) < 2:
            return None
        order = min if self.lower_is_better else max
        return order(self.values, key=lambda model: self.values[model])


@dataclass(frozen=True)
class Leaderboard:
    """Models down, measures across."""

    models: list[str]
    columns: list[Column]


def leaderboard(gathered: Gathered) -> Leaderboard:
    """The main measure of everything that was run."""
    columns = [column for column in _columns(gathered.scores.filter(pl.col("study") != "debias")) if column.values]
    models = [model for model in gathered.models if any(model in column.values for column in columns)]
    return Leaderboard(models, columns)


def _by_dataset(rows: pl.DataFrame, title: str, lower: bool = False) -> Iterator[Column]:
    for (dataset,), mine in rows.filter(pl.col("model") != ALL).group_by(["dataset"], maintain_order=True):
        values = dict(zip(mine.get_column("model"), mine.get_column("value"), strict=True))
        name = f"{title} {dataset}" if dataset else title
        yield Column(
            name, {model: value for model, value in values.items() if value is not None and isfinite(value)}, lower
        )


def _columns(scores: pl.DataFrame) -> Iterator[Column]:
    measure, experiment, setting = pl.col("measure"), pl.col("experiment"), pl.col("setting")
    alone = scores.filter(pl.col("layer").is_null())
    reduced = scores.filter(measure == "similarity:best", setting == "aggregated", pl.col("pooling") == "mean/mean")
    static = alone.filter(experiment == "valence", measure == "valence")
    layered = pl.DataFrame([asdict(one) for one in best_layers(scores)])
    valences = [static.select("model", "dataset", "value")]
    valences += [layered.select("model", "dataset", "value")] if len(layered) else []
    yield from _by_dataset(pl.concat(valences), "valence")
    similar = alone.filter(measure == "similarity", experiment.is_in(["similarity", "quality"]))
    yield from _by_dataset(pl.concat([similar, reduced]), "similarity")
    yield from _by_dataset(scores.filter(measure == "analogy"), "analogy")
    social = associations(scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strength = social.group_by("model", maintain_order=True).agg(pl.col("value").abs().mean())
    yield Column("stereotypes, mean |d|", dict(strength.iter_rows()), lower_is_better=True)
    predicted = scores.filter(experiment == "prediction")
    for name in ("top-1", "top-10", "T1", "T10", "perplexity", "bits-per-character"):
        yield from _by_dataset(predicted.filter(measure == name), name, name in LOWER_IS_BETTER)
    plain = scores.filter(setting.is_null() | (setting == "original"))
    whole = plain.filter(measure == "net-neutral", ~pl.col("dataset").fill_null("").str.contains("/", literal=True))
    yield from _by_dataset(whole, "net neutral")
    yield from _by_dataset(plain.filter(experiment == "accuracy", measure == "accuracy"), "accuracy")

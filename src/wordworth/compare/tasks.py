"""From two sides' items to what a paired test takes: the values of both on the items that both have."""

from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from wordworth.compare.sides import Side
from wordworth.run.schema import ARROW

Family = Literal["pearson", "spearman", "hits", "weat", "mean"]

WHERE = ("experiment", "language", "dataset", "setting")
COLUMNS = [*WHERE, "pooling", "layer", "pcs", "item", "group", "reference", "value", "rank", "place", "entailment"]


@dataclass(frozen=True)
class ComparedTask:
    """One question that both sides answered, with every layer that either has."""

    family: Family
    measure: str
    experiment: str
    language: str | None
    dataset: str | None
    setting: str | None
    first: pl.DataFrame
    second: pl.DataFrame
    attributes: int = 0
    """Polar or attribute words that only one side has: they went into its values and not into the other's."""

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.measure, self.dataset, self.setting)))


def tasks(first: Side, second: Side, pcs: int | None = None) -> list[ComparedTask]:
    """What both sides have items of, in the order of the first."""
    frames = [_items(side, pcs) for side in (first, second)]
    theirs = _keys(frames[1])
    shared: list[ComparedTask] = []
    for one in _keys(frames[0]):
        for other in theirs:
            settings = one[3], other[3]
            # A static embedding has no setting; it stands beside a language model in each of its own.
            alike = settings[0] == settings[1] or first.setting is not None or None in settings
            if one[:3] == other[:3] and alike:
                shown = None if first.setting is not None else settings[0] or settings[1]
                shared += _of((*one[:3], shown), (_part(frames[0], one), _part(frames[1], other)))
    if first.run.folder == second.run.folder and first.model == second.model:
        # One model before and after has one vocabulary; what it lacks is reported once.
        return [replace(task, attributes=0) for task in shared]
    return shared


def _items(side: Side, pcs: int | None) -> pl.DataFrame:
    """The side's items, untouched (or with `pcs` components nullified)."""
    mine = side.run.items.filter(pl.col("model") == side.model).select(*COLUMNS, "left_out")
    if side.setting is not None:
        mine = mine.filter(pl.col("setting") == side.setting)
    version = pl.col("pcs").is_null() if pcs is None else (pl.col("pcs") == pcs) | pl.col("left_out").is_not_null()
    # Isolation repeats, untouched, what contextualization has in all layers.
    repeated = (pl.col("experiment") == "isolation") if pcs is None else pl.lit(False)
    return mine.filter(version & ~repeated).collect()


Key = tuple[str, str | None, str | None, str | None]
Parts = tuple[pl.DataFrame, pl.DataFrame]


def _keys(frame: pl.DataFrame) -> list[Key]:
    used = frame.filter(pl.col("value").is_not_null() | pl.col("rank").is_not_null())
    return [tuple(row) for row in used.select(WHERE).unique(maintain_order=True).iter_rows()]


def _part(frame: pl.DataFrame, key: Key) -> pl.DataFrame:
    return frame.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in zip(WHERE, key, strict=True))


def _of(where: Key, parts: Parts) -> list[ComparedTask]:
    """The tests that these items allow: their experiment and groups say what they are."""
    used = pl.col("left_out").is_null()
    valued = used & pl.col("value").is_not_null()

    def task(
        family: Family, measure: str, keep: pl.Expr, attributes: int = 0, value: pl.Expr | None = None
    ) -> ComparedTask:
        values = pl.col("value") if value is None else value.cast(pl.Float64)
        first, second = (part.filter(keep).with_columns(value=values) for part in parts)
        return ComparedTask(family, measure, *where, first=first, second=second, attributes=attributes)

    experiment = where[0]
    if experiment == "prediction":
        ranks = [rank for part in parts for rank in part.get_column("rank").drop_nulls().unique().to_list()]
        hits = [task("hits", "top-1", used, value=(pl.col("rank") == 1).fill_null(value=False))]
        if max(ranks, default=1) > 1:
            hits.append(task("hits", f"top-{max(ranks)}", used, value=pl.col("rank").is_not_null()))
        return [*hits, task("mean", "bits-per-word", valued)]
    if experiment in ("analogy", "accuracy"):
        return [task("hits", experiment, valued)]
    targets = pl.col("group").str.contains("^[XY]: ")
    if experiment == "weat" or (experiment == "bias" and _both(parts, targets)):
        return [task("weat", "weat", valued & targets, _unshared(parts, "^[AB]: "))]
    if experiment == "bias":
        measures = parts[0].get_column("group").drop_nulls().unique(maintain_order=True).to_list()
        return [task("mean", name, valued & (pl.col("group") == name)) for name in measures]
    pairs = pl.col("entailment").is_not_null() & pl.col("item").str.contains(ARROW, literal=True)
    if _both(parts, pairs):
        return [task("mean", "net-neutral", valued & pairs)]
    rated = valued & pl.col("reference").is_not_null()
    lexicon, plain = rated & (pl.col("group") == "lexicon"), rated & pl.col("group").is_null()
    correlated = []
    if _both(parts, lexicon):
        correlated.append(task("pearson", "valence", lexicon, _unshared(parts, "^(un)?pleasant$")))
    if _both(parts, plain):
        correlated.append(task("spearman", "similarity", plain))
    return correlated


def _both(parts: Parts, which: pl.Expr) -> bool:
    return all(bool(len(part.filter(which))) for part in parts)


def _unshared(parts: Parts, groups: str) -> int:
    """Words of these groups that one side lacks."""
    lacking = [
        {*part.filter(pl.col("group").str.contains(groups), pl.col("left_out").is_not_null()).get_column("item")}
        for part in parts
    ]
    return len(lacking[0] ^ lacking[1])

"""From two sides' items to what a paired test takes: the tasks that both have, the layer of each, and their values."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from wordworth.errors import WordworthError, listed
from wordworth.paired.sides import Side, described
from wordworth.results.schema import ARROW, KEY, numbered

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


LayerRule = Literal["best", "top"] | int


class NotComparableError(WordworthError):
    """One task of a comparison that cannot be tested, with the reason."""


@dataclass(frozen=True)
class Matched:
    """A row an item that both have: `value`, `value_second`, and the columns that say what it is."""

    frame: pl.DataFrame
    layers: tuple[int | None, int | None]
    only_first: int
    only_second: int
    notes: tuple[str, ...]


def matched(task: ComparedTask, first: Side, second: Side, rule: LayerRule, seed: int) -> Matched:
    """The task's values side by side.

    `best`: the layer of highest correlation, picked for each side on one random half of the shared items and compared
    on the other half, so that the picking favours nobody; for similarity and association tests of `vast`, the layer
    of highest valence that the run itself picked; for the bias estimators of `static`, a quarter of the way up, as the
    paper has it. Where a run kept one layer alone, picked on these same items, a note says so. `top` is the last layer.
    A number is that layer of both.
    """
    frames = [numbered(part) for part in (task.first, task.second)]
    layered = [frame.get_column("layer").drop_nulls().n_unique() > 0 for frame in frames]
    shared = frames[0].select(KEY).unique().join(frames[1].select(KEY).unique(), on=KEY, nulls_equal=True).sort(KEY)
    only = [frame.select(KEY).n_unique() - len(shared) for frame in frames]
    notes: list[str] = []
    layers: list[int | None] = [None, None]
    many = any(frame.get_column("layer").n_unique() > 2 for frame in frames)
    if rule == "best" and many and task.family in ("pearson", "spearman"):
        picking, shared = _halves(shared, seed)
        for at, frame in enumerate(frames):
            layers[at] = _best(frame, picking, task.family) if layered[at] else None
        halves = f"picked on {len(picking):,} of the items and compared on the other {len(shared):,}"
        notes.append(f"{_layers_named(layers)}, {halves}")
    else:
        for at, side in enumerate((first, second)):
            layers[at] = _layer(task, side, frames[at], rule) if layered[at] else None
        if any(layered):
            notes.append(f"{_layers_named(layers)} ({_how(task, frames, rule)})")
    sides = [_one_layer(frame, layer, side) for frame, layer, side in zip(frames, layers, (first, second), strict=True)]
    joined = sides[0].join(sides[1].select(*KEY, "value"), on=KEY, suffix="_second", nulls_equal=True)
    joined = joined.join(shared, on=KEY, how="semi", nulls_equal=True).sort(KEY)
    poolings = [frame.get_column("pooling").drop_nulls().unique().to_list() for frame in sides]
    if all(poolings) and poolings[0] != poolings[1]:
        notes.append(f"poolings differ: {', '.join(poolings[0])} and {', '.join(poolings[1])}")
    if task.attributes:
        words = "word" if task.attributes == 1 else "words"
        notes.append(f"{task.attributes} polar or attribute {words} in one model only")
    return Matched(joined, (layers[0], layers[1]), only[0], only[1], tuple(notes))


def _halves(shared: pl.DataFrame, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    order = np.random.default_rng(seed).permutation(len(shared))
    half = len(shared) // 2
    return shared[np.sort(order[:half])], shared[np.sort(order[half:])]


def _best(frame: pl.DataFrame, picking: pl.DataFrame, family: str) -> int:
    method: Literal["pearson", "spearman"] = "spearman" if family == "spearman" else "pearson"
    by_layer = (
        frame.drop_nulls("layer")
        .join(picking, on=KEY, how="semi", nulls_equal=True)
        .group_by("layer")
        .agg(pl.corr("value", "reference", method=method).alias("rho"))
        .drop_nans("rho")
        .sort("rho", "layer")
    )
    if not len(by_layer):
        raise NotComparableError("too few items in common to pick a best layer on half of them; give --layer")
    return int(by_layer.get_column("layer")[-1])


def _layer(task: ComparedTask, side: Side, frame: pl.DataFrame, rule: LayerRule) -> int:
    there = sorted(frame.get_column("layer").drop_nulls().unique().to_list())
    top = int(described(side).get("layers") or there[-1])
    if isinstance(rule, int):
        wanted = rule
    elif rule == "top":
        wanted = top
    elif len(there) == 1:
        return int(there[0])
    elif task.family == "mean":
        wanted = top // 4
    else:
        wanted = _picked_by_run(task, side)
    if wanted not in there:
        raise NotComparableError(f"layer {wanted} of {side.label} is not among the items (layers {listed(there)})")
    return wanted


def _how(task: ComparedTask, frames: list[pl.DataFrame], rule: LayerRule) -> str:
    if rule != "best":
        return "top layer" if rule == "top" else "as asked"
    if any(frame.get_column("layer").drop_nulls().n_unique() == 1 for frame in frames):
        return "the best, picked by the run on these same items, which favours whoever has more layers"
    return "a quarter of the way up" if task.family == "mean" else "the best by valence, picked by the run"


def _picked_by_run(task: ComparedTask, side: Side) -> int:
    """`vast` treats the layer of highest valence and the top one alone with components nullified."""
    chosen = side.run.scores.filter(
        pl.col("model") == side.model, pl.col("experiment") == task.experiment, pl.col("pcs").is_not_null()
    ).get_column("layer")
    if chosen.is_empty():
        raise NotComparableError(f"the run of {side.label} does not say which layer is its best; give --layer")
    return int(chosen.drop_nulls().to_numpy().min())


def _one_layer(frame: pl.DataFrame, layer: int | None, side: Side) -> pl.DataFrame:
    kept = frame if layer is None else frame.filter(pl.col("layer") == layer)
    if kept.select(KEY).is_duplicated().any():
        raise NotComparableError(f"{side.label} has several values for one item; name one setting with --settings")
    return kept


def _layers_named(layers: list[int | None]) -> str:
    known = [layer for layer in layers if layer is not None]
    if len(known) == 1:
        return f"layer {known[0]}"
    return f"layer {known[0]}" if known[0] == known[1] else f"layers {known[0]} and {known[1]}"

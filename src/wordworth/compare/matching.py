"""Which layer of each side is compared, and its values on the items that both sides have."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from wordworth.compare.sides import Side, described
from wordworth.compare.tasks import ComparedTask
from wordworth.errors import WordworthError
from wordworth.run.schema import KEY, numbered

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
        raise NotComparableError(f"layer {wanted} of {side.label} is not among the items ({_several(there)})")
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


def _several(layers: list[int]) -> str:
    return f"layers {layers[0]} to {layers[-1]}" if len(layers) > 3 else f"layers {', '.join(map(str, layers))}"

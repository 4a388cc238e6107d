"""Select the items behind two models' scores: the questions that both answered, and the layer of each model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
import polars as pl

from wordworth.errors import WordworthError, format_names
from wordworth.measure import find_measure
from wordworth.measure.declaration import Measure
from wordworth.paired.sides import Side, equals, is_before_and_after
from wordworth.results.columns import ITEM_CLUSTERS, ITEM_KEYS, ITEM_SUBSETS, ITEM_TABLES, PLACE, SKIP
from wordworth.results.run import Run

LayerRule = Literal["best", "top"] | int
SLOT_COLUMNS = ("pooling", "layer", "components")
"""Columns in which a model may have several values of an item."""
BLANK_COLUMNS = ("context", "sentences", "version")
"""Columns that are blank for a static embedding, which is compared with a language model in each of its contexts."""
QUESTION = ("experiment", "language", "dataset", "subset", *BLANK_COLUMNS, "draw", "control", "measure", "variant", "k")
"""The columns that name a question."""
TABLE_PLACE = [name for name in PLACE if name not in SLOT_COLUMNS]
OCCURRENCE = "occurrence"
"""The number of a row among those of one item, since a list may repeat a pair."""


class NotComparableError(WordworthError):
    """Raise for a question of a comparison that cannot be tested."""


@dataclass(frozen=True)
class Question:
    """Hold a question that both sides answered, with every layer of each."""

    columns: dict[str, Any]
    """The columns of `QUESTION`."""
    measure: Measure
    first: pl.DataFrame
    second: pl.DataFrame
    unshared_words: int = 0
    """Number of polar or attribute words that only one side has; only its values depend on them."""


def key_of(measure: Measure) -> list[str]:
    """Return the columns that name an item of a measure."""
    return [*ITEM_KEYS[measure.items], OCCURRENCE]


def scored_items(run: Run, score: Mapping[str, Any], measure: Measure) -> pl.LazyFrame:
    """Return the items at the place of a score, in every layer: their key, `value`, and what the paired test needs."""
    table = measure.items
    table_columns = {"subset": ITEM_SUBSETS[table]} if table in ITEM_SUBSETS and score.get("subset") is not None else {}
    place = [equals(table_columns.get(name, name), score.get(name)) for name in TABLE_PLACE]
    own_columns = [name for name in ("measure", "variant") if name in ITEM_TABLES[table]]
    place += [equals(name, score[name]) for name in own_columns]
    value = pl.col(measure.item_value)
    if score.get("k") is not None:
        value = (value <= score["k"]).fill_null(value=False)
    cluster = pl.col(ITEM_CLUSTERS[table]) if table in ITEM_CLUSTERS else pl.int_range(pl.len())
    test_columns = [name for name in ("rating", "role", "set") if name in ITEM_TABLES[table]]
    columns = list(dict.fromkeys([*SLOT_COLUMNS, *ITEM_KEYS[table], *test_columns]))
    items = run.item_table(table).filter(*place, pl.col(SKIP).is_null())
    items = items.select(*columns, cluster=cluster, value=value.cast(pl.Float64)).drop_nulls("value")
    occurrence = pl.int_range(pl.len()).over(*ITEM_KEYS[table], *SLOT_COLUMNS).alias(OCCURRENCE)
    return items.with_columns(occurrence)


def questions(first: Side, second: Side, components: int | None = None) -> Iterator[Question]:
    """Yield what both sides have items of, in the order of the first.

    A question that two experiments of a study ask is tested once.
    """
    earlier_questions: set[tuple[Any, ...]] = set()
    for first_score, second_score in product(*(_list_scores(side, components) for side in (first, second))):
        columns = _shared_columns(first_score, second_score, ignored_columns=first.where)
        if columns is None:
            continue
        question = tuple(columns[name] for name in QUESTION if name != "experiment")
        if question in earlier_questions:
            continue
        measure = find_measure(columns["measure"], columns["variant"])
        frames = [
            scored_items(side.run, row, measure).filter(equals("components", components)).collect()
            for side, row in ((first, first_score), (second, second_score))
        ]
        if all(map(len, frames)):
            earlier_questions.add(question)
            unshared = _count_unshared(first, first_score, second, second_score)
            yield Question(columns, measure, frames[0], frames[1], unshared)


def _list_scores(side: Side, components: int | None) -> list[dict[str, Any]]:
    """Return the scores of a side that a paired test can compare, each question once."""
    selected_scores = side.run.scores.filter(*side.selection, equals("components", components))
    scores = selected_scores.select(*dict.fromkeys([*TABLE_PLACE, *QUESTION])).unique(maintain_order=True)
    rows = []
    for row in scores.iter_rows(named=True):
        measure = find_measure(row["measure"], row["variant"])
        if measure.paired_test and measure.items in side.run.items:
            rows.append(row)
    return rows


def _shared_columns(
    first_score: Mapping[str, Any], second_score: Mapping[str, Any], ignored_columns: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the columns of the question that two scores answer; None where they answer different ones."""
    columns: dict[str, Any] = {}
    for name in QUESTION:
        values = first_score[name], second_score[name]
        if name in ignored_columns:
            columns[name] = None
        elif values[0] == values[1] or (name in BLANK_COLUMNS and None in values):
            columns[name] = values[1] if values[0] is None else values[0]
        else:
            return None
    return columns


def _count_unshared(first: Side, first_score: Mapping[str, Any], second: Side, second_score: Mapping[str, Any]) -> int:
    """Return how many polar and attribute words only one side has."""
    if is_before_and_after(first, second):  # which has one vocabulary
        return 0
    missing = []
    for side, row in ((first, first_score), (second, second_score)):
        place = [equals(name, row[name]) for name in TABLE_PLACE]
        lists = side.run.item_table("word_lists").select(*TABLE_PLACE, "word", SKIP)
        words = side.run.item_table("association_words").filter(pl.col("role").is_in(["A", "B"]))
        word_rows = pl.concat([lists, words.select(*TABLE_PLACE, "word", SKIP)])
        missing.append(set(word_rows.filter(*place, pl.col(SKIP).is_not_null()).collect().get_column("word")))
    return len(missing[0] ^ missing[1])


@dataclass(frozen=True)
class MatchedItems:
    """Hold a row per item that both sides have: `value`, `value_second`, and what the test needs."""

    frame: pl.DataFrame
    layers: tuple[int | None, int | None]
    only_first: int
    only_second: int
    notes: tuple[str, ...]


def match(question: Question, first: Side, second: Side, rule: LayerRule, seed: int) -> MatchedItems:
    """Return the items that both sides have, each side in its layer.

    `best` picks each model's best layer on a random half of the rated items and compares the other half, which does
    not favour models with more layers. For means it is a quarter of the way up (Bommasani et al.), for other measures
    the layer of highest valence that the run picked. If a run has only one layer, picked on these items, a note says
    so. `top` is the last layer. A number is that layer of both.
    """
    frames, key, sides = [question.first, question.second], key_of(question.measure), (first, second)
    has_layers = [frame.get_column("layer").null_count() < len(frame) for frame in frames]
    items = frames[0].select(key).unique().join(frames[1].select(key).unique(), on=key, nulls_equal=True).sort(key)
    counts = [frame.select(key).n_unique() - len(items) for frame in frames]
    layers: list[int | None] = [None, None]
    reasons: list[str] = []
    has_choice = any(frame.get_column("layer").n_unique() > 2 for frame in frames)
    if rule == "best" and has_choice and question.measure.paired_test in ("pearson", "spearman"):
        order = np.random.default_rng(seed).permutation(len(items))
        half = len(items) // 2
        picking_items, items = items[np.sort(order[:half])], items[np.sort(order[half:])]
        for index, frame in enumerate(frames):
            layers[index] = _best_layer(question, frame, picking_items) if has_layers[index] else None
        reasons.append(f"picked on {len(picking_items):,} of the items and compared on the other {len(items):,}")
    else:
        for index, side in enumerate(sides):
            if has_layers[index]:
                layers[index], reason = _layer(question, side, frames[index], rule)
                reasons.append(reason)
    numbers = list(dict.fromkeys(layer for layer in layers if layer is not None))
    name = f"layer{'s' * (len(numbers) > 1)} {' and '.join(map(str, numbers))}"
    notes = [f"{name} ({'; '.join(dict.fromkeys(reasons))})"] if numbers else []
    selected = [_one_layer(frame, key, layer, side) for frame, layer, side in zip(frames, layers, sides, strict=True)]
    joined = join_items(selected[0], selected[1], key).join(items, on=key, how="semi", nulls_equal=True).sort(key)
    poolings = [frame.get_column("pooling").drop_nulls().unique().to_list() for frame in selected]
    if all(poolings) and poolings[0] != poolings[1]:
        notes.append(f"poolings differ: {', '.join(poolings[0])} and {', '.join(poolings[1])}")
    if any(counts):
        notes.append(f"{counts[0]:,} and {counts[1]:,} items in one model only")
    if question.unshared_words:
        words = "word" if question.unshared_words == 1 else "words"
        notes.append(f"{question.unshared_words} polar or attribute {words} in one model only")
    return MatchedItems(joined, (layers[0], layers[1]), counts[0], counts[1], tuple(notes))


def join_items(first: pl.DataFrame, second: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Return the items that both have, with `value` and `value_second`."""
    return first.join(second.select(*key, "value"), on=key, suffix="_second", nulls_equal=True).sort(key)


def _best_layer(question: Question, frame: pl.DataFrame, picking_keys: pl.DataFrame) -> int:
    method: Literal["pearson", "spearman"] = "spearman" if question.measure.paired_test == "spearman" else "pearson"
    by_layer = (
        frame.drop_nulls("layer")
        .join(picking_keys, on=key_of(question.measure), how="semi", nulls_equal=True)
        .group_by("layer")
        .agg(pl.corr("value", "rating", method=method).alias("rho"))
        .drop_nans("rho")
        .sort("rho", "layer")
    )
    if by_layer.is_empty():
        raise NotComparableError("too few items in common to pick a best layer on half of them; give --layer")
    return int(by_layer.get_column("layer")[-1])


def _layer(question: Question, side: Side, frame: pl.DataFrame, rule: LayerRule) -> tuple[int, str]:
    """Return a side's layer, and why it is this one."""
    layers = sorted(frame.get_column("layer").drop_nulls().unique().to_list())
    top = side.facts.layers or layers[-1]
    if isinstance(rule, int):
        layer, reason = rule, "as requested"
    elif rule == "top":
        layer, reason = top, "top layer"
    elif len(layers) == 1:
        layer, reason = layers[0], "picked by the run on these same items, which favours models with more layers"
    elif question.measure.paired_test == "mean":
        layer, reason = top // 4, "a quarter of the way up"
    else:
        layer, reason = _picked_by_run(question, side), "the best by valence, picked by the run"
    if layer not in layers:
        raise NotComparableError(
            f"layer {layer} of {side.label} is not among the items (layers {format_names(layers)})"
        )
    return layer, reason


def _picked_by_run(question: Question, side: Side) -> int:
    """Return the layer of highest valence: the lower of the two in which `vast` nullifies components."""
    layers = side.run.scores.filter(
        *side.selection, equals("experiment", question.columns["experiment"]), pl.col("components").is_not_null()
    ).get_column("layer")
    if layers.is_empty():
        raise NotComparableError(f"the run of {side.label} does not say which layer is its best; give --layer")
    return int(layers.drop_nulls().to_numpy().min())


def _one_layer(frame: pl.DataFrame, key: list[str], layer: int | None, side: Side) -> pl.DataFrame:
    layer_frame = frame if layer is None else frame.filter(pl.col("layer") == layer)
    if layer_frame.select(key).is_duplicated().any():
        raise NotComparableError(f"{side.label} has several values for one item; compare one version or context of it")
    return layer_frame

"""The data inside a page: compact tables, and what can be looked up of a word: valence by layer, pairs, predictions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil, isfinite
from typing import Any

import polars as pl

from wordworth.catalog.registry import code_of
from wordworth.measure import VALENCE
from wordworth.results.columns import SKIP
from wordworth.results.main_scores import CONTEXT, best_layers
from wordworth.results.run import Run
from wordworth.results.runs import IS_ORIGINAL, Runs

MAX_ITEM_ROWS = 15_000  # rows of one kind of item in a page; of more, some words are kept, evenly over the list
WRONG = 8


def columnar(table: pl.DataFrame) -> dict[str, Any]:
    """Return a table by columns: texts once each with a code per row, numbers to four decimals, repetitions counted."""
    columns: dict[str, Any] = {}
    for name in table.columns:
        column = table.get_column(name)
        if column.dtype == pl.String:
            values = column.drop_nulls().unique(maintain_order=True).to_list()
            codes = {value: code for code, value in enumerate(values)}
            runs = _count_runs([codes.get(value, -1) for value in column.to_list()])
            columns[name] = {"values": values, "codes": runs}
        elif column.null_count() == len(column):
            columns[name] = None
        elif column.dtype.is_float():
            columns[name] = [_short(value) for value in column.to_list()]
        else:
            columns[name] = _count_runs(column.to_list())
    return {"length": len(table), "columns": columns}


def _count_runs(values: list[Any]) -> list[Any] | dict[str, list[Any]]:
    """Return a list, or where that is shorter, each value with how often it is repeated."""
    runs = [entry for value, repetitions in groupby(values) for entry in (value, len(list(repetitions)))]
    return {"runs": runs} if len(runs) < len(values) else values


def _short(value: Any) -> float | int | None:
    if value is None or not isfinite(value):
        return None
    number = round(float(value), 4) if abs(value) >= 0.001 else float(f"{value:.3g}")
    return int(number) if number.is_integer() else number


@dataclass(frozen=True)
class ItemKind:
    """A kind of item that can be looked up by its words."""

    title: str
    table: str
    keys: tuple[str, ...]
    """The columns that it is found by."""
    columns: tuple[str, ...]
    """The columns that are shown, after the keys and the model."""
    experiments: tuple[str, ...] = ()
    """Only of these; blank for all."""
    order: tuple[str, int] | None = None
    """The column that sorts what is found, and 1 or −1 for the direction; None: as they come."""
    prepare: Callable[[pl.LazyFrame], pl.LazyFrame] = pl.LazyFrame.lazy
    """Selects items, or adds columns."""

    def read(self, run: Run) -> pl.DataFrame:
        """Return the items of a run."""
        items = run.item_table(self.table)
        items = items.filter(pl.col(SKIP, "components", "control", "draw").is_null(), pl.col("model").is_not_null())
        if self.experiments:
            items = items.filter(pl.col("experiment").is_in(self.experiments))
        return self.prepare(items).select(*self.keys, "model", *self.columns, "language").collect()


def _deviation(name: str, group: tuple[str, ...]) -> pl.Expr:
    column = pl.col(name)
    return (column - column.mean().over(group)) / column.std().over(group)


def _rate(items: pl.LazyFrame) -> pl.LazyFrame:
    """Add deviations from the mean word, so that a word's effect and its rating can be put on one axis."""
    words = items.filter(IS_ORIGINAL, pl.col("subset").is_null(), pl.col("value", "rating").is_finite())
    lexicon = ("model", "dataset")
    deviation = _deviation("value", (*lexicon, "context", "layer"))
    return words.with_columns(apart=deviation.round(2), human=_deviation("rating", lexicon).round(2))


def _count_predictions(items: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row per word: times in the text and among the guesses, mean surprisal, the commonest wrong guess."""
    wrong = pl.col("guess").filter(pl.col("guess") != pl.col("word")).drop_nulls()
    words = items.group_by("word", "model", "dataset", maintain_order=True).agg(
        pl.col("band", "language").first(),
        wrong.mode().sort().first().alias("wrong guess"),
        pl.col("bits").mean(),
        pl.len().alias("times"),
        pl.col("rank").is_not_null().sum().alias("hits"),
    )
    return words.sort("times", "word", descending=[True, False])


INFERENCE = ("dataset", "version", "entailment", "neutral", "contradiction")
RATED_ITEMS = ItemKind(
    "Valence", "rated_words", ("word",), ("dataset", "context", "layer", "rating", "value", "human", "apart"),
    ("contextualization", VALENCE), prepare=_rate,
)  # fmt: skip
ITEM_KINDS = (
    RATED_ITEMS,
    ItemKind(
        "Nearest words", "neighbours", ("word",), ("neighbours", "value"),
        prepare=lambda items: items.with_columns(pl.col("neighbours").list.join(", ")),
    ),
    ItemKind(
        "Pairs, nearest first", "word_pairs", ("first", "second"), ("dataset", "context", "layer", "rating", "value"),
        order=("value", -1), prepare=lambda items: items.filter(IS_ORIGINAL),
    ),
    ItemKind(
        "Association tests", "association_words", ("word",), ("dataset", "set", "value"), ("weat",),
        prepare=lambda items: items.filter(IS_ORIGINAL).drop_nulls("value"),
    ),
    ItemKind(
        "Prediction", "predictions", ("word",), ("dataset", "band", "wrong guess", "times", "hits", "bits"),
        ("prediction",), prepare=_count_predictions,
    ),
    ItemKind("Pairs of subjects", "subject_pairs", ("premise", "hypothesis"), INFERENCE, order=("neutral", 1)),
    ItemKind("Sentences", "sentence_pairs", ("premise", "hypothesis"), INFERENCE, order=("neutral", 1)),
)  # fmt: skip


def explorer(runs: Runs) -> dict[str, Any] | None:
    """Return everything that the look-up needs; None where the runs have no items that can be looked up."""
    tables = {kind.title: table for kind in ITEM_KINDS if len(table := _gather(runs, kind))}
    if not tables:
        return None
    tables = {title: _thin(table) for title, table in tables.items()}
    facts = []
    for kind in (kind for kind in ITEM_KINDS if kind.title in tables):
        columns = columnar(tables[kind.title])
        facts.append({"title": kind.title, "keys": kind.keys, "order": kind.order, "table": columns})
    languages = {language for table in tables.values() for language in table.get_column("language").drop_nulls()}
    codes = {language: code_of(language) for language in sorted(languages)}  # a browser picks letters by it
    return {"codes": codes, "facts": facts, "wrong": list(_wrong(runs))}


def _thin(table: pl.DataFrame) -> pl.DataFrame:
    """Return about `MAX_ITEM_ROWS` rows at most: all rows of every n-th word."""
    words = table.select(table.columns[0]).unique(maintain_order=True)
    return table.join(words.gather_every(ceil(len(table) / MAX_ITEM_ROWS)), on=table.columns[0], how="semi")


def _gather(runs: Runs, kind: ItemKind) -> pl.DataFrame:
    """Return the items of one kind of all runs; the same pairs may be in two runs of an audit."""
    frames = [kind.read(run) for run in runs.each if run.study != "debias"]
    return pl.concat(frames).unique(maintain_order=True) if frames else pl.DataFrame()


def _wrong(runs: Runs) -> Iterator[dict[str, Any]]:
    """Yield for each model and lexicon the words whose effect size is furthest from their rating, as deviations."""
    best = {row[:2]: row[2:] for row in best_layers(runs.scores).select(*CONTEXT, "layer").rows()}
    columns = ["word", "rating", "value", "difference"]
    for (model, dataset), rows in _gather(runs, RATED_ITEMS).group_by(["model", "dataset"], maintain_order=True):
        context, layer = best.get((str(model), str(dataset)), (None, None))
        at = rows.filter(pl.col("context").eq_missing(context), pl.col("layer").eq_missing(layer))
        deviations = at.with_columns(difference=pl.col("apart") - pl.col("human"))
        by_difference = deviations.filter(pl.col("difference").is_finite()).sort("difference", "word").select(columns)
        high = by_difference.filter(pl.col("difference") > 0).tail(WRONG).reverse()
        low = by_difference.filter(pl.col("difference") < 0).head(WRONG)
        slot = f", layer {layer}, {context}" if layer is not None else ""
        title = f"Most wrong in valence: {model} on {dataset}{slot}"
        words = {"too pleasant": high.rows(), "too unpleasant": low.rows()}
        yield {"title": title, "language": rows.item(0, "language"), "words": words}

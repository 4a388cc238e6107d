"""The data inside a page: compact tables, and what can be looked up of a word: valence by layer, pairs, predictions."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.pages.insights import best_layers
from wordworth.pages.runs import IS_ORIGINAL, Runs
from wordworth.results.columns import SKIPPED
from wordworth.results.run import Run

STEP = 0.001
"""Effect sizes are kept to three decimals."""
MISSING = -32768
MAX_EFFECTS = 1_500_000
"""Effect sizes in a page: 4 MB. Larger lexica are sampled."""
MAX_FACTS = 10_000
"""Rows of one kind of item in a page."""
MIN_WORDS = 50
"""Words of a lexicon that are kept at least."""
WRONG = 8
CODES = {
    "arabic": "ar", "chinese": "zh", "croatian": "hr", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr",
    "german": "de", "hebrew": "he", "italian": "it", "japanese": "ja", "korean": "ko", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "russian": "ru", "spanish": "es", "thai": "th", "turkish": "tr",
}  # fmt: skip
"""What a page calls a language (ISO 639-1): by it a browser picks the letters of a word."""
WHERE = ["model", "experiment", "dataset", "context", "layer"]
IS_USED = pl.col(SKIPPED).is_null()


def columnar(table: pl.DataFrame) -> dict[str, Any]:
    """Return a table by columns: texts once each with a code per row, numbers to four decimals."""
    columns: dict[str, Any] = {}
    for name in table.columns:
        column = table.get_column(name)
        if column.dtype == pl.String:
            values = column.drop_nulls().unique(maintain_order=True).to_list()
            codes = {value: code for code, value in enumerate(values)}
            columns[name] = {"values": values, "codes": [codes.get(value, -1) for value in column.to_list()]}
        elif column.null_count() == len(column):
            columns[name] = None
        elif column.dtype.is_float():
            columns[name] = [_short(value) for value in column.to_list()]
        else:
            columns[name] = column.to_list()
    return {"length": len(table), "columns": columns}


def _short(value: Any) -> float | int | None:
    if value is None or not isfinite(value):
        return None
    rounded = round(float(value), 4) if abs(value) >= 0.001 else float(f"{value:.3g}")
    return int(rounded) if rounded.is_integer() else rounded


def packed(values: NDArray[np.float64]) -> str:
    """Return effect sizes as little-endian 16-bit steps of `STEP`, in base64; NaN is `MISSING`."""
    steps = np.where(np.isnan(values), MISSING, np.clip(np.round(values / STEP), MISSING + 1, -MISSING - 1))
    return base64.b64encode(steps.astype("<i2").tobytes()).decode("ascii")


def explorer(runs: Runs) -> dict[str, Any] | None:
    """Return everything that the look-up needs; None where the runs have no items that can be looked up."""
    notes: list[str] = []
    blocks = list(_blocks(runs, notes))
    facts = [fact for kind in KINDS if (fact := _facts(runs, kind, notes))]
    if not blocks and not facts:
        return None
    return {"step": STEP, "codes": CODES, "valence": blocks, "facts": facts, "notes": notes}


def _rated(run: Run) -> pl.LazyFrame:
    return run.item_table("rated_words").filter(
        pl.col("experiment").is_in(["contextualization", "valence"]),
        pl.col("components", "control", "subset").is_null(),
        pl.col("model", "dataset").is_not_null(),
        pl.col("value", "rating").is_finite(),
        IS_ORIGINAL,
        IS_USED,
    )


def _blocks(runs: Runs, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield one for each run, model and lexicon."""
    sizes = []
    for run in runs.each:
        if run.study == "debias":
            continue
        counted = _rated(run).group_by("model", "dataset").agg(
            pl.col("word").n_unique().alias("words"),
            (pl.col("layer").n_unique() * pl.col("context").n_unique()).alias("each"),
        )  # fmt: skip
        sizes += [(run, *row) for row in counted.sort("model", "dataset").collect().iter_rows()]
    best = {(one.score["model"], one.score["dataset"]): one.place for one in best_layers(runs.scores)}
    share = MAX_EFFECTS // max(1, len(sizes))
    for run, model, dataset, words, each in sizes:
        own = _rated(run).filter(pl.col("model") == model, pl.col("dataset") == dataset)
        table = own.select("word", "context", "layer", "value", "rating", "language").collect()
        most = max(MIN_WORDS, share // max(1, each))
        if words > most:
            notes.append(f"{model}: {most:,} of the {words:,} words of {dataset} can be looked up here.")
        yield _block(model, dataset, table, most, best.get((model, dataset)))


def _block(
    model: str, dataset: str, table: pl.DataFrame, most: int, best: tuple[str, int | None] | None
) -> dict[str, Any]:
    """Return values[context][layer][word], packed; of many words some are kept, evenly over the ratings."""
    words = table.unique("word", maintain_order=True, keep="first").select("word", "rating")
    if len(words) > most:
        places = np.linspace(0, len(words) - 1, most).round().astype(int)
        words = words.sort("rating", "word")[places.tolist()]
    contexts = table.get_column("context").unique(maintain_order=True).to_list()
    layers = sorted(table.get_column("layer").unique().to_list(), key=lambda layer: -1 if layer is None else layer)
    row_of = {word: row for row, word in enumerate(words.get_column("word").to_list())}
    values = np.full((len(contexts), len(layers), len(words)), np.nan)
    for (context, layer), part in table.group_by(["context", "layer"], maintain_order=True):
        kept = part.filter(pl.col("word").is_in(words.get_column("word").implode()))
        rows = [row_of[word] for word in kept.get_column("word").to_list()]
        values[contexts.index(context), layers.index(layer), rows] = kept.get_column("value").to_numpy()
    spread = table.group_by("context", "layer").agg(pl.col("value").mean().alias("mean"), pl.col("value").std())
    typical = {(row["context"], row["layer"]): row for row in spread.iter_rows(named=True)}
    ratings = table.unique("word").get_column("rating")
    at_best = table
    if best is not None:
        at_best = table.filter(pl.col("context") == best[0], pl.col("layer") == best[1])
    return {
        "model": model,
        "dataset": dataset,
        "language": table.item(0, "language"),
        "contexts": contexts,
        "layers": layers,
        "words": words.get_column("word").to_list(),
        "ratings": [round(float(rating), 3) for rating in words.get_column("rating").to_list()],
        "values": packed(values),
        # Mean and deviation over all words, so that a word's effect and its rating can be put on one axis.
        "rated": [_short(ratings.mean()), _short(ratings.std())],
        "typical": [
            [_short(typical.get((context, layer), {}).get(key)) for key in ("mean", "value")]
            for context in contexts
            for layer in layers
        ],
        "best": {"context": best[0], "layer": best[1]} if best else None,
        "wrong": _wrong(at_best),
    }


def _wrong(table: pl.DataFrame) -> dict[str, list[list[Any]]]:
    """Return the words whose effect size is furthest from their rating, both as deviations from their means."""

    def deviation(name: str) -> pl.Expr:
        return (pl.col(name) - pl.col(name).mean()) / pl.col(name).std()

    apart = table.with_columns(apart=deviation("value") - deviation("rating"))
    apart = apart.filter(pl.col("apart").is_finite()).sort("apart", "word")
    columns = ["word", "rating", "value", "apart"]

    def rows(frame: pl.DataFrame) -> list[list[Any]]:
        return [
            [word, *(round(float(number), 2) for number in rest)] for word, *rest in frame.select(columns).iter_rows()
        ]

    high = apart.filter(pl.col("apart") > 0).tail(WRONG).reverse()
    return {"too pleasant": rows(high), "too unpleasant": rows(apart.filter(pl.col("apart") < 0).head(WRONG))}


@dataclass(frozen=True)
class Kind:
    """A kind of item that can be looked up by its words."""

    title: str
    table: str
    columns: dict[str, str]
    """Column → its heading, as they are shown."""
    keys: tuple[str, ...]
    """The columns that it is found by."""
    order: tuple[str, int] | None = None
    """The column that sorts what is found, and 1 or −1 for the direction; None: as they come."""
    experiments: tuple[str, ...] = ()
    """Only of these; blank for all."""
    only_original: bool = True

    def read(self, run: Run) -> pl.DataFrame:
        """Return the items of a run."""
        items = run.item_table(self.table).filter(IS_USED, pl.col("components", "control", "draw").is_null())
        if self.experiments:
            items = items.filter(pl.col("experiment").is_in(self.experiments))
        if self.only_original:
            items = items.filter(IS_ORIGINAL)
        if self.table == "predictions":
            items = _count_predictions(items)
        if self.table == "neighbours":
            items = items.with_columns(pl.col("neighbours").list.join(", "))
        if self.table == "association_words":
            items = items.drop_nulls("value")
        return items.select(*self.columns, "language").collect()


INFERENCE = {
    "premise": "premise", "hypothesis": "hypothesis", "model": "model", "dataset": "probe", "version": "version",
    "entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction",
}  # fmt: skip
KINDS = (
    Kind(
        "Nearest words", "neighbours",
        {"word": "word", "model": "model", "neighbours": "nearest words of its vocabulary", "value": "cosine of the first"},
        ("word",),
    ),
    Kind(
        "Pairs, nearest first", "word_pairs",
        {"first": "first", "second": "second", "model": "model", "dataset": "data set", "context": "context",
         "layer": "layer", "rating": "human score", "value": "cosine"},
        ("first", "second"), ("value", -1),
    ),
    Kind(
        "Association tests", "association_words",
        {"word": "word", "model": "model", "dataset": "test", "set": "set", "value": "association"},
        ("word",), experiments=("weat",),
    ),
    Kind(
        "Prediction", "predictions",
        {"word": "word", "model": "model", "dataset": "text", "band": "band", "guess": "commonest wrong guess",
         "times": "times", "hits": "predicted", "bits": "mean surprisal, bits"},
        ("word",), experiments=("prediction",),
    ),
    Kind("Pairs of subjects", "subject_pairs", INFERENCE, ("premise", "hypothesis"), ("neutral", 1), only_original=False),
    Kind("Sentences", "sentence_pairs", INFERENCE, ("premise", "hypothesis"), ("neutral", 1), only_original=False),
)  # fmt: skip


def _facts(runs: Runs, kind: Kind, notes: list[str]) -> dict[str, Any] | None:
    """Return the items of one kind of all runs; None where there are none."""
    frames = [kind.read(run) for run in runs.each if run.study != "debias"]
    # The same pairs may be in two runs of an audit.
    every = pl.concat(frames).unique(maintain_order=True) if frames else pl.DataFrame()
    if every.is_empty():
        return None
    table = every
    if len(every) > MAX_FACTS:
        table = every.gather_every(ceil(len(every) / MAX_FACTS))
        notes.append(f"{kind.title}: {len(table):,} of {len(every):,} can be looked up here.")
    return {
        "title": kind.title,
        "columns": kind.columns,
        "keys": kind.keys,
        "order": kind.order,
        "table": columnar(table),
    }


def _count_predictions(items: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row per word: times in the text and among the guesses, mean surprisal, the commonest wrong guess."""
    wrong = pl.col("guess").filter(pl.col("guess") != pl.col("word")).drop_nulls()
    return (
        items.group_by(*WHERE, "word", maintain_order=True)
        .agg(
            pl.col("band", "language").first(),
            wrong.mode().sort().first().alias("guess"),
            pl.col("bits").mean(),
            pl.len().cast(pl.Int64).alias("times"),
            pl.col("rank").is_not_null().sum().cast(pl.Int64).alias("hits"),
        )
        .sort("times", "word", descending=[True, False])
    )

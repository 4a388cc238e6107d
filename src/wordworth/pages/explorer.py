"""The data inside a page: compact tables, and what can be looked up of a word: valence by layer, pairs, predictions."""

import base64
from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.pages.insights import best_layers
from wordworth.pages.runs import AS_IT_IS, Runs
from wordworth.results import Run

STEP = 0.001
"""Effect sizes are kept to three decimals."""
MISSING = -32768
CELLS = 1_500_000
"""Effect sizes in a page: 4 MB. Larger lexica are sampled."""
FACTS = 40_000
"""Other items in a page."""
WRONG = 8
CODES = {
    "arabic": "ar", "chinese": "zh", "croatian": "hr", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr",
    "german": "de", "hebrew": "he", "italian": "it", "japanese": "ja", "korean": "ko", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "russian": "ru", "spanish": "es", "thai": "th", "turkish": "tr",
}  # fmt: skip
"""What a page calls a language (ISO 639-1): by it a browser picks the letters of a word."""

WHERE = ["model", "experiment", "dataset", "setting", "layer"]
FACT_COLUMNS = [*WHERE, "language", "group", "item", "found_as", "reference", "value"]
FACT_COLUMNS += ["entailment", "contradiction", "times", "hits"]


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
    cut: list[str] = []
    blocks = list(_blocks(runs, cut))
    facts = _facts(runs, cut)
    if not blocks and facts.is_empty():
        return None
    named = {*(block["language"] for block in blocks), *facts.get_column("language").drop_nulls()}
    codes = {language: CODES[language] for language in sorted(filter(None, named)) if language in CODES}
    return {"step": STEP, "codes": codes, "valence": blocks, "facts": columnar(facts), "cut": cut}


def _rated(run: Run) -> pl.LazyFrame:
    return run.items.filter(
        pl.col("experiment").is_in(["contextualization", "valence"]),
        pl.col("group") == "lexicon",
        pl.col("pcs").is_null(),
        pl.col("model", "dataset").is_not_null(),
        pl.col("value", "reference").is_finite(),
        AS_IT_IS,
    )


def _blocks(runs: Runs, cut: list[str]) -> Iterator[dict[str, Any]]:
    """One for each run, model and lexicon."""
    sizes = []
    for run in runs.each:
        counted = _rated(run).group_by("model", "dataset").agg(
            pl.col("item").n_unique().alias("words"),
            (pl.col("layer").n_unique() * pl.col("setting").n_unique()).alias("each"),
        )  # fmt: skip
        sizes += [(run, *row) for row in counted.sort("model", "dataset").collect().iter_rows()]
    best = {(one.model, one.dataset): one for one in best_layers(runs.scores)}
    share = CELLS // max(1, len(sizes))
    for run, model, dataset, words, each in sizes:
        mine = _rated(run).filter(pl.col("model") == model, pl.col("dataset") == dataset)
        table = mine.select("item", "setting", "layer", "value", "reference", "language").collect()
        chosen = best.get((model, dataset))
        most = max(50, share // max(1, each))
        if words > most:
            cut.append(f"{model}: {most:,} of the {words:,} words of {dataset} can be looked up here.")
        yield _block(model, dataset, table, most, (chosen.setting, chosen.layer) if chosen else None)


def _block(model: str, dataset: str, table: pl.DataFrame, most: int, best: tuple[str, int] | None) -> dict[str, Any]:
    """values[setting][layer][word], packed; of many words some are kept, evenly over the ratings."""
    words = table.unique("item", maintain_order=True, keep="first").select("item", "reference")
    if len(words) > most:
        places = np.linspace(0, len(words) - 1, most).round().astype(int)
        words = words.sort("reference", "item")[places.tolist()]
    settings = table.get_column("setting").unique(maintain_order=True).to_list()
    layers = sorted(table.get_column("layer").unique().to_list(), key=lambda layer: -1 if layer is None else layer)
    row_of = {word: row for row, word in enumerate(words.get_column("item").to_list())}
    values = np.full((len(settings), len(layers), len(words)), np.nan)
    for (setting, layer), part in table.group_by(["setting", "layer"], maintain_order=True):
        kept = part.filter(pl.col("item").is_in(words.get_column("item").implode()))
        rows = [row_of[word] for word in kept.get_column("item").to_list()]
        values[settings.index(setting), layers.index(layer), rows] = kept.get_column("value").to_numpy()
    spread = table.group_by("setting", "layer").agg(pl.col("value").mean().alias("mean"), pl.col("value").std())
    typical = {(row["setting"], row["layer"]): row for row in spread.iter_rows(named=True)}
    ratings = table.unique("item").get_column("reference")
    at_best = table
    if best is not None:
        at_best = table.filter(pl.col("setting") == best[0], pl.col("layer") == best[1])
    return {
        "model": model,
        "dataset": dataset,
        "language": table.item(0, "language"),
        "settings": settings,
        "layers": layers,
        "words": words.get_column("item").to_list(),
        "ratings": [round(float(rating), 3) for rating in words.get_column("reference").to_list()],
        "values": packed(values),
        # Mean and deviation over all words, so that a word's effect and its rating can be laid on one axis.
        "rated": [_short(ratings.mean()), _short(ratings.std())],
        "typical": [
            [_short(typical.get((setting, layer), {}).get(key)) for key in ("mean", "value")]
            for setting in settings
            for layer in layers
        ],
        "best": {"setting": best[0], "layer": best[1]} if best else None,
        "wrong": _wrong(at_best),
    }


def _wrong(table: pl.DataFrame) -> dict[str, list[list[Any]]]:
    """The words whose effect size lies furthest from their rating, both as deviations from their means."""

    def deviation(name: str) -> pl.Expr:
        return (pl.col(name) - pl.col(name).mean()) / pl.col(name).std()

    apart = table.with_columns(apart=deviation("value") - deviation("reference"))
    apart = apart.filter(pl.col("apart").is_finite()).sort("apart", "item")
    columns = ["item", "reference", "value", "apart"]

    def rows(frame: pl.DataFrame) -> list[list[Any]]:
        return [
            [word, *(round(float(number), 2) for number in rest)] for word, *rest in frame.select(columns).iter_rows()
        ]

    high = apart.filter(pl.col("apart") > 0).tail(WRONG).reverse()
    return {"too pleasant": rows(high), "too unpleasant": rows(apart.filter(pl.col("apart") < 0).head(WRONG))}


def _facts(runs: Runs, cut: list[str]) -> pl.DataFrame:
    """Pairs with their cosines, words of tests, words predicted, inferences."""
    frames = [facts for run in runs.each for facts in (_single(run), _predicted(run))]
    # The same pairs may stand in two runs of an audit.
    same = ["model", "dataset", "setting", "layer", "group", "item"]
    every: pl.DataFrame = pl.concat(frames).unique(same, maintain_order=True, keep="last")
    if len(every) <= FACTS:
        return every
    most = FACTS // every.select(WHERE).n_unique()
    cut.append(f"Of {len(every):,} pairs and words, at most {most:,} a model and data set can be looked up here.")
    spread = (pl.int_range(pl.len()) * most // pl.len()).over(WHERE)  # evenly through the list
    first = (spread != spread.shift(1).over(WHERE)).fill_null(value=True)
    return every.filter(first | (pl.len().over(WHERE) <= most))


def _single(run: Run) -> pl.DataFrame:
    shown = pl.col("experiment").is_in(["neighbours", "similarity", "quality", "validation", "weat"])
    pairs = shown & pl.col("pcs").is_null()
    inferred = pl.col("entailment").is_not_null()
    return (
        run.items.filter(pairs | inferred, pl.col("value").is_not_null(), AS_IT_IS)
        .with_columns(times=pl.lit(None, dtype=pl.Int64), hits=pl.lit(None, dtype=pl.Int64))
        .select(FACT_COLUMNS)
        .collect()
    )


def _predicted(run: Run) -> pl.DataFrame:
    """One row a word: times in the text, times among the guesses, mean surprisal, the commonest wrong guess."""
    nothing = pl.lit(None, dtype=pl.Float64)
    wrong = pl.col("found_as").filter(pl.col("found_as") != pl.col("item")).drop_nulls()
    return (
        run.items.filter(pl.col("experiment") == "prediction", pl.col("left_out").is_null())
        .group_by(*WHERE, "item", maintain_order=True)
        .agg(
            pl.col("group", "language").first(),
            wrong.mode().sort().first().alias("found_as"),
            pl.col("value").mean(),
            pl.len().cast(pl.Int64).alias("times"),
            pl.col("rank").is_not_null().sum().cast(pl.Int64).alias("hits"),
        )
        .with_columns(reference=nothing, entailment=nothing, contradiction=nothing)
        .sort("times", "item", descending=[True, False])
        .select(FACT_COLUMNS)
        .collect()
    )

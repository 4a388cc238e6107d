"""The tables of the study `predict`, as its paper sets them."""

from collections.abc import Iterator

import polars as pl

from wordworth.results.run import Run
from wordworth.results.table import Cell, Row, Table, text_table
from wordworth.study.tables import measure_table

MAX_ERRORS = 12
"""Guesses and types listed."""
ENDS = "end"
"""The band of a blank guess: the model would end the line or the text."""


def predict_tables(run: Run) -> Iterator[Table]:
    """Yield Table 1, Figures 1 to 3 as numbers, Table 2, and the errors, of what was run."""
    by_experiment = {str(name): some for (name,), some in run.scores.group_by("experiment", maintain_order=True)}
    is_share = pl.col("measure").is_in(["top", "T"])
    plain = pl.col("variant").is_null() & (pl.col("measure") != "ppx")  # without the authors' own
    for (dataset,), some in _groups(by_experiment, "prediction", "dataset"):
        title = f"{dataset} · % of words and of types predicted"
        yield measure_table(some.filter(is_share, plain), {"model": "model"}, title, "percent")
        yield measure_table(some.filter(~is_share, plain), {"model": "model"}, f"{dataset} · surprise")
    for (dataset,), some in _groups(by_experiment, "coverage", "dataset"):
        down = {"model": "model", "subset": "band"}
        yield measure_table(some, down, f"{dataset} · % covered, by training frequency", "percent")
    if (soft := by_experiment.get("soft-match")) is not None:
        near = soft.filter(pl.col("measure") == "soft-match")
        title = "% of words predicted, near misses counted (soft match)"
        yield measure_table(near, {"model": "model"}, title, "percent")
    if (paraphrases := by_experiment.get("paraphrase")) is not None:
        down = {"model": "model", "dataset": "set", "layer": "layer"}
        yield measure_table(paraphrases, down, "paraphrases recognised, of rare and of common words")
    for (model, dataset), some in _groups(by_experiment, "confusion", "model", "dataset"):
        yield _confusion(some, f"{model} · {dataset} · % of a band's misses, by the band of the guess")
    yield from _errors(run)


def _groups(
    by_experiment: dict[str, pl.DataFrame], experiment: str, *columns: str
) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    if experiment in by_experiment:
        yield from by_experiment[experiment].group_by(columns, maintain_order=True)


def _confusion(scores: pl.DataFrame, title: str) -> Table:
    bands = dict.fromkeys([*scores["subset"], *scores["variant"]])
    across = tuple(sorted(set(scores["variant"]), key=[*(band for band in bands if band != ENDS), ENDS].index))
    rows = []
    for (band,), some in scores.group_by("subset", maintain_order=True):
        cells = {row["variant"]: Cell(row["value"], form="percent") for row in some.iter_rows(named=True)}
        rows.append(Row((str(band),), tuple(map(cells.get, across))))
    return Table(title, ("band missed",), across, tuple(rows))


def _errors(run: Run) -> Iterator[Table]:
    errors = run.item_table("prediction_errors").collect()
    for (model,), some in errors.filter(pl.col("experiment") == "instead").group_by("model", maintain_order=True):
        rows = [
            Row(
                (row["guess"] or "(ends the line)", row["band"]),
                (Cell(row["count"], form="count"), Cell(row["share"], form="percent")),
            )
            for row in some.head(MAX_ERRORS).iter_rows(named=True)
        ]
        yield Table(f"{model} · predicted instead", ("guess", "band"), ("misses", "% of misses"), tuple(rows))
    for (model,), some in errors.filter(pl.col("experiment") == "never-predicted").group_by("model"):
        bands = some.group_by("band", maintain_order=True)
        words = [[str(band), f"{len(own):,}", ", ".join(own["word"].head(MAX_ERRORS))] for (band,), own in bands]
        yield text_table(f"{model} · never among the best", ("band", "types", "most frequent in the text"), words)

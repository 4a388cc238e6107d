"""The main numbers of each model, for the terminal: some of every experiment, in the layer where each is best."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from wordworth.measure import find_measure
from wordworth.measure.weat import WEAT
from wordworth.pages.insights import associations
from wordworth.pages.leaderboard import USUAL
from wordworth.pages.runs import ALL, AS_IT_IS, IS_ORIGINAL, Runs, Score, describe_place
from wordworth.results.columns import KEY
from wordworth.results.table import Cell, Names, Row, Table, legend_of
from wordworth.results.vocabulary import CONTEXTS, ORIGINAL, RANDOM

MAX_ROWS = 12
"""Numbers of a model that the terminal shows."""
NAMES = ("measure", "data", "where")
EXPERIMENT = ["study", "experiment"]
QUANTITY = ["study", "experiment", "language", "dataset", "subset", "quantity", "is_nullified"]
"""Scores that are alike in these differ only in where they were measured: in which layer, context or pooling."""


def headlines(runs: Runs) -> Iterator[Table]:
    """Yield one table per model with its main numbers, then one with those before and after a change."""
    tests = associations(runs.scores).get_column("row").to_list()
    # Of an association test, the layers that the page reads too.
    is_read = (pl.col("measure") != WEAT) | pl.col("variant").is_not_null() | pl.col("row").is_in(tests)
    for model in [*runs.models, ALL]:
        own = runs.scores.filter(pl.col("model") == model, pl.col("draw").is_null(), pl.col("control").is_null())
        rows = _choose(own.filter(IS_ORIGINAL, AS_IT_IS | pl.col("version").is_null(), is_read))
        if rows:
            lines = [Row(_name(row), (Cell.of_score(row),)) for row in rows]
            rest = f"and {len(own) - len(rows):,} more in scores.csv" if len(own) > len(rows) else ""
            note = "; ".join(filter(None, [legend_of(lines), rest]))
            yield _drop_blank(Table(model, NAMES, ("value [95 %]",), tuple(lines), note=note))
        versions = own.drop_nulls("version")
        if versions.get_column("version").n_unique() > 1:
            yield _drop_blank(_compare_versions(model, versions))


def _choose(scores: pl.DataFrame) -> Sequence[Score]:
    """Return at most `MAX_ROWS` scores, of every experiment in turn.

    Where an experiment has no main score, its first ones on whole data stand for it.
    """
    known = scores.filter(pl.col("value").is_finite(), pl.col("measure") != "coverage")
    measures = [find_measure(*row) for row in known.select("measure", "variant").iter_rows()]
    places = {name: at for at, name in enumerate(USUAL)}
    marked = known.with_columns(
        pl.col("quantity").replace_strict(places, default=len(USUAL), return_dtype=pl.Int64).alias("place"),
        pl.Series("is_main", [one.is_main for one in measures], pl.Boolean),
        pl.Series("is_rising", [one.better == "higher" for one in measures], pl.Boolean),
    )
    is_whole = pl.col("subset").is_null()
    is_first = is_whole & ~pl.col("is_main").any().over(EXPERIMENT)
    is_main = pl.col("is_main") & (is_whole | pl.col("variant").is_null())
    shown = _find_best(marked.filter(is_main | is_first))
    order = [pl.col("place"), pl.col("variant").is_not_null(), pl.col("row")]
    turn = pl.int_range(pl.len()).over(*EXPERIMENT, is_whole)
    ordered = shown.sort(order).with_columns(turn=turn)
    return ordered.sort(pl.col("turn"), *order).head(MAX_ROWS).sort("place", "row").to_dicts()


def _find_best(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one score per quantity, and one with components nullified.

    It is that of the plainest context, on all sentences, under a pooling with an interval, and in the layer in which
    it is best; in the top layer, where higher is not better.
    """
    contexts = sorted(CONTEXTS, key=["bleached", "aggregated"].__contains__, reverse=True)
    context = pl.col("context").replace_strict(contexts, range(len(contexts)), default=0, return_dtype=pl.Int64)
    better = pl.when("is_rising").then("value").otherwise("layer")
    first = [context, pl.col("sentences").is_not_null(), pl.col("low").is_null(), -better, "row"]
    marked = scores.sort(first).with_columns(is_nullified=pl.col("components").is_not_null())
    return marked.unique(QUANTITY, keep="first", maintain_order=True)


def _name(score: Score) -> Names:
    """Return the measure, the data, and where in the model and under which choices."""
    return score["quantity"], score["dataset"] or "", describe_place({**score, "version": None})


def _drop_blank(table: Table) -> Table:
    """Return a table without its blank columns of names."""
    names = [at for at in range(len(table.names)) if any(row.names[at] for row in table.rows)]
    rows = (replace(row, names=tuple(row.names[at] for at in names)) for row in table.rows)
    return replace(table, names=tuple(table.names[at] for at in names), rows=tuple(rows))


def _compare_versions(model: str, scores: pl.DataFrame) -> Table:
    """Return a table of the main numbers of the original, and the same of each version of it."""
    names = scores.get_column("version").unique(maintain_order=True).to_list()
    versions = sorted(names, key=lambda name: (name != ORIGINAL, name == RANDOM))
    key = [name for name in KEY if name not in ("model", "version")]
    values = {(row["version"], *(row[name] for name in key)): row["value"] for row in scores.iter_rows(named=True)}
    rows = []
    for score in _choose(scores.filter(IS_ORIGINAL)):
        place = [score[name] for name in key]
        rows.append(Row(_name(score), tuple(Cell(values.get((version, *place))) for version in versions)))
    return Table(f"{model}: before and after", NAMES, tuple(versions), tuple(rows))

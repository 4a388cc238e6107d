"""The scores of ValNorm; with several languages these side by side, and people's ratings across them (Table 3)."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.run.flags import legend
from wordworth.run.numbers import format_number
from wordworth.study.declaration import Table
from wordworth.study.tables import marked, score_tables

TASKS = ("valence", "weat", "similarity")
BELLEZZA = "valence, Bellezza’s words"


def valnorm_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """All scores, then the overviews that there is something for."""
    yield from score_tables(scores, items)
    if (languages := by_language(scores)) is not None:
        yield languages
    if (people := by_raters(scores)) is not None:
        yield people


def by_language(scores: pl.DataFrame) -> Table | None:
    """A row a language and model, a column a task; of several lexica or pairs the largest. None of one language."""
    same = pl.col("measure") == pl.col("experiment")
    shown = scores.filter(same, pl.col("measure").is_in(TASKS), pl.col("language").is_not_null())
    if shown.get_column("language").n_unique() < 2:
        return None
    largest = shown.sort("n", descending=True, maintain_order=True)
    cells: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in shown.unique(["language", "model"], maintain_order=True, keep="first").iter_rows(named=True):
        cells[row["language"], row["model"]] = {}
    columns = {_task(row): None for row in shown.iter_rows(named=True)}
    for row in largest.iter_rows(named=True):
        cells[row["language"], row["model"]].setdefault(_task(row), row)
    spread = scores.filter(pl.col("measure") == "weat:variance")
    variances = {row["dataset"]: format_number(row["value"], 3) for row in spread.iter_rows(named=True)}
    rows = [[language, model, *map(_cell, map(found.get, columns))] for (language, model), found in cells.items()]
    if variances:
        rows.append(["variance", "", *(variances.get(task, "") for task in columns)])
    flagged = [
        (f"{task} {language}", row["flags"]) for (language, _), found in cells.items() for task, row in found.items()
    ]
    header = ["language", "model", *columns]
    title = "languages side by side · ρ, or d of a test (n items); of several lexica or pairs the largest"
    return Table(title, header, rows, range(2, len(header)), legend(flagged))


def _cell(score: dict[str, Any] | None) -> str:
    return f"{marked(score)} ({score['n']:,})" if score else ""


def _task(row: dict[str, Any]) -> str:
    if row["measure"] == "weat":
        return str(row["dataset"])
    return BELLEZZA if str(row["dataset"]).startswith("bellezza") else str(row["measure"])


def by_raters(scores: pl.DataFrame) -> Table | None:
    """Pearson's ρ between the ratings of every two lexica, as Table 3 has it."""
    pairs = scores.filter(pl.col("measure") == "raters").select("dataset", "value").iter_rows()
    agreed = {tuple(str(dataset).split("~")): format_number(value, 3) for dataset, value in pairs}
    if not agreed:
        return None
    names = list(dict.fromkeys(name for pair in agreed for name in pair))
    rows = [[one, *(agreed.get((one, other), agreed.get((other, one), "")) for other in names)] for one in names]
    return Table("ratings of the same words by other people · ρ", ["lexicon", *names], rows, range(1, len(names) + 1))

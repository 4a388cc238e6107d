"""Tables that several studies set their scores in."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from wordworth.measure import VALENCE, label
from wordworth.results.run import Run
from wordworth.results.table import Cell, Form, Names, Row, Table

FOOT = "ρ for valence (Pearson) and similarity (Spearman), d for weat, accuracy for analogy; [95 % interval]; n items"
Cells = dict[Names, dict[str, Cell]]
"""Names of a row → heading → number."""


def arrange(
    scores: pl.DataFrame,
    down: Callable[[dict[str, Any]], Names],
    across: Callable[[dict[str, Any]], str],
    cell: Callable[[dict[str, Any]], Cell] = Cell.of_score,
) -> Cells:
    """Return the cells of scores, by the names of the row and the heading that each belongs to."""
    cells: Cells = {}
    for score in scores.iter_rows(named=True):
        cells.setdefault(down(score), {})[across(score)] = cell(score)
    return cells


def make_table(title: str, names: Names, cells: Cells, heads: Sequence[str] = (), across: str = "") -> Table:
    """Return the table of some cells, by default with all headings in the order in which they come."""
    heads = tuple(heads or dict.fromkeys(head for row in cells.values() for head in row))
    rows = tuple(Row(one, tuple(map(row.get, heads))) for one, row in cells.items())
    return Table(title, names, heads, rows, across=across)


def score_tables(run: Run) -> Iterator[Table]:
    """Yield the scores as the papers set them: one row per task, one column per model."""
    is_sensitivity = pl.col("experiment") == "sensitivity"
    has_variant = pl.col("variant").is_not_null() & (pl.col("measure") == VALENCE)
    shown = run.scores.filter(pl.col("measure") != "coverage", ~has_variant, ~is_sensitivity)
    models = shown.get_column("model").drop_nulls().unique(maintain_order=True).to_list() or ["score"]
    has_languages = shown.get_column("language").drop_nulls().n_unique() > 1

    def name(score: dict[str, Any]) -> Names:
        control = f"({score['control']})" if score["control"] else ""
        parts = [_label_of(score), score["dataset"], score["subset"], score["language"] if has_languages else ""]
        return (" ".join(filter(None, [*parts, control])),)

    # A number over all models, such as the variance, has no model and goes into the first column.
    cells = arrange(shown, name, lambda score: score["model"] or models[0])
    yield make_table(f"wordworth {run.study} · {FOOT}", ("task",), cells, models)
    if run.scores.select(is_sensitivity.any()).item():
        yield sensitivity_table(run.scores.filter(is_sensitivity))


def sensitivity_table(scores: pl.DataFrame) -> Table:
    """Return one row per test and model: how many of its variants are significant, or flipped, and their range."""
    heads = {"significant": "p < .05", "same-sign": "same sign", "flipped": "flipped", "median": "median [min, max]"}

    def cell(score: dict[str, Any]) -> Cell:
        return Cell.of_score(score) if score["variant"] == "median" else Cell(score["value"], form="percent")

    whole = scores.filter(pl.col("subset").is_null())  # without the shares by option
    cells = arrange(whole, lambda row: (row["dataset"], row["model"]), lambda row: heads[row["variant"]], cell)
    return make_table("sensitivity · variants of each test under other choices", ("test", "model"), cells)


def pivot(scores: pl.DataFrame, down: str, across: str, title: str) -> Table:
    """Return a table of values only; a blank number of components is “raw”."""

    def name(value: Any) -> str:
        return "raw" if value is None else str(value)

    def cell(score: dict[str, Any]) -> Cell:
        return Cell(score["value"], cautions=tuple(score["cautions"]))

    cells = arrange(scores, lambda score: (name(score[down]),), lambda score: name(score[across]), cell)
    heads = scores.get_column(across).unique(maintain_order=True).to_list()
    return make_table(title, (down,), cells, list(map(name, heads)), across)


def stability_tables(scores: pl.DataFrame) -> Iterator[Table]:
    """Yield how well defined the subspaces of each model are: Tables 7 and 12 of Dev et al."""
    title = "stability of the subspaces: principal values over the first, cosine with the direction removed"
    heads = {2: "2nd", 3: "3rd", 4: "4th", None: "cosine"}

    def name(score: dict[str, Any]) -> Names:
        return (score["dataset"] if score["layer"] is None else f"{score['dataset']}, layer {score['layer']}",)

    stable = scores.filter(pl.col("experiment") == "stability")
    for (model,), some in stable.group_by("model", maintain_order=True):
        cells = arrange(some, name, lambda score: heads[score["k"]], lambda score: Cell(score["value"]))
        yield make_table(f"{model} · {title}", ("words",), cells, list(heads.values()))


def measure_table(scores: pl.DataFrame, down: dict[str, str], title: str, form: Form = "number") -> Table:
    """Return one row per value of the columns in `down` (column → heading), and one column per measure, with n last."""

    def name(score: dict[str, Any]) -> Names:
        return tuple("" if score[column] is None else str(score[column]) for column in down)

    def cell(score: dict[str, Any]) -> Cell:
        return replace(Cell.of_score(score), n=None, form=form)

    cells = arrange(scores, name, _label_of, cell)
    heads = [*dict.fromkeys(head for row in cells.values() for head in row)]
    counts: dict[Names, set[int]] = {}
    for score in scores.iter_rows(named=True):
        counts.setdefault(name(score), set()).add(score["n"])
    for names, several in counts.items():
        if len(several) == 1:
            cells[names]["n"] = Cell(several.pop(), form="count")
    has_counts = any("n" in row for row in cells.values())
    return make_table(title, tuple(down.values()), cells, [*heads, "n"] if has_counts else heads)


def _label_of(score: dict[str, Any]) -> str:
    return label(score["measure"], score["variant"], score["k"], score["threshold"])

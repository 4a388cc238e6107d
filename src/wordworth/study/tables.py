"""Tables that several studies set their scores in."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.measure.declaration import label
from wordworth.results.run import Run
from wordworth.results.table import Cell, Form, Row, Table

FOOT = "ρ for valence (Pearson) and similarity (Spearman), d for weat, accuracy for analogy; [95 % interval]; n items"
TASK = ["experiment", "language", "dataset", "subset", "measure", "variant", "k", "control"]
"""The columns that a row of `score_tables` stands for."""


def score_tables(run: Run) -> Iterator[Table]:
    """Yield the scores as the papers set them: one row per task, one column per model."""
    is_sensitivity = pl.col("experiment") == "sensitivity"
    has_variant = pl.col("variant").is_not_null() & (pl.col("measure") == "valence")
    shown = run.scores.filter(pl.col("measure") != "coverage", ~has_variant, ~is_sensitivity)
    models = shown.get_column("model").drop_nulls().unique(maintain_order=True).to_list() or ["score"]
    has_languages = shown.get_column("language").drop_nulls().n_unique() > 1
    rows = []
    for task in shown.select(TASK).unique(maintain_order=True).iter_rows(named=True):
        scores = shown.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in task.items()).to_dicts()
        # A number over all models, such as the variance, has no model and goes into the first column.
        cells = {score["model"] or models[0]: Cell.of_score(score) for score in scores}
        rows.append(Row((_name_of(task, has_languages=has_languages),), tuple(map(cells.get, models))))
    yield Table(f"wordworth {run.study} · {FOOT}", ("task",), tuple(models), tuple(rows))
    if run.scores.select(is_sensitivity.any()).item():
        yield sensitivity_table(run.scores.filter(is_sensitivity))


def _name_of(task: dict[str, Any], *, has_languages: bool) -> str:
    control = f"({task['control']})" if task["control"] else ""
    names = [label(task["measure"], task["variant"], task["k"]), task["dataset"], task["subset"]]
    return " ".join(filter(None, [*names, task["language"] if has_languages else "", control]))


def sensitivity_table(scores: pl.DataFrame) -> Table:
    """Return one row per test and model: how many of its variants are significant, or flipped, and their range."""
    heads = {"significant": "p < .05", "same-sign": "same sign", "flipped": "flipped", "median": "median [min, max]"}
    rows = []
    whole = scores.filter(pl.col("subset").is_null())  # without the shares by option
    for (dataset, model), some in whole.group_by(["dataset", "model"], maintain_order=True):
        by_variant = {row["variant"]: row for row in some.iter_rows(named=True)}
        shares = [Cell(by_variant[name]["value"], form="percent") for name in heads if name != "median"]
        median = Cell.of_score(by_variant["median"])
        rows.append(Row((str(dataset), str(model)), (*shares, median)))
    title = "sensitivity · variants of each test under other choices"
    return Table(title, ("test", "model"), tuple(heads.values()), tuple(rows))


def pivot(scores: pl.DataFrame, down: str, across: str, title: str) -> Table:
    """Return a table of values only; a blank number of components is “raw”."""
    columns = scores.get_column(across).unique(maintain_order=True).to_list()
    rows = []
    for (key,), group in scores.group_by([down], maintain_order=True):
        cells = {
            score[across]: Cell(score["value"], cautions=tuple(score["cautions"]))
            for score in group.iter_rows(named=True)
        }
        rows.append(Row(("raw" if key is None else str(key),), tuple(map(cells.get, columns))))
    heads = tuple("raw" if column is None else str(column) for column in columns)
    return Table(title, (down,), heads, tuple(rows), across=across)


def stability_tables(scores: pl.DataFrame) -> Iterator[Table]:
    """Yield how well defined the subspaces of each model are: Tables 7 and 12 of Dev et al."""
    title = "stability of the subspaces: principal values over the first, cosine with the direction removed"
    heads = {("principal", 2): "2nd", ("principal", 3): "3rd", ("principal", 4): "4th", ("cosine", None): "cosine"}
    stable = scores.filter(pl.col("experiment") == "stability")
    for (model,), some in stable.group_by(["model"], maintain_order=True):
        rows = []
        for (dataset, layer), group in some.group_by(["dataset", "layer"], maintain_order=True):
            cells = {(row["measure"], row["k"]): Cell(row["value"]) for row in group.iter_rows(named=True)}
            name = str(dataset) if layer is None else f"{dataset}, layer {layer}"
            rows.append(Row((name,), tuple(map(cells.get, heads))))
        yield Table(f"{model} · {title}", ("words",), tuple(heads.values()), tuple(rows))


def measure_table(scores: pl.DataFrame, down: dict[str, str], title: str, form: Form = "number") -> Table:
    """Return one row per value of the columns in `down` (column → heading), and one column per measure, with n last."""
    heads = list(dict.fromkeys(_label_of(row) for row in scores.iter_rows(named=True)))
    rows = []
    for names, group in scores.group_by(list(down), maintain_order=True):
        by_label = {_label_of(row): row for row in group.iter_rows(named=True)}
        cells = [_shown(by_label.get(head), form) for head in heads]
        counts = {row["n"] for row in by_label.values()}
        n = Cell(counts.pop(), form="count") if len(counts) == 1 else None
        rows.append(Row(tuple("" if name is None else str(name) for name in names), (*cells, n)))
    has_counts = any(row.cells[-1] is not None for row in rows)
    if not has_counts:
        rows = [Row(row.names, row.cells[:-1]) for row in rows]
    shown = (*heads, "n") if has_counts else tuple(heads)
    return Table(title, tuple(down.values()), shown, tuple(rows))


def _label_of(row: dict[str, Any]) -> str:
    return label(row["measure"], row["variant"], row["k"], row["threshold"])


def _shown(score: dict[str, Any] | None, form: Form) -> Cell | None:
    if score is None:
        return None
    numbers = {name: score[name] for name in ("value", "low", "high", "p", "partitions")}
    return Cell(**numbers, cautions=tuple(score["cautions"]), form=form)

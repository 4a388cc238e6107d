"""Tables that several studies set their scores in."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.results.flags import MARK, legend
from wordworth.results.numbers import format_interval, format_number, format_p
from wordworth.study.declaration import Table

ABREAST = 4
"""Columns that fit beside each other."""
FOOT = "ρ for valence (Pearson) and similarity (Spearman), d for weat, accuracy for analogy; [95% interval], n items"


def marked(score: dict[str, Any]) -> str:
    """A score's value, with a mark where it is to be read with care."""
    return format_number(score["value"], 3, missing="") + (MARK if score["flags"] else "")


def cell(score: dict[str, Any]) -> str:
    """A score with its interval or p, and its number of items."""
    text = marked(score)
    if score["low"] is not None:
        text += f" {format_interval(score['low'], score['high'], 3)}"
    if score["p"] is not None:
        text += f" p={format_p(score['p'])}"
    return f"{text}  n={score['n']:,}"


def score_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """Scores as the papers set them: a row a task, a column a model; coverage stands in n. Many models: a row each."""
    beside = ["coverage", "valence:spearman", "valence:p-against-d", "valence:above"]
    # A control has a row for itself; other settings there are none.
    control = pl.when(pl.col("experiment") == "control").then("setting").alias("setting")
    tried = pl.col("experiment") == "sensitivity"
    shown = scores.filter(~pl.col("measure").is_in(beside), ~tried).with_columns(control)
    models = shown.get_column("model").drop_nulls().unique(maintain_order=True).to_list() or ["score"]
    tasks = shown.select("experiment", "language", "dataset", "measure", "setting").unique(maintain_order=True)
    languages = scores.get_column("language").drop_nulls().n_unique() > 1
    rows, flagged = [], []
    for task in tasks.iter_rows(named=True):
        # A number over all models, such as the variance, has no model and stands in the first column.
        found = shown.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in task.items()).to_dicts()
        cells = {score["model"] or models[0]: cell(score) for score in found}
        of = f"({task['setting']})" if task["setting"] else ""
        name = " ".join(filter(None, [task["measure"], task["dataset"], task["language"] if languages else "", of]))
        flagged += [(name, score["flags"]) for score in found]
        if len(models) > ABREAST:
            rows += [[name, model, text] for model, text in cells.items()]
        else:
            rows.append([name, *(cells.get(model, "") for model in models)])
    header = ["task", "model", "score"] if len(models) > ABREAST else ["task", *models]
    study = scores.item(0, "study") if len(scores) else ""
    right = [2] if len(models) > ABREAST else range(1, len(header))
    yield Table(f"wordworth {study} · {FOOT}", header, rows, right, legend(flagged))
    if scores.select(tried.any()).item():
        yield sensitivity_table(scores.filter(tried))


def sensitivity_table(scores: pl.DataFrame) -> Table:
    """A row a test and model: how many of its variants are significant, or flipped, and where they lie."""
    header = ["test", "model", "variants", "p < .05", "same sign", "flipped", "median [least, greatest]"]
    rows = []
    whole = scores.filter(~pl.col("setting").fill_null("").str.contains(": "))  # not of single options
    for (dataset, model), mine in whole.group_by(["dataset", "model"], maintain_order=True):
        told = {row["measure"].removeprefix("sensitivity:"): row for row in mine.iter_rows(named=True)}
        median = told["median"]
        limits = f"{format_number(median['value'], 3)} {format_interval(median['low'], median['high'], 3)}"
        shares = [f"{told[name]['value']:.1%}" for name in ("significant", "same-sign", "flipped")]
        rows.append([str(dataset), str(model), f"{median['n']:,}", *shares, limits])
    return Table("sensitivity · variants of each test under other choices", header, rows, range(2, len(header)))


def pivot(scores: pl.DataFrame, down: str, across: str, title: str) -> Table:
    """A table of values; a blank number of components is “raw”."""
    columns = scores.get_column(across).unique(maintain_order=True).to_list()
    rows, flagged = [], []
    for (key,), group in scores.group_by([down], maintain_order=True):
        name = "raw" if key is None else str(key)
        values = {score[across]: marked(score) for score in group.iter_rows(named=True)}
        rows.append([name, *(values.get(column, "") for column in columns)])
        flagged += [(name, flags) for flags in group.get_column("flags")]
    header = [{"pcs": "components"}.get(down, down), *("raw" if column is None else str(column) for column in columns)]
    return Table(title, header, rows, range(1, len(columns) + 1), legend(flagged))


def stability_rows(scores: pl.DataFrame) -> list[tuple[str, dict[str, float]]]:
    """(gendered, {2nd: …, 3rd: …, 4th: …, cosine: …}) and so on, also by layer: Tables 7 and 12 of Dev et al."""
    rows: dict[str, dict[str, float]] = {}
    for score in scores.filter(pl.col("experiment") == "stability").iter_rows(named=True):
        name = score["dataset"] if score["layer"] is None else f"{score['dataset']}, layer {score['layer']}"
        rows.setdefault(name, {})[score["measure"].removeprefix("principal:")] = score["value"]
    return list(rows.items())


def stability_tables(scores: pl.DataFrame) -> Iterator[Table]:
    """How well defined subspaces are, of each model for which that was measured."""
    names = ["2nd", "3rd", "4th", "cosine"]
    title = "stability of the subspaces: principal values over the first, cosine with what is taken out"
    steady = scores.filter(pl.col("experiment") == "stability")
    for (model,), mine in steady.group_by(["model"], maintain_order=True):
        lines = [
            [kind, *(format_number(values.get(name), 3, missing="") for name in names)]
            for kind, values in stability_rows(mine)
        ]
        yield Table(f"{model} · {title}", ["words", *names], lines, range(1, 5))

"""What the command prints: results as tables on stdout, everything else on stderr."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import polars as pl
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

# In a pipe or a file there is no window to fit.
out = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
err = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """For scripts: one JSON value on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """A plain table; the columns in `right` hold numbers."""
    made = Table(title=escape(title), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for at, name in enumerate(header):
        made.add_column(escape(name), justify="right" if at in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(escape(cell) for cell in row))
    out.print(made)


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


# Columns that fit beside each other.
ABREAST = 4

_FOOT = "ρ for valence (Pearson) and similarity (Spearman), d for weat, accuracy for analogy; [95% interval], n items"


def score_table(scores: pl.DataFrame, title: str) -> None:
    """Scores as the papers set them: a row a task, a column a model; coverage stands in n. Many models: a row each."""
    shown = scores.filter(~pl.col("measure").is_in(["coverage", "valence:spearman"]))
    models = shown.get_column("model").drop_nulls().unique(maintain_order=True).to_list()
    tasks = shown.select("experiment", "language", "dataset", "measure").unique(maintain_order=True)
    languages = scores.get_column("language").drop_nulls().n_unique() > 1
    rows = []
    for task in tasks.iter_rows(named=True):
        # A number over all models, such as the variance, has no model and stands in the first column.
        found = shown.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in task.items()).to_dicts()
        cells = {score["model"] or models[0]: _cell(score) for score in found}
        name = " ".join(filter(None, [task["measure"], task["dataset"], task["language"] if languages else ""]))
        if len(models) > ABREAST:
            rows += [[name, model, cell] for model, cell in cells.items()]
        else:
            rows.append([name, *(cells.get(model, "") for model in models)])
    header = ["task", "model", "score"] if len(models) > ABREAST else ["task", *models]
    table(title, header, rows, right=[2] if len(models) > ABREAST else range(1, len(header)))
    err.print(f"[dim]{_FOOT}[/dim]", soft_wrap=True)


def _cell(score: dict[str, Any]) -> str:
    text = number(score["value"])
    if score["low"] is not None:
        text += f" [{number(score['low'])}, {number(score['high'])}]"
    if score["p"] is not None:
        text += f" p={score['p']:.2g}"
    return f"{text}  n={score['n']:,}"

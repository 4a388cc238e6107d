"""What the command prints: results as tables on stdout, everything else on stderr."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wordworth.compare import Comparison, verdict, verdicts
from wordworth.report.predict_tables import predict_tables
from wordworth.study.findings import Findings

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
    if value is None:
        return ""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


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


def tables_of(scores: pl.DataFrame, study: str, items: pl.DataFrame | None = None) -> None:
    """The tables of a study, as its paper sets them."""
    if study == "vast":
        layer_tables(scores)
    elif study == "static":
        static_tables(scores)
    elif study == "predict":
        for shown in predict_tables(scores, items):
            table(*shown)
    elif study == "infer":
        from wordworth.study.infer.tables import infer_tables

        for one in infer_tables(scores, items):
            table(*one)
    elif study == "debias":
        debias_tables(scores)
    else:
        score_table(scores, f"wordworth {study}")


def layer_tables(scores: pl.DataFrame) -> None:
    """VAST: valence by layer and setting, and by components nullified; the rest is in the run's scores.csv."""
    for (model, language), mine in scores.group_by(["model", "language"], maintain_order=True):
        name = " · ".join(filter(None, [model, language if language != "english" else None]))
        by_layer = mine.filter(pl.col("experiment").is_in(["contextualization", "languages"]), pl.col("pcs").is_null())
        for (dataset,), some in by_layer.filter(pl.col("measure") == "valence").group_by(
            ["dataset"], maintain_order=True
        ):
            _pivot(some, "layer", "setting", f"{name} · valence {dataset or ''} by layer")
        for (dataset, layer), some in mine.filter(
            pl.col("experiment") == "isolation", pl.col("measure") == "valence"
        ).group_by(["dataset", "layer"], maintain_order=True):
            _pivot(some, "pcs", "setting", f"{name} · valence {dataset}, layer {layer}, by components nullified")
        for (layer,), some in mine.filter(pl.col("experiment") == "validation").group_by(
            ["layer"], maintain_order=True
        ):
            _pivot(some, "pcs", "dataset", f"{name} · similarity, layer {layer}, by components nullified")
        biased = mine.filter(pl.col("experiment") == "bias", pl.col("layer") == pl.col("layer").max())
        if len(biased):
            _pivot(biased, "dataset", "pcs", f"{name} · weat d, top layer, by components nullified")
        tokens = mine.filter(pl.col("experiment") == "tokenization", pl.col("measure") == "valence")
        if len(tokens):
            labelled = tokens.with_columns(set=pl.concat_str(pl.col("dataset"), pl.lit(" "), pl.col("pooling")))
            _pivot(labelled, "layer", "set", f"{name} · valence by tokenization and pooling")
        probed = mine.filter(pl.col("experiment") == "probes")
        if len(probed):
            labelled = probed.with_columns(task=pl.concat_str(pl.col("measure"), pl.lit(" from "), pl.col("setting")))
            _pivot(labelled, "task", "pcs", f"{name} · weighted F1 of probes, by components")


def _pivot(scores: pl.DataFrame, down: str, across: str, title: str) -> None:
    """A table of values; a blank number of components is “raw”."""
    columns = scores.get_column(across).unique(maintain_order=True).to_list()
    rows = []
    for (key,), group in scores.group_by([down], maintain_order=True):
        values = dict(zip(group.get_column(across), group.get_column("value"), strict=True))
        rows.append(["raw" if key is None else str(key), *(number(values.get(column)) for column in columns)])
    header = [{"pcs": "components"}.get(down, down), *("raw" if one is None else str(one) for one in columns)]
    table(title, header, rows, right=range(1, len(columns) + 1))


def static_tables(scores: pl.DataFrame) -> None:
    """Contextual to static: the best layer by sentences and by pooling, bias a quarter of the way up, agreement."""
    best = scores.filter(
        (pl.col("measure") == "similarity:best")
        | ((pl.col("experiment") == "quality") & (pl.col("measure") == "similarity") & pl.col("layer").is_null())
    )
    if len(best):
        mean = best.filter(pl.col("pooling").is_null() | pl.col("pooling").is_in(["mean", "mean/mean"]))
        _best_layers(mean, "setting", "similarity by sentences, mean/mean: best layer in brackets")
        pooled = best.filter(pl.col("setting").is_in(["aggregated", "decontextualized"]))
        _best_layers(pooled, "pooling", "similarity by pooling (subwords/contexts): best layer in brackets")
    quarter = scores.filter(pl.col("experiment") == "bias").filter(
        pl.col("layer").is_null() | (pl.col("layer") == pl.col("layer").max().over("model") // 4)
    )
    for name in ("professions", "adjectives"):
        some = quarter.filter(pl.col("dataset").str.ends_with(name))
        if len(some):
            attribute = pl.col("dataset").str.replace(f"/{name}", "")
            labelled = some.with_columns(definition=pl.concat_str(attribute, pl.lit(" "), pl.col("measure")))
            _pivot(labelled, "definition", "model", f"bias of {name}, a quarter of the way up")
    agreed = scores.filter(pl.col("measure") == "agreement").with_columns(pl.col("model").fill_null("all models"))
    if len(agreed):
        rows = [[row["model"], row["dataset"], _cell(row)] for row in agreed.iter_rows(named=True)]
        title = "agreement of the estimators: mean rank correlation over layers, [95% over resampled lists]"
        table(title, ["model", "bias", "ρ"], rows, right=[2])


def _best_layers(scores: pl.DataFrame, by: str, title: str) -> None:
    datasets = scores.get_column("dataset").unique(maintain_order=True).to_list()
    rows = []
    for (model, key), group in scores.group_by(["model", by], maintain_order=True):
        cells = {
            row["dataset"]: number(row["value"]) + (f" ({row['layer']})" if row["layer"] is not None else "")
            for row in group.iter_rows(named=True)
        }
        rows.append([str(model), str(key or ""), *(cells.get(dataset, "") for dataset in datasets)])
    table(title, ["model", by, *datasets], rows, right=range(2, len(datasets) + 2))


def debias_tables(scores: pl.DataFrame) -> None:
    """Before, after, and without random directions; and how well-defined the subspaces are."""
    from wordworth.study.debias.tables import changed, cost_rows, stability_rows, versions

    columns = versions(scores)
    header = ["measure", columns[0], *(name for column in columns[1:] for name in (column, "diff")), "n"]
    rows = []
    for what, values, count in cost_rows(scores):
        cells = [number(values[columns[0]])]
        for column in columns[1:]:
            cells += [number(values.get(column)), changed(what, values.get(column), values[columns[0]])]
        rows.append([what, *cells, f"{count:,}" if count else ""])
    if rows:
        table("what it cost", header, rows, right=range(1, len(header)))
    steady = stability_rows(scores)
    if steady:
        names = ["2nd", "3rd", "4th", "cosine"]
        lines = [[kind, *(number(found.get(name)) for name in names)] for kind, found in steady]
        title = "stability of the subspaces: principal values over the first, cosine with what is taken out"
        table(title, ["words", *names], lines, right=range(1, 5))


def warnings_of(findings: Findings) -> None:
    """What a user should see of a study at once: what could not be had, and what was left out."""
    for sentence in findings.warnings:
        err.print(sentence, style="yellow", markup=False, soft_wrap=True)
    for reason, count in findings.left_out_by_kind().items():
        err.print(f"left out: {count:,} {reason}", style="yellow", markup=False, soft_wrap=True)


def audit(said: dict[str, list[str]], left_out: Sequence[str], place: Path) -> None:
    """The answers of the report, and where it is."""
    for question, sentences in said.items():
        out.print(question, style="bold", markup=False, soft_wrap=True)
        for sentence in sentences:
            out.print(f"  {sentence}", markup=False, soft_wrap=True)
    for sentence in left_out:
        err.print(sentence, style="yellow", markup=False, soft_wrap=True)
    out.print(str(place), markup=False, soft_wrap=True)


def comparison(found: Comparison) -> None:
    """Two models task by task, then what it comes to in sentences."""
    header, rows = verdict.headings(found), [verdict.cells(one) for one in found.differences]
    table(f"wordworth compare · {found.study}", header, rows, right=range(1, len(header)))
    for sentence in verdicts(found):
        out.print(sentence, markup=False, soft_wrap=True)
    told = [verdict.method(found), *found.remarks]
    noted: dict[str, list[str]] = {}
    for one in found.differences:
        for note in one.notes:
            noted.setdefault(note, []).append(one.task)
    told += [f"{_some(tasks)}: {note}." for note, tasks in noted.items()]
    for sentence in told:
        err.print(sentence, style="dim", markup=False, soft_wrap=True)
    for task, reason in found.refused:
        err.print(f"not compared: {task}: {reason}", style="yellow", markup=False, soft_wrap=True)


def _some(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

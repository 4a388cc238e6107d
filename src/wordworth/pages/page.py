"""Write a report: one HTML page that needs nothing else, or its tables as Markdown or LaTeX."""

import base64
import hashlib
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wordworth.errors import WordworthError, visible
from wordworth.files import replacing
from wordworth.measure import label
from wordworth.pages.answers import (
    FAILED_HEADER,
    MAX_SENTENCES,
    answers,
    failed_rows,
    missing,
    nothing_missing,
    remarks,
    sentences_of,
)
from wordworth.pages.comparisons import COMPARED, Comparison, comparison_row, comparisons
from wordworth.pages.explorer import columnar, explorer
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.figures.figure import CONFIG
from wordworth.pages.leaderboard import leaderboard
from wordworth.pages.runs import IS_ORIGINAL, Runs, keep_last_steps, read_runs
from wordworth.pages.tables import HEADINGS
from wordworth.pages.writers import latex, markdown
from wordworth.results.columns import CAUTION_SEPARATOR, SCORES
from wordworth.results.run import ITEMS_FOLDER, MANIFEST, SCORES_FILE, Run
from wordworth.results.table import format_list, format_number
from wordworth.results.vocabulary import Notice

FORMATS = {"html": "report.html", "md": "report.md", "latex": "report.tex"}  # format → the name of the file
TABLE_WRITERS = {"md": markdown, "latex": latex}  # the formats that are tables
PAIRS_PER_MODEL = 20  # inferences that are listed, least neutral first
PAIRS_HEADER = ["premise", "hypothesis", "entailment", "neutral", "contradiction", "probe", "model"]
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RIGHT_TO_LEFT = re.compile(f"{_LETTER}+(?:[ ,.'’-]+{_LETTER}+)*")
"""Words of Hebrew, Arabic and related scripts: isolated, they do not reorder the text around them."""


def write_report(
    runs_or_folders: Sequence[Run | str | Path],
    output: Path | None = None,
    form: str = "html",
    *,
    tables: Sequence[str] = (),
    notices: Sequence[Notice] = (),
) -> Path:
    """Write the report of these runs and audits and return its path.

    It goes into the folder of the one run or audit, or into the working folder for several or for one in memory.
    `tables` chooses from the tables of Markdown or LaTeX. `notices` are those of an audit whose runs are in memory.
    """
    if form not in FORMATS:
        raise WordworthError(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    if form not in TABLE_WRITERS and tables:
        raise WordworthError("--table chooses from tables; give --format md or --format latex with it")
    runs = read_runs(runs_or_folders)
    runs = replace(runs, notices=(*runs.notices, *notices))
    one = runs_or_folders[0] if len(runs_or_folders) == 1 else Path()
    place = output or ((one.folder or Path()) if isinstance(one, Run) else Path(one)) / FORMATS[form]
    if place.is_dir():
        raise WordworthError(f"{place} is a folder; name the file to write, such as {place / FORMATS[form]}")
    text = TABLE_WRITERS[form](runs, tables) if form in TABLE_WRITERS else page(runs, place.absolute().parent)
    with replacing(place) as new:
        new.write_text(text, encoding="utf-8")
    return place


def page(runs: Runs, folder: Path) -> str:
    """Return the whole document; links to the files of the runs are relative to `folder`."""
    chapters = figures_of(runs.scores, runs)
    figures = [figure for chapter in chapters.values() for figure in chapter]
    looked_up, board, pairs = explorer(runs), leaderboard(runs), list(_least_neutral_pairs(runs))
    references = {key: record for run in runs.each for key, record in run.references.items()}
    titles = {
        "answers": "In short",
        **({"leaderboard": "Leaderboard"} if len(board.models) > 1 else {}),
        **{_section_id(title): title for title in chapters},
        **({"pairs": "Inferences that do not follow"} if pairs else {}),
        **({"explorer": "Look up a word or a pair"} if looked_up else {}),
        "skipped": "Items without a number",
        "method": "Method, data and versions",
        **({"references": "References"} if references else {}),
    }
    scores = runs.scores.select(*SCORES, "quantity", "care")
    scripts = [_library(), _asset("report.js"), _asset("explorer.js")]
    formulas = {label(one.name, one.variant): one for run in runs.each for one in run.measures}
    damaged = sum((Counter(run.damaged) for run in runs.each), Counter[str]())
    return _environment().get_template("report.html.j2").render(
        title=_title(runs),
        about=_about(runs),
        titles=titles,
        policy=_policy(scripts),
        style=Markup(_asset("report.css")),
        missing=missing(runs),
        most=MAX_SENTENCES,
        nothing_missing=nothing_missing(runs),
        failed_header=FAILED_HEADER,
        failed=failed_rows(runs),
        remarks=remarks(runs),
        answers=answers(runs),
        board=board,
        chapters={_section_id(title): chapter for title, chapter in chapters.items()},
        compared=_published_by_figure(figures, list(comparisons(runs))),
        first_figure=figures[0].id if figures else "",
        pairs_header=PAIRS_HEADER,
        pairs=pairs,
        explorer=looked_up,
        skipped=[[runs.name_of(one), why, f"{n:,}"] for one in runs.each for why, n in one.skipped.items()],
        damaged=format_list([f"{kind} ({count:,})" for kind, count in damaged.items() if count]),
        methods=[text for text in dict.fromkeys(run.method for run in runs.each) if text],
        measures=[[name, one.formula, one.better] for name, one in sorted(formulas.items())],
        runs=[_run_facts(runs, run, folder) for run in runs.each],
        references=list(references.values()),
        data={
            "scores": columnar(scores.with_columns(pl.col("cautions").list.join(CAUTION_SEPARATOR))),
            "figures": {figure.id: _figure_data(figure) for figure in figures},
            "config": CONFIG,
            "explorer-data": looked_up,
        },
        scripts=[Markup(script) for script in scripts],
    )  # fmt: skip


def _section_id(title: str) -> str:
    return title.lower().replace(" ", "-")


@cache
def _environment() -> Environment:
    """Return templates that escape every text; what could steer a reader's screen is spelled out."""
    loader = PackageLoader("wordworth.pages")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, finalize=_show)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= {"isolate": _isolate, "number": format_number, "prose": _prose, "unbroken": _unbroken}
    environment.policies["json.dumps_function"] = _json
    return environment


def _show(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value, lines=True)
    return "" if value is None else value


def _isolate(text: str) -> Markup:
    """Escape a text and isolate words that read from right to left."""
    return Markup(_RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", str(escape(visible(text, lines=True)))))


def _prose(text: str) -> Markup:
    """Escape a sentence, with commands between backquotes set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(_isolate(text))))


def _unbroken(text: str) -> str:
    """Keep “ρ = .86” on one line."""
    return text.replace(" = ", "\u00a0=\u00a0").replace(" < ", "\u00a0<\u00a0")


def make_visible(value: Any) -> Any:
    """Spell out characters that a page or an SVG cannot hold, in all texts of a JSON value."""
    if isinstance(value, dict):
        return {make_visible(key): make_visible(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [make_visible(one) for one in value]
    return visible(value, lines=True) if isinstance(value, str) else value


def _json(value: Any, **_options: Any) -> str:
    """Return compact JSON; the template escapes what could end the script that holds it."""
    return json.dumps(make_visible(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _title(runs: Runs) -> str:
    models = keep_last_steps(runs).models
    named = format_list(models, 3) if len(models) <= 3 else f"{len(models)} models"
    return f"What a word is worth to {named or 'a model'}"


def _about(runs: Runs) -> str:
    """Return studies, dates and version in one line."""
    began = sorted(f"{run.started:%Y-%m-%d}" for run in runs.each)
    when = began[0] if began[0] == began[-1] else f"{began[0]} to {began[-1]}"
    studies = format_list(list(dict.fromkeys(run.study for run in runs.each)))
    return f"{studies} · {when} · wordworth {runs.each[0].versions.get('wordworth', '')}"


@cache
def _asset(name: str) -> str:
    return (files("wordworth.pages") / "assets" / name).read_text(encoding="utf-8")


@cache
def _library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed inside a function, so that their names stay private."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    closed = re.sub(r"<(?=/script|!--)", r"\\x3C", bundle, flags=re.IGNORECASE)  # inside its strings
    return f"(() => {{{closed}}})();"


def _policy(scripts: Sequence[str]) -> str:
    """Return a policy under which the browser runs the page's own scripts only, and fetches nothing."""
    digests = (base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src 'unsafe-eval' {allowed}; "  # Vega compiles its expressions
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _figure_data(figure: Figure) -> dict[str, Any]:
    """Return what the page needs to draw a figure; its rows are places among the scores."""
    return {
        "spec": figure.spec,
        "rows": figure.rows.get_column("row").to_list(),
        "own": columnar(figure.plot.data),
        "down": figure.down,
        "across": figure.across,
        "names": [HEADINGS.get(name, name) for name in figure.down],
    }


def _published_by_figure(figures: list[Figure], every: list[Comparison]) -> dict[str, dict[str, Any]]:
    """Return published numbers by the first figure that shows our score, or else one of the same experiment."""
    where: dict[int | str, str] = {}
    for figure in figures:
        for row, experiment in figure.rows.select("row", "experiment").iter_rows():
            where.setdefault(row, figure.id)
            where.setdefault(experiment, figure.id)
    by_figure: dict[str, list[Comparison]] = {}
    for one in every:
        by_figure.setdefault(where.get(one.ours["row"]) or where.get(one.ours["experiment"], ""), []).append(one)
    compared = {}
    for name, some in by_figure.items():
        same = sum(one.nearness == "same model" for one in some)
        count = f"Published numbers next to ours: {len(some):,}" + (f", {same:,} on the same model" if same else "")
        compared[name] = {"count": count, "header": COMPARED, "rows": [comparison_row(one) for one in some]}
    return compared


def _least_neutral_pairs(runs: Runs) -> Iterator[list[str]]:
    """Yield the pairs of sentences of the original models that are least neutral."""
    for run in runs.each:
        pairs = run.item_table("sentence_pairs").filter(IS_ORIGINAL, pl.col("neutral").is_not_null())
        first = pairs.unique(["model", "premise", "hypothesis"]).sort("neutral", "premise", "hypothesis")
        for row in first.group_by("model", maintain_order=True).head(PAIRS_PER_MODEL).collect().iter_rows(named=True):
            chances = [format_number(row[key]) for key in ("entailment", "neutral", "contradiction")]
            yield [row["premise"], row["hypothesis"], *chances, row["dataset"] or row["experiment"], row["model"]]


def _run_facts(runs: Runs, run: Run, folder: Path) -> dict[str, Any]:
    """Return how a run was made and where its files are, relative so that a folder can be moved as a whole."""
    files: dict[str, str] = {}
    if run.folder is not None:
        names = (SCORES_FILE, ITEMS_FOLDER, MANIFEST)
        paths = {name: os.path.relpath(run.folder.resolve() / name, folder.resolve()) for name in names}
        files = {name: quote(Path(path).as_posix()) for name, path in paths.items()}
    return {
        "name": runs.name_of(run),
        "study": run.study,
        "files": files,
        "command": shlex.join(run.command),
        "facts": {
            "seed": run.seed,
            "began": f"{run.started:%Y-%m-%d %H:%M} UTC, {run.seconds:,} seconds",
            "versions": ", ".join(f"{name} {version}" for name, version in run.versions.items()),
            "machine": f"{run.hardware.get('platform', '')}, {run.hardware.get('cores', '?')} cores",
        },
        "models": [[one.name, _describe_model(one.model_dump()), one.sha256 or one.weights] for one in run.models],
        "data": [[one.name, f"{one.rows:,}", one.licence, one.reference, one.sha256] for one in run.data],
        "notes": list(sentences_of(one for one in run.notices if one.kind == "info")),
    }


def _describe_model(facts: dict[str, Any]) -> str:
    keys = ("step", "family", "words", "layers", "dimensions", "precision", "device", "language")
    shown = {key: facts[key] for key in keys if facts[key]}
    return ", ".join(f"{key} {f'{one:,}' if isinstance(one, int) else one}" for key, one in shown.items())

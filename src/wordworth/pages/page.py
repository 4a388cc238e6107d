"""Write a report: one HTML page that needs nothing else, or its tables as Markdown or LaTeX."""

import base64
import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wordworth.errors import WordworthError, visible
from wordworth.files import replacing
from wordworth.measure import label
from wordworth.pages.cautions import NOTHING_MISSING, missing, remarks, sentences_of
from wordworth.pages.explorer import columnar, explorer
from wordworth.pages.figures import TRAINING_CHAPTER, Figure, figures_of
from wordworth.pages.figures.document import draw_svg, make_visible
from wordworth.pages.leaderboard import leaderboard
from wordworth.pages.leads import leads
from wordworth.pages.profile import ProfileRow, RowQuestion, profile, subjects
from wordworth.pages.tables import HEADINGS
from wordworth.pages.writers import latex, markdown
from wordworth.papers.comparisons import COMPARED_COLUMNS, Comparison, comparison_row, comparisons
from wordworth.papers.published import SAME
from wordworth.results.columns import CAUTION_SEPARATOR, SCORES
from wordworth.results.run import ITEMS_FOLDER, MANIFEST, SCORES_FILE, Run
from wordworth.results.runs import IS_ORIGINAL, Runs, keep_last_steps, read_runs
from wordworth.results.table import format_list, format_number
from wordworth.results.vocabulary import Notice

REPORT_FILES = {"html": "report.html", "md": "report.md", "latex": "report.tex"}  # format → the name of the file
TABLE_WRITERS = {"md": markdown, "latex": latex}  # the formats that are tables
MAX_OPEN, MAX_PANELS = 2, 4  # figures of a section that are open; panels of a figure in half of the page
HALF_WIDTH, FULL_WIDTH = 480, 1000  # pixels
INFERENCES = "Inferences"
LEGEND = (
    "Dot and bar: value and 95 % interval. Band: published numbers of comparable models. Dark tick: a control "
    "(untrained, shuffled or random). Hollow dot: with components nullified. Each row has its own scale. "
    "p of association tests is one-sided, in the direction of the stereotype."
)
PAIRS_PER_MODEL = 20  # inferences that are listed, least neutral first
PAIRS_HEADER = ["premise", "hypothesis", "entailment", "neutral", "contradiction", "probe", "model"]


def write_report(
    runs_or_folders: Sequence[Run | str | Path],
    output: Path | None = None,
    form: str = "html",
    *,
    tables: Sequence[str] = (),
    notices: Sequence[Notice] = (),
) -> Path:
    """Write the report of these runs and audits and return its path.

    It goes into the folder of the one run or audit, or into the working folder for several or for one in memory. With
    an `output` that is a folder, or has no ending, it is a site: an index, a page per run, and one that compares two.
    `tables` chooses from the tables of Markdown or LaTeX. `notices` are those of an audit whose runs are in memory.
    """
    if form not in REPORT_FILES:
        raise WordworthError(f"--format is {form!r}; it can be {', '.join(REPORT_FILES)}")
    if form not in TABLE_WRITERS and tables:
        raise WordworthError("--table chooses from tables; give --format md or --format latex with it")
    source = runs_or_folders[0] if len(runs_or_folders) == 1 else Path()
    if output is not None and form == "html" and (output.is_dir() or not output.suffix):
        from wordworth.pages.site import write_site

        return write_site(runs_or_folders, output)
    runs = read_runs(runs_or_folders)
    runs = replace(runs, notices=(*runs.notices, *notices))
    path = output or ((source.folder or Path()) if isinstance(source, Run) else Path(source)) / REPORT_FILES[form]
    if path.is_dir():
        raise WordworthError(f"{path} is a folder; name the file to write, such as {path / REPORT_FILES[form]}")
    text = TABLE_WRITERS[form](runs, tables) if form in TABLE_WRITERS else page(runs, path.absolute().parent)
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")
    return path


def page(runs: Runs, folder: Path, home: str = "") -> str:
    """Return the whole document. Links to the files of runs are relative to `folder`; `home` is an index of runs."""
    rows = profile(keep_last_steps(runs))
    chapters, lookup = list(_chapters(runs)), explorer(runs)
    figures = [figure for chapter in chapters for figure in (*chapter["open"], *chapter["folded"])]
    references = {key: record for run in runs.each for key, record in run.references.items()}
    titles = {
        **{chapter["id"]: chapter["title"] for chapter in chapters},
        **({"explorer": "Look up a word or a pair"} if lookup else {}),
        "method": "Method, data and versions",
    }
    formulas = {label(measure.name, measure.variant): measure for run in runs.each for measure in run.measures}
    cautions, counts = missing(runs) | remarks(runs), runs.skipped
    return render(
        "report.html.j2",
        scripts_of("report.js", "explorer.js"),
        title=_title(runs),
        about=_about(runs),
        home=home,
        titles=titles,
        rows=_by_question(rows),
        colours=_colours(rows),
        scale_note=LEGEND,
        cautions=cautions,
        caution_count=_count(sum(map(len, cautions.values())), "caution"),
        missing=missing(runs),
        nothing_missing=NOTHING_MISSING,
        board=leaderboard(runs),
        chapters=chapters,
        explorer=lookup,
        skipped=[[runs.name_of(run), why, f"{n:,}"] for run in runs.each for why, n in run.skipped.items()],
        skipped_count=f"{sum(counts.values()):,}",
        methods=[text for text in dict.fromkeys(run.method for run in runs.each) if text],
        measures=[[name, measure.formula, measure.better] for name, measure in sorted(formulas.items())],
        runs=[_run_facts(runs, run, folder) for run in runs.each],
        references=list(references.values()),
        data=_page_data(runs, figures, lookup) | {"profile-data": [_profile_line(row) for row in rows]},
    )


@dataclass(frozen=True)
class ProfileFigure:
    """The profile of some runs. A notebook shows it in a frame, so that neither changes the other's style."""

    rows: list[ProfileRow]

    def __repr__(self) -> str:
        return "\n".join(f"{row.alt}: {row.verdict}" for row in self.rows)

    def _repr_html_(self) -> str:
        questions = _by_question(self.rows)
        text = render("profile.html.j2", (), rows=questions, colours=_colours(self.rows), scale_note=LEGEND)
        height = 110 + 20 * len(questions) + 30 * len(self.rows)
        return f'<iframe srcdoc="{escape(text)}" style="width: 100%; height: {height}px; border: 0"></iframe>'


def plot_profile(run: Run) -> ProfileFigure:
    """Return the profile of the models of a run."""
    return ProfileFigure(profile(keep_last_steps(read_runs([run]))))


def scripts_of(*names: str) -> list[str]:
    """Return the page's own scripts."""
    return [_asset(name) for name in names]


def render(template: str, scripts: Sequence[str], **values: Any) -> str:
    """Return a document with its style and scripts inside, and a policy that lets only these run."""
    variables = {"about": "", "data": {}} | values | {"scripts": list(map(Markup, scripts))}
    variables |= {"policy": _policy(scripts), "style": Markup(_asset("report.css"))}
    return _environment().get_template(template).render(**variables)


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _by_question(rows: list[ProfileRow]) -> dict[RowQuestion, list[ProfileRow]]:
    return {question: list(answers) for question, answers in groupby(rows, key=lambda row: row.question)}


def _profile_line(row: ProfileRow) -> dict[str, Any]:
    """Return a row of the profile as its CSV has it."""
    numbers = {name: row.score[name] for name in ("dataset", "layer", "value", "low", "high", "n")}
    words = {"published": row.published_text, "controls": dict(row.controls), "verdict": row.verdict}
    return {"question": row.question.name, "model": row.subject} | numbers | words


def _colours(rows: list[ProfileRow]) -> dict[str, dict[str, int]]:
    """Return subject → the place of its colour, that of its model in the figures, and of its shape."""
    model_places = {row.subject: row.score["model_at"] for row in rows}
    return {name: {"colour": model_places[name] % 8 + 1, "shape": at % 4} for at, name in enumerate(subjects(rows))}


def _chapters(runs: Runs) -> Iterator[dict[str, Any]]:
    """Yield what the template shows of each chapter: at most two figures open, the rest folded."""
    published_pairs, sentences, pairs = list(comparisons(runs)), leads(runs), list(_least_neutral_pairs(runs))
    for title, figures in figures_of(runs.scores, runs).items():
        wide = [figure for figure in figures if _is_wide(figure)]
        open_figures = [figure for figure in figures if figure not in wide][:MAX_OPEN]
        yield {
            "id": title.lower().replace(" ", "-"),
            "title": title,
            "leads": sentences.get(title, {}),
            "open": open_figures,
            "folded": [figure for figure in figures if figure not in open_figures],
            "wide": [figure.id for figure in wide],
            "compared": _list_published(figures, published_pairs) if title != TRAINING_CHAPTER else None,
            "pairs": pairs if title == INFERENCES else [],
            "pairs_header": PAIRS_HEADER,
        }


def _is_wide(figure: Figure) -> bool:
    """Return whether a figure has more panels than fit into half of the page."""
    return len(figure.spec.get("facet", {}).get("sort", ())) > MAX_PANELS or figure.kind == "Specification curve"


def _draw(figure: Figure) -> Markup:
    return Markup(draw_svg(figure, FULL_WIDTH if _is_wide(figure) else HALF_WIDTH))


def _page_data(runs: Runs, figures: list[Figure], lookup: dict[str, Any] | None) -> dict[str, Any]:
    """Return the scores that figures show, once, and what the page's tables and downloads need of each figure."""
    places = {row: at for at, row in enumerate(sorted({row for figure in figures for row in figure.rows["row"]}))}
    scores = runs.scores.filter(pl.col("row").is_in(list(places))).select(*SCORES, "quantity", "care")
    tables = {}
    for figure in figures:
        rows = [places[row] for row in figure.rows["row"]]
        names = [HEADINGS.get(name, name) for name in figure.down]
        tables[figure.id] = {"rows": rows, "down": figure.down, "across": figure.across, "names": names}
    texts = scores.with_columns(pl.col("cautions").list.join(CAUTION_SEPARATOR))
    return {"scores": columnar(texts), "figures": tables, "explorer-data": lookup}


@cache
def _environment() -> Environment:
    """Return templates that escape every text; what could steer a reader's screen is spelled out."""
    loader = PackageLoader("wordworth.pages")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, finalize=_show)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= {"number": format_number, "prose": _prose, "svg": _draw}
    environment.policies["json.dumps_function"] = _json
    return environment


def _show(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value, lines=True)
    return "" if value is None else value


def _prose(text: str) -> Markup:
    """Escape a sentence, with commands between backquotes set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(visible(text, lines=True)))))


def _json(value: Any, **_options: Any) -> str:
    """Return compact JSON; the template escapes what could end the script that holds it."""
    return json.dumps(make_visible(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _title(runs: Runs) -> str:
    models = keep_last_steps(runs).models
    names = format_list(models, 3) if len(models) <= 3 else f"{len(models)} models"
    return f"What a word is worth to {names or 'a model'}"


def _about(runs: Runs) -> str:
    """Return studies, dates and version in one line."""
    began = sorted(f"{run.started:%Y-%m-%d}" for run in runs.each)
    dates = began[0] if began[0] == began[-1] else f"{began[0]} to {began[-1]}"
    studies = format_list(list(dict.fromkeys(run.study for run in runs.each)))
    return f"{studies} · {dates} · wordworth {runs.each[0].versions.get('wordworth', '')}"


@cache
def _asset(name: str) -> str:
    return (files("wordworth.pages") / "assets" / name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    """Return a policy under which the browser runs the page's own scripts only, and fetches nothing."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    sources = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {sources}; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _list_published(figures: list[Figure], pairs: list[Comparison]) -> dict[str, Any] | None:
    """Return the published numbers of the experiments that these figures show, next to ours."""
    experiments = {name for figure in figures for name in figure.rows["experiment"]}
    rows = [pair for pair in pairs if pair.ours["experiment"] in experiments]
    matches = sum(pair.nearness == SAME for pair in rows)
    count = f"Published numbers next to ours: {len(rows):,}" + (f", {matches:,} on the same model" if matches else "")
    return {"count": count, "header": COMPARED_COLUMNS, "rows": list(map(comparison_row, rows))} if rows else None


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
        "models": [[row.name, _describe_model(row.model_dump()), row.sha256 or row.weights] for row in run.models],
        "data": [[row.name, f"{row.rows:,}", row.licence, row.reference, row.sha256] for row in run.data],
        "notes": list(sentences_of(entry for entry in run.notices if entry.kind == "info")),
    }


def _describe_model(facts: dict[str, Any]) -> str:
    keys = ("step", "family", "words", "layers", "dimensions", "precision", "device", "language")
    known_facts = {key: facts[key] for key in keys if facts[key]}
    return ", ".join(f"{key} {f'{value:,}' if isinstance(value, int) else value}" for key, value in known_facts.items())

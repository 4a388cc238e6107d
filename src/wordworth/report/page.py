"""The report as one HTML page that needs nothing else."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from wordworth.report.answers import answers
from wordworth.report.behaviour_answers import least_neutral
from wordworth.report.board import board_markup, note
from wordworth.report.conditions import in_words
from wordworth.report.explorer import explorer
from wordworth.report.figures import Figure, figures_of
from wordworth.report.figures.svg import CONFIG, can_draw, height_of, still
from wordworth.report.glossary import glossary, glossed, legend
from wordworth.report.leaderboard import leaderboard
from wordworth.report.markup import Child, Markup, joined, table, tag
from wordworth.report.method import left_out, method, references
from wordworth.report.naming import listed, marked, number
from wordworth.report.payload import columnar, script
from wordworth.report.published import Comparison, citation, comparisons
from wordworth.report.runs import Runs, ended
from wordworth.report.top import answered, box
from wordworth.run.schema import SCORES

INFERENCES = 20
HALF, ACROSS, LOW = 530, 1000, 340
"""Pixels of a figure on the first page on paper: wide where two stand side by side, or one alone; high at most."""
OPEN = 10
"""Published numbers that are shown without asking."""
NOSCRIPT = "Looking up, sorting and the tables behind the figures need JavaScript; all numbers are in scores.csv."
NOT_DRAWN = " So do the figures here, since a limit on addresses (ulimit -v) kept them from being drawn beforehand."
HINT = (
    "In every figure: click a name in the legend to single it out (shift for more), hover for numbers; Ctrl and wheel "
    "zoom, drag to move, double click to go back."
)


def page(runs: Runs, folder: Path) -> str:
    """The whole document; `folder` is where it will lie, for the links to the runs' files."""
    chapters = figures_of(runs.scores, runs)
    figures = [figure for chapter in chapters.values() for figure in chapter]
    beside = _by_figure(figures, list(comparisons(runs)))
    looked_up = explorer(runs)
    board = leaderboard(runs)
    sections: dict[str, tuple[str, Markup]] = {"answers": ("In short", answered(answers(runs)))}
    if len(board.models) > 1:
        sections["leaderboard"] = ("Leaderboard", board_markup(board))
    for title, chapter in chapters.items():
        body = joined([_figure(figure, beside.get(figure.id, []), figure is figures[0]) for figure in chapter])
        sections[title.lower().replace(" ", "-")] = (title, body)
    pairs = _inferences(runs)
    if pairs:
        sections["pairs"] = ("Inferences that do not follow", pairs)
    if looked_up is not None:
        sections["explorer"] = ("Look up a word or a pair", _explorer(looked_up["cut"]))
    sections["left-out"] = ("What was left out", left_out(runs, folder))
    sections["method"] = ("Method, data and versions", method(runs))
    sections["references"] = ("References", references(runs))
    terms = glossary("".join([box(runs), *(body for _, body in sections.values())]))
    if terms is not None:
        sections["glossary"] = ("Glossary", terms)
    data = [
        script("scores", columnar(runs.scores.select(list(SCORES)))),
        script("figures", {figure.id: _drawn(figure) for figure in figures}),
        script("config", CONFIG),
        script("explorer-data", looked_up),
    ]
    return _document(runs, sections, _on_paper(chapters), data)


SUMMARY = ("answers", "leaderboard")
"""The sections of the first page on paper."""


def _on_paper(chapters: dict[str, list[Figure]]) -> Markup:
    """The first figures of two chapters that leave room on the first page on paper, side by side, or one across it."""
    fitting = [found for chapter in chapters.values() if (found := _low(chapter))]
    chosen = [found for found in fitting if found[1] == HALF][:2] if fitting and fitting[0][1] == HALF else fitting[:1]
    drawn = (tag("div", tag("h3", one.title), still(one, f"paper-{one.id}", width)) for one, width in chosen)
    return tag("div", drawn, class_="paper")


def _low(chapter: list[Figure]) -> tuple[Figure, int] | None:
    """The first figure of a chapter that is low enough, and the width at which it is."""
    widths = ((one, width) for one in chapter for width in (HALF, ACROSS) if height_of(one.spec, width) <= LOW)
    return next(widths, None)


def _document(runs: Runs, sections: dict[str, tuple[str, Markup]], paper: Markup, data: list[Markup]) -> str:
    models = ended(runs).models
    named = listed(models, 3) if len(models) <= 3 else f"{len(models)} models"
    title = f"What a word is worth to {named or 'a model'}"
    contents = tag("ol", (tag("li", tag("a", name, href=f"#{key}")) for key, (name, _) in sections.items()))
    began = sorted(run.manifest["started"][:10] for run in runs.each)
    when = began[0] if began[0] == began[-1] else f"{began[0]} to {began[-1]}"
    studies = listed(list(dict.fromkeys(run.manifest["study"] for run in runs.each)))
    header = tag(
        "header",
        tag("p", "Wordworth report", class_="kicker"),
        tag("h1", title),
        tag("p", f"{studies} · {when} · wordworth {runs.each[0].manifest['versions'].get('wordworth', '')}"),
        tag("button", "Print summary", type="button", id="print"),
        tag("button", "Dark", type="button", id="theme", aria_pressed="false"),
    )
    parts = {key: tag("section", tag("h2", name), body, id=key) for key, (name, body) in sections.items()}
    first = [parts.pop(key) for key in SUMMARY if key in parts]
    main = tag("main", box(runs), first, paper, parts.values(), id="main")
    scripts = [_library(), _asset("report.js"), _asset("explorer.js")]
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src 'unsafe-eval' {' '.join(_hash(one) for one in scripts)}",  # Vega compiles its expressions
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(_asset("report.css"))),
    )
    body = tag(
        "body",
        tag("a", "Skip to the answers", href="#answers", class_="skip"),
        header,
        tag("nav", tag("h2", "Contents"), contents, aria_label="Contents"),
        main,
        tag("noscript", NOSCRIPT, None if can_draw() else NOT_DRAWN),
        tag("p", "", id="said", role="status", class_="unseen"),
        data,
        [tag("script", Markup(one)) for one in scripts],
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


@cache
def _asset(name: str) -> str:
    return (files("wordworth.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _library() -> str:
    """Vega, Vega-Lite and Vega-Embed in a function of their own, so that their names stay theirs."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    closed = re.sub(r"<(?=/script|!--)", r"\\x3C", bundle, flags=re.IGNORECASE)  # inside its strings
    return f"(() => {{{closed}}})();"


def _hash(text: str) -> str:
    """The only scripts that the browser may run are the page's own."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _drawn(figure: Figure) -> dict[str, Any]:
    """What the page needs to draw a figure: its rows as ranges of places among the scores."""
    ranges: list[list[int]] = []
    for row in figure.rows.get_column("row").to_list():
        if ranges and ranges[-1][1] == row:
            ranges[-1][1] = row + 1
        else:
            ranges.append([row, row + 1])
    own = None if figure.own is None else columnar(figure.own)
    return {"spec": figure.spec, "rows": ranges, "own": own, "down": figure.down, "across": figure.across}


def _figure(figure: Figure, beside: list[Comparison], first: bool) -> Markup:
    chart = tag("div", still(figure, figure.id), class_="chart", role="img", aria_label=figure.alt)
    tools = tag(
        "p",
        tag("button", "SVG", type="button", data_get="svg", aria_label=f"Download {figure.title} as SVG"),
        tag("button", "CSV", type="button", data_get="csv", aria_label=f"Download {figure.title} as CSV"),
        class_="tools",
    )
    hint = tag("p", HINT, class_="hint") if first else None
    behind = tag("details", tag("summary", "Table"), tag("div", class_="pivot"), class_="behind")
    caption = tag("figcaption", tag("h3", glossed(figure.title)), tag("p", glossed(figure.caption)))
    terms = legend(figure.rows, f"{figure.title} {figure.caption}")
    parts = (caption, chart, terms, note(figure.note), tools, hint, behind, _beside(beside))
    return tag("figure", *parts, id=figure.id, class_="drawn")


def _by_figure(figures: list[Figure], every: list[Comparison]) -> dict[str, list[Comparison]]:
    """Each comparison under the first figure that shows its score, or else one of the same experiment."""
    where: dict[int | str, str] = {}
    for figure in figures:
        for row, experiment in figure.rows.select("row", "experiment").iter_rows():
            where.setdefault(row, figure.id)
            where.setdefault(experiment, figure.id)
    beside: dict[str, list[Comparison]] = {}
    for one in every:
        beside.setdefault(where.get(one.row) or where.get(one.ours["experiment"], ""), []).append(one)
    return beside


def comparison_row(one: Comparison) -> list[str]:
    """What, ours, theirs, difference, where."""
    ours, theirs = one.ours, one.published
    what = [ours["model"], ours["measure"], ours["dataset"], ours["setting"], ours["pooling"]]
    what += [f"layer {ours['layer']}" if ours["layer"] is not None else None]
    what += [f"{ours['pcs']} nullified" if ours["pcs"] is not None else None]
    value = number(theirs.value) if theirs.value is not None else f"{number(theirs.low)} to {number(theirs.high)}"
    difference = "inside" if theirs.value is None and one.difference == 0 else number(one.difference, signed=True)
    difference = f"not comparable: {one.unlike}" if one.unlike else difference
    model = theirs.model or "–"
    layer = f"layer {theirs.layer}" if theirs.layer.isdigit() else theirs.layer and f"{theirs.layer} layer"
    told = [one.nearness, in_words(theirs.setting), layer, theirs.computed, theirs.note]
    nearness = "; ".join(filter(None, told))
    place = f"{citation(theirs.paper)}, {theirs.place}"
    return [" · ".join(filter(None, what)), marked(ours), value, difference, f"{model} ({nearness})", place]


COMPARED = ["quantity", "here", "published", "difference", "published for", "where"]


def _beside(every: list[Comparison]) -> Markup | None:
    if not every:
        return None
    same = sum(one.nearness == "same model" for one in every)
    rows: list[list[Child]] = [list(comparison_row(one)) for one in every]
    numbers = table(COMPARED, rows, right=[1, 2, 3], caption="Published numbers beside ours")
    count = f"Published beside ours: {len(every):,}" + (f", {same:,} on the same model" if same else "")
    return tag("details", tag("summary", count), numbers, class_="published", open=len(every) <= OPEN)


def _inferences(runs: Runs) -> Markup | None:
    """The pairs of sentences that are least neutral."""
    rows: list[list[Child]] = []
    for run in runs.each:
        pairs = least_neutral(run).sort("value", "item").group_by("model", maintain_order=True).head(INFERENCES)
        for row in pairs.collect().iter_rows(named=True):
            chances = [number(row[key]) for key in ("entailment", "value", "contradiction")]
            rows.append([row["item"], *chances, row["dataset"] or row["experiment"], row["model"]])
    if not rows:
        return None
    header = ["premise ⇒ hypothesis", "entailment", "neutral", "contradiction", "probe", "model"]
    intro = tag("p", glossed("Only neutral is right for any of these pairs. The least neutral of each model:"))
    return joined(intro, table(header, rows, right=[1, 2, 3], caption="Least neutral pairs of sentences"))


def _explorer(cut: list[str]) -> Markup:
    label = tag("label", "Word or pair", for_="look-up")
    box = tag("input", id="look-up", type="search", list="known", autocomplete="off", spellcheck="false")
    hint = tag("p", "The pairs, words and layers of these runs. Type, pick a suggestion, Enter.", class_="hint")
    sampled = tag("ul", (tag("li", sentence) for sentence in [*cut, "All are in items.parquet."])) if cut else None
    return joined(
        tag("form", label, box, tag("button", "Look up"), id="look-up-form", role="search"),
        tag("datalist", id="known"),
        hint,
        tag("div", id="looked-up", aria_live="polite"),
        tag("div", id="most-wrong"),
        sampled,
    )

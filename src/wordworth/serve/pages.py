"""The pages: the list of runs, what is running, and a comparison."""

import time
from collections.abc import Iterable, Sequence
from urllib.parse import quote, urlencode

from wordworth.compare import Comparison, verdicts
from wordworth.compare.verdict import care, cells, headings, method
from wordworth.report.markup import Child, Markup, joined, table, tag
from wordworth.run.watch import Doing
from wordworth.serve.guard import SANDBOX
from wordworth.serve.library import Library, Listed

WATCH = 2
"""Seconds between two looks at what is running."""


def document(title: str, *body: Child) -> str:
    """A whole page with this title and body."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("link", rel="stylesheet", href="/assets/serve.css"),
        tag("script", "", src="/assets/serve.js", defer=True),
    )
    return "<!doctype html>\n" + tag("html", head, tag("body", *body), lang="en")


def listing(library: Library, chosen: dict[str, str]) -> str:
    """All runs that pass the filter, with two boxes to tick each: the first and the second to compare."""
    every = library.runs()
    readable = [run for run in every if not run.problem]
    runs = [run for run in readable if run.matches(**chosen)]
    count = f"{len(runs):,} of {len(readable):,} runs" if len(runs) != len(readable) else f"{len(runs):,} runs"
    nothing = "No run passes the filter." if readable else "There is no run here yet."
    return document(
        "Wordworth runs",
        tag(
            "header",
            tag("p", "Wordworth", class_="kicker"),
            tag("h1", "Runs"),
            tag("p", str(library.root), class_="root"),
        ),
        tag(
            "main",
            tag("section", running(library.doing()), id="running", aria_live="polite", data_every=str(WATCH)),
            _audits(library.audits()),
            _filter(readable, chosen),
            tag("p", count, id="count", aria_live="polite"),
            _table(runs) if runs else tag("p", nothing),
            _unreadable([run for run in every if run.problem]),
        ),
    )


def address(place: str, name: str = "") -> str:
    """Where a run's report is, or a file of the run."""
    return f"/runs/{quote(place)}/{name}"


def running(doing: dict[str, Doing]) -> Markup:
    """What is at work, with a bar each."""
    if not doing:
        return Markup("")
    return joined(tag("h2", "Running"), tag("ul", (_doing(place, one) for place, one in doing.items())))


def _doing(place: str, one: Doing) -> Markup:
    minutes, seconds = divmod(int(max(0, one.updated - one.started)), 60)
    models = ", ".join(one.models)
    bar: Child = None
    step = f"{one.what} {one.done:,.0f}" if one.what else "starting"
    if one.total:
        step = f"{one.what} {one.done:,.0f} of {one.total:,.0f}"
        bar = tag("progress", step, value=str(min(one.done, one.total)), max=str(one.total), aria_label=step)
    state = f"{step} · {minutes}:{seconds:02d}" if one.alive(time.time()) else "stopped: no sign of life"
    return tag("li", tag("strong", one.study), f" {models} ", tag("code", place), " ", bar, " ", tag("span", state))


def _audits(audits: Iterable[str]) -> Child:
    links = [tag("li", tag("a", place, href=address(place))) for place in audits]
    return tag("section", tag("h2", "Audits"), tag("ul", links)) if links else None


def _unreadable(runs: Sequence[Listed]) -> Child:
    rows = [tag("li", tag("code", run.place), ": ", run.problem) for run in runs]
    return tag("section", tag("h2", "Cannot be read"), tag("ul", rows), id="unreadable") if rows else None


def _filter(runs: Sequence[Listed], chosen: dict[str, str]) -> Markup:
    studies = sorted({run.study for run in runs})
    models = sorted({model for run in runs for model in run.models})

    def select(name: str, values: Sequence[str]) -> Markup:
        options = [tag("option", f"any {name}", value="")]
        options += [tag("option", one, value=one, selected=one == chosen[name]) for one in values]
        return tag("select", options, name=name, aria_label=name)

    return tag(
        "form",
        select("study", studies),
        select("model", models),
        tag("input", name="text", type="search", placeholder="Find…", aria_label="Find", value=chosen["text"]),
        tag("button", "Filter"),
        method="get",
        action="/",
        class_="filter",
        role="search",
    )


def _table(runs: Sequence[Listed]) -> Markup:
    def tick(name: str, run: Listed) -> Markup:
        label = f"{'first' if name == 'a' else 'second'} to compare: {run.place}"
        return tag("input", type="radio", name=name, value=run.place, aria_label=label)

    rows: list[list[Child]] = [
        [
            joined(tick("a", run), tick("b", run)),
            tag("a", run.place, href=address(run.place)),
            run.study,
            ", ".join(run.models),
            tag("time", run.started[:16].replace("T", " "), datetime=run.started),
            f"{run.seconds:,.0f} s",
            _files(run),
        ]
        for run in runs
    ]
    header = ["1 · 2", "report", "study", "models", "began (UTC)", "took", "files"]
    return tag(
        "form",
        tag(
            "p", "Tick a first and a second run (the same twice, if it has two models), and ", tag("button", "compare")
        ),
        table(header, rows, right=[5], caption="runs"),
        method="get",
        action="/compare",
        class_="runs",
    )


def _files(run: Listed) -> Markup:
    names = {"scores": "scores.csv", "items": "items.parquet", "manifest": "run.json"}
    return joined([[tag("a", label, href=address(run.place, name)), " "] for label, name in names.items()])


def back() -> Markup:
    return tag("nav", tag("a", "← all runs", href="/"))


def report(place: str) -> str:
    """The page around a report, which keeps it from going elsewhere."""
    frame = tag("iframe", src=address(place, "report.html"), title=f"report of {place}", sandbox=SANDBOX)
    return document(f"{place}: report", back(), frame)


def comparison(compared: Comparison, places: tuple[str, str]) -> str:
    """The same table and sentences as the command gives."""
    rows: list[list[Child]] = []
    for one in compared.differences:
        task, *numbers = cells(one)
        rows.append([tag("strong", task) if one.real else task, *numbers, one.test, "; ".join(one.notes)])
    header = [*headings(compared), "test", "remarks"]
    refused = [tag("li", f"{task}: {reason}") for task, reason in compared.refused]
    return document(
        f"{compared.first} v {compared.second}",
        back(),
        tag(
            "main",
            tag("h1", f"{compared.first} v {compared.second}"),
            tag("p", f"{compared.study} · ", tag("code", places[0]), " v ", tag("code", places[1])),
            tag("ul", (tag("li", sentence) for sentence in verdicts(compared)), class_="verdicts"),
            table(header, rows, right=range(1, 8), caption="differences, task by task"),
            tag("p", care(compared)) if care(compared) else None,
            tag("p", method(compared), " ", " ".join(compared.remarks)),
            [tag("h2", "Not compared"), tag("ul", refused)] if refused else None,
        ),
    )


def choose_models(places: tuple[str, str], models: tuple[Sequence[str], Sequence[str]]) -> str:
    """Runs with several models: which of them?"""
    pairs = [(a, b) for a in models[0] for b in models[1] if places[0] != places[1] or a != b]
    links = [
        tag(
            "li", tag("a", f"{a} v {b}", href="/compare?" + urlencode({"a": places[0], "b": places[1], "x": a, "y": b}))
        )
        for a, b in pairs
    ]
    return document("Which models?", back(), tag("main", tag("h1", "Which models?"), tag("ul", links)))


def refusal(status: int, sentence: str) -> str:
    """A page that says why there is nothing else to see."""
    return document(sentence, back(), tag("main", tag("h1", f"{status}"), tag("p", sentence)))

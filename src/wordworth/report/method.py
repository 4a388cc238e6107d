"""The end of a report: what failed and what was left out, how it was measured, on what, with what, and whom to cite."""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from wordworth.report.markup import Child, Markup, joined, table, tag
from wordworth.report.naming import listed
from wordworth.report.published import citation
from wordworth.report.runs import Runs
from wordworth.run import Run

FAILED = ["run", "model", "experiment", "dataset", "layer", "measure", "reason"]


def failed_rows(runs: Runs) -> list[list[str]]:
    """A row for each part that failed without costing the rest."""
    parts = [(run, part) for run in runs.each for part in run.manifest["failed"]]
    return [
        [_name(run), *("" if value is None else str(value) for value in map(dict(part).get, FAILED[1:]))]
        for run, part in parts
    ]


def failed(runs: Runs) -> Markup | None:
    """What has no number since computing it failed."""
    rows: list[list[Child]] = [list(row) for row in failed_rows(runs)]
    if not rows:
        return None
    sentence = tag("p", "These have no number in this report; everything else was computed.")
    return joined(sentence, table(FAILED, rows, right=[4], caption="Parts that failed"))


def left_out(runs: Runs, folder: Path) -> Markup:
    """Counts by reason, with the files that have every item."""
    rows: list[list[Child]] = [
        [_name(run), reason, f"{count:,}"] for run in runs.each for reason, count in run.manifest["left_out"].items()
    ]
    counts = (
        table(["run", "reason", "items"], rows, right=[2], caption="Items left out")
        if rows
        else tag("p", "Nothing was left out.")
    )
    where = tag("p", "Every number and every item, with those left out, is in the runs’ own files:")
    files = [tag("li", _name(run), ": ", _links(run.folder, folder)) for run in runs.each]
    return joined(counts, _damaged(runs), where, tag("ul", files))


def _damaged(runs: Runs) -> Markup | None:
    """Entries of the cache that were not as they were written: no number was taken from them."""
    counts: dict[str, int] = {}
    for run in runs.each:
        for kind, count in run.manifest["damaged"].items():
            counts[kind] = counts.get(kind, 0) + count
    kinds = listed([f"{kind} ({count:,})" for kind, count in counts.items() if count])
    return tag("p", f"Damaged entries of the cache were computed again: {kinds}.") if kinds else None


def _links(run: Path, folder: Path) -> Markup:
    """Relative, so that a folder can be moved as a whole."""

    def link(name: str) -> Markup:
        path = os.path.relpath(run.resolve() / name, folder.resolve())
        return tag("a", name, href=quote(Path(path).as_posix()))

    return joined(link("scores.csv"), ", ", link("items.parquet"), ", ", link("run.json"))


def _name(run: Run) -> str:
    return run.folder.resolve().name


def method(runs: Runs) -> Markup:
    """How it was measured, and every run with its models and data."""
    texts = dict.fromkeys(run.manifest["method"] for run in runs.each)
    measures = {name: declared for run in runs.each for name, declared in run.manifest["measures"].items()}
    rows: list[list[Child]] = [
        [tag("code", name), declared["formula"], declared["better"]] for name, declared in sorted(measures.items())
    ]
    return joined(
        (tag("p", text) for text in texts if text),
        table(["measure", "formula", "better"], rows, caption="Measures") if rows else None,
        (_run(run) for run in runs.each),
    )


def _run(run: Run) -> Markup:
    manifest = run.manifest
    models: list[list[Child]] = [
        [model["name"], _described(model.items()), tag("code", model["sha256"] or model["weights"])]
        for model in manifest["models"]
    ]
    data: list[list[Child]] = [
        [one["name"], f"{one['rows']:,}", one["licence"], one["reference"], tag("code", one["sha256"])]
        for one in manifest["data"]
    ]
    machine = manifest["hardware"]
    facts: dict[str, Child] = {
        "command": tag("code", shlex.join(manifest["command"])),
        "seed": str(manifest["seed"]),
        "began": f"{manifest['started']}, {manifest['seconds']:,} seconds",
        "versions": ", ".join(f"{name} {version}" for name, version in manifest["versions"].items()),
        "machine": f"{machine.get('platform', '')}, {machine.get('cores', '?')} cores",
    }
    names = ", ".join(model["name"] for model in manifest["models"])
    notes = manifest["notes"]
    return tag(
        "details",
        tag("summary", f"{_name(run)}: {manifest['study']} on {names}"),
        tag("dl", ((tag("dt", name), tag("dd", fact)) for name, fact in facts.items()), class_="facts"),
        table(["model", "what", "checksum"], models, caption="Models"),
        table(["data", "rows", "licence", "source", "checksum"], data, right=[1], caption="Data"),
        tag("details", tag("summary", f"{len(notes):,} notes"), tag("ul", (tag("li", note) for note in notes)))
        if notes
        else None,
    )


def _described(facts: Iterable[tuple[str, object]]) -> str:
    known = dict(facts)
    shown = ("family", "words", "layers", "dimensions", "precision", "device", "language")
    written = {
        key: f"{known[key]:,}" if isinstance(known[key], int) else str(known[key]) for key in shown if known[key]
    }
    return ", ".join(f"{key} {text}" for key, text in written.items())


def references(runs: Runs) -> Markup:
    """BibTeX of all that the runs rest on; of a run without, the papers' names."""
    records = {key: record for run in runs.each for key, record in run.manifest["references"].items()}
    if records:
        return joined(
            tag("p", tag("button", "Copy", type="button", id="copy-bibtex"), class_="tools"),
            tag("pre", "\n\n".join(records.values()), id="bibtex", tabindex="0"),
        )
    papers = dict.fromkeys(citation(key) for run in runs.each for key in run.manifest["papers"])
    data = sorted({one["reference"] for run in runs.each for one in run.manifest["data"] if one["reference"]})
    return joined(
        tag("p", "These runs hold no BibTeX. They rest on:"), tag("ul", (tag("li", line) for line in [*papers, *data]))
    )

"""Write a static site for many runs: an index, a page per run, and a page that compares two models of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.files import replacing
from wordworth.pages.leaderboard import test_pair
from wordworth.pages.page import page, render, scripts_of
from wordworth.pages.profile import QUESTIONS, ProfileRow, profile, subjects
from wordworth.progress import progress
from wordworth.results.run import Run
from wordworth.results.runs import Runs, keep_last_steps, read_runs
from wordworth.results.table import format_list
from wordworth.statistics.effect_size import holm

INDEX, COMPARE = "index.html", "compare.html"
MAX_TESTED = 40  # pairs of models that are tested; of more, the page compares values and intervals


@dataclass(frozen=True, eq=False)
class Entry:
    """One model of one run or audit: a row of the index."""

    run: str
    """The name of the page, unlike all others."""
    subject: str
    runs: Runs
    rows: Mapping[str, ProfileRow]
    """Question → the model's answer."""

    @property
    def name(self) -> str:
        """Return what tells it from the others."""
        return f"{self.subject} · {self.run}"

    @property
    def studies(self) -> str:
        """Return the studies that measured it."""
        model = next((row.score["model"] for row in self.rows.values()), self.subject)
        scores = self.runs.scores.filter(pl.col("model") == model)
        return format_list(scores.get_column("study").unique(maintain_order=True).to_list())

    @property
    def began(self) -> str:
        """Return when the first of them began, to the minute."""
        return min(f"{run.started:%Y-%m-%d %H:%M}" for run in self.runs.each)


def write_site(runs_or_folders: Sequence[Run | str | Path], folder: Path) -> Path:
    """Write the site into a folder, and return its index."""
    folder.mkdir(parents=True, exist_ok=True)
    entries: list[Entry] = []
    names = _names(runs_or_folders)
    with progress("pages", len(names)) as advance:
        for name, source in zip(names, runs_or_folders, strict=True):
            runs = read_runs([source])
            _write(folder / f"{name}.html", page(runs, folder.absolute(), INDEX))
            rows = profile(keep_last_steps(runs))
            for subject in subjects(rows) or runs.models:
                answers = {row.question.name: row for row in rows if row.subject == subject}
                entries.append(Entry(name, subject, runs, answers))
            advance(1)
    topics = {name for entry in entries for name in entry.rows}
    questions = [question for question in QUESTIONS if question.name in topics]
    datasets = {name: {entry.rows[name].score["dataset"] for entry in entries if name in entry.rows} for name in topics}
    mixtures = {name for name, sets in datasets.items() if len(sets) > 1}
    values: dict[str, Any] = {"title": "All runs", "entries": entries, "questions": questions, "mixed": mixtures}
    _write(folder / INDEX, render("index.html.j2", scripts_of("report.js"), compare=COMPARE, **values))
    pairs = {"entries": [_describe(entry) for entry in entries], "tests": _test_pairs(entries)}
    values = {"title": "Two models compared", "data": {"compared": pairs}, "index": INDEX}
    _write(folder / COMPARE, render("compare.html.j2", scripts_of("report.js", "compare.js"), **values))
    return folder / INDEX


def _names(runs_or_folders: Sequence[Run | str | Path]) -> list[str]:
    """Return the names of the pages: of folders, with a number where two are alike or one is the index."""
    names: list[str] = []
    for source in runs_or_folders:
        folder = source.folder if isinstance(source, Run) else Path(source)
        name = folder.resolve().name if folder else str(getattr(source, "study", "run"))
        used_names = {*names, Path(INDEX).stem, Path(COMPARE).stem}
        candidates = (name, *(f"{name}-{number}" for number in range(2, len(used_names) + 2)))
        names.append(next(candidate for candidate in candidates if candidate not in used_names))
    return names


def _write(path: Path, text: str) -> None:
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def _describe(entry: Entry) -> dict[str, Any]:
    """Return what the page that compares needs of a model."""
    scores = {name: row.score for name, row in entry.rows.items()}
    columns = ("value", "low", "high")
    numbers = {name: [score["dataset"] or "", *map(score.get, columns)] for name, score in scores.items()}
    return {"name": entry.name, "numbers": numbers}


def _test_pairs(entries: Sequence[Entry]) -> dict[str, dict[str, float]]:
    """Return two places → question → p of the paired test, two-sided, after Holm's correction over the questions."""
    pairs = {
        f"{at},{last}": (first, second, topics)
        for (at, first), (last, second) in combinations(enumerate(entries), 2)
        if (topics := [name for name in first.rows if _has_same_data(name, first, second)])
    }
    results: dict[str, dict[str, float]] = {}
    for pair, (first, second, topics) in pairs.items() if len(pairs) <= MAX_TESTED else ():
        sides = {name: [(entry.runs, entry.rows[name].score) for entry in (first, second)] for name in topics}
        ps = {name: test.p for name, (entry, last) in sides.items() if (test := test_pair(entry, last))}
        if ps:
            results[pair] = dict(zip(ps, holm(list(ps.values())), strict=True))
    return results


def _has_same_data(name: str, first: Entry, second: Entry) -> bool:
    """Return whether both answer a question with a score of a study, on the same data set."""
    scores = [entry.rows[name].score for entry in (first, second) if name in entry.rows]
    is_recorded = all(score["row"] is not None for score in scores)
    return len(scores) == 2 and is_recorded and scores[0]["dataset"] == scores[1]["dataset"]

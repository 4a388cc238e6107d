"""What a reader must know before the answers: what failed, what was not run, what is covered too little.

The page, Markdown, LaTeX and the terminal all say it in these sentences.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from typing import Any, Literal

import polars as pl

from wordworth.pages.runs import Runs
from wordworth.results.flags import COVERED, parted
from wordworth.results.numbers import format_list, format_percent
from wordworth.results.vocabulary import CONTEXTS

MOST = 5
"""Sentences to a question; those beyond are counted, and can be unfolded."""
NOTHING = f"Nothing: all that was asked for ran, and every data set is covered to {format_percent(COVERED)} or more."
QUICK = "A quick audit asks less of everything; for numbers to publish, run it without --quick."
_NOT_RUN = re.compile(r"\b(?:was|were|is|are) (?:left out|not run|not measured)\b")
_NEVER_MET = re.compile(r"(\d[\d,]*) of (\d[\d,]*) words are never met in the text")
_STUDY_NOT_RUN = re.compile(r"(?P<study>\S+) was not run on (?P<model>[^:]+): (?P<reason>.+)", re.DOTALL)
_PARTICULARS = re.compile(r"'[^']*'|“[^”]*”|\"[^\"]*\"|\d[\d,.]*")
_COMMAND = re.compile(r"\s*\(?`[^`]*`\)?")
FAILED = ["run", "model", "experiment", "dataset", "layer", "measure", "reason"]
"""Headings of the table of parts that failed."""


@dataclass(frozen=True)
class Missing:
    """One kind of thing that is missing, in sentences."""

    question: str
    every: tuple[str, ...]

    @property
    def first(self) -> tuple[str, ...]:
        """Those that are shown at once."""
        return self.every[:MOST]

    @property
    def more(self) -> tuple[str, ...]:
        """Those that are counted."""
        return self.every[MOST:]


def missing(runs: Runs) -> list[Missing]:
    """Return all that is missing, most serious first; nothing where all is well."""
    kinds = {
        "What failed?": [*_failed_studies(runs), *_failed_parts(runs)],
        "What was not run?": [*_not_applicable(runs), *_notes(runs, "not run", "warnings", "notes")],
        f"What is covered to less than {format_percent(COVERED)}?": [
            *_uncovered(runs),
            *_notes(runs, "not covered", "notes"),
        ],
    }
    return [Missing(question, tuple(dict.fromkeys(said))) for question, said in kinds.items() if said]


def remarks(runs: Runs) -> list[Missing]:
    """Return what should be known although nothing is missing: warnings, and what is smaller by declaration."""
    commands = [run.manifest["command"] for run in runs.each]
    is_quick = any(command[1:2] == ["audit"] and "--quick" in command for command in commands)
    kinds = {
        "What is to be read with care?": _notes(runs, "other", "warnings"),
        "What is smaller than the paper’s?": [*([QUICK] if is_quick else []), *runs.outcome.smaller],
    }
    return [Missing(question, tuple(dict.fromkeys(said))) for question, said in kinds.items() if said]


def plain_missing(runs: Runs) -> dict[str, list[str]]:
    """Return question → sentences, for a terminal or Markdown; also if nothing is missing."""
    found = missing(runs) or [Missing("What is missing?", (NOTHING,))]
    return {
        one.question: [*one.first, *([f"And {len(one.more):,} more."] if one.more else [])]
        for one in [*found, *remarks(runs)]
    }


def _failed_studies(runs: Runs) -> Iterator[str]:
    by_reason: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in runs.outcome.failed:
        by_reason.setdefault((_ended(one["reason"]), tuple(one["models"])), []).append(one["study"])
    for (reason, models), studies in by_reason.items():
        yield f"{format_list(studies)} failed on {format_list(list(models))}: {reason}"


def _failed_parts(runs: Runs) -> Iterator[str]:
    """Yield one sentence for the parts of a study that failed for one reason."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in runs.each:
        for part in run.manifest["failed"]:
            kind = _PARTICULARS.sub("…", part["reason"])
            alike.setdefault((run.manifest["study"], kind), []).append(dict(part))
    for (study, kind), parts in alike.items():
        reasons = {part["reason"] for part in parts}
        measured = (filter(None, [part.get("measure"), part.get("dataset")]) for part in parts)
        names = list(dict.fromkeys(filter(None, map(" of ".join, measured))))
        layers = sorted({part["layer"] for part in parts if part.get("layer") is not None})
        models = list(dict.fromkeys(part["model"] for part in parts if part.get("model")))
        where = f" in layer{'s' * (len(layers) > 1)} {format_list(list(map(str, layers)))}" if layers else ""
        where += f" of {format_list(models, 3)}" if models else ""
        verb = "have" if len(names) > 1 else "has"
        count = f" ({len(parts):,} parts)" if len(parts) > 1 else ""
        reason = _ended(parts[0]["reason"] if len(reasons) == 1 else kind)
        yield f"{study}: {format_list(names, 4) or 'a part'}{where} {verb} no number{count}: {reason}"


def failed_rows(runs: Runs) -> list[list[str]]:
    """Return a row per part that failed without costing the rest."""
    parts = [(run.folder.resolve().name, dict(part)) for run in runs.each for part in run.manifest["failed"]]
    values = ((name, map(part.get, FAILED[1:])) for name, part in parts)
    return [[name, *("" if value is None else str(value) for value in row)] for name, row in values]


def _not_applicable(runs: Runs) -> Iterator[str]:
    """Yield what an audit skipped; studies that it skipped on a model for one reason are one sentence."""
    by_model: dict[tuple[str, str], list[str]] = {}
    for sentence in runs.outcome.left_out:
        if match := _STUDY_NOT_RUN.fullmatch(sentence):
            reason = _ended(_COMMAND.sub("", match["reason"]))
            by_model.setdefault((match["model"], reason), []).append(match["study"])
        else:
            yield sentence
    for (model, reason), studies in by_model.items():
        yield f"{format_list(studies)} {'were' if len(studies) > 1 else 'was'} not run on {model}: {reason}"


def _notes(runs: Runs, kind: str, *sources: Literal["warnings", "notes"]) -> list[str]:
    """Return the notes of one kind, each with its study."""
    return [
        f"{run.manifest['study']}: {_ended(note)}"
        for run in runs.each
        for source in sources
        for note in run.manifest[source]
        if _kind_of_note(note) == kind
    ]


def _kind_of_note(note: str) -> str:
    if note.startswith("Not run: "):
        return "failed"  # it repeats a part that failed
    if _NOT_RUN.search(note):
        return "not run"
    match = _NEVER_MET.search(note)
    unmet, words = (int(count.replace(",", "")) for count in match.groups()) if match else (0, 1)
    return "not covered" if 1 - unmet / words < COVERED else "other"


def _uncovered(runs: Runs) -> Iterator[str]:
    """Yield a sentence per model: the data sets and word sets of which it has too little, least first."""
    least: dict[str, dict[str, tuple[float, str]]] = {}
    columns = ["model", "dataset", "setting", "flags"]
    flagged = runs.scores.filter(pl.col("flags").str.contains("coverage ", literal=True)).unique(
        columns, maintain_order=True
    )
    shares = [
        (row, float(match[1]) / 100, match[2] or "")
        for row in flagged.iter_rows(named=True)
        for flag in parted(row["flags"])
        if (match := re.fullmatch(r"coverage (\d+)%(?: of (.+))?", flag))
    ]
    measured = runs.scores.filter(pl.col("measure") == "coverage", pl.col("value") < COVERED)
    shares += [(row, row["value"], "") for row in measured.iter_rows(named=True)]
    for row, share, part in sorted(shares, key=lambda one: one[1]):
        name = " of ".join(filter(None, [part, row["dataset"] or ""]))
        setting = f" in {row['setting']} sentences" if row["setting"] in CONTEXTS else ""
        least.setdefault(row["model"], {}).setdefault(name, (share, setting))
    for model, sets in least.items():
        said = [f"{floor(100 * share + 1e-9)} % of {name}{setting}" for name, (share, setting) in sets.items()]
        yield f"{model} has {format_list(said)}."


def _ended(sentence: str) -> str:
    """Return the sentence with one full stop."""
    return f"{sentence.strip().rstrip('.')}."

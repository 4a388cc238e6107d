"""What a reader must know before the answers: what failed, what was not run, what is covered too little.

The page, Markdown, LaTeX and the terminal all say it in these sentences.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import floor
from typing import Any

import polars as pl

from wordworth.report.naming import listed, percent
from wordworth.report.runs import Runs
from wordworth.run.flags import COVERED, parted
from wordworth.run.vocabulary import CONTEXTS

MOST = 5
"""Sentences to a question; those beyond are counted, and can be unfolded."""
NOTHING = f"Nothing: all that was asked for ran, and every data set is covered to {percent(COVERED)} or more."
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
    """All that is amiss, gravest first; nothing where all is well."""
    kinds = {
        "What failed?": [*_failed_studies(runs), *_failed_parts(runs)],
        "What was not run?": [*_not_applicable(runs), *_not_run(runs)],
        f"What is covered to less than {percent(COVERED)}?": [*_uncovered(runs), *_never_met(runs)],
    }
    return [Missing(question, tuple(dict.fromkeys(said))) for question, said in kinds.items() if said]


def remarks(runs: Runs) -> list[Missing]:
    """What should be known although nothing is amiss in it: warnings, and what is smaller by declaration."""
    kinds = {"What is to be read with care?": _warnings(runs), "What is smaller than the paper’s?": _smaller(runs)}
    return [Missing(question, every) for question, said in kinds.items() if (every := tuple(dict.fromkeys(said)))]


def _smaller(runs: Runs) -> Iterator[str]:
    """Where an audit asked, as declared, for less than a study or its paper does."""
    quick = any(run.manifest["command"][1:2] == ["audit"] and "--quick" in run.manifest["command"] for run in runs.each)
    yield from [*([QUICK] if quick else []), *runs.outcome.smaller]


def plain_missing(runs: Runs) -> dict[str, list[str]]:
    """Question → sentences, for a terminal or Markdown; if nothing is amiss that is said."""
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
        yield f"{listed(studies)} failed on {listed(list(models))}: {reason}"


def _failed_parts(runs: Runs) -> Iterator[str]:
    """Parts of one study that failed for one reason are one sentence."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in runs.each:
        for part in run.manifest["failed"]:
            kind = _PARTICULARS.sub("…", part["reason"])
            alike.setdefault((run.manifest["study"], kind), []).append(dict(part))
    for (study, kind), parts in alike.items():
        reasons = {part["reason"] for part in parts}
        names = _distinct(_part_name(part) for part in parts)
        layers = sorted({part["layer"] for part in parts if part.get("layer") is not None})
        models = _distinct(part.get("model") for part in parts)
        where = f" in layer{'s' * (len(layers) > 1)} {_ranges(layers)}" if layers else ""
        where += f" of {listed(models, 3)}" if models else ""
        verb = "have" if len(names) > 1 else "has"
        count = f" ({len(parts):,} parts)" if len(parts) > 1 else ""
        reason = _ended(parts[0]["reason"] if len(reasons) == 1 else kind)
        yield f"{study}: {listed(names, 4) or 'a part'}{where} {verb} no number{count}: {reason}"


def failed_rows(runs: Runs) -> list[list[str]]:
    """Return a row per part that failed without costing the rest."""
    parts = [(run.folder.resolve().name, dict(part)) for run in runs.each for part in run.manifest["failed"]]
    values = ((name, map(part.get, FAILED[1:])) for name, part in parts)
    return [[name, *("" if value is None else str(value) for value in row)] for name, row in values]


def _part_name(part: dict[str, Any]) -> str:
    """What a part would have measured, in the columns of its scores."""
    measured = " of ".join(filter(None, [part.get("measure"), part.get("dataset")]))
    return " ".join(filter(None, [measured or part.get("experiment"), part.get("setting"), part.get("language")]))


def _ranges(numbers: list[int]) -> str:
    """“3 to 5 and 8”."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return listed([str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs])


def _not_applicable(runs: Runs) -> Iterator[str]:
    """Studies that an audit left out; those that it left out of the same models for one reason are one sentence."""
    by_model: dict[tuple[str, str], list[str]] = {}
    others = []
    for sentence in runs.outcome.left_out:
        match = _STUDY_NOT_RUN.fullmatch(sentence)
        if match is None:
            others.append(sentence)
            continue
        reason = _ended(_COMMAND.sub("", match["reason"]))
        by_model.setdefault((reason, match["model"]), []).append(match["study"])
    by_studies: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, model), studies in by_model.items():
        by_studies.setdefault((reason, tuple(studies)), []).append(model)
    for (reason, together), models in by_studies.items():
        verb = "were" if len(together) > 1 else "was"
        yield f"{listed(list(together))} {verb} not run on {listed(models)}: {reason}"
    yield from others


def _not_run(runs: Runs) -> Iterator[str]:
    """What a study says it did not do, for a reason of its own."""
    for run in runs.each:
        for note in dict.fromkeys([*run.manifest["warnings"], *run.manifest["notes"]]):
            if _NOT_RUN.search(note) and not _of_a_part(note):
                yield f"{run.manifest['study']}: {_ended(note)}"


def _warnings(runs: Runs) -> Iterator[str]:
    for run in runs.each:
        for note in run.manifest["warnings"]:
            if not _NOT_RUN.search(note) and not _few_met(note) and not _of_a_part(note):
                yield f"{run.manifest['study']}: {_ended(note)}"


def _never_met(runs: Runs) -> Iterator[str]:
    """Texts in which too few of the words are met: the others stand there without a sentence."""
    for run in runs.each:
        for note in run.manifest["notes"]:
            if _few_met(note):
                yield f"{run.manifest['study']}: {_ended(note)}"


def _few_met(note: str) -> bool:
    match = _NEVER_MET.search(note)
    unmet, words = (int(count.replace(",", "")) for count in match.groups()) if match else (0, 1)
    return 1 - unmet / words < COVERED


def _of_a_part(note: str) -> bool:
    """Whether it repeats a part that failed."""
    return note.startswith("Not run: ")


def _uncovered(runs: Runs) -> Iterator[str]:
    """A sentence a model: the data sets and word sets of which it has too little, least first."""
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
        settings = {setting for _, setting in sets.values()}
        same = settings.pop() if len(settings) == 1 else None
        said = [
            f"{floor(100 * share + 1e-9)} % of {name}{setting if same is None else ''}"
            for name, (share, setting) in sets.items()
        ]
        yield f"{model} has {listed(said)}{same or ''}."


def _distinct(values: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))


def _ended(sentence: str) -> str:
    """With one full stop."""
    return f"{sentence.strip().rstrip('.')}."

"""What an audit could not do, kept beside its runs (`audit.json`), so that a report says it too."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from wordworth.errors import WordworthError
from wordworth.files import replacing
from wordworth.run.reading import LARGEST, misfit

OUTCOME = "audit.json"


class PlannedStudy(TypedDict):
    """A study of an audit."""

    study: str
    """The name of its folder."""
    models: list[str]


class FailedStudy(PlannedStudy):
    """One that has no run, and why."""

    reason: str


class _Read(TypedDict):
    failed: list[FailedStudy]
    left_out: list[str]
    smaller: NotRequired[list[str]]
    planned: NotRequired[list[PlannedStudy]]


@dataclass(frozen=True)
class Outcome:
    """Blank where all went well."""

    failed: tuple[FailedStudy, ...] = ()
    left_out: tuple[str, ...] = ()
    """Sentences: what does not apply to a model, and why."""
    smaller: tuple[str, ...] = ()
    """Sentences: what the audit asks less of than the study by itself, and what that costs."""
    planned: tuple[PlannedStudy, ...] = ()
    """While it runs, and if it is broken off: the studies that it set out to run."""


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Writes what could not be done; where all went well, what an earlier audit left is removed."""
    path = folder / OUTCOME
    if outcome == Outcome():
        path.unlink(missing_ok=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(json.dumps(asdict(outcome), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_outcome(folder: Path) -> Outcome:
    """What an audit left in its folder; blank where there is nothing."""
    path = folder / OUTCOME
    if not path.is_file():
        return Outcome()
    try:
        table = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= LARGEST else None
        json.dumps(table, ensure_ascii=False).encode()
    except (OSError, ValueError, RecursionError):
        table = None
    if misfit(table, _Read):
        raise WordworthError(f"…{str(path)[-100:]} is not as an audit writes it; delete it, or audit again")
    read = cast(_Read, table)
    later = tuple(read.get("smaller", ())), tuple(read.get("planned", ()))
    return Outcome(tuple(read["failed"]), tuple(read["left_out"]), *later)

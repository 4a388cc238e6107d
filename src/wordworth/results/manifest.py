"""`run.json`: what was run, on what, with what, where; enough to run it again and to know why a number differs.

Beside the runs of an audit, `audit.json` says what it could not do, so that a report says it too.
"""

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # what pydantic takes before Python 3.12

from wordworth.errors import WordworthError
from wordworth.files import replacing

PACKAGES = (
    "wordworth", "numpy", "scipy", "polars", "safetensors", "gensim", "opencc", "tokenizers", "torch", "transformers",
)  # fmt: skip
OUTCOME = "audit.json"


class _Part(BaseModel):
    """A table of JSON that may say more than is declared."""

    model_config = ConfigDict(extra="allow", strict=True)


class Model(_Part):
    """A model as the run used it; keys that do not apply to it are blank when read."""

    name: str
    source: str = ""
    sha256: str = ""
    weights: str = ""
    language: str = ""
    family: str = ""
    words: int = 0
    layers: int = 0
    dimensions: int = 0
    precision: str = ""
    device: str = ""


class DataSet(_Part):
    """A data set as the run used it."""

    name: str
    source: str = ""
    sha256: str = ""
    licence: str = ""
    reference: str = ""
    rows: int = 0
    columns: dict[str, str] = Field(default_factory=dict)


class DeclaredMeasure(_Part):
    """What a measure of the run computes, and which end is the better one: higher, lower, zero, or blank."""

    formula: str = ""
    better: str = ""


class FailedPart(_Part):
    """A part of the run that failed without costing the rest."""

    reason: str
    model: str | None = None
    experiment: str | None = None
    dataset: str | None = None
    layer: int | None = None
    measure: str | None = None


class Manifest(_Part):
    """The record of one run."""

    study: str
    """Which study: valnorm, weat, …"""
    command: list[str]
    """The command line, or `python` for a call."""
    named: list[str] = Field(default_factory=list)
    """The models as they were named."""
    fingerprints: dict[str, str] = Field(default_factory=dict)
    """Name → sha256 over the content of each model and data set that was named, as it was when the run began."""
    settings: dict[str, Any]
    """Every setting's value, given or default: those of the study and no other's."""
    may_differ: list[str] = Field(default_factory=list)
    """Settings in which two runs may differ and still be compared."""
    method: str = ""
    """How the study measures, in words."""
    papers: list[str] = Field(default_factory=list)
    """Keys of the papers whose method the study is."""
    references: dict[str, str] = Field(default_factory=dict)
    """What the run rests on: key → BibTeX."""
    seed: int
    """The seed all that is random was drawn from."""
    models: list[Model]
    """Each model: name, source, sha256 of its weights, language, size, what was dropped while reading."""
    data: list[DataSet]
    """Each data set: name, source, sha256, licence, rows."""
    left_out: dict[str, int]
    """How many items were left out, by reason; each one is in items.parquet."""
    notes: list[str]
    """What a reader of the scores should know, a sentence each."""
    failed: list[FailedPart] = Field(default_factory=list)
    """Parts that failed without costing the rest: the columns of what has no score, and the reason."""
    measures: dict[str, DeclaredMeasure] = Field(default_factory=dict)
    """Each measure of the scores: its formula, and whether higher or lower is better."""
    started: str
    """When it began, UTC."""
    seconds: float
    """How long it took."""
    versions: dict[str, str]
    """Python and the packages that numbers may depend on."""
    hardware: dict[str, Any] = Field(default_factory=dict)
    """Platform, processor, cores, memory."""
    warnings: list[str] = Field(default_factory=list)
    """Those of the notes that a reader should see at once: what was asked for and could not be had."""
    steps: dict[str, int] = Field(default_factory=dict)
    """Of models in training: their names, and after how many steps they were measured."""
    damaged: dict[str, int] = Field(default_factory=dict)
    """Cache entries that were found damaged and made again, by kind."""
    files: dict[str, str] = Field(default_factory=dict)
    """sha256 of the run's other files."""
    layout: int = 2
    """Version of this file's layout."""


def in_order(table: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a manifest as `run.json` has them."""
    return {name: table[name] for name in Manifest.model_fields}


def first_problem(error: ValidationError) -> str:
    """Return what is wrong first, and where: “models: 1: layers: Input should be a valid integer”."""
    problem = error.errors(include_url=False)[0]
    return ": ".join([*(str(part)[:40] for part in problem["loc"]), problem["msg"]])


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except ModuleNotFoundError:
        return None


def surroundings() -> tuple[dict[str, str], dict[str, Any]]:
    """Return the versions and the hardware of this process."""
    versions = {"python": platform.python_version()}
    versions |= {package: found for package in PACKAGES if (found := _installed(package))}
    hardware: dict[str, Any] = {
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }
    if sys.platform != "win32":
        hardware["memory_bytes"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return versions, hardware


class PlannedStudy(TypedDict):
    """A study of an audit."""

    study: str
    """The name of its folder."""
    models: list[str]


class FailedStudy(PlannedStudy):
    """One that has no run, and why."""

    reason: str


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
    """Write what could not be done; where all went well, remove what an earlier audit left."""
    path = folder / OUTCOME
    if outcome == Outcome():
        path.unlink(missing_ok=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(json.dumps(asdict(outcome), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_outcome(folder: Path) -> Outcome:
    """Return what an audit left in its folder; blank where there is nothing."""
    path = folder / OUTCOME
    if not path.is_file():
        return Outcome()
    try:
        return TypeAdapter(Outcome).validate_json(path.read_bytes(), strict=True)
    except (OSError, ValidationError) as error:
        problem = f"…{str(path)[-100:]} is not as an audit writes it; delete it, or audit again"
        raise WordworthError(problem) from error

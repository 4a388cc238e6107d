"""`run.json`: what was run, on what, with what, where; enough to run it again and to know why a number differs."""

import os
import platform
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

PACKAGES = (
    "wordworth", "numpy", "scipy", "polars", "safetensors", "gensim", "opencc", "tokenizers", "torch", "transformers",
)  # fmt: skip


@dataclass(frozen=True)
class Manifest:
    """The record of one run."""

    study: str
    """Which study: valnorm, weat, …"""
    command: list[str]
    """The command line, or `python` for a call."""
    named: list[str]
    """The models as they were named."""
    fingerprints: dict[str, str]
    """Name → sha256 over the content of each model and data set that was named, as it was when the run began."""
    settings: dict[str, Any]
    """Every setting's value, given or default: those of the study and no other's."""
    may_differ: list[str]
    """Settings in which two runs may differ and still be compared."""
    method: str
    """How the study measures, in words."""
    papers: list[str]
    """Keys of the papers whose method the study is."""
    references: dict[str, str]
    """What the run rests on: key → BibTeX."""
    seed: int
    """The seed all that is random was drawn from."""
    models: list[dict[str, Any]]
    """Each model: name, source, sha256 of its weights, language, size, what was dropped while reading."""
    data: list[dict[str, Any]]
    """Each data set: name, source, sha256, licence, rows."""
    left_out: dict[str, int]
    """How many items were left out, by reason; each one is in items.parquet."""
    notes: list[str]
    """What a reader of the scores should know, a sentence each."""
    failed: list[dict[str, Any]]
    """Parts that failed without costing the rest: the columns of what has no score, and the reason."""
    measures: dict[str, dict[str, str]]
    """Each measure of the scores: its formula, and whether higher or lower is better."""
    started: str
    """When it began, UTC."""
    seconds: float
    """How long it took."""
    versions: dict[str, str] = field(default_factory=dict)
    """Python and the packages that numbers may depend on."""
    hardware: dict[str, Any] = field(default_factory=dict)
    """Platform, processor, cores, memory."""
    warnings: list[str] = field(default_factory=list)
    """Those of the notes that a reader should see at once: what was asked for and could not be had."""
    steps: dict[str, int] = field(default_factory=dict)
    """Of models in training: their names, and after how many steps they were measured."""
    damaged: dict[str, int] = field(default_factory=dict)
    """Cache entries that were found damaged and made again, by kind."""
    files: dict[str, str] = field(default_factory=dict)
    """sha256 of the run's other files."""
    layout: int = 2
    """Version of this file's layout."""

    def as_table(self) -> dict[str, Any]:
        return asdict(self)


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except ModuleNotFoundError:
        return None


def surroundings() -> tuple[dict[str, str], dict[str, Any]]:
    """Versions and hardware of this process."""
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

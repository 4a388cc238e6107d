"""The runs under one folder, and no path outside it."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from wordworth.run.folder import FILES
from wordworth.run.watch import SUFFIX, Doing, read_progress

DEEPEST = 4
"""Folders inside folders that are looked into: an audit's runs lie two deep."""
FILES_SHOWN = (*FILES, "report.html", "report.md", "report.tex")


@dataclass(frozen=True)
class Listed:
    """One finished run."""

    place: str
    """Its folder, from the root, with slashes."""
    study: str
    models: tuple[str, ...]
    started: str
    seconds: float

    def matches(self, study: str, model: str, text: str) -> bool:
        """Whether it passes a filter; blanks let all pass. The text may stand in its place, study or models."""
        everything = " ".join((self.place, self.study, *self.models)).casefold()
        wanted = not model or model in self.models
        return wanted and study in ("", self.study) and all(part in everything for part in text.casefold().split())


@dataclass(frozen=True)
class Library:
    """What lies under a root folder. Nothing is ever written there, and links that lead out of it are not followed."""

    root: Path

    def find(self, place: str) -> Path | None:
        """The folder or file at a place under the root; None for what is not there, or not under it."""
        if "\0" in place or "\\" in place or place.startswith("/"):
            return None
        try:
            path = (self.root / place).resolve(strict=True)
        except OSError:
            return None
        return path if path.is_relative_to(self.root.resolve()) else None

    def run(self, place: str) -> Path | None:
        """The folder of a finished run."""
        folder = self.find(place)
        return folder if folder is not None and _is_run(folder) else None

    def audit(self, place: str) -> Path | None:
        """A folder whose own folders are runs."""
        folder = self.find(place)
        inside = folder is not None and folder.is_dir() and any(_is_run(path) for path in folder.iterdir())
        return folder if inside else None

    def file(self, place: str, name: str) -> Path | None:
        """A file that a run or an audit left."""
        if name not in FILES_SHOWN or (self.run(place) is None and self.audit(place) is None):
            return None
        path = self.find(f"{place}/{name}")
        return path if path is not None and path.is_file() else None

    def runs(self) -> list[Listed]:
        """All finished runs, the newest first."""
        found = [_listed(str(path), path.relative_to(self.root).as_posix(), stamp) for path, stamp in self._walk()]
        known = [run for run in found if run is not None]
        return sorted(known, key=lambda run: run.started, reverse=True)

    def audits(self) -> list[str]:
        """Folders with runs in them and a report over all."""
        parents = {path.parent for path, _ in self._walk() if path.parent != self.root}
        return sorted(path.relative_to(self.root).as_posix() for path in parents if (path / "report.html").is_file())

    def doing(self) -> dict[str, Doing]:
        """Runs in progress, by the place that they will have."""
        found = {}
        for folder, _, names in self._folders():
            for name in names:
                if name.endswith(SUFFIX) and not name.startswith("."):
                    told = read_progress(folder / name)
                    if told is not None:
                        found[(folder / name.removesuffix(SUFFIX)).relative_to(self.root).as_posix()] = told
        return dict(sorted(found.items()))

    def _folders(self) -> Iterator[tuple[Path, list[str], list[str]]]:
        for where, folders, names in os.walk(self.root, followlinks=False):
            folder = Path(where)
            deep = len(folder.relative_to(self.root).parts) >= DEEPEST
            folders[:] = [] if deep else sorted(name for name in folders if not name.startswith("."))
            yield folder, folders, names

    def _walk(self) -> Iterator[tuple[Path, int]]:
        for folder, folders, names in self._folders():
            if set(FILES) <= set(names) and self.find(folder.relative_to(self.root).as_posix()) is not None:
                folders.clear()
                yield folder, (folder / "run.json").stat().st_mtime_ns


def run_files(folder: Path) -> list[Path]:
    """The manifests of a run or of the runs of an audit: when one of them is written anew, so is a run."""
    return sorted([*folder.glob("run.json"), *folder.glob("*/run.json")])


def _is_run(folder: Path) -> bool:
    return all((folder / name).is_file() for name in FILES)


@lru_cache(maxsize=4096)
def _listed(folder: str, place: str, stamp: int) -> Listed | None:
    """A run as its manifest tells it, read once for each time it is written; None where that is no manifest."""
    path = Path(folder)
    try:
        told: dict[str, Any] = json.loads((path / "run.json").read_text(encoding="utf-8"))
        models = tuple(str(model["name"]) for model in told["models"])
        return Listed(place, str(told["study"]), models, str(told["started"]), float(told["seconds"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None

"""The runs under one folder, and no path outside it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wordworth.errors import WordworthError
from wordworth.run import read_manifest
from wordworth.run.folder import FILES
from wordworth.run.watch import SUFFIX, Doing, read_progress

LARGEST = 4 << 20
"""Bytes of a `run.json` that is read for the list; studies write some kilobytes."""
DEEPEST = 4
"""Folders inside folders that are looked into: an audit's runs lie two deep."""
FILES_SHOWN = (*FILES, "report.html", "report.md", "report.tex")


@dataclass(frozen=True)
class Listed:
    """One finished run, or one that cannot be read and the sentence that says why."""

    place: str
    """Its folder, from the root, with slashes."""
    study: str = ""
    models: tuple[str, ...] = ()
    started: str = ""
    seconds: float = 0.0
    problem: str = ""

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
        except (OSError, RuntimeError):  # RuntimeError: a link that leads to itself
            return None
        return path if path.is_relative_to(self.root.resolve()) else None

    def run(self, place: str) -> Path | None:
        """The folder of a finished run."""
        folder = self.find(place)
        return folder if folder is not None and all(self._regular(place, name) for name in FILES) else None

    def runs_in(self, place: str) -> list[Path]:
        """The folder of a run, or those of an audit's runs."""
        folder = self.find(place)
        if folder is None or not folder.is_dir():
            return []
        places = [place] if self.run(place) else sorted(f"{place}/{inside.name}" for inside in folder.iterdir())
        return [run for run in map(self.run, places) if run is not None]

    def file(self, place: str, name: str) -> Path | None:
        """A file that a run or an audit left."""
        return self._regular(place, name) if name in FILES_SHOWN and self.runs_in(place) else None

    def _regular(self, place: str, name: str) -> Path | None:
        """A regular file in a folder, if it lies under the root itself; a pipe or a device is never opened."""
        path = self.find(f"{place}/{name}")
        return path if path is not None and path.is_file() else None

    def runs(self) -> list[Listed]:
        """All finished runs, the newest first; at the end those that cannot be read."""
        runs = []
        for folder in self._walk():
            place = self._place(folder)
            files = [self._regular(place, name) for name in FILES]
            runs.append(_listed(folder, place, tuple(path and _written(path) for path in files)))
        return sorted(runs, key=lambda run: run.started, reverse=True)

    def audits(self) -> list[str]:
        """Folders with runs in them and a report over all."""
        places = {self._place(path.parent) for path in self._walk() if path.parent != self.root}
        return sorted(place for place in places if self._regular(place, "report.html"))

    def doing(self) -> dict[str, Doing]:
        """Runs in progress, by the place that they will have."""
        running = {}
        for folder, _, names in self._folders():
            for name in names:
                path = self._regular(self._place(folder), name) if name.endswith(SUFFIX) else None
                progress = read_progress(path) if path else None
                if progress is not None:
                    running[self._place(folder / name.removesuffix(SUFFIX))] = progress
        return dict(sorted(running.items()))

    def _place(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _folders(self) -> Iterator[tuple[Path, list[str], list[str]]]:
        """Folders with their folders and files; not hidden ones, nor names that no address can hold."""
        for where, folders, names in os.walk(self.root, followlinks=False):
            folder = Path(where)
            deep = len(folder.relative_to(self.root).parts) >= DEEPEST
            folders[:] = [] if deep else sorted(name for name in folders if _shown(name))
            yield folder, folders, [name for name in names if _shown(name)]

    def _walk(self) -> Iterator[Path]:
        for folder, folders, names in self._folders():
            if "run.json" in names and self.find(self._place(folder)) is not None:
                folders.clear()
                yield folder


def _shown(name: str) -> bool:
    return not name.startswith(".") and name == name.encode("utf-8", "replace").decode()


def _written(path: Path) -> int | None:
    """When a file was last written; None where it is no longer there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


@lru_cache(maxsize=4096)
def _listed(folder: Path, place: str, stamps: tuple[int | None, ...]) -> Listed:
    """A run as its manifest describes it, read once for each time it is written."""
    lacking = [name for name, written in zip(FILES, stamps, strict=True) if written is None]
    if lacking:
        return Listed(place, problem=f"it has no {', '.join(lacking)}")
    try:
        manifest = read_manifest(folder, LARGEST)
    except WordworthError as error:
        return Listed(place, problem=str(error))
    models = tuple(model["name"] for model in manifest["models"])
    return Listed(place, manifest["study"], models, manifest["started"], manifest["seconds"])

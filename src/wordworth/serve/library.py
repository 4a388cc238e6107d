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
        """All finished runs, the newest first; at the end those that cannot be read."""
        runs = []
        for folder in self._walk():
            stamps = tuple(_written(folder / name) for name in FILES)
            runs.append(_listed(folder, folder.relative_to(self.root).as_posix(), stamps))
        return sorted(runs, key=lambda run: run.started, reverse=True)

    def audits(self) -> list[str]:
        """Folders with runs in them and a report over all."""
        parents = {path.parent for path in self._walk() if path.parent != self.root}
        return sorted(path.relative_to(self.root).as_posix() for path in parents if (path / "report.html").is_file())

    def doing(self) -> dict[str, Doing]:
        """Runs in progress, by the place that they will have."""
        running = {}
        for folder, _, names in self._folders():
            for name in names:
                if name.endswith(SUFFIX):
                    progress = read_progress(folder / name)
                    if progress is not None:
                        running[(folder / name.removesuffix(SUFFIX)).relative_to(self.root).as_posix()] = progress
        return dict(sorted(running.items()))

    def _folders(self) -> Iterator[tuple[Path, list[str], list[str]]]:
        """Folders with their folders and files; not hidden ones, nor names that no address can hold."""
        for where, folders, names in os.walk(self.root, followlinks=False):
            folder = Path(where)
            deep = len(folder.relative_to(self.root).parts) >= DEEPEST
            folders[:] = [] if deep else sorted(name for name in folders if _shown(name))
            yield folder, folders, [name for name in names if _shown(name)]

    def _walk(self) -> Iterator[Path]:
        for folder, folders, names in self._folders():
            if "run.json" in names and self.find(folder.relative_to(self.root).as_posix()) is not None:
                folders.clear()
                yield folder


def run_files(folder: Path) -> list[Path]:
    """The manifests of a run or of the runs of an audit: when one of them is written anew, so is a run."""
    return sorted([*folder.glob("run.json"), *folder.glob("*/run.json")])


def _shown(name: str) -> bool:
    return not name.startswith(".") and name == name.encode("utf-8", "replace").decode()


def _is_run(folder: Path) -> bool:
    return all((folder / name).is_file() for name in FILES)


def _written(path: Path) -> int | None:
    """When a file was last written; None where there is none, or no longer."""
    try:
        return path.stat().st_mtime_ns if path.is_file() else None
    except OSError:
        return None


@lru_cache(maxsize=4096)
def _listed(folder: Path, place: str, stamps: tuple[int | None, ...]) -> Listed:
    """A run as its manifest describes it, read once for each time it is written."""
    lacking = [name for name, written in zip(FILES, stamps, strict=True) if written is None]
    if lacking:
        return Listed(place, problem=f"it has no {', '.join(lacking)}")
    try:
        manifest = read_manifest(folder)
    except WordworthError as error:
        return Listed(place, problem=str(error))
    models = tuple(model["name"] for model in manifest["models"])
    return Listed(place, manifest["study"], models, manifest["started"], manifest["seconds"])

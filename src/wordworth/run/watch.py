"""A run in progress, shown in a small file beside its folder (`RUN.progress`), so that others can watch it."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from threading import Event, Thread

from filelock import Timeout

from wordworth.errors import WordworthError
from wordworth.files import is_locked, locked, make_folder, space_checked
from wordworth.progress import listening
from wordworth.visible import visible

SUFFIX = ".progress"
LARGEST = 1 << 20
"""Bytes of a `RUN.progress`; a larger file is something else."""
EVERY = 1.0
"""Seconds between two signs of life."""
PATIENCE = 15.0
"""Seconds without one after which a run is taken to have been killed."""


@dataclass(frozen=True)
class Doing:
    """What a run is at."""

    study: str
    models: tuple[str, ...]
    started: float
    """Seconds since 1970, as `updated`."""
    updated: float
    what: str = ""
    done: float = 0.0
    total: float | None = None

    def alive(self, now: float | None = None) -> bool:
        return (time.time() if now is None else now) - self.updated < PATIENCE


def progress_file(folder: Path) -> Path:
    """The file beside a run's folder that says what it is at."""
    return folder.with_name(folder.name + SUFFIX)


@contextmanager
def watched(folder: Path, study: str, models: Sequence[str]) -> Iterator[None]:
    """Keeps `RUN.progress` fresh while a study runs, and takes it away at the end, however that comes."""
    path = progress_file(folder.absolute())
    now = time.time()
    doing = [Doing(study, tuple(map(str, models)), now, now)]

    def heard(what: str, done: float, total: float | None) -> None:
        doing[0] = replace(doing[0], what=what, done=done, total=total)

    new = [parent for parent in path.parents if not parent.exists()]
    try:
        with _sole_writer(folder.absolute()), _signs_of_life(path, doing), listening(heard):
            yield
    finally:
        with suppress(OSError):  # a study that fails leaves no empty folders; the others hold what others wrote
            for parent in new:
                parent.rmdir()


def refuse_locked(folder: Path) -> None:
    """Refuses, before anything is computed, a folder that another process is writing a run to."""
    if is_locked(folder.absolute()):  # a lock that nobody holds is gone by now
        raise _taken(folder)


def _taken(folder: Path) -> WordworthError:
    return WordworthError(
        f"another process is writing a run to {folder}; wait for it, or choose another folder with -o"
    )


def forget_killed(folder: Path) -> None:
    """Removes what a killed writer of a run left beside its folder: its lock, and what it said it was at."""
    path = folder.absolute()
    if is_locked(path):
        with suppress(Timeout), locked(path, wait=False):  # else it is alive
            for file in (progress_file(path), _beginning(progress_file(path))):
                file.unlink(missing_ok=True)


@contextmanager
def _sole_writer(folder: Path) -> Iterator[None]:
    """Refuses, before anything is computed, a folder that another process is writing a run to."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(folder, wait=False))
        except Timeout:
            if not is_locked(folder):  # no lock could be made, so nobody holds it
                raise WordworthError(f"{folder.parent} takes no new files; choose another folder with -o") from None
            raise _taken(folder) from None
        yield


@contextmanager
def _signs_of_life(path: Path, doing: list[Doing]) -> Iterator[None]:
    """Writes the file every second, and removes it at the end."""
    make_folder(path.parent)
    ended = Event()
    signs = Thread(target=_keep_telling, args=(path, doing, ended), daemon=True)
    try:  # around the first writing too: Ctrl-C may come right behind it
        with space_checked(path.parent):
            _write(path, doing[0])
        signs.start()
        yield
    finally:
        ended.set()
        if signs.ident is not None:
            signs.join()
        for file in (path, _beginning(path)):
            file.unlink(missing_ok=True)


def _keep_telling(path: Path, doing: list[Doing], ended: Event) -> None:
    while not ended.wait(EVERY):
        try:
            _write(path, replace(doing[0], updated=time.time()))
        except OSError as error:  # a full disk must not end the run that is being watched
            reason = f"{path} can no longer be written ({error.strerror})"
            sys.stderr.write(f"wordworth: {visible(reason)}; the run goes on\n")
            return


def _write(path: Path, doing: Doing) -> None:
    part = _beginning(path)
    part.write_text(json.dumps(asdict(doing)), encoding="utf-8")
    part.replace(path)


def _beginning(path: Path) -> Path:
    """Where the file is written first. Only one process writes a run's, so what a killed one began is written over."""
    return path.with_name(f".{path.name}")


def read_progress(path: Path) -> Doing | None:
    """What a `RUN.progress` says; None where the run has just ended, or the file is something else."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        table = json.loads(path.read_text(encoding="utf-8"))
        doing = Doing(**{**table, "models": tuple(table["models"])})
        " ".join((doing.study, doing.what, *doing.models)).encode()
        times = (doing.started, doing.updated, doing.done, doing.total or 0.0)
        return doing if all(map(isfinite, times)) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None

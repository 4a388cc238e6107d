"""Which entries of the cache a process uses, so that no other one removes them meanwhile.

    CACHE/.in-use.XXXXXXXX.wordworth-part/entries    KIND/KEY, a line each, of one process that is alive

An entry is marked before it is looked at, and it is removed by `housekeeping` only where nobody alive has marked it; a
lock keeps the two apart. The marks of a process go with it, or when the next one starts.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from wordworth.errors import WordworthError
from wordworth.files import SCRATCH, abandoned, cache_dir, locked, remove_stale_lock, scratch

_NAME = "in-use"
_LIST = "entries"

_folders: dict[Path, Path] = {}
_marked: set[Path] = set()


def use(path: Path) -> None:
    """Marks the entry that a path is, or lies in, until this process ends."""
    root = cache_dir()
    if path in _marked or not path.is_relative_to(root):  # a run without a cache has a folder of its own
        return
    name = "/".join(path.relative_to(root).parts[:2])
    # Of a cache that cannot be written nothing is removed either.
    with suppress(OSError, WordworthError), unmarked():
        with (_folder(root) / _LIST).open("a", encoding="utf-8") as marks:
            marks.write(f"{name}\n")
        _marked.add(path)


@contextmanager
def unmarked() -> Iterator[None]:
    """While inside, no process marks an entry."""
    with locked(cache_dir() / _NAME):
        yield


def forget_killed() -> None:
    """Removes the lock of a process that was killed while it marked or removed."""
    remove_stale_lock(cache_dir() / _NAME)


def in_use() -> set[Path]:
    """The entries that other processes use."""
    root = cache_dir()
    left = {_folders.get(root), *abandoned(root)}
    used: set[Path] = set()
    for folder in root.glob(f".{_NAME}.*{SCRATCH}"):
        with suppress(OSError):  # it has ended just now, or is another user's
            if folder not in left:
                used |= {root / name for name in (folder / _LIST).read_text(encoding="utf-8").splitlines()}
    return used


def _folder(root: Path) -> Path:
    if root not in _folders:
        held = ExitStack()
        _folders[root] = held.enter_context(scratch(root / _NAME))
        atexit.register(_end, held, os.getpid())
    return _folders[root]


def _end(held: ExitStack, owner: int) -> None:
    if os.getpid() == owner:  # a forked worker has inherited this too
        held.close()

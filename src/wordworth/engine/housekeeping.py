"""List the cache by kind, size and age, and remove what is old or too large."""

import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from filelock import Timeout

from wordworth.engine.cache import CACHE_KINDS, FETCHED_KINDS, kind_folder
from wordworth.errors import WordworthError, nearest
from wordworth.files import SCRATCH, cache_dir, hold_lock, scratch, size_of, space_checked

IN_USE_SECONDS = 3600.0
"""Entries that were used more recently may be in use, and are not pruned."""
STALE_SECONDS = 86400.0
"""A temporary folder without a change for this long is assumed to be left by a killed process."""


@dataclass(frozen=True)
class CacheEntry:
    """Describe an entry of the cache."""

    kind: str
    path: Path
    bytes: int
    used: float
    """When it was last used, in seconds since 1970."""


@dataclass(frozen=True)
class KindTotal:
    """Sum up the entries of a kind."""

    kind: str
    entries: int
    bytes: int
    oldest: float
    """When the least recently used entry was used, in seconds since 1970."""
    newest: float


def entries(kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """List the entries of the cache, or of these kinds."""
    for kind in kinds:
        if kind not in CACHE_KINDS:
            raise WordworthError(
                f"the cache has no kind {kind!r}{nearest(kind, [*CACHE_KINDS])}; kinds are {', '.join(CACHE_KINDS)}"
            )
    return [
        CacheEntry(kind, path, size_of(path), _last_used(path))
        for kind in kinds or CACHE_KINDS
        if kind_folder(kind).is_dir()
        for path in sorted(kind_folder(kind).iterdir())
        if not path.name.startswith(".")
    ]


def totals(cache_entries: Iterable[CacheEntry]) -> list[KindTotal]:
    """Return the entries, bytes and times of each kind, the largest first."""
    rows = []
    for kind, group in groupby(sorted(cache_entries, key=lambda entry: entry.kind), key=lambda entry: entry.kind):
        sizes, times = zip(*((entry.bytes, entry.used) for entry in group), strict=True)
        rows.append(KindTotal(kind, len(sizes), sum(sizes), min(times), max(times)))
    return sorted(rows, key=lambda row: -row.bytes)


def prune(*, older: float | None = None, max_bytes: float | None = None, kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """Remove entries unused for `older` seconds, then the least recently used ones until `max_bytes` are left.

    Recomputable entries go before fetched ones. Entries used in the last hour stay. Temporary folders of killed
    processes are removed too. Return the removed entries.
    """
    if older is None and max_bytes is None:
        raise WordworthError("say what to remove: --older DAYS, or --max-size GB")
    _remove_stale()
    now, candidates, removed = time.time(), entries(kinds), []
    total = sum(entry.bytes for entry in candidates)
    for entry in sorted(candidates, key=lambda entry: (entry.kind in FETCHED_KINDS, entry.used)):
        is_old = older is not None and now - entry.used > older
        is_too_much = max_bytes is not None and total > max_bytes
        is_in_use = now - entry.used < IN_USE_SECONDS
        if (is_old or is_too_much) and not is_in_use and _remove(entry):
            total -= entry.bytes
            removed.append(entry)
    return removed


def clear(kinds: Sequence[str] = (), *, fetched: bool = False) -> list[CacheEntry]:
    """Remove all recomputable entries, or all of these kinds; with `fetched`, also what was fetched."""
    _remove_stale()
    candidates = [entry for entry in entries(kinds) if kinds or fetched or entry.kind not in FETCHED_KINDS]
    return [entry for entry in candidates if _remove(entry)]


def _remove_stale() -> None:
    """Remove the temporary folders that were unchanged for a day: their writers were killed."""
    for path in list(cache_dir().rglob(f".*{SCRATCH}")):
        with suppress(OSError):  # its writer has just ended
            if time.time() - max(member.lstat().st_mtime for member in (path, *path.rglob("*"))) > STALE_SECONDS:
                shutil.rmtree(path)


def _last_used(path: Path) -> float:
    """Return when an entry was last used: the time of its folder, or of its newest part."""
    part_folders = [member for member in path.iterdir() if member.is_dir()] if path.is_dir() else []
    return max(folder.stat().st_mtime for folder in (path, *part_folders))


def _remove(entry: CacheEntry) -> bool:
    """Remove an entry unless a process is making it; return whether it was removed."""
    try:
        # Moved in one step: a half-removed entry would count as recently used and survive the next `prune`.
        with hold_lock(entry.path, wait=False), scratch(entry.path) as aside, space_checked(entry.path.parent):
            if entry.path.exists():
                entry.path.replace(aside / "removed")
    except Timeout:
        return False
    return True

"""What the cache holds, by kind, size and age; and removing what is old or too large."""

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
"""What was used so short a time ago may be in use, and is not pruned."""
STALE_SECONDS = 86400.0
"""After so long without a change, a temporary folder is taken for one of a killed process."""


@dataclass(frozen=True)
class CacheEntry:
    """One entry of the cache."""

    kind: str
    path: Path
    bytes: int
    used: float
    """When it was last used, in seconds since 1970."""


@dataclass(frozen=True)
class KindTotal:
    """All entries of a kind."""

    kind: str
    entries: int
    bytes: int
    oldest: float
    """When the one that was not used for the longest time was used."""
    newest: float


def entries(kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """List every entry of the cache, or of these kinds."""
    for kind in kinds:
        if kind not in CACHE_KINDS:
            raise WordworthError(
                f"the cache has no kind {kind!r}{nearest(kind, [*CACHE_KINDS])}; there are {', '.join(CACHE_KINDS)}"
            )
    return [
        CacheEntry(kind, path, size_of(path), _last_used(path))
        for kind in kinds or CACHE_KINDS
        if kind_folder(kind).is_dir()
        for path in sorted(kind_folder(kind).iterdir())
        if not path.name.startswith(".")
    ]


def totals(listed: Iterable[CacheEntry]) -> list[KindTotal]:
    """Return the entries, bytes and times of each kind, the largest first."""
    rows = []
    for kind, group in groupby(sorted(listed, key=lambda entry: entry.kind), key=lambda entry: entry.kind):
        sizes, times = zip(*((entry.bytes, entry.used) for entry in group), strict=True)
        rows.append(KindTotal(kind, len(sizes), sum(sizes), min(times), max(times)))
    return sorted(rows, key=lambda row: -row.bytes)


def prune(*, older: float | None = None, max_bytes: float | None = None, kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """Remove what was not used for `older` seconds, then what was not used for longest until `max_bytes` are left.

    What can be computed again goes before what was fetched. Entries used in the last hour stay. Return what was
    removed; temporary folders that killed processes left are removed too.
    """
    if older is None and max_bytes is None:
        raise WordworthError("say what to remove: --older DAYS, or --max-size GB")
    _remove_stale()
    now, kept, removed = time.time(), entries(kinds), []
    total = sum(entry.bytes for entry in kept)
    for entry in sorted(kept, key=lambda entry: (entry.kind in FETCHED_KINDS, entry.used)):
        is_old = older is not None and now - entry.used > older
        is_too_much = max_bytes is not None and total > max_bytes
        is_in_use = now - entry.used < IN_USE_SECONDS
        if (is_old or is_too_much) and not is_in_use and _remove(entry):
            total -= entry.bytes
            removed.append(entry)
    return removed


def clear(kinds: Sequence[str] = (), *, fetched: bool = False) -> list[CacheEntry]:
    """Remove all that can be computed again, or all of these kinds; what was fetched only if that is asked for."""
    _remove_stale()
    chosen = [entry for entry in entries(kinds) if kinds or fetched or entry.kind not in FETCHED_KINDS]
    return [entry for entry in chosen if _remove(entry)]


def _remove_stale() -> None:
    """Remove the temporary folders that nothing was written to for a day: their writers were killed."""
    for path in list(cache_dir().rglob(f".*{SCRATCH}")):
        with suppress(OSError):  # its writer has just ended
            if time.time() - max(one.lstat().st_mtime for one in (path, *path.rglob("*"))) > STALE_SECONDS:
                shutil.rmtree(path)


def _last_used(path: Path) -> float:
    """Return when an entry was used: a folder's time is set then; of an entry that grows, that of its parts."""
    parts = [part for part in path.iterdir() if part.is_dir()] if path.is_dir() else []
    return max(place.stat().st_mtime for place in (path, *parts))


def _remove(entry: CacheEntry) -> bool:
    """Remove an entry, unless it is just being made; return whether it was."""
    try:
        # Moved aside in one step: half an entry would count as used just now, and so outlive the next `prune`.
        with hold_lock(entry.path, wait=False), scratch(entry.path) as aside, space_checked(entry.path.parent):
            if entry.path.exists():
                entry.path.replace(aside / "removed")
    except Timeout:
        return False
    return True

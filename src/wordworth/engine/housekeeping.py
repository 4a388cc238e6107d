"""What the cache holds, by kind, size and age; checking it, and removing what is old, large or damaged."""

import hashlib
import re
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from wordworth.engine.cache import FETCHED, KINDS, SUMS, CacheSlot, kind_folder
from wordworth.errors import WordworthError, nearest
from wordworth.files import SCRATCH, cache_dir, locked, scratch, sha256_of, size_of, space_checked

IN_USE_SECONDS = 3600.0
"""What was used so short a time ago may be in use, and is not pruned."""
STALE_SECONDS = 86400.0
"""After so long without a change, a temporary folder is taken for one of a killed process."""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SECONDS = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}


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


def parsed_age(text: str) -> float:
    """`30d`, `12h` or `2w` in seconds."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)([hdw])", text.strip().lower())
    if not match:
        raise WordworthError(f"the age {text[:40]!r} is not a number with h, d or w behind it; write 30d")
    return float(match[1]) * _SECONDS[match[2]]


def parsed_size(text: str) -> int:
    """`5GB`, `200M` or a number of bytes; 1 GB is 10⁹ bytes."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)\s*([kmgt]?)b?", text.strip().lower())
    if not match:
        raise WordworthError(f"the size {text[:40]!r} is not a number with kB, MB, GB or TB behind it; write 5GB")
    return int(float(match[1]) * _UNITS[match[2]])


def entries(kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """Every entry of the cache, or of these kinds; folders of earlier versions are kinds by their own name."""
    return [
        CacheEntry(folder.name, path, size_of(path), _last_used(path))
        for folder in _folders(kinds)
        for path in sorted(folder.iterdir())
        if not path.name.startswith(".")
    ]


def totals(listed: Iterable[CacheEntry]) -> list[KindTotal]:
    """Entries, bytes and times of each kind, the largest first."""
    by_kind: dict[str, list[CacheEntry]] = {}
    for entry in listed:
        by_kind.setdefault(entry.kind, []).append(entry)
    rows = [
        KindTotal(
            kind,
            len(members),
            sum(entry.bytes for entry in members),
            min(entry.used for entry in members),
            max(entry.used for entry in members),
        )
        for kind, members in by_kind.items()
    ]
    return sorted(rows, key=lambda row: -row.bytes)


def prune(*, older: float | None = None, max_bytes: int | None = None, kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """Remove what was not used for `older` seconds, then what was not used for longest until `max_bytes` are left.

    What can be computed again goes before what was fetched. Entries used in the last hour stay. Return what was
    removed; temporary folders that killed processes left are removed too.
    """
    if older is None and max_bytes is None:
        raise WordworthError("say what to remove: --older 30d, or --max-size 5GB")
    _remove_stale()
    now, kept, removed = time.time(), entries(kinds), []
    total = sum(entry.bytes for entry in kept)
    for entry in sorted(kept, key=lambda entry: (entry.kind in FETCHED, entry.used)):
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
    chosen = [entry for entry in entries(kinds) if kinds or fetched or entry.kind not in FETCHED]
    return [entry for entry in chosen if _remove(entry)]


def verify(kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """Measure every file of the cache, and remove entries and parts that are damaged: they are made again.

    What has no checksum, as a download that was cut off, is skipped.
    """
    return [damaged for entry in entries(kinds) for damaged in _damaged(entry) if _remove(damaged)]


def _remove_stale() -> None:
    """Remove the temporary folders that nothing was written to for a day: their writers were killed."""
    for path in list(cache_dir().rglob(f".*{SCRATCH}")):
        with suppress(OSError):  # its writer has just ended
            if time.time() - max(one.lstat().st_mtime for one in (path, *path.rglob("*"))) > STALE_SECONDS:
                shutil.rmtree(path)


def _folders(kinds: Sequence[str] = ()) -> list[Path]:
    """The folders of the kinds that are there."""
    there = {path.name: path for path in _children(cache_dir()) if path.is_dir() and path.name[0] != "."}
    there |= {kind: kind_folder(kind) for kind in KINDS if kind_folder(kind).is_dir()}
    known = sorted({*there, *KINDS})
    for kind in kinds:
        if kind not in known:
            raise WordworthError(
                f"the cache has no kind {kind!r}{nearest(kind, known)}; the kinds are {', '.join(known)}"
            )
    return [there[kind] for kind in sorted(there) if not kinds or kind in kinds]


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _last_used(path: Path) -> float:
    """A folder's time is set when it is used; of an entry that grows, that of its parts."""
    parts = [part for part in path.iterdir() if part.is_dir()] if path.is_dir() else []
    return max(place.stat().st_mtime for place in (path, *parts))


def _remove(entry: CacheEntry) -> bool:
    """Remove an entry, unless it is just being made; return whether it was."""
    try:
        # Moved aside in one step: half an entry would count as used just now, and so outlive the next `prune`.
        with locked(entry.path, wait=False), scratch(entry.path) as aside, space_checked(entry.path.parent):
            if entry.path.exists():
                entry.path.replace(aside / "removed")
    except Timeout:
        return False
    return True


def _damaged(entry: CacheEntry) -> list[CacheEntry]:
    """The entry, or those of its parts, that are not as they were written."""
    path, has_sums = entry.path, (entry.path / SUMS).exists()
    if entry.kind == "files":
        return [] if _names_itself(path) else [entry]
    if entry.kind not in KINDS or (entry.kind in FETCHED and not has_sums):
        return []  # nothing to check it by
    slot = CacheSlot(entry.kind, path)
    if has_sums or not path.is_dir() or _files_in(path):
        return [] if slot.is_intact() else [entry]
    parts = [part.path for part in slot.parts() if not part.is_intact()]
    return [CacheEntry(entry.kind, part, size_of(part), _last_used(part)) for part in parts]


def _files_in(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and path.name[0] != "."]


def _names_itself(folder: Path) -> bool:
    """Whether fetched data is what its folder is called by: a file's sha256, or that of the listing of several."""
    sums = {path.name: sha256_of(path) for path in _files_in(folder)} if folder.is_dir() else {}
    listing = "".join(f"{sums[name]} {name}\n" for name in sorted(sums))
    return folder.name in sums.values() or folder.name == hashlib.sha256(listing.encode()).hexdigest()

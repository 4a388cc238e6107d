"""What the cache holds, by kind, size and age; checking it, and removing what is old, large, damaged or abandoned."""

import hashlib
import re
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from wordworth.engine.cache import FETCHED, KINDS, SUMS, CacheSlot, kind_folder, temporary_folder
from wordworth.engine.in_use import forget_killed, in_use, unmarked
from wordworth.errors import WordworthError, nearest
from wordworth.files import (
    abandoned,
    cache_dir,
    forget_sums,
    locked,
    measured_sum,
    scratch,
    size_of,
    space_checked,
    sweep,
)

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SECONDS = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_OLD_SCRATCH = 3600.0
"""Seconds after which a hidden folder of an earlier version, which marked none, counts as abandoned."""


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
    """Removes what was not used for `older` seconds, then what was not used for longest until `max_bytes` are left.

    What can be computed again goes before what was fetched, and what another process uses stays. Gives what was
    removed; abandoned scratch folders go too.
    """
    if older is None and max_bytes is None:
        raise WordworthError("say what to remove: --older 30d, or --max-size 5GB")
    remove_abandoned()
    now, kept, removed = time.time(), entries(kinds), []
    total = sum(entry.bytes for entry in kept)
    for entry in sorted(kept, key=lambda entry: (entry.kind in FETCHED, entry.used)):
        is_old = older is not None and now - entry.used > older
        is_too_much = max_bytes is not None and total > max_bytes
        if (is_old or is_too_much) and _remove(entry):
            total -= entry.bytes
            removed.append(entry)
    return removed


def clear(kinds: Sequence[str] = (), *, fetched: bool = False) -> list[CacheEntry]:
    """Removes all that can be computed again, or all of these kinds; what was fetched only where that is asked for.

    What another process uses stays.
    """
    remove_abandoned()
    chosen = [entry for entry in entries(kinds) if kinds or fetched or entry.kind not in FETCHED]
    return [entry for entry in chosen if _remove(entry)]


def verify(kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """Measures every file of the cache anew, and removes entries and parts that are damaged: they are made again.

    What has no checksum, as a download that was cut off, is passed over.
    """
    forget_sums()
    return [damaged for entry in entries(kinds) for damaged in _damaged(entry) if _remove(damaged, used_too=True)]


def remove_abandoned() -> int:
    """Removes what killed writers left in the cache, and killed runs without one; gives the bytes that this freed."""
    forget_killed()
    freed = sweep(temporary_folder()) + sweep(cache_dir())
    for folder in _folders():
        for place in (folder, *(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")):
            freed += sweep(place)
            for left in place.glob(".*"):
                freed += _remove_left(left)
    return freed


def abandoned_bytes() -> int:
    """The bytes of what killed writers left in the cache, and killed runs without one."""
    folders = [place for folder in _folders() for place in (folder, *(path for path in folder.iterdir()))]
    folders += [temporary_folder(), cache_dir()]
    return sum(size_of(left) for place in folders if place.is_dir() for left in abandoned(place))


def _remove_left(path: Path) -> int:
    """Locks that nobody holds, and hidden folders of earlier versions."""
    if path.suffix == ".lock":
        with suppress(OSError, Timeout), FileLock(path, timeout=0):
            path.unlink()
        return 0
    with suppress(OSError):
        if path.is_dir() and not path.name.endswith(".wordworth-part"):
            if time.time() - path.stat().st_mtime < _OLD_SCRATCH:
                return 0
            size = size_of(path)
            shutil.rmtree(path)
            return size
    return 0


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


def used_by_others(kinds: Sequence[str] = ()) -> list[CacheEntry]:
    """The entries that other processes use, which `prune` and `clear` leave."""
    used = in_use()
    return [entry for entry in entries(kinds) if entry.path in used] if used else []


def _remove(entry: CacheEntry, *, used_too: bool = False) -> bool:
    """Whether the entry was removed: one that is just being made stays, and one that another process uses."""
    try:
        # Moved aside in one step: half an entry would count as used just now, and so outlive the next `prune`.
        with locked(entry.path, wait=False), scratch(entry.path) as aside, space_checked(entry.path.parent), unmarked():
            if not used_too and entry.path in in_use():
                return False
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
        return [] if slot.sound() else [entry]
    parts = [part.path for part in slot.parts() if not part.sound()]
    return [CacheEntry(entry.kind, part, size_of(part), _last_used(part)) for part in parts]


def _files_in(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and path.name[0] != "."]


def _names_itself(folder: Path) -> bool:
    """Whether fetched data is what its folder is called by: a file's sha256, or that of the listing of several."""
    sums = {path.name: measured_sum(path) for path in _files_in(folder)} if folder.is_dir() else {}
    listing = "".join(f"{sums[name]} {name}\n" for name in sorted(sums))
    return folder.name in sums.values() or folder.name == hashlib.sha256(listing.encode()).hexdigest()

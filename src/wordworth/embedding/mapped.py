"""What was read once is kept in the cache: the matrix as a `.npy` that is mapped, the words as one UTF-8 text.

An entry is named by where the files lie and by what they are (size, time, inode), so that a changed file is never
taken for the one that was read. An entry appears whole or not at all, and one that was cut or altered is made again.
"""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.blocks import Reading, gather
from wordworth.embedding.flaws import Flaws
from wordworth.embedding.paired import matrix_of
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, locked, replacing

_LAYOUT = 1  # raised whenever an entry is written differently, or the same file would be read differently

Begin = Callable[[], tuple[Reading, Flaws]]


@dataclass(frozen=True)
class Stored:
    """What a file was read into."""

    words: list[str]
    matrix: NDArray[np.floating]
    sha256: str
    language: str
    dropped: tuple[str, ...]


def identity(files: tuple[Path, ...]) -> list[list[str | int]]:
    """What tells a file from a changed one without reading it."""
    stats = [(path.resolve(), path.stat()) for path in files]
    return [[str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino] for path, stat in stats]


def _short(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:20]


def entry_of(state: list[list[str | int]], options: tuple[str, ...]) -> Path:
    """The folder of the entry: one part for the place and the options, one for the state (`identity`) of the files."""
    place = _short([[name for name, *_ in state], options])
    return cache_dir() / "embeddings" / f"{place}-{_short([_LAYOUT, state])}"


def unchanged(files: tuple[Path, ...], before: list[list[str | int]]) -> None:
    """Stops when a file changed while it was read."""
    if identity(files) != before:
        raise WordworthError(f"{files[0]} changed while it was read; wait until it is whole and load it again")


def stored(entry: Path) -> Stored | None:
    """The entry, or None when it is not there or not as it was written."""
    try:
        meta: dict[str, Any] = json.loads((entry / "meta.json").read_text(encoding="utf-8"))
        if any(_state(entry / name) != state for name, state in meta["files"].items()):
            return None
        words = (entry / "words.txt").read_bytes().decode().split("\n")
        matrix = matrix_of(Path(meta["in_place"]) if meta["in_place"] else entry / "matrix.npy")
    except (FileNotFoundError, ValueError, KeyError, TypeError, WordworthError):
        return None
    if matrix.shape != (len(words), meta["dim"]):
        return None
    return Stored(words, matrix, meta["sha256"], meta["language"], tuple(meta["dropped"]))


def _state(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def _npy_header(stream: BinaryIO, rows: int, dim: int) -> None:
    # numpy pads the header so that it stays as long when rows are added.
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)})


def _write_matrix(path: Path, reading: Reading, flaws: Flaws) -> list[str]:
    """Streams the rows to a `.npy` file whose number of rows is filled in at the end."""
    with path.open("wb") as stream:
        _npy_header(stream, 0, reading.dim)
        start = stream.tell()
        words = gather(reading, flaws, stream)
        stream.seek(0)
        _npy_header(stream, len(words), reading.dim)
        assert stream.tell() == start
    return words


def _build(entry: Path, begin: Begin, files: tuple[Path, ...], before: list[list[str | int]]) -> None:
    with replacing(entry) as part:
        part.mkdir()
        reading, flaws = begin()
        in_place = reading.in_place
        words = gather(reading, flaws, None) if in_place else _write_matrix(part / "matrix.npy", reading, flaws)
        if in_place and flaws.counts:  # rows are left out: the file itself is not the matrix
            in_place = None
            reading, flaws = begin()
            words = _write_matrix(part / "matrix.npy", reading, flaws)
        (part / "words.txt").write_bytes("\n".join(words).encode())
        meta = {
            "dim": reading.dim,
            "sha256": reading.sha256(),
            "language": reading.language,
            "dropped": flaws.dropped(),
            "in_place": str(in_place.resolve()) if in_place else "",
            "files": {path.name: _state(path) for path in sorted(part.iterdir())},
        }
        (part / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")
        unchanged(files, before)


def through_cache(files: tuple[Path, ...], options: tuple[str, ...], begin: Begin) -> Stored:
    """From the cache; read and put there first if need be. Of processes that ask at once, one reads."""
    before = identity(files)
    entry = entry_of(before, options)
    found = stored(entry)
    if found is not None:
        return found
    place = entry.name.partition("-")[0]
    with locked(entry.with_name(place)):
        found = stored(entry)  # another process may have made it meanwhile
        if found is not None:
            return found
        shutil.rmtree(entry, ignore_errors=True)
        _build(entry, begin, files, before)
        for old in entry.parent.glob(f"{place}-*"):  # of the same file before it was changed
            if old != entry:
                shutil.rmtree(old, ignore_errors=True)
        found = stored(entry)
    if found is None:
        raise WordworthError(f"{entry} cannot be read back; choose another folder with WORDWORTH_CACHE")
    return found

"""What was read once is kept in the cache: the matrix as a `.npy` that is mapped, the words as one UTF-8 text.

An entry is named by where the files lie, and its one part by what they are (size, time, inode), so that a changed file
is never taken for the one that was read.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.blocks import VectorFile, gather
from wordworth.embedding.flaws import Flaws
from wordworth.embedding.paired import matrix_of
from wordworth.engine.cache import key_of, slot
from wordworth.errors import WordworthError
from wordworth.files import locked, measured_sum

_LAYOUT = 2  # raised whenever an entry is written differently, or the same file would be read differently

Begin = Callable[[], tuple[VectorFile, Flaws]]
State = list[list[str | int]]


@dataclass(frozen=True)
class Stored:
    """What a file was read into."""

    words: list[str]
    matrix: NDArray[np.floating]
    sha256: str
    language: str
    dropped: tuple[str, ...]


def identity(files: tuple[Path, ...]) -> State:
    """What tells a file from one that changes while it is read."""
    stats = [(path.resolve(), path.stat()) for path in files]
    return [[str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino] for path, stat in stats]


def unchanged(files: tuple[Path, ...], before: State) -> None:
    """Stops when a file changed while it was read."""
    if identity(files) != before:
        raise WordworthError(f"{files[0]} changed while it was read; wait until it is whole and load it again")


def _stored(folder: Path) -> Stored:
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    words = (folder / "words.txt").read_bytes().decode().split("\n")
    matrix = matrix_of(Path(meta["in_place"]) if meta["in_place"] else folder / "matrix.npy")
    return Stored(words, matrix, meta["sha256"], meta["language"], tuple(meta["dropped"]))


def _npy_header(stream: BinaryIO, rows: int, dim: int) -> None:
    # numpy pads the header so that it stays as long when rows are added.
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)})


def _write_matrix(path: Path, reading: VectorFile, flaws: Flaws) -> list[str]:
    """Streams the rows to a `.npy` file whose number of rows is filled in at the end."""
    with path.open("wb") as stream:
        _npy_header(stream, 0, reading.dim)
        start = stream.tell()
        words = gather(reading, flaws, stream)
        stream.seek(0)
        _npy_header(stream, len(words), reading.dim)
        assert stream.tell() == start
    return words


def _build(folder: Path, begin: Begin, files: tuple[Path, ...], before: State) -> None:
    reading, flaws = begin()
    in_place = reading.in_place
    words = gather(reading, flaws, None) if in_place else _write_matrix(folder / "matrix.npy", reading, flaws)
    if in_place and flaws.counts:  # rows are skipped: the file itself is not the matrix
        in_place = None
        reading, flaws = begin()
        words = _write_matrix(folder / "matrix.npy", reading, flaws)
    (folder / "words.txt").write_bytes("\n".join(words).encode())
    meta = {
        "sha256": reading.sha256(),
        "language": reading.language,
        "dropped": flaws.dropped(),
        "in_place": str(in_place.resolve()) if in_place else "",
    }
    (folder / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")
    unchanged(files, before)


def through_cache(files: tuple[Path, ...], options: tuple[str, ...], begin: Begin) -> Stored:
    """From the cache; read and put there first if need be. Of processes that ask at once, one reads."""
    before = identity(files)
    entry = slot("embeddings", [_LAYOUT, options, [name for name, *_ in before]])
    part = entry.part(key_of([[str(path.resolve()), measured_sum(path)] for path in files]))
    if not part.sound():
        with locked(entry.path):
            if not part.whole():
                part.write(lambda folder: _build(folder, begin, files, before))
                for old in entry.parts():  # of the same files before they were changed
                    if old != part:
                        shutil.rmtree(old.path, ignore_errors=True)
    return _stored(part.path)

"""`load`: a file of word vectors becomes an `Embedding`.

What was read once is kept in the cache: the matrix as a `.npy` that is mapped, the words as one UTF-8 text.
"""

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wordworth.embedding.arrays import map_matrix
from wordworth.embedding.blocks import Flaws, OnBad, VectorFile, gather
from wordworth.embedding.core import Embedding, Provenance
from wordworth.embedding.formats import begin, check_format, files_of
from wordworth.embedding.streams import sha256_of_all
from wordworth.engine.cache import entry
from wordworth.errors import WordworthError
from wordworth.files import measured_sum

_LAYOUT = 3  # raised whenever an entry is written differently, or the same file would be read differently
_SUFFIXES = {".gz", ".bz2", ".xz", ".zip", ".txt", ".vec", ".bin", ".npz", ".npy", ".safetensors", ".kv", ".model"}


def name_of(path: Path) -> str:
    """Return what tables call a file when nobody says: its name without what tells the format."""
    name = path.name
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    return name.removesuffix("-w") if path.name.endswith("-w.npy") else name


def load(
    path: Path | str,
    *,
    name: str | None = None,
    language: str = "",
    format: str | None = None,  # noqa: A002
    on_bad: OnBad = "stop",
) -> Embedding:
    """Read word vectors in any of `FORMATS`, recognised by content and name unless `format` says which.

    `on_bad`: rows with NaN, infinity, only zeros, a repeated word, a wrong number of fields or a wrong encoding either
    stop the reading with their line, or are skipped and listed in `provenance.dropped` (of repeats the first is kept).
    `language` goes to the provenance, and says which words of Numberbatch to keep (English unless it is given).
    Vectors are float32 and read-only.
    """
    if on_bad not in ("stop", "drop"):
        raise WordworthError(f"on-bad is {on_bad!r}; it can be stop or drop")
    if format is not None:
        check_format(format)
    source = Path(path).expanduser()
    files = files_of(source)
    sums = [[file.name, measured_sum(file)] for file in files]

    def build(folder: Path) -> None:
        _build(folder, *begin(files, format, language, on_bad))
        if [[file.name, measured_sum(file)] for file in files] != sums:
            raise WordworthError(f"{files[0]} changed while it was read; wait until it is whole and load it again")

    folder = entry("embeddings", [_LAYOUT, format or "", on_bad, language, sums], build)
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    provenance = Provenance(
        name=name or (source.name if source.is_dir() else name_of(files[0])),
        source=str(source),
        sha256=sums[0][1] if len(files) == 1 else sha256_of_all(files),
        language=language or meta["language"],
        dropped=tuple(meta["dropped"]),
    )
    words = (folder / "words.txt").read_bytes().decode().split("\n")
    return Embedding(words, map_matrix(folder / "matrix.npy"), provenance)


def _build(folder: Path, reading: VectorFile, flaws: Flaws) -> None:
    words = _write_matrix(folder / "matrix.npy", reading, flaws)
    (folder / "words.txt").write_bytes("\n".join(words).encode())
    meta = {"language": reading.language, "dropped": flaws.dropped()}
    (folder / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")


def _write_matrix(path: Path, reading: VectorFile, flaws: Flaws) -> list[str]:
    """Stream the rows to a `.npy` file whose number of rows is filled in at the end."""
    with path.open("wb") as stream:
        _npy_header(stream, 0, reading.dim)
        start = stream.tell()
        words = gather(reading, flaws, stream)
        stream.seek(0)
        _npy_header(stream, len(words), reading.dim)
        assert stream.tell() == start
    return words


def _npy_header(stream: BinaryIO, rows: int, dim: int) -> None:
    # numpy pads the header so that it stays as long when rows are added.
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)})

"""`load`: a file of word vectors becomes an `Embedding`, memory-mapped from the second time on."""

import io
from pathlib import Path

import numpy as np

from wordworth.embedding import mapped
from wordworth.embedding.blocks import gather
from wordworth.embedding.core import Embedding, Provenance
from wordworth.embedding.flaws import OnBad
from wordworth.embedding.formats import begin, check_format, files_of
from wordworth.embedding.paired import matrix_of
from wordworth.errors import WordworthError

_SUFFIXES = {".gz", ".bz2", ".xz", ".zip", ".txt", ".vec", ".bin", ".npz", ".npy", ".safetensors", ".kv", ".model"}


def _name_of(path: Path) -> str:
    """What tables call a file when nobody says: its name without what tells the format."""
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
    cache: bool = True,
) -> Embedding:
    """Reads word vectors in any of `FORMATS`, recognised by content and name unless `format` says which.

    `on_bad`: rows with NaN, infinity, only zeros, a repeated word, a wrong number of fields or a wrong encoding either
    stop the reading with their line, or are skipped and listed in `provenance.dropped` (of repeats the first is kept).
    `language` goes to the provenance, and says which words of Numberbatch to keep (English unless it is given).
    `cache=False` reads the file anew and keeps nothing. Vectors are float32 and read-only.
    """
    if on_bad not in ("stop", "drop"):
        raise WordworthError(f"on-bad is {on_bad!r}; it can be stop or drop")
    if format is not None:
        check_format(format)
    source = Path(path).expanduser()
    files = files_of(source)
    if cache:
        options = (format or "", on_bad, language)
        stored = mapped.through_cache(files, options, lambda: begin(files, format, language, on_bad))
    else:
        stored = _in_memory(files, format, language, on_bad)
    provenance = Provenance(
        name=name or (source.name if source.is_dir() else _name_of(files[0])),
        source=str(source),
        sha256=stored.sha256,
        language=language or stored.language,
        dropped=stored.dropped,
    )
    return Embedding(stored.words, stored.matrix, provenance)


def _in_memory(files: tuple[Path, ...], format: str | None, language: str, on_bad: OnBad) -> mapped.Stored:  # noqa: A002
    before = mapped.identity(files)
    reading, flaws = begin(files, format, language, on_bad)
    words = gather(reading, flaws, None) if reading.in_place else []
    if reading.in_place and not flaws.counts:
        matrix = matrix_of(reading.in_place)
    else:
        if reading.in_place:
            reading, flaws = begin(files, format, language, on_bad)
        rows = io.BytesIO()
        words = gather(reading, flaws, rows)
        matrix = np.frombuffer(rows.getbuffer(), dtype="<f4").reshape(len(words), reading.dim)
        matrix.flags.writeable = False
    mapped.unchanged(files, before)
    return mapped.Stored(words, matrix, reading.sha256(), reading.language, flaws.dropped())

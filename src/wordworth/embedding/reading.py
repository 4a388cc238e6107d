"""`load`: a file of word vectors becomes an `Embedding`.

Its format is recognised by content and name; in doubt it stops and asks. What was read once is kept in the cache: the
matrix as float32 that is mapped, the words as one UTF-8 text.
"""

import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wordworth.embedding import arrays, pickles, word2vec
from wordworth.embedding.blocks import FlawKind, Flaws, OnBad, VectorFile, gather, inner_name, sample
from wordworth.embedding.core import Embedding, Provenance
from wordworth.engine.cache import entry, hash_content
from wordworth.errors import LibraryErrors, WordworthError, nearest
from wordworth.files import compression, measured_sum, plain_name

EMBEDDING_FORMATS = {
    "word2vec": "text with a header line",
    "fasttext": "the .vec text of fastText, the same",
    "glove": "text without a header",
    "numberbatch": "text whose words are /c/LANGUAGE/word",
    "word2vec-binary": "the .bin of word2vec",
    "npz": "arrays words and vectors",
    "safetensors": "tensors words and vectors",
    "hdf5": "a list of words and a matrix in one group",
    "gensim": "KeyedVectors.save or Word2Vec.save",
    "histwords": "1800-w.npy next to 1800-vocab.pkl",
    "npy-parquet": "a .npy matrix next to a parquet index",
    "spacy": "the folder of a spaCy model: vectors, key2row and strings.json",
}
SPACY_FILES = ("vectors", "key2row", "strings.json")
_TEXT = ("word2vec", "fasttext", "glove", "numberbatch")
# Languages as the catalog names them → as ConceptNet does; a code is taken for any other language.
_CODES = {
    "": "en", "arabic": "ar", "chinese": "zh", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr",
    "german": "de", "italian": "it", "japanese": "ja", "korean": "ko", "polish": "pl", "portuguese": "pt",
    "russian": "ru", "spanish": "es", "thai": "th", "turkish": "tr",
}  # fmt: skip
_READERS: dict[str, Callable[..., VectorFile]] = {
    "npz": arrays.read_npz,
    "safetensors": arrays.read_safetensors,
    "hdf5": arrays.read_hdf5,
    "gensim": pickles.read_keyed_vectors,
    "npy-parquet": arrays.read_indexed,
    "histwords": pickles.read_histwords,
    "spacy": arrays.read_spacy,
}
_WORDS_IN = {"npy-parquet": ".parquet", "histwords": ".pkl", "spacy": ".json"}
"""Format → how the file beside the matrix ends that has the words."""
_KNOWN_OTHERS = {
    b"\xba\x16O/": "a fastText model; give the .vec file that goes with it",
}
_CONTROL = bytes([*range(9), *range(14, 32)])
"""Bytes that no text has and float32 numbers nearly always have."""
MATRIX = "matrix.f4"
_CACHE_VERSION = 4  # raised whenever an entry is written differently, or the same file would be read differently


def check_format(name: str) -> None:
    """Stops at a name that is no format."""
    if name not in EMBEDDING_FORMATS:
        known = "; ".join(f"{known}: {what}" for known, what in EMBEDDING_FORMATS.items())
        raise WordworthError(f"no format is called {name!r}{nearest(name, list(EMBEDDING_FORMATS))} (known: {known})")


def _unknown(path: Path, why: str) -> WordworthError:
    return WordworthError(
        f"{path}: {why}; name its format with --file-format (format= in Python): {', '.join(EMBEDDING_FORMATS)}"
    )


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files that are read for `path`, the matrix or main file first."""
    if path.is_dir():
        if of_spacy := spacy_files_in(path):
            return of_spacy
        matrix = _indexed_matrix_in(path)
        if matrix is None:
            raise WordworthError(
                f"{path} is a folder without one .npy matrix and its parquet index, and without a spaCy model's "
                "vectors; give the path of a file in it"
            )
        path = matrix
    if not path.is_file():
        raise WordworthError(
            f"there is no file {path}; check the path (`wordworth.load` takes names of the catalog too)"
        )
    if path.suffix == ".npy":
        beside = _vocabulary_beside(path) or _index_beside(path)
        return (path, beside) if beside else (path,)
    return (path, *_arrays_beside(path))


def spacy_files_in(folder: Path) -> tuple[Path, ...] | None:
    """Return the three files of a model's folder, or of a folder inside it; None if there are none."""
    for vocabulary in (folder, folder / "vocab", *sorted(folder.glob("*/vocab"))):
        if all((vocabulary / file).is_file() for file in SPACY_FILES):
            return tuple(vocabulary / file for file in SPACY_FILES)
    return None


def _index_beside(path: Path) -> Path | None:
    """Return the parquet index of a `.npy` file: of the same name, or the only one in the folder."""
    same = path.with_suffix(".parquet")
    if same.is_file():
        return same
    indexes = sorted(path.parent.glob("*.parquet"))
    return indexes[0] if len(indexes) == 1 else None


def _indexed_matrix_in(folder: Path) -> Path | None:
    """Return the only `.npy` file of a folder that has a parquet index too."""
    matrices = sorted(folder.glob("*.npy"))
    return matrices[0] if len(matrices) == 1 and _index_beside(matrices[0]) else None


def _arrays_beside(path: Path) -> list[Path]:
    """Return the arrays that gensim put in files of their own because they are large."""
    names = [f"{path.name}{part}.{vectors}.npy" for part in ("", ".wv") for vectors in pickles.VECTOR_NAMES]
    return [beside for name in names if (beside := path.with_name(name)).is_file()]


def _vocabulary_beside(path: Path) -> Path | None:
    """Return `1800-vocab.pkl` for `1800-w.npy`."""
    vocabulary = path.with_name(path.name.removesuffix("-w.npy") + "-vocab.pkl")
    return vocabulary if path.name.endswith("-w.npy") and vocabulary.is_file() else None


def histwords_decades(folder: Path | str) -> list[Path]:
    """Return the decades of a HistWords folder in order of time: the paths of `1800-w.npy`, `1810-w.npy`, …"""
    decades = [path for path in Path(folder).glob("*-w.npy") if re.fullmatch(r"\d{4}-w\.npy", path.name)]
    if not decades:
        raise WordworthError(f"{folder} has no HistWords decades; give a folder with files such as 1800-w.npy")
    return sorted(decades)


def recognise(files: tuple[Path, ...]) -> str:
    """Return the name of the format."""
    path = files[0]
    if len(files) == len(SPACY_FILES) and path.name == SPACY_FILES[0]:
        return "spacy"
    packed = compression(path)
    if packed == "zip" and _is_npz(path):
        return "npz"
    start = sample(path)
    if not start.strip():
        raise WordworthError(f"{path} is empty; fetch or copy the file again")
    for magic, what in _KNOWN_OTHERS.items():
        if start.startswith(magic):
            raise WordworthError(f"{path} is {what}")
    name = ""
    if start.startswith(b"\x93NUMPY"):
        if len(files) < 2:
            raise WordworthError(
                f"{path} is a matrix without words; put a parquet index, or for HistWords the -vocab.pkl, next to it"
            )
        name = "npy-parquet" if files[1].suffix == ".parquet" else "histwords"
    elif start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        if b"gensim" not in start[:200]:
            raise _unknown(path, "it is a pickle, and not one of gensim's")
        name = "gensim"
    elif start[8:9] == b"{" and 0 < int.from_bytes(start[:8], "little") < 1 << 32:
        name = "safetensors"
    elif start.startswith(b"\x89HDF"):
        name = "hdf5"
    if name and packed:
        raise WordworthError(f"{path} is a {packed} of {name}; unpack it and give the path of the file inside")
    return name or _text_or_binary(path, start)


def _is_npz(path: Path) -> bool:
    with LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again"), zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    return bool(names) and all(name.endswith(".npy") for name in names)


def _text_or_binary(path: Path, start: bytes) -> str:
    first, _, body = start.partition(b"\n")
    head = word2vec.header(first)
    shape = word2vec.layout(start)
    if head is None:
        if shape is None or any(byte in _CONTROL for byte in start[:1000]):
            raise _unknown(path, "its beginning is no format that is recognised")
        return "numberbatch" if shape.concepts else "glove"
    _, dim = head
    plain = "numberbatch" if shape is not None and shape.concepts else "word2vec"
    # From the surest sign to the weakest: a row that reads as text, bytes that no text has, the name.
    if not body.strip() or word2vec.numbers_at_end(body.partition(b"\n")[0]) >= dim > 0:
        return plain
    if any(byte in _CONTROL for byte in body):
        return "word2vec-binary"
    suffix = Path(inner_name(path)).suffix
    if suffix in (".bin", ".txt", ".vec"):
        return "word2vec-binary" if suffix == ".bin" else plain
    if shape is not None:
        return plain
    raise _unknown(path, f"after the header {first.decode(errors='replace')!r} it may be text or binary")


def _language_code(language: str) -> str:
    code = _CODES.get(language, language)
    if not (code.isalpha() and len(code) in (2, 3)):
        raise WordworthError(f"Numberbatch has no language {language!r}; give a ConceptNet code such as en, de or zh")
    return code


def begin(files: tuple[Path, ...], format: str | None, language: str, on_bad: OnBad) -> tuple[VectorFile, Flaws]:  # noqa: A002
    """Start to read: recognise the format unless it is given, and read as far as the shape."""
    path = files[0]
    chosen = format or recognise(files)
    # HistWords has rows for words absent in a decade, HDF5 for words without a vector; spaCy for pieces of white space,
    # and keys without their word.
    absent: frozenset[FlawKind] = frozenset({"zero"})
    usual: dict[str, frozenset[FlawKind]] = {"histwords": absent, "hdf5": absent, "spacy": frozenset({"word", "zero"})}
    flaws = Flaws(path, on_bad, "line" if chosen in _TEXT else "row", usual.get(chosen, frozenset()))
    if chosen in _TEXT:
        return _begin_text(path, chosen, language, flaws), flaws
    if chosen == "word2vec-binary":
        head = word2vec.header(sample(path).partition(b"\n")[0])
        if head is None or head[1] < 1:
            raise WordworthError(f"{path} does not begin with the number of rows and the dimension; {_not(chosen)}")
        _refuse_too_wide(path, head[1])
        return word2vec.read_binary(path, *head, flaws), flaws
    if chosen in _WORDS_IN and files[-1].suffix != _WORDS_IN[chosen]:
        raise WordworthError(f"{path} has no words next to it; the format {chosen} is {EMBEDDING_FORMATS[chosen]}")
    return _READERS[chosen](*files[: len(files) if chosen in _WORDS_IN else 1]), flaws


def _not(chosen: str) -> str:
    return f"it is not {chosen} ({EMBEDDING_FORMATS[chosen]})"


def _refuse_too_wide(path: Path, dim: int) -> None:
    if dim > word2vec.WIDEST:
        raise WordworthError(
            f"{path} says that a vector has {dim:,} numbers, and at most {word2vec.WIDEST:,} are read; fix its header"
        )


def _begin_text(path: Path, chosen: str, language: str, flaws: Flaws) -> VectorFile:
    shape = word2vec.layout(sample(path), headed=None if chosen == "numberbatch" else chosen != "glove")
    if shape is None:
        raise WordworthError(f"{path} does not begin as such a file does; {_not(chosen)}")
    _refuse_too_wide(path, shape.dim)
    concepts = chosen == "numberbatch"
    code = _language_code(language) if concepts else ""
    return word2vec.read_text(path, replace(shape, concepts=concepts), code, flaws)


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
    folder = entry(
        "embeddings",
        [_CACHE_VERSION, format or "", on_bad, language, sums],
        lambda into: _build(into, *begin(files, format, language, on_bad)),
    )
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    provenance = Provenance(
        name=name or (source.name if source.is_dir() else plain_name(files[0])),
        source=str(source),
        sha256=sums[0][1] if len(files) == 1 else hash_content(sums),
        language=language or meta["language"],
        dropped=tuple(meta["dropped"]),
    )
    words = (folder / "words.txt").read_bytes().decode().split("\n")
    matrix = np.memmap(folder / MATRIX, dtype="<f4", mode="r", shape=(len(words), meta["dim"]))
    return Embedding(words, matrix, provenance)


def _build(folder: Path, reading: VectorFile, flaws: Flaws) -> None:
    with (folder / MATRIX).open("wb") as stream:
        words = gather(reading, flaws, stream)
    (folder / "words.txt").write_bytes("\n".join(words).encode())
    meta = {"dim": reading.dim, "language": reading.language, "dropped": flaws.describe_dropped()}
    (folder / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")

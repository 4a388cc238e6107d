"""Load a file of word vectors as an `Embedding`.

Its format is recognised by content and name; if it is ambiguous, an error asks for it. The cache keeps each file that
was read: the matrix as memory-mapped float32, the words as one UTF-8 text.
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
from wordworth.files import checksum_of_input, compression, plain_name

EMBEDDING_FORMATS = {
    "word2vec": "text with a header line",
    "fasttext": "the .vec text of fastText, laid out as word2vec",
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
# The catalog's name of a language → ConceptNet's code; other languages are given by their code.
_LANGUAGE_CODES = {
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
_WORDS_FILE_SUFFIXES = {"npy-parquet": ".parquet", "histwords": ".pkl", "spacy": ".json"}
"""Format → suffix of the file with the words, next to the matrix."""
_UNSUPPORTED_MAGIC = {b"\xba\x16O/": "a fastText model; give the .vec file that goes with it"}
_CONTROL = bytes([*range(9), *range(14, 32)])
"""Bytes that text never has and float32 numbers nearly always have."""
MATRIX = "matrix.f4"
_CACHE_VERSION = 4  # raised whenever an entry is written differently, or the same file would be read differently


def check_format(name: str) -> None:
    """Raise for an unknown format."""
    if name not in EMBEDDING_FORMATS:
        formats = "; ".join(f"{known_name}: {layout}" for known_name, layout in EMBEDDING_FORMATS.items())
        raise WordworthError(f"unknown format {name!r}{nearest(name, list(EMBEDDING_FORMATS))}; formats are {formats}")


def _unknown(path: Path, why: str) -> WordworthError:
    return WordworthError(
        f"{path}: {why}; name its format with --file-format (format= in Python): {', '.join(EMBEDDING_FORMATS)}"
    )


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files to read for `path`, the matrix or main file first."""
    if path.is_dir():
        if spacy_files := spacy_files_in(path):
            return spacy_files
        matrix = _find_indexed_matrix(path)
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
        words_file = _find_vocabulary(path) or _find_index(path)
        return (path, words_file) if words_file else (path,)
    return (path, *_find_arrays(path))


def spacy_files_in(folder: Path) -> tuple[Path, ...] | None:
    """Return the three files of a spaCy model in a folder or in a folder inside it; None if there are none."""
    for vocabulary in (folder, folder / "vocab", *sorted(folder.glob("*/vocab"))):
        if all((vocabulary / file).is_file() for file in SPACY_FILES):
            return tuple(vocabulary / file for file in SPACY_FILES)
    return None


def _find_index(path: Path) -> Path | None:
    """Return the parquet index of a `.npy` file: the one of its name, or the only one in the folder."""
    same = path.with_suffix(".parquet")
    if same.is_file():
        return same
    indexes = sorted(path.parent.glob("*.parquet"))
    return indexes[0] if len(indexes) == 1 else None


def _find_indexed_matrix(folder: Path) -> Path | None:
    """Return the only `.npy` file of a folder, if it has a parquet index."""
    matrices = sorted(folder.glob("*.npy"))
    return matrices[0] if len(matrices) == 1 and _find_index(matrices[0]) else None


def _find_arrays(path: Path) -> list[Path]:
    """Return the files of the large arrays that gensim saved separately."""
    names = [f"{path.name}{part}.{vectors}.npy" for part in ("", ".wv") for vectors in pickles.VECTOR_NAMES]
    return [beside for name in names if (beside := path.with_name(name)).is_file()]


def _find_vocabulary(path: Path) -> Path | None:
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
    """Return the name of the format of these files."""
    path = files[0]
    if len(files) == len(SPACY_FILES) and path.name == SPACY_FILES[0]:
        return "spacy"
    packing = compression(path)
    if packing == "zip" and _is_npz(path):
        return "npz"
    start = sample(path)
    if not start.strip():
        raise WordworthError(f"{path} is empty; fetch or copy the file again")
    for magic, hint in _UNSUPPORTED_MAGIC.items():
        if start.startswith(magic):
            raise WordworthError(f"{path} is {hint}")
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
    if name and packing:
        raise WordworthError(f"{path} is a {packing} of {name}; unpack it and give the path of the file inside")
    return name or _text_or_binary(path, start)


def _is_npz(path: Path) -> bool:
    with LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again"), zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    return bool(names) and all(name.endswith(".npy") for name in names)


def _text_or_binary(path: Path, start: bytes) -> str:
    first_line, _, body = start.partition(b"\n")
    head = word2vec.header(first_line)
    shape = word2vec.layout(start)
    if head is None:
        if shape is None or any(byte in _CONTROL for byte in start[:1000]):
            raise _unknown(path, "its format is not recognised")
        return "numberbatch" if shape.concepts else "glove"
    _, dim = head
    text_format = "numberbatch" if shape is not None and shape.concepts else "word2vec"
    # From the surest sign to the weakest: a row that reads as text, bytes that no text has, the name.
    if not body.strip() or word2vec.numbers_at_end(body.partition(b"\n")[0]) >= dim > 0:
        return text_format
    if any(byte in _CONTROL for byte in body):
        return "word2vec-binary"
    suffix = Path(inner_name(path)).suffix
    if suffix in (".bin", ".txt", ".vec"):
        return "word2vec-binary" if suffix == ".bin" else text_format
    if shape is not None:
        return text_format
    raise _unknown(path, f"after the header {first_line.decode(errors='replace')!r} it may be text or binary")


def _language_code(language: str) -> str:
    code = _LANGUAGE_CODES.get(language, language)
    if not (code.isalpha() and len(code) in (2, 3)):
        raise WordworthError(f"Numberbatch has no language {language!r}; give a ConceptNet code such as en, de or zh")
    return code


def begin(files: tuple[Path, ...], format: str | None, language: str, on_bad: OnBad) -> tuple[VectorFile, Flaws]:  # noqa: A002
    """Start to read: recognise the format unless it is given, and read up to the shape."""
    path = files[0]
    name = format or recognise(files)
    # HistWords has rows of zeros for words that are absent in a decade, HDF5 for words without a vector. spaCy has
    # rows for white space, and keys without a word.
    zeros: frozenset[FlawKind] = frozenset({"zero"})
    exempt: dict[str, frozenset[FlawKind]] = {"histwords": zeros, "hdf5": zeros, "spacy": frozenset({"word", "zero"})}
    flaws = Flaws(path, on_bad, "line" if name in _TEXT else "row", exempt.get(name, frozenset()))
    if name in _TEXT:
        return _begin_text(path, name, language, flaws), flaws
    if name == "word2vec-binary":
        head = word2vec.header(sample(path).partition(b"\n")[0])
        if head is None or head[1] < 1:
            raise WordworthError(f"{path} does not begin with the number of rows and the dimension; {_not(name)}")
        _refuse_too_wide(path, head[1])
        return word2vec.read_binary(path, *head, flaws), flaws
    if name in _WORDS_FILE_SUFFIXES and files[-1].suffix != _WORDS_FILE_SUFFIXES[name]:
        raise WordworthError(f"{path} has no words next to it; the format {name} is {EMBEDDING_FORMATS[name]}")
    return _READERS[name](*files[: len(files) if name in _WORDS_FILE_SUFFIXES else 1]), flaws


def _not(name: str) -> str:
    return f"it is not {name} ({EMBEDDING_FORMATS[name]})"


def _refuse_too_wide(path: Path, dim: int) -> None:
    if dim > word2vec.MAX_DIM:
        raise WordworthError(
            f"{path} says that a vector has {dim:,} numbers, and at most {word2vec.MAX_DIM:,} are read; fix its header"
        )


def _begin_text(path: Path, name: str, language: str, flaws: Flaws) -> VectorFile:
    shape = word2vec.layout(sample(path), has_header=None if name == "numberbatch" else name != "glove")
    if shape is None:
        raise WordworthError(f"{path} does not begin as expected; {_not(name)}")
    _refuse_too_wide(path, shape.dim)
    concepts = name == "numberbatch"
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
    """Read word vectors in any of `EMBEDDING_FORMATS`, recognised by content and name unless `format` is given.

    `on_bad` is about rows with NaN, infinity, only zeros, a repeated word, or a wrong number of fields or encoding.
    "stop" raises with their line. "drop" skips them and lists them in `provenance.dropped`; the first of repeated words
    stays. `language` goes to the provenance and selects the words of Numberbatch (English unless given).
    Vectors are float32 and read-only.
    """
    if on_bad not in ("stop", "drop"):
        raise WordworthError(f"on_bad is {on_bad!r}; choose stop or drop")
    if format is not None:
        check_format(format)
    source = Path(path).expanduser()
    files = files_of(source)
    checksums = [[file.name, checksum_of_input(file)] for file in files]
    folder = entry(
        "embeddings",
        [_CACHE_VERSION, format or "", on_bad, language, checksums],
        lambda into: _build(into, *begin(files, format, language, on_bad)),
    )
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    provenance = Provenance(
        name=name or (source.name if source.is_dir() else plain_name(files[0])),
        source=str(source),
        sha256=checksums[0][1] if len(files) == 1 else hash_content(checksums),
        language=language or meta["language"],
        dropped=tuple(meta["dropped"]),
    )
    words = (folder / "words.txt").read_bytes().decode().split("\n")
    matrix = np.memmap(folder / MATRIX, dtype="<f4", mode="r", shape=(len(words), meta["dim"]))
    return Embedding(words, matrix, provenance)


def _build(folder: Path, file: VectorFile, flaws: Flaws) -> None:
    with (folder / MATRIX).open("wb") as stream:
        words = gather(file, flaws, stream)
    (folder / "words.txt").write_bytes("\n".join(words).encode())
    meta = {"dim": file.dim, "language": file.language, "dropped": flaws.describe_dropped()}
    (folder / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")

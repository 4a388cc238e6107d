"""Vectors in arrays: npz, safetensors, a spaCy model, and a `.npy` matrix with a parquet index of its words.

Ours hold `words` and `vectors`; others are read if it is plain which is which. No pickled array is ever read.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors import safe_open

from wordworth.embedding.blocks import VectorFile, slice_blocks
from wordworth.errors import Foreign, WordworthError, listed, reason_of


def read_matrix(path: Path, words: list[str], matrix: NDArray[np.floating]) -> VectorFile:
    """Pair the rows of a matrix with their words; stop when there are not as many words as rows."""
    if len(words) != len(matrix):
        raise WordworthError(
            f"{path} has {len(words):,} words and {len(matrix):,} vectors; make or fetch the file again"
        )
    return VectorFile(matrix.shape[1], slice_blocks(words, matrix))


def _strings(path: Path, array: NDArray[np.generic]) -> list[str]:
    """Return words that are kept as unicode, as bytes, or one per line in UTF-8."""
    if array.dtype.kind == "U":
        return [str(word) for word in array.tolist()]
    text = b"\n".join(array.tolist()) if array.dtype.kind == "S" else array.tobytes()
    try:
        lines = text.decode().split("\n")
    except UnicodeDecodeError as error:
        raise WordworthError(f"{path}: the words are not UTF-8 (byte {error.start:,}); save the file again") from error
    return lines[:-1] if lines[-1] == "" else lines


def read_npz(path: Path) -> VectorFile:
    """Read the one array of words and the one matrix of an `.npz` file."""
    with (
        Foreign(f"{path} is cut short or damaged", "fetch or copy the file again"),
        np.load(path, allow_pickle=False) as archive,
    ):
        arrays = {key: np.asarray(archive[key]) for key in archive.files}
    return _read_arrays(path, arrays)


def read_safetensors(path: Path) -> VectorFile:
    """Read the one matrix and the words: a tensor of UTF-8 bytes, or metadata, one per line."""
    with (
        Foreign(f"{path} is cut short or damaged", "fetch or copy the file again"),
        safe_open(path, framework="numpy") as archive,
    ):
        arrays: dict[str, NDArray[Any]] = {key: archive.get_tensor(key) for key in archive.keys()}  # noqa: SIM118
        metadata = archive.metadata() or {}
    if "words" in metadata:
        arrays["words"] = np.frombuffer(metadata["words"].encode(), dtype=np.uint8)
    return _read_arrays(path, arrays)


def _read_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> VectorFile:
    texts = [key for key, array in arrays.items() if array.ndim == 1 and array.dtype.kind in "US"]
    if not texts and "words" in arrays and arrays["words"].dtype == np.uint8:
        texts = ["words"]
    matrices = [key for key, array in arrays.items() if array.ndim == 2 and array.dtype.kind == "f"]
    if len(texts) != 1 or len(matrices) != 1:
        held = listed(f"{key} {array.dtype} {array.shape}" for key, array in arrays.items()) or "nothing"
        raise WordworthError(
            f"{path} holds {held}, where one array of words and one matrix of numbers are expected; "
            "save it with the keys words and vectors"
        )
    return read_matrix(path, _strings(path, arrays[texts[0]]), arrays[matrices[0]])


def map_matrix(path: Path) -> NDArray[np.floating]:
    """Map the matrix of a `.npy` file."""
    with Foreign(f"{path} is no whole array of numbers", "fetch or copy the file again"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind != "f":
        raise WordworthError(
            f"{path} has {array.dtype} numbers of shape {array.shape}, where a matrix of real numbers is expected"
        )
    matrix: NDArray[np.floating] = array
    return matrix


def read_indexed(path: Path, index: Path) -> VectorFile:
    """Read a `.npy` matrix and a parquet file with one column of text: the words in the order of the rows."""
    try:
        table = pl.read_parquet(index)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise WordworthError(
            f"{index} is cut short or damaged ({reason_of(error)}); fetch or copy the file again"
        ) from error
    if table.dtypes != [pl.String]:
        held = listed(f"{column} ({kind})" for column, kind in table.schema.items())
        raise WordworthError(f"{index} has the columns {held}, where one column of words is expected")
    return read_matrix(path, table.to_series().fill_null("").to_list(), map_matrix(path))


_CONFIG = "vectors.cfg"
_SEED = 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SHIFT = np.uint64(47)
_ALL = (1 << 64) - 1

Numbers = NDArray[np.uint64]


def read_spacy(vectors: Path, key2row: Path, strings: Path) -> VectorFile:
    """Read the vectors of a spaCy model: a matrix, a map from the hash of a word to its row, and the words.

    Models are made smaller by pruning: most words then have the row of the nearest word that was kept. Every word is
    read with a row of its own, in the order of the map: those that kept a vector of their own come first.
    """
    config = vectors.with_name(_CONFIG)
    if config.is_file() and b"floret" in config.read_bytes():
        raise WordworthError(f"{config} says that the vectors are floret's; only those with a row per word are read")
    matrix = map_matrix(vectors)
    keys, rows = _map_of(key2row)
    with Foreign(f"{strings} is no list of words", "fetch or copy the file again"):
        words = json.loads(strings.read_text(encoding="utf-8"))
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WordworthError(f"{strings} is no list of words; fetch or copy the file again")
    word_of = dict(zip(hashes(words).tolist(), words, strict=True))
    named = [word_of.get(key, "") for key in keys.tolist()]
    if not any(named) or int(rows.max()) >= len(matrix):
        raise WordworthError(f"{vectors}, {key2row} and {strings} are not of one model; fetch the folder again")
    return read_matrix(vectors, named, matrix[rows])


def _map_of(path: Path) -> tuple[Numbers, NDArray[np.int64]]:
    """Return the keys and rows of a MessagePack map of whole numbers, in its order."""
    with Foreign(f"{path} is no map from words to rows", "fetch or copy the file again"):
        # A key that comes twice stays twice, so that it is reported.
        pairs = msgpack.unpackb(path.read_bytes(), strict_map_key=False, object_pairs_hook=tuple)
    if not isinstance(pairs, tuple) or not all(
        type(key) is int and key >= 0 and type(row) is int and row < 1 << 63 for key, row in pairs
    ):
        raise WordworthError(f"{path} is no map from words to rows; fetch or copy the file again")
    with_rows = [(key, row) for key, row in pairs if row >= 0]  # −1 is a word without a vector
    keys, rows = zip(*with_rows, strict=True) if with_rows else ((), ())
    return np.array(keys, dtype=np.uint64), np.array(rows, dtype=np.int64)


def hashes(words: Sequence[str]) -> Numbers:
    """spaCy's key of every word: MurmurHash64A (Appleby) of its UTF-8, seed 1; those of one length at once."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    by_length: dict[int, list[int]] = {}
    for at, text in enumerate(encoded):
        by_length.setdefault(len(text), []).append(at)
    found = np.empty(len(words), dtype=np.uint64)
    for length, places in by_length.items():
        texts = np.frombuffer(b"".join(encoded[at] for at in places), dtype=np.uint8).reshape(len(places), length)
        found[places] = _murmur(texts)
    return found


def _murmur(texts: NDArray[np.uint8]) -> Numbers:
    """texts × bytes → hashes; arithmetic is modulo 2⁶⁴."""
    count, length = texts.shape
    multiplier = np.uint64(_MULTIPLIER)
    found = np.full(count, (_SEED ^ (length * _MULTIPLIER)) & _ALL, dtype=np.uint64)
    whole = length // 8 * 8
    for column in np.ascontiguousarray(texts[:, :whole]).view("<u8").T if whole else ():
        mixed = column * multiplier
        mixed ^= mixed >> _SHIFT
        found = (found ^ (mixed * multiplier)) * multiplier
    if length > whole:
        rest = np.zeros((count, 8), dtype=np.uint8)
        rest[:, : length - whole] = texts[:, whole:]
        found = (found ^ rest.view("<u8")[:, 0]) * multiplier
    found ^= found >> _SHIFT
    found *= multiplier
    return np.asarray(found ^ (found >> _SHIFT), dtype=np.uint64)

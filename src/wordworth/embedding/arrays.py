"""Vectors in arrays: npz, safetensors, HDF5, a spaCy model, and a `.npy` matrix with a parquet index of its words.

Files that we write hold `words` and `vectors`. Others are read if unambiguous, pickled arrays never.
"""

import json
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors import safe_open

from wordworth.embedding.blocks import VectorFile, slice_blocks
from wordworth.errors import LibraryErrors, WordworthError, format_names, require


def read_matrix(path: Path, words: list[str], matrix: NDArray[np.floating]) -> VectorFile:
    """Pair the rows of a matrix with their words; raise if their numbers differ."""
    if len(words) != len(matrix):
        raise WordworthError(
            f"{path} has {len(words):,} words and {len(matrix):,} vectors; make or fetch the file again"
        )
    return VectorFile(matrix.shape[1], slice_blocks(words, matrix))


def _strings(path: Path, array: NDArray[np.generic]) -> list[str]:
    """Return words that are stored as unicode, as bytes, or one per line in UTF-8."""
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
    errors = LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again")
    with errors, np.load(path, allow_pickle=False) as archive:
        arrays = {key: np.asarray(archive[key]) for key in archive.files}
    return _read_arrays(path, arrays)


def read_safetensors(path: Path) -> VectorFile:
    """Read the one matrix and the words: a tensor of UTF-8 bytes, one word per line."""
    errors = LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again")
    with errors, safe_open(path, framework="numpy") as archive:
        arrays: dict[str, NDArray[Any]] = {key: archive.get_tensor(key) for key in archive.keys()}  # noqa: SIM118
    return _read_arrays(path, arrays)


def _read_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> VectorFile:
    texts = [key for key, array in arrays.items() if array.ndim == 1 and array.dtype.kind in "US"]
    if not texts and "words" in arrays and arrays["words"].dtype == np.uint8:
        texts = ["words"]
    matrices = [key for key, array in arrays.items() if array.ndim == 2 and array.dtype.kind == "f"]
    if len(texts) != 1 or len(matrices) != 1:
        contents = format_names(f"{key} {array.dtype} {array.shape}" for key, array in arrays.items()) or "nothing"
        raise WordworthError(
            f"{path} holds {contents}, where one array of words and one matrix of numbers are expected; "
            "save it with the keys words and vectors"
        )
    return read_matrix(path, _strings(path, arrays[texts[0]]), arrays[matrices[0]])


HDF5_PACKED = 1100
"""No byte of a compressed array of HDF5 unpacks into more (deflate: 1032)."""


def check_stored(array: Any, label: str, path: Path) -> None:
    """Raise for an HDF5 array that lies outside the file or claims an impossible size, before memory is allocated."""
    if array.is_virtual or array.external or array.file.filename != str(path):
        raise WordworthError(f"{label} lies in another file, which is never read; fetch or copy the file again")
    if array.nbytes > HDF5_PACKED * path.stat().st_size:
        raise WordworthError(f"{label} cannot be as large as its header says; fetch or copy the file again")


def read_hdf5(path: Path) -> VectorFile:
    """Read the one group of an HDF5 file that has one list of words and one matrix."""
    require("vectors in HDF5")
    import h5py

    pairs = []
    with LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again"), h5py.File(path, "r") as file:
        for group in (file, *(member for member in file.values() if isinstance(member, h5py.Group))):
            arrays = [member for member in group.values() if isinstance(member, h5py.Dataset)]
            texts = [array for array in arrays if array.ndim == 1 and h5py.check_string_dtype(array.dtype)]
            matrices = [array for array in arrays if array.ndim == 2 and array.dtype.kind == "f"]
            if len(texts) == len(matrices) == 1:
                for array in (*texts, *matrices):
                    check_stored(array, f"{path}: {array.name}", path)
                pairs.append((texts[0].asstr()[()].tolist(), matrices[0][()]))
    if len(pairs) != 1:
        raise WordworthError(
            f"{path} has {len(pairs)} groups with one list of words and one matrix of numbers, where one is expected; "
            "convert it to word2vec text or npz"
        )
    return read_matrix(path, *pairs[0])


def map_matrix(path: Path) -> NDArray[np.floating]:
    """Map the matrix of a `.npy` file."""
    with LibraryErrors(f"{path} is not a complete array of numbers", "fetch or copy the file again"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind != "f":
        raise WordworthError(
            f"{path} has {array.dtype} numbers of shape {array.shape}, where a matrix of real numbers is expected"
        )
    matrix: NDArray[np.floating] = array
    return matrix


def read_indexed(path: Path, index: Path) -> VectorFile:
    """Read a `.npy` matrix and a parquet file with one column of text: the words in the order of the rows."""
    with LibraryErrors(f"{index} is cut short or damaged", "fetch or copy it again"):
        table = pl.read_parquet(index)
    if table.dtypes != [pl.String]:
        columns = format_names(f"{column} ({dtype})" for column, dtype in table.schema.items())
        raise WordworthError(f"{index} has the columns {columns}, where one column of words is expected")
    return read_matrix(path, table.to_series().fill_null("").to_list(), map_matrix(path))


_CONFIG = "vectors.cfg"
_SEED = 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SHIFT = 47
_MASK_64_BITS = (1 << 64) - 1


def read_spacy(vectors: Path, key2row: Path, strings: Path) -> VectorFile:
    """Read the vectors of a spaCy model: a matrix, a map from the hash of a word to its row, and the words.

    In a pruned model most words share the row of their nearest remaining word. Every word gets a row, in the order of
    the map: words with a vector of their own come first.
    """
    config = vectors.with_name(_CONFIG)
    if config.is_file() and b"floret" in config.read_bytes():
        raise WordworthError(f"{config} says that the vectors are floret's; only those with a row per word are read")
    matrix = map_matrix(vectors)
    keys, rows = _map_of(key2row)
    with LibraryErrors(f"{strings} is not a list of words", "fetch or copy the file again"):
        words = json.loads(strings.read_text(encoding="utf-8"))
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WordworthError(f"{strings} is not a list of words; fetch or copy the file again")
    words_by_key = {hash_word(word): word for word in words}
    row_words = [words_by_key.get(key, "") for key in keys]
    if not any(row_words) or max(rows) >= len(matrix):
        raise WordworthError(f"{vectors}, {key2row} and {strings} are not of one model; fetch the folder again")
    return read_matrix(vectors, row_words, matrix[rows])


def _map_of(path: Path) -> tuple[list[int], list[int]]:
    """Return the keys and rows of a MessagePack map of whole numbers, in its order."""
    with LibraryErrors(f"{path} is not a map from words to rows", "fetch or copy the file again"):
        # A key that comes twice stays twice, so that it is reported.
        pairs = msgpack.unpackb(path.read_bytes(), strict_map_key=False, object_pairs_hook=tuple)
    if not isinstance(pairs, tuple) or not all(
        type(key) is int and key >= 0 and type(row) is int and row < 1 << 63 for key, row in pairs
    ):
        raise WordworthError(f"{path} is not a map from words to rows; fetch or copy the file again")
    kept_pairs = [(key, row) for key, row in pairs if row >= 0]  # −1 is a word without a vector
    return [key for key, _ in kept_pairs], [row for _, row in kept_pairs]


def hash_word(word: str) -> int:
    """Return spaCy's key of a word: MurmurHash64A (Appleby) of its UTF-8, seed 1; arithmetic is modulo 2⁶⁴."""
    text = word.encode("utf-8", "surrogatepass")
    key = _SEED ^ (len(text) * _MULTIPLIER) & _MASK_64_BITS
    for start in range(0, len(text), 8):
        chunk = int.from_bytes(text[start : start + 8], "little")
        if start + 8 <= len(text):
            chunk = chunk * _MULTIPLIER & _MASK_64_BITS
            chunk = (chunk ^ chunk >> _SHIFT) * _MULTIPLIER & _MASK_64_BITS
        key = (key ^ chunk) * _MULTIPLIER & _MASK_64_BITS
    key = (key ^ key >> _SHIFT) * _MULTIPLIER & _MASK_64_BITS
    return key ^ key >> _SHIFT

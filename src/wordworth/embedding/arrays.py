"""Vectors in arrays: npz, safetensors, and a `.npy` matrix with a parquet index of its words beside it.

Ours hold `words` and `vectors`; others are read if it is plain which is which. No pickled array is ever read.
"""

from pathlib import Path
from typing import Any

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


def index_beside(path: Path) -> Path | None:
    """Return the parquet index of a `.npy` file: of the same name, or the only one in the folder."""
    same = path.with_suffix(".parquet")
    if same.is_file():
        return same
    indexes = sorted(path.parent.glob("*.parquet"))
    return indexes[0] if len(indexes) == 1 else None


def indexed_matrix_in(folder: Path) -> Path | None:
    """Return the only `.npy` file of a folder that has a parquet index too."""
    matrices = sorted(folder.glob("*.npy"))
    return matrices[0] if len(matrices) == 1 and index_beside(matrices[0]) else None


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

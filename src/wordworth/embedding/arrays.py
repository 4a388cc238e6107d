"""Vectors in arrays: npz, safetensors, and a `.npy` matrix with a parquet index of its words beside it.

Ours hold `words` and `vectors`; others are read if it is plain which is which. No pickled array is ever read.
"""

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray
from safetensors import safe_open

from wordworth.embedding.blocks import ROWS, Block, VectorFile, slice_blocks
from wordworth.errors import Foreign, WordworthError, listed, reason_of

_MAX_RATIO = 1100
"""No byte of a zip archive unpacks into more (deflate: 1032)."""


def check_lengths(path: Path, words: int, rows: int) -> None:
    """Stop when there are not as many words as rows."""
    if words != rows:
        raise WordworthError(f"{path} has {words:,} words and {rows:,} vectors; make or fetch the file again")


def _split_words(path: Path, text: bytes | str) -> list[str]:
    """Split words that are kept one per line in UTF-8."""
    try:
        lines = (text.decode() if isinstance(text, bytes) else text).split("\n")
    except UnicodeDecodeError as error:
        raise WordworthError(f"{path}: the words are not UTF-8 (byte {error.start:,}); save the file again") from error
    return lines[:-1] if lines[-1] == "" else lines


def _strings(path: Path, array: NDArray[np.generic]) -> list[str]:
    if array.dtype.kind == "U":
        return [str(word) for word in array.tolist()]
    if array.dtype.kind == "S":
        return _split_words(path, b"\n".join(array.tolist()))
    return _split_words(path, array.tobytes())


def read_npz(path: Path) -> VectorFile:
    """Read the one array of words (unicode, bytes, or UTF-8 joined by line breaks) and the one matrix."""
    with Foreign(f"{path} is cut short or damaged", "fetch or copy the file again"):
        _refuse_untrue(path)
        with np.load(path, allow_pickle=False) as archive:
            arrays = {key: array for key in archive.files if isinstance(array := archive[key], np.ndarray)}
    texts = [key for key, array in arrays.items() if array.ndim == 1 and (array.dtype.kind in "US")]
    if not texts and "words" in arrays and arrays["words"].dtype == np.uint8:
        texts = ["words"]
    matrices = [key for key, array in arrays.items() if array.ndim == 2 and array.dtype.kind == "f"]
    if len(texts) != 1 or len(matrices) != 1:
        held = listed(f"{key} {array.dtype} {array.shape}" for key, array in arrays.items()) or "nothing"
        raise WordworthError(
            f"{path} holds {held}, where one array of words and one matrix of numbers are expected; "
            "save it with the keys words and vectors"
        )
    words, matrix = _strings(path, arrays[texts[0]]), arrays[matrices[0]]
    check_lengths(path, len(words), len(matrix))
    return VectorFile(matrix.shape[1], slice_blocks(words, matrix))


def _refuse_untrue(path: Path) -> None:
    """Stop at arrays that claim to be larger than what is there, before memory is taken for them."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size > _MAX_RATIO * min(member.compress_size, path.stat().st_size) + _MAX_RATIO:
                raise WordworthError(f"{path} is damaged: {member.filename[:40]} cannot be as large as it says it is")
            with archive.open(member) as stream:
                if stream.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:
                    continue
            with archive.open(member) as stream:
                version = np.lib.format.read_magic(stream)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, _, kind = read(stream)
            if kind.hasobject:
                raise WordworthError(
                    f"{path} has arrays of Python objects in it, which are never read; "
                    "save the words as an array of text"
                )
            if math.prod(shape) * kind.itemsize > member.file_size or min(shape, default=0) < 0:
                raise WordworthError(f"{path} is damaged: the array {member.filename[:40]} is not as large as it says")


def read_safetensors(path: Path) -> VectorFile:
    """Read `vectors` (or the only matrix) and the words: UTF-8 bytes or metadata, joined by line breaks."""
    damage = Foreign(f"{path} is cut short or damaged", "fetch or copy the file again")
    with damage, safe_open(path, framework="numpy") as archive:
        metadata = archive.metadata() or {}
        shapes = {key: tuple(archive.get_slice(key).get_shape()) for key in archive.keys()}  # noqa: SIM118
        kinds = {key: archive.get_slice(key).get_dtype() for key in shapes}
        matrices = [key for key, shape in shapes.items() if len(shape) == 2 and kinds[key] in ("F16", "F32", "F64")]
        if len(matrices) != 1 or not ("words" in metadata or kinds.get("words") == "U8"):
            held = listed(f"{key} {kinds[key]} {shape}" for key, shape in shapes.items()) or "nothing"
            raise WordworthError(
                f"{path} holds {held}, where one matrix (F16, F32 or F64) and words (a U8 tensor or metadata, one "
                "word a line) are expected; save it with the keys words and vectors"
            )
        words = _split_words(path, archive.get_tensor("words").tobytes() if "words" in kinds else metadata["words"])
    rows, dim = shapes[matrices[0]]
    check_lengths(path, len(words), rows)

    def blocks() -> Iterator[Block]:
        with safe_open(path, framework="numpy") as archive:
            matrix = archive.get_slice(matrices[0])
            for start in range(0, rows, ROWS):
                stop = min(start + ROWS, rows)
                yield Block(words[start:stop], matrix[start:stop], range(start + 1, stop + 1))

    return VectorFile(dim, blocks())


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
        schema = pl.read_parquet_schema(index)
        texts = [column for column, kind in schema.items() if kind == pl.String]
        if len(schema) != 1 or len(texts) != 1:
            held = listed(f"{column} ({kind})" for column, kind in schema.items())
            raise WordworthError(f"{index} has the columns {held}, where one column of words is expected")
        words = pl.read_parquet(index)[texts[0]].fill_null("").to_list()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise WordworthError(
            f"{index} is cut short or damaged ({reason_of(error)}); fetch or copy the file again"
        ) from error
    matrix = map_matrix(path)
    check_lengths(path, len(words), len(matrix))
    return VectorFile(matrix.shape[1], slice_blocks(words, matrix))

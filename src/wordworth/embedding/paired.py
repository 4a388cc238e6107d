"""A matrix in a `.npy` file with its words beside it: in a parquet index, or as HistWords keeps its decades."""

import re
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.embedding.arrays import paired
from wordworth.embedding.blocks import VectorFile, sliced
from wordworth.embedding.pickles import unpickled
from wordworth.embedding.streams import sha256_of_all
from wordworth.errors import Foreign, WordworthError, listed, reason_of


def matrix_of(path: Path) -> NDArray[np.floating]:
    """The matrix of a `.npy` file, mapped; never a pickle."""
    with Foreign(f"{path} is no whole array of numbers", "fetch or copy the file again"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind != "f":
        raise WordworthError(
            f"{path} has {array.dtype} numbers of shape {array.shape}, where a matrix of real numbers is expected"
        )
    matrix: NDArray[np.floating] = array
    return matrix


def mappable(path: Path, matrix: NDArray[np.floating]) -> Path | None:
    """The file itself when it is float32, row by row, so that no copy of it is needed."""
    return path if matrix.dtype == np.dtype("<f4") and matrix.flags.c_contiguous else None


def index_beside(path: Path) -> Path | None:
    """The parquet index of a `.npy` file: of the same name, or the only one in the folder."""
    same = path.with_suffix(".parquet")
    if same.is_file():
        return same
    indexes = sorted(path.parent.glob("*.parquet"))
    return indexes[0] if len(indexes) == 1 else None


def pair_in(folder: Path) -> Path | None:
    """The only `.npy` file of a folder that has a parquet index too."""
    matrices = sorted(folder.glob("*.npy"))
    return matrices[0] if len(matrices) == 1 and index_beside(matrices[0]) else None


def read_indexed(path: Path, index: Path) -> VectorFile:
    """A `.npy` matrix and a parquet file with one column of text: the words in the order of the rows."""
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
    matrix = matrix_of(path)
    paired(path, len(words), len(matrix))
    return VectorFile(
        matrix.shape[1], sliced(words, matrix), lambda: sha256_of_all((path, index)), mappable(path, matrix)
    )


def vocabulary_beside(path: Path) -> Path | None:
    """`1800-vocab.pkl` for `1800-w.npy`."""
    if not path.name.endswith("-w.npy"):
        return None
    vocabulary = path.with_name(path.name.removesuffix("-w.npy") + "-vocab.pkl")
    return vocabulary if vocabulary.is_file() else None


def histwords_decades(folder: Path | str) -> list[Path]:
    """The decades of a HistWords folder in order of time: the paths of `1800-w.npy`, `1810-w.npy`, …"""
    decades = [path for path in Path(folder).glob("*-w.npy") if re.fullmatch(r"\d{4}-w\.npy", path.name)]
    if not decades:
        raise WordworthError(f"{folder} has no HistWords decades; give a folder with files such as 1800-w.npy")
    return sorted(decades)


def read_histwords(path: Path, vocabulary: Path) -> VectorFile:
    """One decade of HistWords (Hamilton et al. 2016): a matrix and a pickled list of words, of Python 2 or 3.

    A row that is all zero is a word absent in that decade.
    """
    words = unpickled(vocabulary, encoding="utf-8")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WordworthError(f"{vocabulary} is not a pickled list of strings; fetch the HistWords file again")
    matrix = matrix_of(path)
    paired(path, len(words), len(matrix))
    return VectorFile(matrix.shape[1], sliced(words, matrix), lambda: sha256_of_all((path, vocabulary)))

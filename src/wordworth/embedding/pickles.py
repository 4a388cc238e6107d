"""Vectors in pickles, read without running anything in them: gensim's own files, and the decades of HistWords.

A pickle names functions and calls them. Here only the names of the stand-ins below are accepted, which keep their
arguments and do nothing. Every other name is refused, and nothing is imported.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.arrays import map_matrix, read_matrix
from wordworth.embedding.blocks import VectorFile
from wordworth.errors import LibraryErrors, WordworthError

_WORDS = ("index_to_key", "index2word", "index2entity")
VECTOR_NAMES = ("vectors", "syn0")


class Inert:
    """Replace an object of any class: keep its state and do nothing."""

    state: dict[Any, Any]

    def __new__(cls, *_: object) -> "Inert":
        instance = super().__new__(cls)
        instance.state = {}
        return instance

    def __setstate__(self, state: object) -> None:
        if isinstance(state, dict):
            self.state = state

    def __setitem__(self, key: object, value: object) -> None:
        """Ignore what a container of an unknown kind holds."""

    def append(self, item: object) -> None:
        """Ignore an item."""

    def extend(self, items: object) -> None:
        """Ignore items."""


class Dtype:
    """Replace a numpy dtype: keep its letter and byte order."""

    def __init__(self, code: str, *_: object) -> None:
        self.code = code
        self.order = "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]


class Array:
    """Replace a numpy array until `numbers` reads its bytes."""

    state: tuple[Any, ...] = (1, (), None, False, b"")

    def __init__(self, *_: object) -> None:
        """Ignore the arguments; the state follows."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.state = state

    def numbers(self) -> NDArray[np.floating]:
        """Return the array, when it is one of real numbers."""
        _, shape, dtype, is_fortran, data = self.state
        data = data.encode("latin1") if isinstance(data, str) else data  # str: written by Python 2
        kind = dtype.order + dtype.code if isinstance(dtype, Dtype) else ""
        if kind[1:] not in ("f2", "f4", "f8") or not isinstance(data, bytes | bytearray):
            raise ValueError("an array that is not one of real numbers")
        return np.frombuffer(data, dtype=np.dtype(kind)).reshape(shape, order="F" if is_fortran else "C")


def _array_of(data: object, dtype: Dtype, shape: tuple[int, ...], order: str) -> Array:
    array = Array()
    array.state = (1, shape, dtype, order == "F", data)
    return array


def _stand_ins() -> dict[tuple[str, str], Callable[..., object]]:
    """Return the names that numpy arrays and plain containers need in a pickle.

    They are made for each file, so that a pickle that sets attributes on them does not affect the next.
    """
    names: dict[tuple[str, str], Callable[..., object]] = {
        ("numpy", "ndarray"): Array,
        ("numpy", "dtype"): Dtype,
        ("_codecs", "encode"): lambda text, encoding: text.encode("latin1"),
        ("collections", "defaultdict"): Inert,
        ("collections", "OrderedDict"): Inert,
    }
    for module in ("copyreg", "copy_reg"):
        names[module, "_reconstructor"] = lambda *_: Inert()
    for core in ("numpy.core", "numpy._core"):
        names[f"{core}.multiarray", "_reconstruct"] = lambda *_: Array()
        names[f"{core}.multiarray", "scalar"] = lambda *_: Inert()
        names[f"{core}.numeric", "_frombuffer"] = _array_of
    for builtins in ("builtins", "__builtin__"):
        names |= {(builtins, name): Inert for name in ("object", "int", "float", "hash", "set", "frozenset")}
    return names


class _StandInUnpickler(pickle.Unpickler):
    """Find stand-ins only."""

    path: Path
    inert: tuple[str, ...] = ()
    names: dict[tuple[str, str], Callable[..., object]]

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in of a name; raise for any other name."""
        if (module, name) in self.names:
            return self.names[module, name]
        if any(module == package or module.startswith(f"{package}.") for package in self.inert):
            return Inert
        raise WordworthError(
            f"{self.path} is a pickle that asks for {module}.{name}, which plain vectors do not need; "
            "nothing in it was run; get the vectors as word2vec text or npz"
        )


def unpickle(path: Path, *, encoding: str, inert: tuple[str, ...] = ()) -> object:
    """Return the content of a pickle.

    Objects of the packages in `inert` become `Inert`; without any, only plain lists, strings and numbers are accepted.
    `encoding` is that of strings written by Python 2.
    """
    # A damaged pickle calls the stand-ins with anything, so errors in their lines are reported as the file's.
    damage = LibraryErrors(f"{path} is a cut or damaged pickle", "fetch or copy the file again", is_ours=True)
    with path.open("rb") as stream, damage:
        reader = _StandInUnpickler(stream, encoding=encoding)
        reader.path, reader.inert, reader.names = path, inert, _stand_ins() if inert else {}
        return reader.load()


def read_keyed_vectors(path: Path) -> VectorFile:
    """Read `KeyedVectors.save` or `Word2Vec.save` of gensim 3 or 4: the words and their vectors.

    The rest of the file (counts, norms, training state) is ignored.
    """
    root = unpickle(path, encoding="latin1", inert=("gensim", "numpy.random"))
    state = root.state if isinstance(root, Inert) else {}
    base, keyed_vectors = path.name, state.get("wv")
    if isinstance(keyed_vectors, Inert):
        base, state = f"{path.name}.wv", keyed_vectors.state
    words = next((state[key] for key in _WORDS if isinstance(state.get(key), list)), None)
    if words is None or not all(isinstance(word, str) for word in words):
        raise WordworthError(f"{path} is a pickle without gensim word vectors in it; save model.wv and give that file")
    matrix = _vectors(path, state, base)
    if matrix.ndim != 2:
        raise WordworthError(f"{path}: its vectors have the shape {matrix.shape}, not two dimensions; save them again")
    return read_matrix(path, words, matrix)


def _vectors(path: Path, state: dict[str, Any], base: str) -> NDArray[np.floating]:
    separate_names = state["__numpys"] if isinstance(state.get("__numpys"), list) else []
    for key in VECTOR_NAMES:
        if isinstance(state.get(key), Array):
            with LibraryErrors(f"{path}: its vectors are damaged", "save them again", is_ours=True):
                numbers: NDArray[np.floating] = state[key].numbers()
                return numbers
        if key in separate_names:
            file = path.with_name(f"{base}.{key}.npy")
            if not file.is_file():
                raise WordworthError(f"{path} keeps its vectors in {file.name}, which is missing; copy it next to it")
            return map_matrix(file)
    raise WordworthError(
        f"{path} has words but no vectors of their own (as gensim's FastText, which computes them on loading); "
        "write them with save_word2vec_format and give that file"
    )


def read_histwords(path: Path, vocabulary: Path) -> VectorFile:
    """Read one decade of HistWords (Hamilton et al. 2016): a matrix and a pickled list of words, of Python 2 or 3.

    A row of zeros is a word that is absent in that decade.
    """
    words = unpickle(vocabulary, encoding="utf-8")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WordworthError(f"{vocabulary} is not a pickled list of strings; fetch the HistWords file again")
    return read_matrix(path, words, map_matrix(path))

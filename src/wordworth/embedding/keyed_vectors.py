"""gensim's own files: `KeyedVectors.save` and `Word2Vec.save`, of gensim 3 and 4, read without running a pickle."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.arrays import paired
from wordworth.embedding.blocks import VectorFile, sliced
from wordworth.embedding.paired import mappable, matrix_of
from wordworth.embedding.pickles import Array, Inert, unpickled
from wordworth.embedding.streams import sha256_of_all
from wordworth.errors import WordworthError

_WORDS = ("index_to_key", "index2word", "index2entity")
_VECTORS = ("vectors", "syn0")


def arrays_beside(path: Path) -> list[Path]:
    """The arrays that gensim put in files of their own because they are large."""
    names = [f"{path.name}{part}.{vectors}.npy" for part in ("", ".wv") for vectors in _VECTORS]
    return [beside for name in names if (beside := path.with_name(name)).is_file()]


def read_keyed_vectors(path: Path) -> VectorFile:
    """The words and their vectors; all else in the file (counts, norms, training state) is passed over."""
    root = unpickled(path, encoding="latin1", inert=("gensim", "numpy.random"))
    whole = isinstance(root, Inert) and isinstance(root.state.get("wv"), Inert)
    held = root.state["wv"] if isinstance(root, Inert) and whole else root
    state = held.state if isinstance(held, Inert) else {}
    words = next((state[key] for key in _WORDS if isinstance(state.get(key), list)), None)
    if words is None or not all(isinstance(word, str) for word in words):
        raise WordworthError(f"{path} is a pickle without gensim word vectors in it; save model.wv and give that file")
    base = f"{path.name}.wv" if whole else path.name
    matrix, beside = _vectors(path, state, base)
    if matrix.ndim != 2:
        raise WordworthError(
            f"{path}: its vectors have the shape {matrix.shape}, not that of a matrix; save them again"
        )
    paired(path, len(words), len(matrix))
    files = (path, beside) if beside else (path,)
    in_place = mappable(beside, matrix) if beside else None
    return VectorFile(matrix.shape[1], sliced(words, matrix), lambda: sha256_of_all(files), in_place)


def _vectors(path: Path, state: dict[str, Any], base: str) -> tuple[NDArray[np.floating], Path | None]:
    """The matrix, and the file it lies in when that is one of its own."""
    separate = state["__numpys"] if isinstance(state.get("__numpys"), list) else []
    for key in _VECTORS:
        if isinstance(state.get(key), Array):
            try:
                return state[key].numbers(), None
            except (ValueError, TypeError) as error:
                raise WordworthError(f"{path}: its vectors are damaged ({error}); save them again") from error
        if key in separate:
            beside = path.with_name(f"{base}.{key}.npy")
            if not beside.is_file():
                raise WordworthError(f"{path} keeps its vectors in {beside.name}, which is not there; copy it beside")
            return matrix_of(beside), beside
    raise WordworthError(
        f"{path} has words but no vectors of their own (as gensim's FastText, which computes them on loading); "
        "write them with save_word2vec_format and give that file"
    )

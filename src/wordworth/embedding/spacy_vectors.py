"""The vectors of a spaCy model: a matrix, a map from the hash of a word to its row, and the words themselves.

Models are made smaller by pruning: most words then have the row of the nearest word that was kept. All of them are
read, as the model has them, each with a row of its own.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import msgpack
import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.arrays import map_matrix, read_matrix
from wordworth.embedding.blocks import VectorFile
from wordworth.errors import Foreign, WordworthError

FILES = ("vectors", "key2row", "strings.json")
_CONFIG = "vectors.cfg"
_SEED = 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SHIFT = np.uint64(47)
_ALL = (1 << 64) - 1

Numbers = NDArray[np.uint64]


def files_in(folder: Path) -> tuple[Path, ...] | None:
    """The three files of a model's folder, or of one inside it, as a package has it; None where there are none."""
    for vocabulary in (folder, folder / "vocab", *sorted(folder.glob("*/vocab"))):
        if all((vocabulary / file).is_file() for file in FILES):
            return tuple(vocabulary / file for file in FILES)
    return None


def read_spacy(vectors: Path, key2row: Path, strings: Path) -> VectorFile:
    """Read every word that has a row, in the order of the map: those that kept a vector of their own come first."""
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

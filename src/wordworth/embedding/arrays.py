"""Array files, npz and safetensors. Ours hold `words` and `vectors`; others are read if it is plain which is which."""

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray
from safetensors import safe_open

from wordworth.embedding.blocks import ROWS, Block, VectorFile, sliced
from wordworth.errors import Foreign, WordworthError, listed
from wordworth.files import sha256_of

_PACKED = 1100
"""No byte of a zip archive unpacks into more (deflate: 1032)."""


def unjoined(path: Path, text: bytes | str) -> list[str]:
    """Words kept one a line in UTF-8."""
    try:
        lines = (text.decode() if isinstance(text, bytes) else text).split("\n")
    except UnicodeDecodeError as error:
        raise WordworthError(f"{path}: the words are not UTF-8 (byte {error.start:,}); save the file again") from error
    return lines[:-1] if lines[-1] == "" else lines


def paired(path: Path, words: int, rows: int) -> None:
    """Stops when there are not as many words as rows."""
    if words != rows:
        raise WordworthError(f"{path} has {words:,} words and {rows:,} vectors; make or fetch the file again")


def _strings(path: Path, array: NDArray[np.generic]) -> list[str]:
    if array.dtype.kind == "U":
        return [str(word) for word in array.tolist()]
    if array.dtype.kind == "S":
        return unjoined(path, b"\n".join(array.tolist()))
    return unjoined(path, array.tobytes())


def read_npz(path: Path) -> VectorFile:
    """The one array of words (unicode, bytes, or UTF-8 joined by line breaks) and the one matrix; never a pickle."""
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
    paired(path, len(words), len(matrix))
    return VectorFile(matrix.shape[1], sliced(words, matrix), lambda: sha256_of(path))


def _refuse_untrue(path: Path) -> None:
    """Stops at arrays that say that they are larger than what is there, before memory is taken for them."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size > _PACKED * min(member.compress_size, path.stat().st_size) + _PACKED:
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
    """`vectors` (or the only matrix) and the words: a tensor of UTF-8 bytes, or metadata, joined by line breaks."""
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
        words = unjoined(path, archive.get_tensor("words").tobytes() if "words" in kinds else metadata["words"])
    rows, dim = shapes[matrices[0]]
    paired(path, len(words), rows)

    def blocks() -> Iterator[Block]:
        with safe_open(path, framework="numpy") as archive:
            matrix = archive.get_slice(matrices[0])
            for start in range(0, rows, ROWS):
                stop = min(start + ROWS, rows)
                yield Block(words[start:stop], matrix[start:stop], range(start + 1, stop + 1))

    return VectorFile(dim, blocks(), lambda: sha256_of(path))

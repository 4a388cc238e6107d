"""Save an `Embedding` to a file that Wordworth and other programs read."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors.numpy import save_file

from wordworth.embedding.blocks import slice_blocks
from wordworth.embedding.core import Embedding
from wordworth.errors import WordworthError
from wordworth.files import replacing


def _blocks(embedding: Embedding) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    for block in slice_blocks(embedding.words, embedding.matrix):
        yield block.words, np.ascontiguousarray(block.vectors, dtype="<f4")


def _write_text(embedding: Embedding, path: Path) -> None:
    """Write a header `rows dim`, then a line per word; numbers have the fewest digits that give the same float32."""
    with path.open("wb") as stream:
        stream.write(f"{len(embedding)} {embedding.dim}\n".encode())
        for words, vectors in _blocks(embedding):
            table = pl.from_numpy(vectors, schema=[str(i) for i in range(embedding.dim)])
            table.insert_column(0, pl.Series("word", words))
            table.write_csv(stream, include_header=False, separator=" ", quote_style="never")


def _write_binary(embedding: Embedding, path: Path) -> None:
    with path.open("wb") as stream:
        stream.write(f"{len(embedding)} {embedding.dim}\n".encode())
        for words, vectors in _blocks(embedding):
            rows = zip(words, vectors, strict=True)
            stream.write(b"".join(word.encode() + b" " + vector.tobytes() for word, vector in rows))


def _write_npz(embedding: Embedding, path: Path) -> None:
    vectors = np.ascontiguousarray(embedding.matrix, dtype="<f4")
    np.savez(path, words=np.array(embedding.words, dtype=np.str_), vectors=vectors)


def _write_safetensors(embedding: Embedding, path: Path) -> None:
    words = np.frombuffer("\n".join(embedding.words).encode(), dtype=np.uint8)
    save_file({"words": words, "vectors": np.ascontiguousarray(embedding.matrix, dtype="<f4")}, path)


_WRITERS: dict[str, Callable[[Embedding, Path], None]] = {
    ".txt": _write_text,
    ".vec": _write_text,
    ".bin": _write_binary,
    ".npz": _write_npz,
    ".safetensors": _write_safetensors,
}
SUFFIXES = tuple(_WRITERS)


def save(embedding: Embedding, path: Path | str) -> None:
    """Write float32 vectors: word2vec text (`.txt`, `.vec`) or binary (`.bin`), `.npz` or `.safetensors`.

    An interrupted call leaves no partial file.
    """
    target = Path(path).expanduser()
    write = _WRITERS[check_target(target)]
    check_words(embedding.words, target)
    for words, vectors in _blocks(embedding):
        infinite_rows = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if infinite_rows.size:
            raise WordworthError(
                f"{target}: the vector of {words[infinite_rows[0]]!r} has NaN or infinity in it; remove the word first"
            )
    with replacing(target) as temporary_path:
        write(embedding, temporary_path)


def check_target(path: Path) -> str:
    """Return the suffix of a file to save to; raise for an unknown one, so call it before computing."""
    if path.suffix not in _WRITERS:
        raise WordworthError(f"{path}: a file of vectors ends in {', '.join(_WRITERS)}; choose one of these")
    return path.suffix


def check_words(words: Iterable[str], path: Path) -> None:
    """Raise for a word that could not be read back from such a file; call it before computing.

    A space ends the word in the word2vec formats, and a line break the line.
    """
    is_word2vec = _WRITERS[check_target(path)] in (_write_text, _write_binary)
    for word in words:
        if not word or "\n" in word:
            raise WordworthError(f"{path}: {word!r} cannot be saved as a word; remove it with Embedding.restrict")
        if is_word2vec and (" " in word or "\r" in word):
            raise WordworthError(
                f"{path}: the word {word!r} has a space or line break in it, which the word2vec formats cannot hold; "
                "save as .npz or .safetensors"
            )

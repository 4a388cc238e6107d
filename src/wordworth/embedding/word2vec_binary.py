"""The word2vec binary format: `rows dim\\n`, then for each row the word, a space, and `dim` little-endian float32.

The original tool puts a line break after each vector, gensim does not; both are read.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from wordworth.embedding.blocks import Block, VectorFile
from wordworth.embedding.flaws import Flaws
from wordworth.embedding.streams import opened
from wordworth.errors import WordworthError

_LONGEST = 1 << 16  # bytes; a longer “word” means that the file is something else
_READ = 8 << 20


def rows_fit(body: bytes, rows: int, dim: int) -> bool:
    """Whether what follows the header is exactly `rows` rows (used to recognise very small files)."""
    at = 0
    for _ in range(rows):
        space = body.find(b" ", at)
        if space < 0:
            return False
        at = space + 1 + 4 * dim
    return body[at:] in (b"", b"\n")


def _body(stream: BinaryIO, rows: int, dim: int, flaws: Flaws) -> Iterator[Block]:
    size = 4 * dim
    stream.readline()
    rest, row = b"", 0
    while row < rows:
        piece = stream.read(_READ)
        if not piece:
            raise flaws.cut(f"it ends in row {row + 1:,} of the {rows:,} that its header says")
        buffer, at = rest + piece, 0
        view = memoryview(buffer)
        words: list[str] = []
        vectors: list[memoryview] = []
        numbers: list[int] = []
        while row < rows:
            space = buffer.find(b" ", at)
            end = space + 1 + size
            if space < 0 or end > len(buffer):
                break
            row += 1
            word = buffer[at:space].lstrip(b"\n")
            at = end
            try:
                words.append(word.decode())
            except UnicodeDecodeError:
                flaws.add("encoding", row, f"the word {word[:60]!r} is not UTF-8")
                continue
            vectors.append(view[space + 1 : end])
            numbers.append(row)
        rest = buffer[at:]
        if words:
            yield Block(words, np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, dim), numbers)
        if len(rest) > _LONGEST + size and row < rows:
            raise WordworthError(
                f"{flaws.path}, row {row + 1:,}: no word in the next {_LONGEST:,} bytes; this is not word2vec binary "
                "with the dimension its header says"
            )
    if (rest + stream.read(_LONGEST)).strip(b"\n"):
        flaws.add("header", 1, f"the header says {rows:,} rows and there is more after the last of them")


def read_binary(path: Path, rows: int, dim: int, flaws: Flaws) -> VectorFile:
    """Streams the file, decompressed as it is read."""
    digests: list[str] = []

    def blocks() -> Iterator[Block]:
        with opened(path, digests) as stream:
            yield from _body(stream, rows, dim, flaws)

    return VectorFile(dim, blocks(), lambda: digests[0])

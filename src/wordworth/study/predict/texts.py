"""The text that words are predicted in: a corpus, cut after so many words."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.documents import documents
from wordworth.errors import WordworthError

DOCUMENTS = 10
"""Fewer documents than this are too few to resample."""


@dataclass(frozen=True)
class Text:
    """Lines of a corpus in their order, and the sentences that tell of lines that could not be read."""

    corpus: Corpus
    lines: tuple[str, ...]
    documents: tuple[int, ...]
    """The document that each line belongs to."""
    words: int
    flaws: tuple[str, ...]

    def clusters(self) -> tuple[NDArray[np.int32], str]:
        """What is drawn anew for the intervals, a number for each line: documents, or lines where those are few."""
        many = len(set(self.documents)) >= DOCUMENTS
        numbers = np.array(self.documents if many else range(len(self.lines)), dtype=np.int32)
        return numbers, "documents" if many else "lines"


def read(corpus: Corpus, words: int, split: Callable[[str], list[str]] = str.split) -> Text:
    """The first `words` words (0: all); the last line is cut where they are reached."""
    if words < 0:
        raise WordworthError(f"--words is {words}; it must be a whole number from 0 (all) up")
    lines: list[str] = []
    numbers: list[int] = []
    flaws: list[str] = []
    count = 0
    for number, line in documents(corpus, flaws.append):
        parted = split(line)
        left = words - count if words else len(parted)
        lines.append(line if len(parted) <= left else " ".join(parted[:left]))
        numbers.append(number)
        count += min(left, len(parted))
        if words and count >= words:
            break
    if not count:
        raise WordworthError(f"{corpus.name} has no words; give another text with --corpus")
    return Text(corpus, tuple(lines), tuple(numbers), count, tuple(flaws))

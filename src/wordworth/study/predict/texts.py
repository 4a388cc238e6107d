"""The text that words are predicted in: a corpus, cut after so many words."""

from collections.abc import Callable
from dataclasses import dataclass

from wordworth.catalog.corpora import Corpus
from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Text:
    """Lines of a corpus in their order, and the sentences that tell of lines that could not be read."""

    corpus: Corpus
    lines: tuple[str, ...]
    words: int
    flaws: tuple[str, ...]


def read(corpus: Corpus, words: int, split: Callable[[str], list[str]] = str.split) -> Text:
    """The first `words` words (0: all); the last line is cut where they are reached."""
    if words < 0:
        raise WordworthError(f"--words is {words}; it must be a whole number from 0 (all) up")
    lines: list[str] = []
    flaws: list[str] = []
    count = 0
    for line in corpus.lines(flaws.append):
        parted = split(line)
        left = words - count if words else len(parted)
        lines.append(line if len(parted) <= left else " ".join(parted[:left]))
        count += min(left, len(parted))
        if words and count >= words:
            break
    if not count:
        raise WordworthError(f"{corpus.name} has no words; give another text with --corpus")
    return Text(corpus, tuple(lines), count, tuple(flaws))

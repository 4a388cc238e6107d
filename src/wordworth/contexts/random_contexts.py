"""Random contexts: one per word, drawn uniformly from a corpus in one pass over its lines."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wordworth.catalog.registry import is_spaced
from wordworth.contexts.in_text import Context
from wordworth.embedding.core import lower

BEFORE, AFTER = 10, 9
"""Words kept on either side, as in VAST."""
CHARACTERS_A_WORD = 2
"""The window in a language without spaces is counted in characters, about two to a word."""

_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True)
class RandomContexts:
    """What a corpus gave for the words."""

    contexts: tuple[Context, ...]
    """One a word, in their order, for the words that the corpus holds."""
    missing: tuple[str, ...]
    """Words without a context."""


@dataclass(slots=True)
class _Draw:
    """A reservoir of one: the n-th occurrence takes the place with probability 1/n."""

    seed: str
    source: random.Random | None = None
    seen: int = 0
    kept: tuple[str, int, int] | None = None

    def offer(self, occurrence: tuple[str, int, int]) -> None:
        # Seeded by the word itself, so that the draw depends neither on other words nor on their order.
        self.source = self.source or random.Random(self.seed)
        self.seen += 1
        if self.source.random() * self.seen < 1:
            self.kept = occurrence


def random_contexts(
    words: Sequence[str], lines: Iterable[str], *, seed: int = 0, language: str = "english"
) -> RandomContexts:
    """Draw one seeded context for each word; the draw of a word does not depend on which other words there are.

    A whole whitespace word counts, punctuation at its edges set aside (in a language without spaces: any
    substring). An occurrence spelled as the word is preferred to one with other capitals. The text is cut from the
    line as it stands.
    """
    exact = {word: _Draw(f"{seed}:{word}") for word in words}
    other_case = {word: _Draw(f"{seed}:other case:{word}") for word in words}
    folded: dict[str, list[str]] = {}
    for word in exact:
        folded.setdefault(lower(word, language), []).append(word)
    spaced = is_spaced(language)
    occurrences = _whole_words if spaced else _substrings
    sizes = sorted({len(word.split()) if spaced else len(word) for word in exact})
    for line in lines:
        for form, low, occurrence in occurrences(line.rstrip("\r\n"), folded, sizes, language):
            for word in folded[low]:
                (exact if word == form else other_case)[word].offer(occurrence)
    kept = {word: exact[word].kept or other_case[word].kept for word in exact}
    return RandomContexts(
        contexts=tuple(Context(word, *place) for word, place in kept.items() if place),
        missing=tuple(word for word, place in kept.items() if not place),
    )


_Occurrence = tuple[str, str, tuple[str, int, int]]


def _whole_words(line: str, wanted: dict[str, list[str]], sizes: list[int], language: str) -> Iterator[_Occurrence]:
    """Yield runs of whitespace words whose text, edges stripped of punctuation, is wanted in some case."""
    outer = [match.span() for match in _WORD.finditer(line)]
    inner: list[tuple[int, int]] = []
    for start, end in outer:
        piece = line[start:end]
        if not piece.isalnum():
            left = _EDGE.match(piece)
            start += left.end() if left else 0
            end = start + len(_EDGE.sub("", piece))
        inner.append((start, end))
    for first in range(len(outer)):
        for size in sizes:
            last = first + size - 1
            if last >= len(outer):
                break
            start, end = inner[first][0], inner[last][1]
            form = line[start:end] if size == 1 else " ".join(line[start:end].split())
            low = lower(form, language)
            if form and low in wanted:
                begin, stop = outer[max(0, first - BEFORE)][0], outer[min(len(outer) - 1, last + AFTER)][1]
                yield form, low, (line[begin:stop], start - begin, end - begin)


def _substrings(line: str, wanted: dict[str, list[str]], sizes: list[int], language: str) -> Iterator[_Occurrence]:
    before, after = BEFORE * CHARACTERS_A_WORD, AFTER * CHARACTERS_A_WORD
    for start in range(len(line)):
        for size in sizes:
            end = start + size
            if end > len(line):
                break
            low = lower(line[start:end], language)
            if low in wanted:
                begin, stop = max(0, start - before), min(len(line), end + after)
                yield line[start:end], low, (line[begin:stop], start - begin, end - begin)

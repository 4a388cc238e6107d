"""Draw random contexts: one per word, uniformly from a corpus in one pass over its lines."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wordworth.catalog.registry import is_spaced
from wordworth.contexts.in_text import Context
from wordworth.embedding.core import lower

BEFORE, AFTER = 10, 9
"""Words kept on either side, as in VAST."""
CHARACTERS_PER_WORD = 2
"""In a language without spaces the window is counted in characters, about two per word."""

_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True)
class RandomContexts:
    """The contexts drawn from a corpus."""

    contexts: tuple[Context, ...]
    """One per word of the corpus, in the order of the words."""
    missing: tuple[str, ...]
    """Words without a context."""


@dataclass(slots=True)
class _Draw:
    """A reservoir of size one: the n-th occurrence replaces the content with probability 1/n."""

    seed: str
    source: random.Random | None = None
    count: int = 0
    choice: tuple[str, int, int] | None = None

    def offer(self, occurrence: tuple[str, int, int]) -> None:
        # Seeded by the word itself, so that the draw depends neither on other words nor on their order.
        self.source = self.source or random.Random(self.seed)
        self.count += 1
        if self.source.random() * self.count < 1:
            self.choice = occurrence


def random_contexts(
    words: Sequence[str], lines: Iterable[str], *, seed: int = 0, language: str = "english"
) -> RandomContexts:
    """Draw one seeded context per word; the draw of a word does not depend on the other words.

    An occurrence is a whitespace token without the punctuation at its edges; in a language without spaces, any
    substring. Occurrences in the word's own case are preferred. The text is cut from the line unchanged.
    """
    exact = {word: _Draw(f"{seed}:{word}") for word in words}
    other_case = {word: _Draw(f"{seed}:other case:{word}") for word in words}
    by_form: dict[str, list[str]] = {}
    for word in exact:
        by_form.setdefault(lower(word, language), []).append(word)
    has_spaces = is_spaced(language)
    occurrences = _whole_words if has_spaces else _substrings
    sizes = sorted({len(word.split()) if has_spaces else len(word) for word in exact})
    for line in lines:
        for form, low, occurrence in occurrences(line.rstrip("\r\n"), by_form, sizes, language):
            for word in by_form[low]:
                (exact if word == form else other_case)[word].offer(occurrence)
    choices = {word: exact[word].choice or other_case[word].choice for word in exact}
    return RandomContexts(
        contexts=tuple(Context(word, *choice) for word, choice in choices.items() if choice),
        missing=tuple(word for word, choice in choices.items() if not choice),
    )


_Occurrence = tuple[str, str, tuple[str, int, int]]


def _whole_words(line: str, by_form: dict[str, list[str]], sizes: list[int], language: str) -> Iterator[_Occurrence]:
    """Yield runs of whitespace tokens that are words in some case, without the punctuation at their edges."""
    outer = [match.span() for match in _WORD.finditer(line)]
    inner: list[tuple[int, int]] = []
    for start, end in outer:
        piece = line[start:end]
        if not piece.isalnum():
            edge = _EDGE.match(piece)
            start += edge.end() if edge else 0
            end = start + len(_EDGE.sub("", piece))
        inner.append((start, end))
    for first_token in range(len(outer)):
        for size in sizes:
            last_token = first_token + size - 1
            if last_token >= len(outer):
                break
            start, end = inner[first_token][0], inner[last_token][1]
            form = line[start:end] if size == 1 else " ".join(line[start:end].split())
            low = lower(form, language)
            if form and low in by_form:
                begin, stop = outer[max(0, first_token - BEFORE)][0], outer[min(len(outer) - 1, last_token + AFTER)][1]
                yield form, low, (line[begin:stop], start - begin, end - begin)


def _substrings(line: str, by_form: dict[str, list[str]], sizes: list[int], language: str) -> Iterator[_Occurrence]:
    characters_before, characters_after = BEFORE * CHARACTERS_PER_WORD, AFTER * CHARACTERS_PER_WORD
    for start in range(len(line)):
        for size in sizes:
            end = start + size
            if end > len(line):
                break
            low = lower(line[start:end], language)
            if low in by_form:
                begin, stop = max(0, start - characters_before), min(len(line), end + characters_after)
                yield line[start:end], low, (line[begin:stop], start - begin, end - begin)

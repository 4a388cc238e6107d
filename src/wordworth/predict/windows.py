"""Passages become windows: what goes through the network in one piece, and which words are predicted in it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wordworth.errors import WordworthError
from wordworth.predict.words import Passage, Target, Word

MORE_UNITS = 8
"""No path is followed further than so many units beyond the tokenizer's own number for the word."""
WINDOW = 2048
"""Tokens in a window where the model admits more."""


@dataclass(frozen=True, slots=True)
class Place:
    """A word to be predicted in a window."""

    word: Word
    target: Target
    start: int
    """Tokens of the window before its first unit."""
    previous: str
    """The word before it."""


@dataclass(frozen=True)
class Window:
    """Token numbers, those that the model wants before a text first; places in order."""

    ids: list[int]
    places: list[Place]

    @property
    def first(self) -> int:
        """The first position whose next unit is predicted."""
        return self.places[0].start - 1


def room(limit: int | None, around: int) -> int:
    """Tokens of text in a window, where the model admits `limit` and `around` stand around the text."""
    if limit is None:
        return WINDOW
    least = limit - around - MORE_UNITS
    if least < 2:
        raise WordworthError(f"the model admits {limit} tokens, too few for a word, its context and {MORE_UNITS} more")
    return min(WINDOW, least)


def windows(
    passage: Passage, before: Sequence[int], size: int, context: int
) -> Iterator[tuple[Window | None, list[tuple[Word, str]]]]:
    """Windows of at most `size` tokens of the passage, and the words that are skipped with the reason.

    The first window begins with the passage; later ones begin with a word (unless that one is too long), so that the
    first word predicted has at least `context` tokens before it. Every word is predicted once.
    """
    starts = [start for start, _ in passage.spans]
    number = 0
    while number < len(passage.words):
        first, last = passage.spans[number]
        needed = max(0, first - context) if number else 0
        begin = starts[bisect_right(starts, needed) - 1]
        if last - begin > size:
            begin = needed
        places: list[Place] = []
        left_out: list[tuple[Word, str]] = []
        end = begin
        for first, last in passage.spans[number:]:
            word, target = passage.words[number], passage.targets[number]
            if last - begin > size and end > begin:
                break
            number += 1
            if last - begin > size:
                reason = f"its {last - first} units and {context} tokens of context do not fit {size} tokens"
                left_out.append((word, reason))
                break
            if isinstance(target, str):
                left_out.append((word, target))
            else:
                previous = passage.words[number - 2].text
                places.append(Place(word, target, len(before) + first - begin, previous))
            end = last
        yield Window([*before, *passage.ids[begin:end]], places) if places else None, left_out

"""Passages become windows: what goes through the network in one piece, and which words are predicted in it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wordworth.errors import WordworthError

MORE_UNITS = 8
"""No path is followed further than so many units beyond the tokenizer's own number for the word."""
WINDOW = 2048
"""Tokens in a window where the model admits more."""


class Window(NamedTuple):
    """The words `first` to `last` of a passage, predicted where the tokens `begin` to `end` are read (ends exclusive).

    A word that does not fit stands alone, with the reason.
    """

    first: int
    last: int
    begin: int
    end: int
    reason: str = ""


def room(limit: int | None, around: int) -> int:
    """Tokens of text in a window, where the model admits `limit` and `around` stand around the text."""
    if limit is None:
        return WINDOW
    least = limit - around - MORE_UNITS
    if least < 2:
        raise WordworthError(f"the model admits {limit} tokens, too few for a word, its context and {MORE_UNITS} more")
    return min(WINDOW, least)


def windows(starts: Sequence[int], units: int, size: int, context: int) -> Iterator[Window]:
    """Windows of at most `size` tokens of a passage of so many units, whose words begin at `starts`. Every word is in
    one of them.

    The first window begins with the passage; later ones begin with a word (unless that one is too long), so that the
    first word predicted has at least `context` tokens before it.
    """
    ends = [*starts[1:], units]
    number = 0
    while number < len(starts):
        needed = max(0, starts[number] - context) if number else 0
        begin = starts[bisect_right(starts, needed) - 1]
        if ends[number] - begin > size:
            begin = needed
        if ends[number] - begin > size:
            reason = (
                f"its {ends[number] - starts[number]} units and {context} tokens of context do not fit {size} tokens"
            )
            yield Window(number, number + 1, begin, begin, reason)
            number += 1
            continue
        last = bisect_right(ends, begin + size, lo=number)
        yield Window(number, last, begin, ends[last - 1])
        number = last

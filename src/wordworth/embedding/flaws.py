"""Rows of a file that cannot be used: named with their place, then stopped at or left out, and always counted."""

from pathlib import Path
from typing import Literal

from wordworth.errors import WordworthError

OnBad = Literal["stop", "drop"]
Kind = Literal["number", "zero", "repeat", "fields", "field", "encoding", "word", "header"]

# How a count of rows of a kind is worded.
_PLURAL: dict[Kind, str] = {
    "number": "with NaN or infinity",
    "zero": "that are all zero",
    "repeat": "that repeat a word",
    "fields": "with a wrong number of fields",
    "field": "with a field that is not a number",
    "encoding": "that are not UTF-8",
    "word": "without a usable word",
    "header": "in the header",
}
_SHOWN = 3  # flaws of a kind quoted in full; the rest are counted


def quoted(word: str | bytes) -> str:
    """A word as a message shows it, cut where a file that is not what it seems has one of a million letters."""
    if isinstance(word, bytes):
        return quoted(word.decode(errors="replace"))
    return repr(word) if len(word) <= 60 else f"{word[:60]!r}…"


class Flaws:
    """Collects the flaws of one file while it is read.

    With `on_bad="stop"`, `settle` raises for the flaw that comes first in the file. Kinds in `tolerated` never stop:
    they are what a format means by such a row (all zero in HistWords: a word absent in that decade).
    """

    def __init__(self, path: Path, on_bad: OnBad, place: str, tolerated: frozenset[Kind] = frozenset()) -> None:
        self.path = path
        self.on_bad = on_bad
        self.place = place
        """What the number of a row is called: `line` in a text file, `row` in a binary one."""
        self.tolerated = tolerated
        self.counts: dict[Kind, int] = {}
        self.notes: list[str] = []
        """Sentences for `Provenance.dropped` about rows left out on purpose, which are no flaws."""
        self._first: tuple[int, Kind, str] | None = None
        self._quoted: list[tuple[int, Kind, str]] = []

    def add(self, kind: Kind, number: int, flaw: str) -> None:
        """A flaw in row `number`; `flaw` names the word and what is wrong with it."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind not in self.tolerated and (self._first is None or number < self._first[0]):
            self._first = (number, kind, flaw)
        if self.counts[kind] <= _SHOWN:
            self._quoted.append((number, kind, flaw))

    def settle(self) -> None:
        """Stops at the first flaw of the rows read so far, unless flaws are to be dropped."""
        if self._first is None or self.on_bad == "drop":
            return
        number, first, flaw = self._first
        others = {kind: count - (kind == first) for kind, count in self.counts.items() if kind not in self.tolerated}
        more = ", ".join(f"{count:,} more {_PLURAL[kind]}" for kind, count in others.items() if count)
        raise WordworthError(
            f"{self.path}, {self.place} {number:,}: {flaw}{f' (up to here also {more})' if more else ''}; "
            "mend the file, or leave such rows out with --on-bad drop"
        )

    def cut(self, flaw: str) -> WordworthError:
        """The error for a file that ends too early, which no option makes usable."""
        return WordworthError(f"{self.path} is cut short: {flaw}; fetch or copy the file again")

    def dropped(self) -> tuple[str, ...]:
        """What was left out: the first few of each kind in full, then the count of the rest."""
        full = [f"{self.place} {number:,}: {flaw}" for number, _, flaw in sorted(self._quoted)]
        rest = [
            f"{count - _SHOWN:,} more rows {_PLURAL[kind]}" for kind, count in self.counts.items() if count > _SHOWN
        ]
        return (*self.notes, *full, *rest)

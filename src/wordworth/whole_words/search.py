"""The search for words: what greedy decoding says, and whether a path of units among the k best spells the word.

The tokenizer's own path is scored everywhere at once. From there on, paths that leave it grow level by level, all words
of a batch together (Dudy & Bedrick 2020, Algorithms 1 and 2; breadth first, since only the existence of a path counts).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.errors import WordworthError
from wordworth.whole_words.chunks import MORE_UNITS, room
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.parting import SPACE, WORD, Punctuation, first_character, first_kind
from wordworth.whole_words.reader import Node
from wordworth.whole_words.segmentations import Segmentations
from wordworth.whole_words.unit_scores import Ints, UnitQuery, UnitScores
from wordworth.whole_words.units import Units, opened

Boundary = Literal["required", "ignored"]
Beginning = Literal["given", "guessed"]


@dataclass(frozen=True)
class PredictionRules:
    """How words are searched for, and how much of a text is read at once."""

    k: int = 10
    boundary: Boundary = "required"
    """Whether the end of the word is required: of a guess, that the next greedy unit begins a word; of a path, that one
    of the k best after it does. If ignored, a word is predicted as soon as it is spelled."""
    beginning: Beginning = "given"
    """Whether it is given that a word begins, as for the word's probability: the first unit of a guess or of a path is
    among the best of those that begin one. If guessed, among the best of all, and a guess may only go on with the word
    before: the algorithm as printed."""
    punctuation: Punctuation = "apart"
    """Whether marks are words of their own, or stay with the words that they touch."""
    unspaced: bool = False
    """The text is of a script without spaces. Nothing shows there where a word ends, so a word is said as soon as what
    is said begins with it, and its probability is the plain product over its units."""
    guesses: bool = True
    """Guesses are decoded to their end also where they cannot become the word. Without it, the guess of a word that
    greedy decoding misses stays null, which saves about half of the work."""
    window: int | None = None
    """Tokens that are read at once; as many as the model admits by default."""
    context: int | None = None
    """Tokens of left context that each word has at least, where the text is longer than a window; a quarter of the
    window by default."""

    def __post_init__(self) -> None:
        for name, kind in (("boundary", Boundary), ("beginning", Beginning), ("punctuation", Punctuation)):
            choices, chosen = get_args(kind), getattr(self, name)
            if chosen not in choices:
                raise WordworthError(f"there is no {name} {chosen!r}; choose {' or '.join(choices)}")

    @property
    def ends(self) -> bool:
        """Whether the end of the word is required."""
        return self.boundary == "required" and not self.unspaced

    def units(self, model: WordModel) -> Units:
        """The model's units for words that are parted so."""
        return model.units.parted(self.punctuation, unspaced=self.unspaced)

    def sizes(self, model: WordModel) -> tuple[int, int]:
        """Tokens of a window and of the least context, for a model; an error where it cannot go by these rules."""
        if not 1 <= self.k <= model.reader.width:
            raise WordworthError(f"k is {self.k}, and {model.name} has {model.reader.width:,} units; give 1 to as many")
        admitted = room(model.limit, model.around)
        size = admitted if self.window is None else self.window
        if not 2 <= size <= (admitted if model.limit else size):
            raise WordworthError(f"the window is {size} tokens, and {model.name} admits 2 to {admitted}")
        context = max(1, size // 4) if self.context is None else self.context
        if not 1 <= context < size:
            raise WordworthError(f"{context} tokens of context do not fit a window of {size}; give 1 to {size - 1}")
        return size, context


@dataclass(slots=True, eq=False)
class PathStep(Node):
    """A node, and what is tried at it."""

    word: int = 0
    count: int = 0
    """Units on the path from the word's beginning."""
    spelled: bytes = b""
    guess: bool = False
    """This is the way of the greedy guess."""
    offset: int = -1
    """Bytes of the word that the path has spelled, where a path to it is searched; else −1."""


class Words(NamedTuple):
    """The words of a batch."""

    entries: Ints
    """Their numbers in the segmentations."""
    texts: Ints
    """The text of each."""
    starts: Ints
    """Tokens before it there."""
    rows: Ints
    """The row right before it."""
    befores: Ints
    """What the word before it is of: `WORD` or `MARK`."""
    kinds: Ints
    """What it is of itself."""


class Search:
    """Of the words of a batch."""

    def __init__(self, units: Units, rules: PredictionRules, spelled: Segmentations, words: Words) -> None:
        self.units, self.rules, self.spelled, self.words = units, rules, spelled, words
        entries, rows = words.entries, words.rows
        self.entries: list[int] = entries.tolist()
        self.texts, self.starts, self.rows = words.texts.tolist(), words.starts.tolist(), rows
        self._given = rules.beginning == "given" and not (units.trailing or units.unspaced)
        self.texts_before = 0
        """Texts of other batches, whose paths are followed together with these: numbers go on from there."""
        self._entries, self.counts = entries, spelled.counts[entries]
        self.hit1, self.hitk = np.zeros(len(entries), dtype=bool), np.zeros(len(entries), dtype=bool)
        self.own_hits = self.hit1
        """Where the guess is the word by the tokenizer's own units."""
        self.guesses: dict[int, bytes] = {}
        """What was spelled instead, of the words whose guess was decoded."""
        self._steps: dict[tuple[int, int, int, int], PathStep] = {}
        self._ways = ways = spelled.leaving(entries)
        opens = ways.ats == 0 if self._given else None
        self.query = UnitQuery(rows[ways.words] + ways.ats, ways.units.astype(np.int64), opens)
        """At the rows of the own paths: all units by which another segmentation may leave them."""

    def states(self, rows: int) -> Ints:
        """What stands before the unit that follows each row of the own paths."""
        found = np.full(rows, WORD, dtype=np.int64)
        if self.units.glues:
            within = ranges(self.rows + 1, self.counts)
            found[within] = np.repeat(self.words.kinds, self.counts)
            lone = self.spelled.lone[self._entries]
            found[self.rows[lone] + 1] = SPACE
            found[self.rows] = self.words.befores
        return found

    def states_at(self, steps: Sequence[PathStep]) -> Ints:
        """The same after each step."""
        return np.array([self._state(step.word, step.spelled) for step in steps], dtype=np.int64)

    def _state(self, word: int, spelled: bytes) -> int:
        """After what was spelled for a word so far."""
        if not self.units.glues:
            return WORD
        if not spelled or not spelled[:1].isspace():  # nothing yet, or it goes on with the word before
            return int(self.words.befores[word])
        last = spelled.split()[-1:]
        if not last or spelled[-1:].isspace():
            return SPACE
        kind = first_kind(first_character(last[0]))
        return WORD if kind is None else kind

    def _begun(self, word: int, unit: int) -> bytes:
        """What the first unit of a guess spells: with a space, written or not, if it begins a word."""
        text = self.units.texts[unit] or b""
        begins = self.units.unspaced or (self.units.glues and self.units.begins[self.words.befores[word]][unit])
        return opened(text) if begins and text else text

    def begin(self, scores: UnitScores, own: Ints) -> list[PathStep]:
        """Scores the own paths; gives the first steps of paths that leave them."""
        ends = self.rows + self.counts
        spans = np.stack([self.rows, ends], axis=1).ravel()
        greedy, own_among = scores.greedy.copy(), scores.own_among.copy()
        greedy[self.rows], own_among[self.rows] = scores.opens[self.rows], scores.own_opens[self.rows]
        same = greedy == own
        free = not self.rules.ends or self.units.trailing
        greedy_begins = self.units.begin_flags[self.words.kinds, scores.greedy[ends]]
        self.hitk = np.logical_and.reduceat(own_among, spans)[::2] & (free | scores.ended[ends])
        self.hit1 = np.logical_and.reduceat(same, spans)[::2] & (free | greedy_begins)
        self.own_hits = self.hit1.copy()
        ats = _leading(same, self.rows, self.counts)
        self._first_guesses(ats, np.where(ats == 0, scores.opens[self.rows], scores.greedy[self.rows + ats]))
        self._first_paths(_leading(own_among, self.rows, self.counts), scores.among)
        return self._next()

    def query_at(self, steps: Sequence[PathStep]) -> UnitQuery:
        """At each step, the units that the path may go on with."""
        units = [[unit for unit, _ in self._continuations(step)] for step in steps]
        rows = np.repeat(np.arange(len(steps)), [len(some) for some in units])
        return UnitQuery(rows, np.array([unit for some in units for unit in some], dtype=np.int64))

    def follow(self, steps: Sequence[PathStep], scores: UnitScores) -> list[PathStep]:
        """Goes on from every step; gives the next ones."""
        first = 0
        greedy, ended, among = scores.greedy.tolist(), scores.ended.tolist(), scores.among.tolist()
        for row, step in enumerate(steps):
            if step.guess:
                self._go_on(step.word, step, step.after, step.count, step.spelled, greedy[row])
            continuations = self._continuations(step)
            if step.offset == len(self._text(step.word)):
                self.hitk[step.word] |= ended[row]
            for (unit, length), good in zip(continuations, among[first : first + len(continuations)], strict=True):
                if good:
                    offset = length if length < 0 else step.offset + length
                    self._try(step.word, step, step.after, step.count, unit, offset)
            first += len(continuations)
        return self._next()

    def _continuations(self, step: PathStep) -> list[tuple[int, int]]:
        text = self._text(step.word)
        return self.units.continuations(text[step.offset :]) if 0 <= step.offset < len(text) else []

    def _text(self, word: int) -> bytes:
        return self.spelled.texts[self.entries[word]]

    def _next(self) -> list[PathStep]:
        steps = [step for step in self._steps.values() if step.guess or not self.hitk[step.word]]
        self._steps = {}
        return steps

    def _first_guesses(self, ats: Ints, units: Ints) -> None:
        """The greedy guess follows the own path as long as that is greedy, for `ats` units, then takes another."""
        words = np.flatnonzero(~self.hit1)
        for word, at, unit in zip(words.tolist(), ats[words].tolist(), units[words].tolist(), strict=True):
            text, offsets = self._text(word), self.spelled.offsets[self.entries[word]]
            whole = at == len(offsets) - 1
            spelled = text if whole else text[: offsets[at]]
            if whole and self.units.trailing:
                spelled += b" "
            self._go_on(word, None, self.starts[word] + at, at, spelled, unit)

    def _first_paths(self, ats: Ints, among: NDArray[np.bool_]) -> None:
        """A path leaves the own one as long as that is among the k best, for `ats` units, by a unit that is too."""
        ways = self._ways
        opens = (ways.ats > 0) | self.units.begin_flags[self.words.befores[ways.words], ways.units]
        opens |= self.units.trailing or self.units.unspaced
        taken = np.flatnonzero(among & opens & ~self.hitk[ways.words] & (ways.ats <= ats[ways.words]))
        for word, at, unit, offset in zip(*(column[taken].tolist() for column in ways), strict=True):
            self._try(word, None, self.starts[word] + at, at, unit, offset)

    def _go_on(self, word: int, parent: PathStep | None, after: int, count: int, spelled: bytes, unit: int) -> None:
        """The guess so far goes on with a unit: it is then complete, or there is a step to take."""
        text, most = self._text(word), self.spelled.parts[self.entries[word]]
        parts, blank = len(spelled.split()), bool(spelled) and not spelled.strip()
        begins = self.units.begins[self._state(word, spelled)][unit]
        if self.units.closes[unit] or (begins and (parts >= most or blank)):
            self.guesses[word] = spelled
            self.hit1[word] = spelled == text and not self.units.trailing
            return
        spelled = spelled + (self.units.texts[unit] or b"") if spelled else self._begun(word, unit)
        parts = len(spelled.split())
        if parts > most or (parts == most and spelled[-1:].isspace()):
            self.guesses[word] = spelled
            self.hit1[word] = spelled.startswith(text) and spelled[len(text) :][:1].isspace()
            return
        if spelled == text or (self.rules.unspaced and spelled.startswith(text)):
            if not self.rules.ends:
                self.guesses[word], self.hit1[word] = text, True
                return
        elif self.rules.unspaced and len(spelled) >= len(text):
            self.guesses[word] = _as_long(spelled, text)
            return
        if not text.startswith(spelled) and not self.rules.guesses:
            return
        if count + 1 >= self.counts[word] + MORE_UNITS:
            self.guesses[word] = spelled
            return
        self._step(word, parent, after, count, unit, spelled).guess = True

    def _try(self, word: int, parent: PathStep | None, after: int, count: int, unit: int, offset: int) -> None:
        """A path to the word goes on with a unit that is among the k best."""
        text = self._text(word)
        if offset < 0 or (offset == len(text) and not self.rules.ends):
            self.hitk[word] = True
        elif count + 1 < self.counts[word] + MORE_UNITS and not (offset == len(text) and self.units.trailing):
            self._step(word, parent, after, count, unit, text[:offset]).offset = offset

    def _step(self, word: int, parent: PathStep | None, after: int, count: int, unit: int, spelled: bytes) -> PathStep:
        """The guess and a path that go the same way share the step."""
        key = word, after, id(parent), unit
        if key not in self._steps:
            self._steps[key] = PathStep(
                self.texts_before + self.texts[word], after, unit, parent, word=word, count=count + 1, spelled=spelled
            )
        return self._steps[key]


def _as_long(spelled: bytes, text: bytes) -> bytes:
    """Of what was spelled, as many characters as a word has: without spaces, nothing says where it ends."""
    return spelled.decode(errors="replace")[: len(text.decode(errors="replace"))].encode()


def _leading(good: NDArray[np.bool_], rows: Ints, counts: Ints) -> Ints:
    """How many of the `counts` rows from each of `rows` on are good before one is not."""
    bad = np.append(np.flatnonzero(~good), len(good))
    return np.minimum(bad[np.searchsorted(bad, rows)] - rows, counts)

"""The search for words: what greedy decoding says, and whether a path of units among the k best spells the word.

The tokenizer's own path is scored everywhere at once. From there on, paths that leave it grow level by level, all words
of a batch together (Dudy & Bedrick 2020, Algorithms 1 and 2; breadth first, since only the existence of a path counts).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.whole_words.chunks import Chunk
from wordworth.whole_words.parting import SPACE, WORD, first_character, first_kind, kind_of
from wordworth.whole_words.reader import Node
from wordworth.whole_words.rules import MORE_UNITS, PredictionRules
from wordworth.whole_words.unit_scores import UnitQuery, UnitScores
from wordworth.whole_words.units import Units, add_space
from wordworth.whole_words.words import Ints, Target


class Ways(NamedTuple):
    """Where other segmentations may leave the own paths: of which word, and as `spell_otherwise` says."""

    words: Ints
    ats: NDArray[np.integer]
    units: NDArray[np.integer]
    offsets: NDArray[np.integer]


class PreparedChunk:
    """A chunk made ready for a device. Distinct words are called by number; those that are skipped spell nothing."""

    def __init__(self, chunk: Chunk, units: Units, rules: PredictionRules) -> None:
        self.chunk = chunk
        self.lengths = np.diff(chunk.ends, prepend=0)
        """Tokens of each window."""
        self.entries, self.starts = (chunk.places[name].astype(np.int64) for name in ("entry", "start"))
        self.bounds = np.searchsorted(chunk.places["window"], np.arange(len(chunk.ends) + 1))
        """The first word of each window."""
        targets = [target if isinstance(target, Target) else None for target in chunk.targets]
        self.forms = [target and target.form for target in targets]
        self.texts = [target.text if target else b"" for target in targets]
        """What a path must spell."""
        self.parts = [len(text.split()) for text in self.texts]
        """Words that the tokenizer makes of each: `don't` is three to one that parts at punctuation."""
        self.counts: Ints = np.array([len(target.ids) if target else 0 for target in targets], dtype=np.int64)
        """The tokenizer's own units."""
        self.kinds = np.array([kind_of(word) if rules.punctuation == "apart" else WORD for word in chunk.words])
        """Whether they are of letters or of marks."""
        self.offsets = [list_offsets(units, target) if target else [0] for target in targets]
        self.lone = np.array([offsets[1:2] == [1] for offsets in self.offsets])
        """Whether the first unit is the space before the word, and nothing more."""
        ways = [
            spell_otherwise(units, target, offsets) if target and rules.k else []
            for target, offsets in zip(targets, self.offsets, strict=True)
        ]
        self._firsts = np.cumsum([0, *map(len, ways)]) // 3
        flat = np.fromiter(chain.from_iterable(ways), dtype=np.int32, count=3 * int(self._firsts[-1]))
        self._ways: NDArray[np.integer] = np.ascontiguousarray(flat.reshape(-1, 3).T)

    def leave(self, entries: Ints) -> Ways:
        """Return all ways to leave the own paths of some words, word by word."""
        firsts = self._firsts[entries]
        lengths = self._firsts[entries + 1] - firsts
        return Ways(np.repeat(np.arange(len(entries)), lengths), *self._ways[:, ranges(firsts, lengths)])


def list_offsets(units: Units, target: Target) -> list[int]:
    """Return the bytes of a word that are spelled before each of its own units, and at the end."""
    lengths = [len(units.texts[unit] or b"") for unit in target.ids]
    # The space before a word may not be written; the first unit spells it then.
    lengths[0] += len(target.text) + units.trailing - sum(lengths)
    return [0, *accumulate(lengths)]


def spell_otherwise(units: Units, target: Target, offsets: list[int]) -> list[int]:
    """Return three numbers per way: after how many of its own units another may follow, which one, and the bytes that
    are spelled then (−1: all of the word, and its end)."""
    ways: list[int] = []
    if units.glues:
        for unit, length in units.continuations(target.text[1:]):
            if unit != target.ids[0]:
                ways += (0, unit, length if length < 0 else 1 + length)
    for at, (offset, own) in enumerate(zip(offsets, target.ids, strict=False)):
        for unit, length in units.continuations(target.text[offset:]):
            if unit != own:
                ways += (at, unit, length if length < 0 else offset + length)
    return ways


@dataclass(slots=True, eq=False)
class PathStep(Node):
    """A node, and what is tried at it."""

    word: int = 0
    count: int = 0
    """Units on the path from the word's beginning."""
    spelled: bytes = b""
    is_guess: bool = False
    """This is the way of the greedy guess."""
    offset: int = -1
    """Bytes of the word that the path has spelled, where a path to it is searched; else −1."""


class Search:
    """The words of some windows of a chunk: their own paths, and the paths that leave these.

    ln P(word) = Σ ln p(unit) + ln P(begin | word read) − ln P(begin | context).

    “Begin” is that the next unit begins a word, a line or is a special one. The context's last word is over, hence the
    division; the word itself ends, hence the factor (Pimentel & Meister 2024; Oh & Schuler 2024). So the words that may
    follow a context share a mass of 1, and the words of a text multiply to the probability of the text. It is that of
    the tokenizer's own units; other segmentations of the same word are not added. Where units mark the end of a word
    themselves, the product over the units is all of it.
    """

    def __init__(self, units: Units, rules: PredictionRules, chunk: PreparedChunk, windows: Ints) -> None:
        self.units, self.rules, self.chunk = units, rules, chunk
        low = chunk.bounds[windows]
        counts = chunk.bounds[windows + 1] - low
        self.places = ranges(low, counts)
        """The words, among those of the chunk."""
        texts, starts = np.repeat(np.arange(len(windows)), counts), chunk.starts[self.places]
        self.texts, self.starts = texts.tolist(), starts.tolist()
        self.firsts = chunk.starts[low] - 1
        """The first position of each text that has a row: rows are those to the ends of the texts."""
        lengths = chunk.lengths[windows]
        row_counts = lengths - self.firsts
        row_ends = np.cumsum(row_counts)
        own = chunk.chunk.ids.take(ranges(chunk.chunk.ends[windows] - row_counts + 1, row_counts), mode="clip")
        self.own = own.astype(np.int64)
        """The unit that follows each row; −1 at the end of a text."""
        self.own[row_ends - 1] = -1
        self._entries = chunk.entries[self.places]
        self.entries: list[int] = self._entries.tolist()
        self.counts = chunk.counts[self._entries]
        self.rows = (row_ends - lengths)[texts] + starts - 1
        """The row right before each word."""
        self._kinds = chunk.kinds[self._entries]
        self._kinds_before = chunk.kinds[chunk.chunk.places["before"][self.places]]
        self.texts_before = 0
        """Texts of other batches, whose paths are followed together with these: numbers go on from there."""
        self.hit1 = self.hitk = self.own_hits = np.zeros(0, dtype=bool)
        """`own_hits`: where the guess is the word by the tokenizer's own units."""
        self.logp = self.naive = np.zeros(0)
        self.guesses: dict[int, bytes] = {}
        """What was spelled instead, of the words whose guess was decoded."""
        self._steps: dict[tuple[int, int, int, int], PathStep] = {}
        self._ways = ways = chunk.leave(self._entries)
        self._is_first = chunk.chunk.places["before"][self.places] < 0
        """The words that begin their text: it is certain that a word begins there."""
        is_given = rules.beginning == "given" and not (units.trailing or units.unspaced)
        opens = ways.ats == 0 if is_given else None
        self.query = UnitQuery(self.rows[ways.words] + ways.ats, ways.units.astype(np.int64), opens)
        """At the rows of the own paths: all units by which another segmentation may leave them."""

    def states(self) -> Ints:
        """Return what is before the unit that follows each row of the own paths."""
        states = np.full(len(self.own), WORD, dtype=np.int64)
        if self.units.glues:
            states[ranges(self.rows + 1, self.counts)] = np.repeat(self._kinds, self.counts)
            states[self.rows[self.chunk.lone[self._entries]] + 1] = SPACE
            states[self.rows] = self._kinds_before
        return states

    def states_at(self, steps: Sequence[PathStep]) -> Ints:
        """Return the same after each step."""
        return np.array([self._state(step.word, step.spelled) for step in steps], dtype=np.int64)

    def _state(self, word: int, spelled: bytes) -> int:
        if not self.units.glues:
            return WORD
        if not spelled or not spelled[:1].isspace():  # nothing yet, or it goes on with the word before
            return int(self._kinds_before[word])
        last = spelled.split()[-1:]
        if not last or spelled[-1:].isspace():
            return SPACE
        kind = first_kind(first_character(last[0]))
        return WORD if kind is None else kind

    def begin(self, scores: UnitScores) -> list[PathStep]:
        """Score the own paths; return the first steps of the paths that leave them."""
        ends = self.rows + self.counts
        spans = np.stack([self.rows, ends], axis=1).ravel()
        self.logp = self.naive = np.add.reduceat(scores.own, spans)[::2]
        if not self.units.trailing:
            self.logp = self.naive + scores.begin[ends] - np.where(self._is_first, 0.0, scores.begin[self.rows])
        if not self.rules.k:
            return []
        greedy, own_among = scores.greedy.copy(), scores.own_among.copy()
        greedy[self.rows], own_among[self.rows] = scores.opens[self.rows], scores.own_opens[self.rows]
        same = greedy == self.own
        is_guess_free, is_path_free = (
            not ends or self.units.trailing for ends in (self.rules.guess_ends, self.rules.path_ends)
        )
        greedy_begins = self.units.begin_flags[self._kinds, scores.greedy[ends]]
        self.hitk = np.logical_and.reduceat(own_among, spans)[::2] & (is_path_free | scores.ended[ends])
        self.hit1 = np.logical_and.reduceat(same, spans)[::2] & (is_guess_free | greedy_begins)
        self.own_hits = self.hit1.copy()
        ats = _count_leading(same, self.rows, self.counts)
        self._start_guesses(ats, np.where(ats == 0, scores.opens[self.rows], scores.greedy[self.rows + ats]))
        self._start_paths(_count_leading(own_among, self.rows, self.counts), scores.among)
        return self._take_steps()

    def query_at(self, steps: Sequence[PathStep]) -> UnitQuery:
        """Return, at each step, the units that the path may go on with."""
        units = [[unit for unit, _ in self._continuations(step)] for step in steps]
        rows = np.repeat(np.arange(len(steps)), [len(some) for some in units])
        return UnitQuery(rows, np.array([unit for some in units for unit in some], dtype=np.int64))

    def follow(self, steps: Sequence[PathStep], scores: UnitScores) -> list[PathStep]:
        """Go on from every step; return the next ones."""
        greedy, ended, among = scores.greedy.tolist(), scores.ended.tolist(), iter(scores.among.tolist())
        for row, step in enumerate(steps):
            if step.is_guess:
                self._guess(step.word, step, step.after, step.count, step.spelled, greedy[row])
            if step.offset == len(self._text(step.word)):
                self.hitk[step.word] |= ended[row]
            for (unit, length), is_among in zip(self._continuations(step), among, strict=False):
                if is_among:
                    offset = length if length < 0 else step.offset + length
                    self._try(step.word, step, step.after, step.count, unit, offset)
        return self._take_steps()

    def decode_guesses(self) -> list[str]:
        """Return what was said instead of the word, where a guess was decoded: as many parts as the word has.

        What does not begin a word goes on with the last one.
        """
        words, before = self.chunk.chunk.words, self.chunk.chunk.places["before"][self.places]
        guesses = []
        for word, spelled in self.guesses.items():
            parts = self.chunk.parts[self.entries[word]]
            guess = b"".join(spelled.split()[:parts]).decode(errors="replace")
            goes_on = bool(spelled) and not spelled[:1].isspace() and not self.units.trailing
            guesses.append(words[before[word]] + guess if goes_on else guess)
        return guesses

    def _continuations(self, step: PathStep) -> list[tuple[int, int]]:
        text = self._text(step.word)
        return self.units.continuations(text[step.offset :]) if 0 <= step.offset < len(text) else []

    def _text(self, word: int) -> bytes:
        return self.chunk.texts[self.entries[word]]

    def _take_steps(self) -> list[PathStep]:
        steps = [step for step in self._steps.values() if step.is_guess or not self.hitk[step.word]]
        self._steps = {}
        return steps

    def _start_guesses(self, ats: Ints, units: Ints) -> None:
        """The greedy guess follows the own path as long as that is greedy, for `ats` units, then takes another."""
        words = np.flatnonzero(~self.hit1)
        for word, at, unit in zip(words.tolist(), ats[words].tolist(), units[words].tolist(), strict=True):
            text, offsets = self._text(word), self.chunk.offsets[self.entries[word]]
            is_whole = at == len(offsets) - 1
            spelled = text if is_whole else text[: offsets[at]]
            if is_whole and self.units.trailing:
                spelled += b" "
            self._guess(word, None, self.starts[word] + at, at, spelled, unit)

    def _start_paths(self, ats: Ints, among: NDArray[np.bool_]) -> None:
        """A path leaves the own one as long as that is among the k best, for `ats` units, by a unit that is too."""
        ways = self._ways
        opens = (ways.ats > 0) | self.units.begin_flags[self._kinds_before[ways.words], ways.units]
        opens |= self.units.trailing or self.units.unspaced
        taken = np.flatnonzero(among & opens & ~self.hitk[ways.words] & (ways.ats <= ats[ways.words]))
        for word, at, unit, offset in zip(*(column[taken].tolist() for column in ways), strict=True):
            self._try(word, None, self.starts[word] + at, at, unit, offset)

    def _guess(self, word: int, parent: PathStep | None, after: int, count: int, spelled: bytes, unit: int) -> None:
        """The guess so far goes on with a unit: it is then complete, or there is a step to take."""
        text, most = self._text(word), self.chunk.parts[self.entries[word]]
        parts, is_blank = len(spelled.split()), bool(spelled) and not spelled.strip()
        begins = self.units.begins[self._state(word, spelled)][unit]
        if self.units.closes[unit] or (begins and (parts >= most or is_blank)):
            self.guesses[word] = spelled
            self.hit1[word] = spelled == text and not self.units.trailing
            return
        spelled = spelled + (self.units.texts[unit] or b"") if spelled else self._open(word, unit)
        parts = len(spelled.split())
        if parts > most or (parts == most and spelled[-1:].isspace()):
            self.guesses[word] = spelled
            self.hit1[word] = spelled.startswith(text) and spelled[len(text) :][:1].isspace()
            return
        if spelled == text or (self.rules.unspaced and spelled.startswith(text)):
            if not self.rules.guess_ends:
                self.guesses[word], self.hit1[word] = text, True
                return
        elif self.rules.unspaced and len(spelled) >= len(text):
            # As many characters as the word has: without spaces, nothing says where the guess ends.
            length = len(text.decode(errors="replace"))
            self.guesses[word] = spelled.decode(errors="replace")[:length].encode()
            return
        if not text.startswith(spelled) and not self.rules.guesses:
            return
        if count + 1 >= self.counts[word] + MORE_UNITS:
            self.guesses[word] = spelled
            return
        self._step(word, parent, after, count, unit, spelled).is_guess = True

    def _open(self, word: int, unit: int) -> bytes:
        """Return what the first unit of a guess spells: with a space, written or not, if it begins a word."""
        text = self.units.texts[unit] or b""
        begins = self.units.unspaced or (self.units.glues and self.units.begins[self._kinds_before[word]][unit])
        return add_space(text) if begins and text else text

    def _try(self, word: int, parent: PathStep | None, after: int, count: int, unit: int, offset: int) -> None:
        """A path to the word goes on with a unit that is among the k best."""
        text = self._text(word)
        if offset < 0 or (offset == len(text) and not self.rules.path_ends):
            self.hitk[word] = True
        elif count + 1 < self.counts[word] + MORE_UNITS and not (offset == len(text) and self.units.trailing):
            self._step(word, parent, after, count, unit, text[:offset]).offset = offset

    def _step(self, word: int, parent: PathStep | None, after: int, count: int, unit: int, spelled: bytes) -> PathStep:
        """The guess and a path that go the same way share the step."""
        key = word, after, id(parent), unit
        if key not in self._steps:
            text = self.texts_before + self.texts[word]
            self._steps[key] = PathStep(text, after, unit, parent, word=word, count=count + 1, spelled=spelled)
        return self._steps[key]


def _count_leading(good: NDArray[np.bool_], rows: Ints, counts: Ints) -> Ints:
    """Return how many of the `counts` rows from each of `rows` on are good before one is not."""
    bad = np.append(np.flatnonzero(~good), len(good))
    return np.minimum(bad[np.searchsorted(bad, rows)] - rows, counts)

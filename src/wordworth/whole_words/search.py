"""Search for words: by greedy decoding, and by paths of units among the k best that spell the word.

The tokenizer's own path is scored for all words at once. Paths that leave it then grow level by level, for all words of
a batch together (Dudy & Bedrick 2020, Algorithms 1 and 2; breadth first, since only the existence of a path counts).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.whole_words.chunks import Chunk
from wordworth.whole_words.reader import Node
from wordworth.whole_words.rules import MORE_UNITS, PredictionRules
from wordworth.whole_words.splitting import SPACE, WORD, first_character, first_kind, kind_of
from wordworth.whole_words.unit_scores import UnitQuery, UnitScores
from wordworth.whole_words.units import Units, add_space
from wordworth.whole_words.words import Ints, Target


class Branches(NamedTuple):
    """The branches of other segmentations off the own paths, by word, as `list_branches` returns them."""

    words: Ints
    depths: NDArray[np.integer]
    units: NDArray[np.integer]
    offsets: NDArray[np.integer]


class PreparedChunk:
    """A chunk prepared for a device. Distinct words have numbers; skipped ones spell nothing."""

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
        """The text that a path must spell."""
        self.parts = [len(text.split()) for text in self.texts]
        """Words that the tokenizer makes of each: three of `don't` if it splits at punctuation."""
        self.counts: Ints = np.array([len(target.ids) if target else 0 for target in targets], dtype=np.int64)
        """The number of the tokenizer's own units."""
        self.kinds = np.array([kind_of(word) if rules.punctuation == "apart" else WORD for word in chunk.words])
        """Whether each word consists of letters or of marks."""
        self.offsets = [list_offsets(units, target) if target else [0] for target in targets]
        self.is_only_space = np.array([offsets[1:2] == [1] for offsets in self.offsets])
        """Whether the first unit is only the space before the word."""
        pairs = zip(targets, self.offsets, strict=True)
        branches = [list_branches(units, target, starts) if target and rules.k else [] for target, starts in pairs]
        self._firsts = np.cumsum([0, *map(len, branches)]) // 3
        flat = np.fromiter(chain.from_iterable(branches), dtype=np.int32, count=3 * int(self._firsts[-1]))
        self._branches: NDArray[np.integer] = np.ascontiguousarray(flat.reshape(-1, 3).T)

    def branches(self, entries: Ints) -> Branches:
        """Return all branches off the own paths of some words, word by word."""
        firsts = self._firsts[entries]
        lengths = self._firsts[entries + 1] - firsts
        return Branches(np.repeat(np.arange(len(entries)), lengths), *self._branches[:, ranges(firsts, lengths)])


def list_offsets(units: Units, target: Target) -> list[int]:
    """Return the number of bytes of a word before each of its own units, and at the end."""
    lengths = [len(units.texts[unit] or b"") for unit in target.ids]
    # If no space is written before the word, the first unit still counts as spelling it.
    lengths[0] += len(target.text) + units.trailing - sum(lengths)
    return [0, *accumulate(lengths)]


def list_branches(units: Units, target: Target, offsets: list[int]) -> list[int]:
    """Return three numbers per branch: the own units before it, its first unit, and the bytes spelled with it (−1: all
    of the word, and its end)."""
    numbers: list[int] = []
    if units.glues:
        for unit, length in units.continuations(target.text[1:]):
            if unit != target.ids[0]:
                numbers += (0, unit, length if length < 0 else 1 + length)
    for depth, (offset, own_unit) in enumerate(zip(offsets, target.ids, strict=False)):
        for unit, length in units.continuations(target.text[offset:]):
            if unit != own_unit:
                numbers += (depth, unit, length if length < 0 else offset + length)
    return numbers


@dataclass(slots=True, eq=False)
class PathStep(Node):
    """A node, and the guess or path that it extends."""

    word: int = 0
    count: int = 0
    """Units on the path from the word's beginning."""
    spelling: bytes = b""
    is_guess: bool = False
    """Whether the greedy guess takes this step."""
    offset: int = -1
    """Bytes of the word that the path has spelled; −1 if no path to the word takes this step."""


class Search:
    """Searches for the words of some windows of a chunk, by their own paths and the paths that branch off.

    ln P(word) = Σ ln p(unit) + ln P(begin | word read) − ln P(begin | context).

    “Begin” means that the next unit begins a word or a line, or is a special unit. The division expresses that the last
    word of the context is complete, the factor that the word ends (Pimentel & Meister 2024; Oh & Schuler 2024). So the
    words that may follow a context share a mass of 1, and the words of a text multiply to the probability of the text.
    Only the tokenizer's own units count; other segmentations of the same word are not added. If units mark the ends of
    words, the probability is the product over the units.
    """

    def __init__(self, units: Units, rules: PredictionRules, chunk: PreparedChunk, windows: Ints) -> None:
        self.units, self.rules, self.chunk = units, rules, chunk
        low = chunk.bounds[windows]
        counts = chunk.bounds[windows + 1] - low
        self.places = ranges(low, counts)
        """The indices of the words in the chunk."""
        texts, starts = np.repeat(np.arange(len(windows)), counts), chunk.starts[self.places]
        self.texts, self.starts = texts.tolist(), starts.tolist()
        self.firsts = chunk.starts[low] - 1
        """The first position with a row in each text; rows continue to the ends of the texts."""
        lengths = chunk.lengths[windows]
        row_counts = lengths - self.firsts
        row_ends = np.cumsum(row_counts)
        own_units = chunk.chunk.ids.take(ranges(chunk.chunk.ends[windows] - row_counts + 1, row_counts), mode="clip")
        self.own = own_units.astype(np.int64)
        """The unit that follows each row; −1 at the end of a text."""
        self.own[row_ends - 1] = -1
        self._entries = chunk.entries[self.places]
        self.entries: list[int] = self._entries.tolist()
        self.counts = chunk.counts[self._entries]
        self.rows = (row_ends - lengths)[texts] + starts - 1
        """The row before each word."""
        self._kinds = chunk.kinds[self._entries]
        self._kinds_before = chunk.kinds[chunk.chunk.places["before"][self.places]]
        self.texts_before = 0
        """Texts of earlier batches whose paths grow together with these: numbers continue from there."""
        self.hit1 = self.hitk = self.own_hits = np.zeros(0, dtype=bool)
        """`own_hits`: whether the guess is the word in the tokenizer's own units."""
        self.logp = self.naive = np.zeros(0)
        self.guesses: dict[int, bytes] = {}
        """The decoded guess by word, if it is not the word."""
        self._steps: dict[tuple[int, int, int, int], PathStep] = {}
        self._branches = branches = chunk.branches(self._entries)
        self._is_first = chunk.chunk.places["before"][self.places] < 0
        """Whether the word is the first of its text: a word certainly begins there."""
        is_given = rules.beginning == "given" and not (units.trailing or units.unspaced)
        opens = branches.depths == 0 if is_given else None
        self.query = UnitQuery(self.rows[branches.words] + branches.depths, branches.units.astype(np.int64), opens)
        """The units at the rows of the own paths by which another segmentation may branch off."""

    def states(self) -> Ints:
        """Return the state (`WORD`, `MARK`, `SPACE`) before the unit that follows each row of the own paths."""
        states = np.full(len(self.own), WORD, dtype=np.int64)
        if self.units.glues:
            states[ranges(self.rows + 1, self.counts)] = np.repeat(self._kinds, self.counts)
            states[self.rows[self.chunk.is_only_space[self._entries]] + 1] = SPACE
            states[self.rows] = self._kinds_before
        return states

    def states_at(self, steps: Sequence[PathStep]) -> Ints:
        """Return the state after each step."""
        return np.array([self._state(step.word, step.spelling) for step in steps], dtype=np.int64)

    def _state(self, word: int, spelling: bytes) -> int:
        if not self.units.glues:
            return WORD
        if not spelling or not spelling[:1].isspace():  # nothing yet, or it continues the word before
            return int(self._kinds_before[word])
        last_word = spelling.split()[-1:]
        if not last_word or spelling[-1:].isspace():
            return SPACE
        kind = first_kind(first_character(last_word[0]))
        return WORD if kind is None else kind

    def begin(self, scores: UnitScores) -> list[PathStep]:
        """Score the own paths; return the first steps of the paths that branch off."""
        ends = self.rows + self.counts
        spans = np.stack([self.rows, ends], axis=1).ravel()
        self.logp = self.naive = np.add.reduceat(scores.own, spans)[::2]
        if not self.units.trailing:
            self.logp = self.naive + scores.begin[ends] - np.where(self._is_first, 0.0, scores.begin[self.rows])
        if not self.rules.k:
            return []
        greedy, own_among = scores.greedy.copy(), scores.own_among.copy()
        greedy[self.rows], own_among[self.rows] = scores.opens[self.rows], scores.own_opens[self.rows]
        is_own = greedy == self.own
        is_guess_free = not self.rules.guess_ends or self.units.trailing
        is_path_free = not self.rules.path_ends or self.units.trailing
        greedy_begins = self.units.begin_flags[self._kinds, scores.greedy[ends]]
        self.hitk = np.logical_and.reduceat(own_among, spans)[::2] & (is_path_free | scores.can_end[ends])
        self.hit1 = np.logical_and.reduceat(is_own, spans)[::2] & (is_guess_free | greedy_begins)
        self.own_hits = self.hit1.copy()
        depths = _count_leading(is_own, self.rows, self.counts)
        self._start_guesses(depths, np.where(depths == 0, scores.opens[self.rows], scores.greedy[self.rows + depths]))
        self._start_paths(_count_leading(own_among, self.rows, self.counts), scores.among)
        return self._take_steps()

    def query_at(self, steps: Sequence[PathStep]) -> UnitQuery:
        """Return the units that may continue the path of each step."""
        units = [[unit for unit, _ in self._continuations(step)] for step in steps]
        rows = np.repeat(np.arange(len(steps)), [len(step_units) for step_units in units])
        return UnitQuery(rows, np.array([unit for step_units in units for unit in step_units], dtype=np.int64))

    def follow(self, steps: Sequence[PathStep], scores: UnitScores) -> list[PathStep]:
        """Extend the paths of all steps; return the next steps."""
        greedy, can_end, is_among = scores.greedy.tolist(), scores.can_end.tolist(), iter(scores.among.tolist())
        for row, step in enumerate(steps):
            if step.is_guess:
                self._guess(step.word, step, step.after, step.count, step.spelling, greedy[row])
            if step.offset == len(self._text(step.word)):
                self.hitk[step.word] |= can_end[row]
            for (unit, length), is_best in zip(self._continuations(step), is_among, strict=False):
                if is_best:
                    offset = length if length < 0 else step.offset + length
                    self._try(step.word, step, step.after, step.count, unit, offset)
        return self._take_steps()

    def decode_guesses(self) -> list[str]:
        """Return the decoded guesses: as many parts as the word has, after the last word if they do not begin one."""
        words, indices_before = self.chunk.chunk.words, self.chunk.chunk.places["before"][self.places]
        guesses = []
        for word, spelling in self.guesses.items():
            parts = self.chunk.parts[self.entries[word]]
            guess = b"".join(spelling.split()[:parts]).decode(errors="replace")
            continues_word = bool(spelling) and not spelling[:1].isspace() and not self.units.trailing
            guesses.append(words[indices_before[word]] + guess if continues_word else guess)
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

    def _start_guesses(self, depths: Ints, units: Ints) -> None:
        """Start guesses that follow the own path while it is greedy, for `depths` units, then take another unit."""
        words = np.flatnonzero(~self.hit1)
        for word, depth, unit in zip(words.tolist(), depths[words].tolist(), units[words].tolist(), strict=True):
            text, offsets = self._text(word), self.chunk.offsets[self.entries[word]]
            is_whole = depth == len(offsets) - 1
            spelling = text if is_whole else text[: offsets[depth]]
            if is_whole and self.units.trailing:
                spelling += b" "
            self._guess(word, None, self.starts[word] + depth, depth, spelling, unit)

    def _start_paths(self, depths: Ints, among: NDArray[np.bool_]) -> None:
        """Start paths that follow the own path among the k best, for `depths` units, then take another unit."""
        branches = self._branches
        opens = (branches.depths > 0) | self.units.begin_flags[self._kinds_before[branches.words], branches.units]
        opens |= self.units.trailing or self.units.unspaced
        rows = np.flatnonzero(among & opens & ~self.hitk[branches.words] & (branches.depths <= depths[branches.words]))
        for word, depth, unit, offset in zip(*(column[rows].tolist() for column in branches), strict=True):
            self._try(word, None, self.starts[word] + depth, depth, unit, offset)

    def _guess(self, word: int, parent: PathStep | None, after: int, count: int, spelling: bytes, unit: int) -> None:
        """Extend a guess by a unit: record it if it is complete, else add a step."""
        text, max_parts = self._text(word), self.chunk.parts[self.entries[word]]
        part_count, is_blank = len(spelling.split()), bool(spelling) and not spelling.strip()
        begins = self.units.begins[self._state(word, spelling)][unit]
        if self.units.closes[unit] or (begins and (part_count >= max_parts or is_blank)):
            self.guesses[word] = spelling
            self.hit1[word] = spelling == text and not self.units.trailing
            return
        spelling = spelling + (self.units.texts[unit] or b"") if spelling else self._open(word, unit)
        part_count = len(spelling.split())
        if part_count > max_parts or (part_count == max_parts and spelling[-1:].isspace()):
            self.guesses[word] = spelling
            self.hit1[word] = spelling.startswith(text) and spelling[len(text) :][:1].isspace()
            return
        if spelling == text or (self.rules.unspaced and spelling.startswith(text)):
            if not self.rules.guess_ends:
                self.guesses[word], self.hit1[word] = text, True
                return
        elif self.rules.unspaced and len(spelling) >= len(text):
            # Without spaces, nothing shows the end of the guess: take as many characters as the word has.
            length = len(text.decode(errors="replace"))
            self.guesses[word] = spelling.decode(errors="replace")[:length].encode()
            return
        if not text.startswith(spelling) and not self.rules.guesses:
            return
        if count + 1 >= self.counts[word] + MORE_UNITS:
            self.guesses[word] = spelling
            return
        self._step(word, parent, after, count, unit, spelling).is_guess = True

    def _open(self, word: int, unit: int) -> bytes:
        """Return the spelling of a guess's first unit, with a space (written or not) if it begins a word."""
        text = self.units.texts[unit] or b""
        begins = self.units.unspaced or (self.units.glues and self.units.begins[self._kinds_before[word]][unit])
        return add_space(text) if begins and text else text

    def _try(self, word: int, parent: PathStep | None, after: int, count: int, unit: int, offset: int) -> None:
        """Extend a path to the word by a unit that is among the k best."""
        text = self._text(word)
        if offset < 0 or (offset == len(text) and not self.rules.path_ends):
            self.hitk[word] = True
        elif count + 1 < self.counts[word] + MORE_UNITS and not (offset == len(text) and self.units.trailing):
            self._step(word, parent, after, count, unit, text[:offset]).offset = offset

    def _step(self, word: int, parent: PathStep | None, after: int, count: int, unit: int, spelling: bytes) -> PathStep:
        """Return the step of a path; a guess and a path with the same units share it."""
        key = word, after, id(parent), unit
        if key not in self._steps:
            text = self.texts_before + self.texts[word]
            self._steps[key] = PathStep(text, after, unit, parent, word=word, count=count + 1, spelling=spelling)
        return self._steps[key]


def _count_leading(flags: NDArray[np.bool_], rows: Ints, counts: Ints) -> Ints:
    """Return how many of the `counts` flags from each of `rows` on are true before one is false."""
    false_rows = np.append(np.flatnonzero(~flags), len(flags))
    return np.minimum(false_rows[np.searchsorted(false_rows, rows)] - rows, counts)

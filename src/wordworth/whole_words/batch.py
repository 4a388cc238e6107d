"""A batch of windows, from their tokens to what the model said of their words; and a chunk's words as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import torch

from wordworth.encode.tokens import ranges
from wordworth.whole_words.chunks import Chunk, Records
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.parting import WORD, Punctuation, kind_of
from wordworth.whole_words.predictions import PREDICTIONS
from wordworth.whole_words.search import PathStep, PredictionRules, Search, Words
from wordworth.whole_words.segmentations import Segmentations
from wordworth.whole_words.unit_scores import Ints, PendingScores
from wordworth.whole_words.units import Units


class Ready:
    """A chunk made ready for a device."""

    def __init__(self, chunk: Chunk, units: Units, punctuation: Punctuation) -> None:
        self.chunk, self.spelled = chunk, Segmentations(units, chunk.targets)
        self.kinds = np.array([kind_of(word) if punctuation == "apart" else WORD for word in chunk.words])
        """Whether the distinct words are of letters or of marks."""
        self.lengths = np.diff(chunk.ends, prepend=0)
        """Tokens of each window."""
        self.entries, self.starts = (chunk.places[name].astype(np.int64) for name in ("entry", "start"))
        self.bounds = np.searchsorted(chunk.places["window"], np.arange(len(chunk.ends) + 1))
        """The first word of each window."""


class Batch:
    """A batch of windows: read on the device, then its own paths scored, then the paths that leave them.

    ln P(word) = Σ ln p(unit) + ln P(begin | word read) − ln P(begin | context).

    “Begin” is that the next unit begins a word, a line or is a special one. The context's last word is over, hence the
    division; the word itself ends, hence the factor (Pimentel & Meister 2024; Oh & Schuler 2024). So the words that may
    follow a context share a mass of 1, and the words of a text multiply to the probability of the text. It is that of
    the tokenizer's own units; other segmentations of the same word are not added. Where units mark the end of a word
    themselves, the product over the units is all of it.
    """

    def __init__(self, model: WordModel, ready: Ready, numbers: list[int], rules: PredictionRules) -> None:
        """Sends the windows of these numbers to the device, and does not wait for it."""
        self._model, self.ready = model, ready
        chosen, ids = np.array(numbers), ready.chunk.ids
        lengths, ends = ready.lengths[chosen], ready.chunk.ends[chosen]
        begins, low = ends - lengths, ready.bounds[chosen]
        counts = ready.bounds[chosen + 1] - low
        self.places = ranges(low, counts)
        texts = np.repeat(np.arange(len(numbers)), counts)
        entries, starts = ready.entries[self.places], ready.starts[self.places]
        first = ready.starts[low] - 1
        before = np.cumsum(lengths - first)
        rows_before = (before - lengths)[texts] + starts - 1
        self._own = ids.take(ranges(begins + first + 1, lengths - first), mode="clip").astype(np.int64)
        self._own[before - 1] = -1
        self.numbers, self.longest, self.tokens = numbers, int(lengths.max()), int(lengths.sum())
        units = rules.units(model)
        befores = ready.kinds[ready.chunk.places["before"][self.places]]
        self.search = Search(
            units, rules, ready.spelled, Words(entries, texts, starts, rows_before, befores, ready.kinds[entries])
        )
        windows = [ids[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
        with torch.inference_mode():
            rows, self.state = model.reader.read(windows, first.tolist())
            begins, after = model.begins(rules.punctuation, unspaced=rules.unspaced), self.search.states(len(self._own))
            self._pending: PendingScores | None = PendingScores(
                model.reader, rows, rules.k, begins, self.search.query, after, self._own
            )
        self.logp = self.naive = np.zeros(0)
        self.steps: list[PathStep] = []
        """The next steps of the paths that leave the texts."""

    def begin(self, texts_before: int) -> None:
        """Wait for the device, and set the first steps of the paths; texts are numbered from so many on."""
        assert self._pending is not None
        scores, self._pending = self._pending.result(), None
        rows = self.search.rows
        ends = rows + self.search.counts
        self.naive = np.add.reduceat(scores.own, np.stack([rows, ends], axis=1).ravel())[::2]
        self.logp = self.naive
        if not self._model.units.trailing:
            self.logp = self.naive + scores.begin[ends] - scores.begin[rows]
        self.search.texts_before = texts_before
        self.steps = self.search.begin(scores, self._own)

    @property
    def guesses(self) -> list[str]:
        """What was said instead of the word, where a guess was decoded."""
        words, parts = self.ready.chunk.words, self.ready.spelled.parts
        before, trailing = self.ready.chunk.places["before"], self._model.units.trailing
        return [
            _guess(guess, words[before[self.places[word]]], parts[self.search.entries[word]], trailing=trailing)
            for word, guess in self.search.guesses.items()
        ]


def _guess(spelled: bytes, before: str, parts: int, *, trailing: bool) -> str:
    """Of what was spelled, as many parts as the word has. What does not begin a word goes on with the last one."""
    word = b"".join(spelled.split()[:parts]).decode(errors="replace")
    goes_on = bool(spelled) and not spelled[:1].isspace() and not trailing
    return before + word if goes_on else word


def table_of(ready: Ready, batches: Sequence[Batch]) -> pl.DataFrame:
    """Return the words that were predicted, and those that were skipped."""
    chunk, spelled = ready.chunk, ready.spelled
    words = pl.Series(chunk.words, dtype=pl.Categorical)
    forms = [target.form if target else None for target in spelled.targets]
    reasons = pl.Series([target if isinstance(target, str) else None for target in chunk.targets], dtype=pl.Categorical)
    tables = [pl.DataFrame(schema=PREDICTIONS)]
    if batches:
        places = np.concatenate([one.places for one in batches])
        entries = ready.entries[places]
        said: dict[str, Any] = {
            "hit1": np.concatenate([one.search.hit1 for one in batches]),
            "hitk": np.concatenate([one.search.hitk for one in batches]),
            "logp": np.concatenate([one.logp for one in batches]),
            "logp_naive": np.concatenate([one.naive for one in batches]),
            "guess": _guesses(entries, forms, batches),
            "units": spelled.counts[entries],
            "form": pl.Series(forms, dtype=pl.Categorical).gather(entries),
        }
        tables.append(_columns(chunk.places[places], words, said))
    if len(chunk.skipped):
        tables.append(_columns(chunk.skipped, words, {"left_out": reasons.gather(chunk.skipped["entry"])}))
    return pl.concat(tables).sort("line", "at")


def _guesses(entries: Ints, forms: Sequence[str | None], batches: Sequence[Batch]) -> pl.Series:
    """Return the guesses: the words' own forms, what was said instead, or none."""
    others = [guess for one in batches for guess in one.guesses]
    known = pl.Series([*forms, *others, None], dtype=pl.Categorical)
    which = np.where(np.concatenate([one.search.own_hits for one in batches]), entries, len(known) - 1)
    before = np.cumsum([0, *(len(one.places) for one in batches)]).tolist()
    at = [first + word for one, first in zip(batches, before, strict=False) for word in one.search.guesses]
    which[at] = len(forms) + np.arange(len(others))
    return known.gather(which)


def _columns(places: Records, words: pl.Series, said: Mapping[str, Any]) -> pl.DataFrame:
    where = {name: places[name].copy() for name in ("document", "line", "at", "glued")}
    given = pl.DataFrame({**where, "word": words.gather(places["entry"]), **said})
    return given.select(
        (pl.col(name) if name in given.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in PREDICTIONS.items()
    )

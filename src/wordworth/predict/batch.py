"""A batch of windows, from their tokens to what the model said of their words; and a chunk's words as a table."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import torch

from wordworth.predict.chunks import Chunk, Records
from wordworth.predict.model import WordModel
from wordworth.predict.predictions import PREDICTIONS
from wordworth.predict.search import PathStep, PredictionRules, Search
from wordworth.predict.segmentations import Segmentations
from wordworth.predict.unit_scores import Flags, Floats, PendingScores


class Outcome(NamedTuple):
    """What a model said of some words; see `PREDICTIONS`."""

    places: Records
    guesses: list[str | None]
    hit1: Flags
    hitk: Flags
    logp: Floats
    logp_naive: Floats


class Batch:
    """A batch of windows: read on the device, then its own paths scored, then the paths that leave them.

    ln P(word) = Σ ln p(unit) + ln P(begin | word read) − ln P(begin | context).

    “Begin” is that the next unit begins a word, a line or is a special one. The context's last word is over, hence the
    division; the word itself ends, hence the factor (Pimentel & Meister 2024; Oh & Schuler 2024). So the words that may
    follow a context share a mass of 1, and the words of a text multiply to the probability of the text. It is that of
    the tokenizer's own units; other segmentations of the same word are not added. Where units mark the end of a word
    themselves, the product over the units is all of it.
    """

    def __init__(
        self, model: WordModel, chunk: Chunk, spelled: Segmentations, numbers: list[int], rules: PredictionRules
    ) -> None:
        """Sends the windows of these numbers to the device, and does not wait for it."""
        self._model, self._chunk, self._spelled = model, chunk, spelled
        chosen = np.array(numbers)
        ends, begins = chunk.ends[chosen], np.where(chosen > 0, chunk.ends[chosen - 1], 0)
        windows = [chunk.ids[begin:end] for begin, end in zip(begins, ends, strict=True)]
        low, high = (np.searchsorted(chunk.places["window"], chosen, side=side) for side in ("left", "right"))
        self.places = np.concatenate([chunk.places[first:last] for first, last in zip(low, high, strict=True)])
        texts = np.repeat(np.arange(len(numbers)), high - low)
        first = chunk.places["start"][low].astype(np.int64) - 1
        before = np.cumsum([0, *(ends - begins - first)])
        entries, starts = (self.places[name].astype(np.int64) for name in ("entry", "start"))
        rows_before = before[texts] + starts - 1 - first[texts]
        following = [np.append(ids[at + 1 :], -1) for ids, at in zip(windows, first, strict=True)]
        self._own = np.concatenate(following).astype(np.int64)
        self.numbers, self.longest, self.tokens = numbers, int((ends - begins).max()), int((ends - begins).sum())
        self.search = Search(model.units, rules, spelled, entries, texts, starts, rows_before)
        with torch.inference_mode():
            rows, self.state = model.reader.read([ids.tolist() for ids in windows], first.tolist())
            self._pending: PendingScores | None = PendingScores(
                model.reader, rows, rules.k, model.begins, self.search.query, self._own
            )
        self.logp = self.naive = np.zeros(0)

    def begin(self, texts_before: int) -> list[PathStep]:
        """Waits for the device. The first steps of the paths that leave the texts, these numbered from so many on."""
        assert self._pending is not None
        scores, self._pending = self._pending.result(), None
        rows = self.search.rows
        ends = rows + self.search.counts
        self.naive = np.add.reduceat(scores.own, np.stack([rows, ends], axis=1).ravel())[::2]
        self.logp = self.naive
        if not self._model.units.trailing:
            self.logp = self.naive + scores.begin[ends] - scores.begin[rows]
        self.search.texts = [text + texts_before for text in self.search.texts]
        return self.search.begin(scores, self._own)

    def outcome(self) -> Outcome:
        search, trailing = self.search, self._model.units.trailing
        words, parts = self._chunk.words, self._spelled.parts
        guesses = [
            _guess(guess, words[before], parts[entry], trailing=trailing)
            for guess, entry, before in zip(search.guesses, search.entries, self.places["before"].tolist(), strict=True)
        ]
        return Outcome(self.places, guesses, search.hit1, search.hitk, self.logp, self.naive)


def _guess(spelled: bytes | None, before: str, parts: int, *, trailing: bool) -> str | None:
    """Of what was spelled, as many parts as the word has. What does not begin a word goes on with the last one."""
    if spelled is None:
        return None
    word = b"".join(spelled.split()[:parts]).decode(errors="replace")
    goes_on = bool(spelled) and not spelled[:1].isspace() and not trailing
    return before + word if goes_on else word


def table_of(chunk: Chunk, spelled: Segmentations, outcomes: Iterable[Outcome]) -> pl.DataFrame:
    """Those that were predicted, and those that were skipped."""
    words = pl.Series(chunk.words, dtype=pl.Categorical)
    forms = pl.Series([target.form if target else None for target in spelled.targets], dtype=pl.Categorical)
    reasons = pl.Series([target if isinstance(target, str) else None for target in chunk.targets], dtype=pl.Categorical)
    tables = [pl.DataFrame(schema=PREDICTIONS)]
    for one in outcomes:
        entries = one.places["entry"]
        said: dict[str, Any] = {"hit1": one.hit1, "hitk": one.hitk, "logp": one.logp, "logp_naive": one.logp_naive}
        said |= {"guess": one.guesses, "units": spelled.counts[entries], "form": forms.gather(entries)}
        tables.append(_columns(one.places, words, said))
    if len(chunk.skipped):
        tables.append(_columns(chunk.skipped, words, {"left_out": reasons.gather(chunk.skipped["entry"])}))
    return pl.concat(tables).sort("line", "at")


def _columns(places: Records, words: pl.Series, said: Mapping[str, Any]) -> pl.DataFrame:
    where = {name: places[name].copy() for name in ("document", "line", "at")}
    given = pl.DataFrame({**where, "word": words.gather(places["entry"]), **said})
    return given.select(
        (pl.col(name) if name in given.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in PREDICTIONS.items()
    )

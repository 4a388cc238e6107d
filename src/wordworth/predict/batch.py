"""A chunk of text, batch by batch: windows are read once, then the paths that leave them, level by level."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import torch

from wordworth.engine.batching import by_length
from wordworth.predict.chunks import Chunk, Records
from wordworth.predict.model import WordModel
from wordworth.predict.predictions import PREDICTIONS
from wordworth.predict.search import PredictionRules, Search
from wordworth.predict.segmentations import Segmentations
from wordworth.predict.unit_scores import Flags, Floats, score_units


class Outcome(NamedTuple):
    """What a model said of some words; see `PREDICTIONS`."""

    places: Records
    guesses: list[str | None]
    hit1: Flags
    hitk: Flags
    logp: Floats
    logp_naive: Floats


def predict_chunk(model: WordModel, chunk: Chunk, rules: PredictionRules) -> pl.DataFrame:
    """A row a word of the chunk, in the order of the text.

    Windows of like length go through together, the longest first: if memory runs out, it does so at the start.
    """
    spelled = Segmentations(model.units, chunk.targets)
    starts = np.array([0, *chunk.ends[:-1]])

    def one_batch(batch: list[int]) -> Outcome:
        return predict_batch(model, chunk, spelled, batch, rules)

    lengths = (chunk.ends - starts).tolist() if len(chunk.ends) else []
    outcomes = [outcome for _, outcome in by_length(one_batch, lengths, model.reader.budget)]
    return _table(chunk, spelled, outcomes)


def predict_batch(
    model: WordModel, chunk: Chunk, spelled: Segmentations, batch: list[int], rules: PredictionRules
) -> Outcome:
    """ln P(word) = Σ ln p(unit) + ln P(begin | word read) − ln P(begin | context).

    “Begin” is that the next unit begins a word, a line or is a special one. The context's last word is over, hence the
    division; the word itself ends, hence the factor (Pimentel & Meister 2024; Oh & Schuler 2024). So the words that may
    follow a context share a mass of 1, and the words of a text multiply to the probability of the text. It is that of
    the tokenizer's own units; other segmentations of the same word are not added. Where units mark the end of a word
    themselves, the product over the units is all of it.
    """
    ends = chunk.ends[batch]
    begins = np.where(np.array(batch) > 0, chunk.ends[np.array(batch) - 1], 0)
    windows = [chunk.ids[begin:end] for begin, end in zip(begins, ends, strict=True)]
    low, high = (np.searchsorted(chunk.places["window"], batch, side=side) for side in ("left", "right"))
    places = np.concatenate([chunk.places[first:last] for first, last in zip(low, high, strict=True)])
    texts = np.repeat(np.arange(len(batch)), high - low)
    first = chunk.places["start"][low].astype(np.int64) - 1
    rows_of = np.cumsum([0, *(ends - begins - first)])
    entries, start = places["entry"].astype(np.int64), places["start"].astype(np.int64)
    rows_before = rows_of[texts] + start - 1 - first[texts]
    following = [np.append(ids[at + 1 :], -1) for ids, at in zip(windows, first, strict=True)]
    own = np.concatenate(following).astype(np.int64)
    search = Search(model.units, rules, spelled, entries, texts, start, rows_before)
    with torch.inference_mode():
        rows, state = model.reader.read([ids.tolist() for ids in windows], first.tolist())
        scores = score_units(model.reader, rows, rules.k, model.begins, search.query, own)
        naive = np.add.reduceat(scores.own, np.stack([search.rows, search.rows + search.counts], axis=1).ravel())[::2]
        logp = naive
        if not model.units.trailing:
            logp = naive + scores.begin[search.rows + search.counts] - scores.begin[search.rows]
        steps = search.begin(scores, own)
        while steps:
            rows = model.reader.extend(state, steps)
            steps = search.follow(steps, score_units(model.reader, rows, rules.k, model.begins, search.query_at(steps)))
    guesses = [
        _guess(guess, chunk.words[before], spelled.parts[entry], trailing=model.units.trailing)
        for guess, entry, before in zip(search.guesses, search.entries, places["before"].tolist(), strict=True)
    ]
    return Outcome(places, guesses, search.hit1, search.hitk, logp, naive)


def _guess(spelled: bytes | None, before: str, parts: int, *, trailing: bool) -> str | None:
    """Of what was spelled, as many parts as the word has. What does not begin a word goes on with the last one."""
    if spelled is None:
        return None
    word = b"".join(spelled.split()[:parts]).decode(errors="replace")
    goes_on = bool(spelled) and not spelled[:1].isspace() and not trailing
    return before + word if goes_on else word


def _table(chunk: Chunk, spelled: Segmentations, outcomes: list[Outcome]) -> pl.DataFrame:
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

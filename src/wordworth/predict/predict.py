"""Whole-word prediction of a text: every word from its left context, as a table."""

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import log
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.engine.batching import by_length
from wordworth.errors import WordworthError
from wordworth.predict.batch import Outcome, predict_batch
from wordworth.predict.model import WordModel
from wordworth.predict.prediction_cache import kept as kept_or_made
from wordworth.predict.predictions import PREDICTIONS
from wordworth.predict.search import PredictionRules
from wordworth.predict.windows import Window, windows
from wordworth.predict.words import LEAST_WORDS, SHORT, Splitter, Word, WordTokenizer, joined, numbered
from wordworth.progress import progress

CHUNK_BATCHES = 8
"""Batches whose windows are sorted by length together, and whose predictions are kept together."""
TEXTS = 64
"""Lines that go through the tokenizer together."""


@dataclass
class Chunk:
    """Windows to be predicted together, and the words of the same lines that are skipped."""

    windows: list[Window] = field(default_factory=list)
    left_out: list[tuple[Word, str]] = field(default_factory=list)
    tokens: int = 0
    lines: int = 0

    def key(self) -> list[Any]:
        places = [
            [window.ids, [[*_where(place.word), place.start] for place in window.places]] for window in self.windows
        ]
        return [places, [[*_where(word), reason] for word, reason in self.left_out]]


def predict_words(
    model: WordModel,
    lines: Iterable[str],
    rules: PredictionRules = PredictionRules(),  # noqa: B008 - frozen
    *,
    split: Splitter = str.split,
    documents: Iterable[int] | None = None,
    by_document: bool = False,
    kept: Path | None = None,
) -> pl.DataFrame:
    """A row a word of the text, in its order (schema `PREDICTIONS`); rows of words not predicted say why.

    Words are joined by one space. The left context is that of the line, or of the document (`by_document`, with a
    document number for each line in `documents`). What is longer than a window is read in overlapping ones. Predictions
    are kept in the folder `kept`, else in the cache, so that what was predicted once is not predicted again.
    """
    if by_document and documents is None:
        raise WordworthError("the context is to be the document, but no documents are given; number them line by line")
    size, context = rules.sizes(model)
    options = [*model.identity, rules.k, rules.boundary, size, context, rules.guesses]
    tables: list[pl.DataFrame] = []
    total = len(lines) if isinstance(lines, Sized) else None
    with progress(f"Predicting words with {model.name}", total) as advance:
        for chunk in chunks(model, numbered(lines, documents, split), size, context, by_document=by_document):
            made = partial(_predict, model, chunk, rules)
            tables.append(kept_or_made(kept, [*options, *chunk.key()], made))
            advance(chunk.lines)
    table = pl.concat(tables) if tables else pl.DataFrame(schema=PREDICTIONS)
    if table["left_out"].null_count() == 0:
        raise WordworthError(
            f"no word of the text can be predicted: {_reasons(table)}; give lines of at least {LEAST_WORDS} words"
        )
    return table.sort("line", "at")


def surprisal(model: WordModel, text: str) -> pl.DataFrame:
    """How surprising each word of a text is after the words before it: a row a word.

    `place` counts the words, parted by white space, from 0. `surprisal` is −log2 P(word), its end included, in bits;
    `units` are the tokenizer's for the word. Both are null where `skipped` says why, as for the first word.
    """
    table = predict_words(model, [" ".join(text.split())], PredictionRules(k=1, guesses=False))
    return table.select("word", surprisal=-pl.col("logp") / log(2), units="units", place="at", skipped="left_out")


def _reasons(table: pl.DataFrame) -> str:
    if table.is_empty():
        return "it is empty"
    reasons = table["left_out"].value_counts(sort=True)
    return ", ".join(f"{count} × {reason}" for reason, count in reasons.head(3).iter_rows())


def chunks(
    model: WordModel, lines: Iterator[tuple[list[Word], bool]], size: int, context: int, *, by_document: bool
) -> Iterator[Chunk]:
    """The text in parts of some batches, each read as far as it is needed."""
    reading = WordTokenizer(model.tokenizer, model.units)
    chunk = Chunk()
    full = CHUNK_BATCHES * model.reader.budget.tokens
    short: list[tuple[Word, str]] = []
    read = 0

    def enough() -> Iterator[list[Word]]:
        nonlocal read
        for words, is_long in lines:
            read += 1
            if is_long:
                yield words
            else:
                short.extend((word, SHORT) for word in words)

    every = joined(enough(), by_document=by_document)
    while texts := list(islice(every, TEXTS)):
        for passage in reading.passages(texts):
            for window, left_out in windows(passage, model.before, size, context):
                chunk.left_out += left_out
                if window is not None:
                    chunk.windows.append(window)
                    chunk.tokens += len(window.ids)
                if chunk.tokens >= full:
                    chunk.left_out += short
                    chunk.lines, read = read, 0
                    short.clear()
                    yield chunk
                    chunk = Chunk()
    chunk.left_out += short
    chunk.lines = read
    if chunk.windows or chunk.left_out:
        yield chunk


def _predict(model: WordModel, chunk: Chunk, rules: PredictionRules) -> pl.DataFrame:
    """Windows of like length go through together, the longest first: if memory runs out, it does so at the start."""
    lengths = [len(window.ids) for window in chunk.windows]
    rows: list[tuple[Any, ...]] = [
        (*_where(word), None, None, None, None, None, None, reason, None) for word, reason in chunk.left_out
    ]

    def one_batch(batch: list[int]) -> list[Outcome]:
        return predict_batch(model, [chunk.windows[at] for at in batch], rules)

    for _, outcomes in by_length(one_batch, lengths, model.reader.budget):
        rows += [
            (*_where(one.word), one.guess, one.hit1, one.hitk, one.logp, one.logp_naive, one.units, None, one.form)
            for one in outcomes
        ]
    return pl.DataFrame(rows, schema=PREDICTIONS, orient="row")


def _where(word: Word) -> tuple[int, int, int, str]:
    return word.document, word.line, word.at, word.text

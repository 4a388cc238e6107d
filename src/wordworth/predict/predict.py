"""Whole-word prediction of a text: every word from its left context, as a table."""

from collections import deque
from collections.abc import Iterable, Iterator, Sized
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.engine.cache import CacheSlot
from wordworth.engine.engines import current
from wordworth.errors import WordworthError
from wordworth.predict.chunks import Chunk, chunks
from wordworth.predict.model import WordModel
from wordworth.predict.pipeline import predict_chunks
from wordworth.predict.prediction_cache import scan, slot_of, write
from wordworth.predict.search import PredictionRules
from wordworth.predict.words import LEAST_WORDS, Splitter, numbered
from wordworth.progress import progress


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
    options: dict[str, Any] = {"split": split, "documents": documents, "by_document": by_document, "kept": kept}
    return scan_words(model, lines, rules, **options).collect()


def scan_words(
    model: WordModel,
    lines: Iterable[str],
    rules: PredictionRules = PredictionRules(),  # noqa: B008 - frozen
    *,
    split: Splitter = str.split,
    documents: Iterable[int] | None = None,
    by_document: bool = False,
    kept: Path | None = None,
) -> pl.LazyFrame:
    """The table of `predict_words` where it is kept, for a text whose table does not fit into memory.

    When this returns, everything is predicted; the rows lie on disk, and are read by whoever collects the table.
    """
    if by_document and documents is None:
        raise WordworthError("the context is to be the document, but no documents are given; number them line by line")
    size, context = rules.sizes(model)
    options = [*model.identity, rules.k, rules.boundary, size, context, rules.guesses]
    total = len(lines) if isinstance(lines, Sized) else None
    every = chunks(model, numbered(lines, documents, split), size, context, by_document=by_document)
    entries: list[CacheSlot] = []
    waiting: deque[tuple[CacheSlot, int]] = deque()

    def missing() -> Iterator[Chunk]:
        for chunk in every:
            entries.append(slot_of(kept, [*options, chunk.key()]))
            if entries[-1].sound():
                advance(chunk.lines)
            else:
                waiting.append((entries[-1], chunk.lines))
                yield chunk

    with progress(f"Predicting words with {model.name}", total) as advance:
        stream = partial(predict_chunks, rules=rules)
        for predicted in current().map(stream, model, missing(), f"predicting words with {model.name}"):
            entry, count = waiting.popleft()
            write(entry, predicted)
            advance(count)
    table = scan(entries)
    if not table.select(pl.col("left_out").null_count()).collect(engine="streaming").item():
        raise WordworthError(
            f"no word of the text can be predicted: {_reasons(table)}; give lines of at least {LEAST_WORDS} words"
        )
    return table


def surprisal(model: WordModel, text: str) -> pl.DataFrame:
    """How surprising each word of a text is after the words before it: a row a word.

    `place` counts the words, parted by white space, from 0. `surprisal` is −log2 P(word), its end included, in bits;
    `units` are the tokenizer's for the word. Both are null where `skipped` says why, as for the first word.
    """
    table = predict_words(model, [" ".join(text.split())], PredictionRules(k=1, guesses=False))
    return table.select("word", surprisal=-pl.col("logp") / log(2), units="units", place="at", skipped="left_out")


def _reasons(table: pl.LazyFrame) -> str:
    reasons = table.group_by("left_out").len().sort("len", "left_out", descending=[True, False]).collect()
    if reasons.is_empty():
        return "it is empty"
    return ", ".join(f"{count} × {reason}" for reason, count in reasons.head(3).iter_rows())

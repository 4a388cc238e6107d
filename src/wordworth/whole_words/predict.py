"""Predict every word of a text from its left context, as a table.

The cache has an entry per chunk of text, so that an interrupted run continues.
"""

from collections.abc import Iterable, Iterator, Sequence, Sized
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

import polars as pl

from wordworth.engine.cache import CacheSlot, Filling, WorkPart, hashed_once, key_of, slot
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.whole_words.chunks import Chunk, chunks
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.pipeline import PREDICTIONS, predict_chunks
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.splitting import Splitter, WordSplitter
from wordworth.whole_words.words import MIN_LINE_WORDS, read_lines

PREDICTIONS_VERSION = 6
PREDICTIONS_FILE = "predictions.parquet"


class ReadingOptions(TypedDict, total=False):
    """Options for reading a text, and the folder of its predictions."""

    split: Splitter
    """A function that splits a line into words; at white space by default."""
    documents: Iterable[int] | None
    """The document number of each line."""
    by_document: bool
    """Whether the left context of a word is its document instead of its line."""
    kept: Path
    """The folder for predictions; the cache by default."""


def predict_words(
    model: WordModel,
    lines: Iterable[str],
    rules: PredictionRules = PredictionRules(),
    **reading: Unpack[ReadingOptions],
) -> pl.DataFrame:
    """Return a row per word of the text, in order (schema `PREDICTIONS`); rows of skipped words have the reason.

    White space of any length counts as one space. Longer texts are read in overlapping windows. The cache keeps
    predictions.
    """
    return scan_words(model, lines, rules, **reading).collect()


@hashed_once()
def scan_words(
    model: WordModel,
    lines: Iterable[str],
    rules: PredictionRules = PredictionRules(),
    **reading: Unpack[ReadingOptions],
) -> pl.LazyFrame:
    """Return the table of `predict_words` on disk, for a text whose table does not fit into memory.

    All words are predicted when this returns; collecting the table reads its rows. Lines are read one by one (from an
    open file, for example), and only those being predicted are in memory.
    """
    documents, by_document = reading.get("documents"), reading.get("by_document", False)
    if by_document and documents is None:
        raise WordworthError("by_document needs `documents`; give the document number of every line")
    size, context = rules.sizes(model)
    options = [PREDICTIONS_VERSION, *model.identity, rules.k, rules.boundary, rules.beginning, rules.punctuation]
    options += [size, context, rules.guesses, rules.unspaced]
    total = len(lines) if isinstance(lines, Sized) else None
    splitter = WordSplitter(rules.punctuation, reading.get("split", str.split), rules.unspaced)
    folder = reading.get("kept")
    entries: list[CacheSlot] = []

    def parts() -> Iterator[WorkPart[Chunk]]:
        for chunk in chunks(model, read_lines(lines, documents, splitter), rules, by_document=by_document):
            key = [*options, chunk.key()]
            entries.append(CacheSlot("predictions", folder / key_of(key)) if folder else slot("predictions", key))
            yield WorkPart(entries[-1], chunk, chunk.lines)

    activity = f"predicting words with {model.name}"
    with progress(f"Predicting words with {model.name}", total) as advance:
        Filling(partial(predict_chunks, rules=rules), write, activity).fill(model, parts(), advance)
    table = _scan(entries)
    if not table.select(pl.col("left_out").null_count()).collect(engine="streaming").item():
        reasons = _list_reasons(table)
        raise WordworthError(
            f"no word of the text can be predicted: {reasons}; give lines of at least {MIN_LINE_WORDS} words"
        )
    return table


def _list_reasons(table: pl.LazyFrame) -> str:
    reasons = table.group_by("left_out").len().sort("len", "left_out", descending=[True, False]).collect()
    if reasons.is_empty():
        return "it is empty"
    return ", ".join(f"{count} × {reason}" for reason, count in reasons.head(3).iter_rows())


def write(table: pl.DataFrame, folder: Path) -> None:
    """Write the table of a chunk into its cache entry."""
    table.write_parquet(folder / PREDICTIONS_FILE)


def _scan(entries: Sequence[CacheSlot]) -> pl.LazyFrame:
    """Return a lazy table of all entries."""
    if not entries:
        return pl.LazyFrame(schema=PREDICTIONS)
    tables = pl.scan_parquet([entry.path / PREDICTIONS_FILE for entry in entries], glob=False, hive_partitioning=False)
    return tables.select(pl.col(name).cast(dtype) for name, dtype in PREDICTIONS.items())

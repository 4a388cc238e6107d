"""Whole-word prediction of a text: every word from its left context, as a table.

On disk there is an entry per chunk of text, keyed by all that it depends on, so that an interrupted run goes on.
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
from wordworth.whole_words.parting import Parting, Splitter
from wordworth.whole_words.pipeline import PREDICTIONS, predict_chunks
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.words import MIN_LINE_WORDS, read_lines

PREDICTIONS_VERSION = 6
PREDICTIONS_FILE = "predictions.parquet"


class Reading(TypedDict, total=False):
    """How a text is read, and where its predictions are kept."""

    split: Splitter
    """Splits a line into words: at white space by default."""
    documents: Iterable[int] | None
    """The number of each line's document."""
    by_document: bool
    """The left context of a word is that of its document, and not of its line."""
    kept: Path
    """The folder for predictions; the cache by default."""


def predict_words(
    model: WordModel,
    lines: Iterable[str],
    rules: PredictionRules = PredictionRules(),  # noqa: B008 - frozen
    **reading: Unpack[Reading],
) -> pl.DataFrame:
    """Return a row per word of the text, in its order (schema `PREDICTIONS`); those of skipped words say why.

    White space of any length is read as one space. What is longer than a window is read in overlapping ones. What was
    predicted once is kept, and not predicted again.
    """
    return scan_words(model, lines, rules, **reading).collect()


@hashed_once()
def scan_words(
    model: WordModel,
    lines: Iterable[str],
    rules: PredictionRules = PredictionRules(),  # noqa: B008 - frozen
    **reading: Unpack[Reading],
) -> pl.LazyFrame:
    """Return the table of `predict_words` where it is kept, for a text whose table does not fit into memory.

    When this returns, everything is predicted; the rows lie on disk, and are read by whoever collects the table. Lines
    are taken one by one (a file will do), and no more of them is held than is being predicted.
    """
    documents, by_document = reading.get("documents"), reading.get("by_document", False)
    if by_document and documents is None:
        raise WordworthError("the context is to be the document, but no documents are given; number them line by line")
    size, context = rules.sizes(model)
    options = [PREDICTIONS_VERSION, *model.identity, rules.k, rules.boundary, rules.beginning, rules.punctuation]
    options += [size, context, rules.guesses, rules.unspaced]
    total = len(lines) if isinstance(lines, Sized) else None
    parting = Parting(rules.punctuation, reading.get("split", str.split), rules.unspaced)
    kept = reading.get("kept")
    entries: list[CacheSlot] = []

    def parts() -> Iterator[WorkPart[Chunk]]:
        for chunk in chunks(model, read_lines(lines, documents, parting), rules, by_document=by_document):
            key = [*options, chunk.key()]
            entries.append(CacheSlot("predictions", kept / key_of(key)) if kept else slot("predictions", key))
            yield WorkPart(entries[-1], chunk, chunk.lines)

    what = f"predicting words with {model.name}"
    with progress(f"Predicting words with {model.name}", total) as advance:
        Filling(partial(predict_chunks, rules=rules), write, what).fill(model, parts(), advance)
    table = _scan(entries)
    if not table.select(pl.col("left_out").null_count()).collect(engine="streaming").item():
        why = _list_reasons(table)
        raise WordworthError(
            f"no word of the text can be predicted: {why}; give lines of at least {MIN_LINE_WORDS} words"
        )
    return table


def _list_reasons(table: pl.LazyFrame) -> str:
    reasons = table.group_by("left_out").len().sort("len", "left_out", descending=[True, False]).collect()
    if reasons.is_empty():
        return "it is empty"
    return ", ".join(f"{count} × {reason}" for reason, count in reasons.head(3).iter_rows())


def write(table: pl.DataFrame, folder: Path) -> None:
    """Write the table of a chunk into its entry."""
    table.write_parquet(folder / PREDICTIONS_FILE)


def _scan(entries: Sequence[CacheSlot]) -> pl.LazyFrame:
    """Return what was written, one entry behind the other; it is read when it is asked for, as far as needed."""
    if not entries:
        return pl.LazyFrame(schema=PREDICTIONS)
    tables = pl.scan_parquet([entry.path / PREDICTIONS_FILE for entry in entries], glob=False, hive_partitioning=False)
    return tables.select(pl.col(name).cast(kind) for name, kind in PREDICTIONS.items())

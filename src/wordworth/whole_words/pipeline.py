"""Predicts the words of chunks: windows are read in batches, then all paths that leave some batches grow together.

A group is some batches of like length. Its paths are followed together, a unit each a pass. What the reader remembers
of its texts (keys and values) stays on the device until its paths are done. Scores are fetched while the device reads
the next batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from wordworth.encode.passes import inference
from wordworth.engine.batching import by_length, free_memory
from wordworth.errors import is_out_of_memory
from wordworth.whole_words.chunks import Chunk
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.search import PathStep, PreparedChunk, Search
from wordworth.whole_words.unit_scores import PendingScores, UnitQuery
from wordworth.whole_words.words import WordPlaces

PREDICTIONS = {
    "document": pl.Int32,
    "line": pl.Int32,
    "at": pl.Int32,
    "glued": pl.Boolean,
    "word": pl.Categorical,
    "guess": pl.Categorical,
    "hit1": pl.Boolean,
    "hitk": pl.Boolean,
    "logp": pl.Float64,
    "logp_naive": pl.Float64,
    "units": pl.Int32,
    "left_out": pl.Categorical,
    "form": pl.Categorical,
}
"""`line` (0, 1, … in the text) and `at` (0, 1, … in the line) say where the word is; `glued`, that no space is before
it, as before a comma. `guess` is what greedy decoding gives. `hit1`: the guess is the word; `hitk`: a path of units,
each among the k best, spells it. `logp` is the natural logarithm of the word's probability, its end included;
`logp_naive` that of the plain product over its units. `units` are the tokenizer's own for the word. Where `left_out`
gives a reason, the word was not predicted and the rest is null. `form` is the word as the model reads it (lower case,
say); guesses are in that form too, and a blank guess says that the model would end the text or the line."""

HELD_BYTES = 256 << 20
"""Bytes that are remembered of a group's texts, on a CPU."""
HELD_SHARE = 0.25
"""The same as a share of an accelerator's free memory: it grows to about twice as much while paths are followed."""
USUAL_PADDING, MOST_PADDING = 1.5, 3.0
"""Texts of a group are in rows of one length: at most so many times their tokens. The second on an accelerator and
without guesses, where paths are few and a pass over them costs its launch and little else: the fewer groups the better.
The paths of guesses are many, and each looks at all of its row."""


class WindowBatch:
    """A batch of windows: read on the device, then its own paths are scored."""

    def __init__(self, model: WordModel, chunk: PreparedChunk, numbers: list[int], rules: PredictionRules) -> None:
        """Send the windows of these numbers to the device, and do not wait for it."""
        self.chunk, self.numbers = chunk, numbers
        windows, units = np.array(numbers), rules.units(model)
        lengths, ends = chunk.lengths[windows], chunk.chunk.ends[windows].tolist()
        self.longest, self.tokens = int(lengths.max()), int(lengths.sum())
        self.search = search = Search(units, rules, chunk, windows)
        texts = [chunk.chunk.ids[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
        with inference():
            rows, self.state = model.reader.read(texts, search.firsts.tolist())
            begins = units.begin_mask.to(model.device)
            pending = PendingScores(model.reader, rows, rules.k, begins, search.query, search.states(), search.own)
        self._pending: PendingScores | None = pending
        self.steps: list[PathStep] = []
        """The next steps of the paths that leave the texts."""

    def begin(self, texts_before: int) -> None:
        """Wait for the device, and set the first steps of the paths; texts are numbered from so many on."""
        assert self._pending is not None
        scores, self._pending = self._pending.result(), None
        self.search.texts_before = texts_before
        self.steps = self.search.begin(scores)


def predict_chunks(model: WordModel, chunks: Iterable[Chunk], rules: PredictionRules) -> Iterator[pl.DataFrame]:
    """Yield the table of each chunk (schema `PREDICTIONS`), in their order. Chunks and tables are plain data, so this
    runs wherever the model is."""
    units = rules.units(model)
    for chunk in chunks:
        prepared = PreparedChunk(chunk, units, rules)
        groups = _read_groups(model, prepared, rules)
        batches = [batch for group in groups for batch in _predict_group(model, group, rules)]
        yield _table_of_searches(prepared, [batch.search for batch in batches])


def _read_groups(model: WordModel, chunk: PreparedChunk, rules: PredictionRules) -> Iterator[list[WindowBatch]]:
    """Read the windows of a chunk, the longest first: if memory runs out, it does so at the start."""
    has_accelerator = model.device.type == "cuda"
    most_held = int(HELD_SHARE * free_memory(model.device)) if has_accelerator else HELD_BYTES
    padding = MOST_PADDING if has_accelerator and not rules.guesses else USUAL_PADDING

    def fit(batches: Sequence[WindowBatch]) -> bool:
        """The first batch is the longest. What is held is counted as it will be, in rows of one length."""
        padded = sum(len(one.numbers) for one in batches) * batches[0].longest / sum(one.tokens for one in batches)
        held = sum(model.reader.count_bytes(one.state) for one in batches)
        return padded <= padding and max(1.0, padded / USUAL_PADDING) * held <= most_held

    group: list[WindowBatch] = []
    texts = 0
    for _, batch in by_length(
        lambda numbers: WindowBatch(model, chunk, numbers, rules), chunk.lengths.tolist(), model.reader.budget
    ):
        if group:
            group[-1].begin(texts)
            texts += len(group[-1].numbers)
        if group and not fit([*group, batch]):
            yield group
            group, texts = [], 0
        group.append(batch)
    if group:
        group[-1].begin(texts)
        yield group


def _predict_group(model: WordModel, group: list[WindowBatch], rules: PredictionRules) -> list[WindowBatch]:
    """Follow the paths of a group. If memory runs out, read its windows again, in batches that are halved until they
    fit, each from its first token to its last path."""
    try:
        _follow(model, group, rules)
        return group
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
    chunk, numbers = group[0].chunk, [number for batch in group for number in batch.numbers]
    group.clear()

    def predict_batch(some: list[int]) -> WindowBatch:
        batch = WindowBatch(model, chunk, [numbers[at] for at in some], rules)
        batch.begin(0)
        _follow(model, [batch], rules)
        return batch

    return [batch for _, batch in by_length(predict_batch, chunk.lengths[numbers].tolist(), model.reader.budget)]


def _follow(model: WordModel, group: Sequence[WindowBatch], rules: PredictionRules) -> None:
    """Follow all paths of a group, all by one unit a pass."""
    reader, begins = model.reader, rules.units(model).begin_mask.to(model.device)
    searches, steps = [batch.search for batch in group], [batch.steps for batch in group]
    state = reader.join([batch.state for batch in group])
    for batch in group:
        batch.state, batch.steps = None, []
    while any(steps):
        queries = [search.query_at(some) for search, some in zip(searches, steps, strict=True)]
        firsts = np.cumsum([0, *map(len, steps)])
        rows = np.concatenate([query.rows + first for query, first in zip(queries, firsts, strict=False)])
        asked = np.concatenate([query.units for query in queries])
        after = [search.states_at(some) for search, some in zip(searches, steps, strict=True)]
        with inference():
            states = reader.extend(state, [step for some in steps for step in some])
            pending = PendingScores(reader, states, rules.k, begins, UnitQuery(rows, asked), np.concatenate(after))
        cuts = np.cumsum([len(query.rows) for query in queries])[:-1]
        parts = pending.result().split(firsts[1:-1], cuts)
        steps = [search.follow(some, part) for search, some, part in zip(searches, steps, parts, strict=True)]


def _table_of_searches(chunk: PreparedChunk, searches: Sequence[Search]) -> pl.DataFrame:
    predicted = chunk.chunk.places[:0]
    columns: dict[str, Any] = {}
    if searches:
        predicted = chunk.chunk.places[np.concatenate([one.places for one in searches])]
        entries = predicted["entry"]
        if searches[0].rules.k:
            columns = {
                "guess": _guesses(chunk, searches, entries),
                "hit1": np.concatenate([one.hit1 for one in searches]),
                "hitk": np.concatenate([one.hitk for one in searches]),
            }
        columns |= {
            "logp": np.concatenate([one.logp for one in searches]),
            "logp_naive": np.concatenate([one.naive for one in searches]),
            "units": chunk.counts[entries],
            "form": pl.Series(chunk.forms, dtype=pl.Categorical).gather(entries),
        }
    return make_table(chunk.chunk, predicted, columns)


def make_table(chunk: Chunk, predicted: WordPlaces, columns: dict[str, Any]) -> pl.DataFrame:
    """Return the words that were predicted, with these columns, and those that were skipped, with the reason."""
    reasons = [target if isinstance(target, str) else None for target in chunk.targets]
    left_out = pl.Series(reasons, dtype=pl.Categorical).gather(chunk.skipped["entry"])
    tables = _table(chunk, predicted, columns), _table(chunk, chunk.skipped, {"left_out": left_out})
    return pl.concat(tables).sort("line", "at")


def _table(chunk: Chunk, places: WordPlaces, columns: dict[str, Any]) -> pl.DataFrame:
    """Return a table of some words with these columns; the others are null."""
    where = {name: places[name].copy() for name in ("document", "line", "at", "glued")}
    words = pl.Series(chunk.words, dtype=pl.Categorical).gather(places["entry"])
    table = pl.DataFrame({**where, "word": words, **columns})
    return table.select(
        (pl.col(name) if name in table.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in PREDICTIONS.items()
    )


def _guesses(chunk: PreparedChunk, searches: Sequence[Search], entries: WordPlaces) -> pl.Series:
    """Return the guesses: the words' own forms, what was said instead, or none."""
    others = [guess for one in searches for guess in one.decode_guesses()]
    guesses = pl.Series([*chunk.forms, *others, None], dtype=pl.Categorical)
    which = np.where(np.concatenate([one.own_hits for one in searches]), entries, len(guesses) - 1)
    before = np.cumsum([0, *(len(one.places) for one in searches)]).tolist()
    at = [first + word for one, first in zip(searches, before, strict=False) for word in one.guesses]
    which[at] = len(chunk.forms) + np.arange(len(others))
    return guesses.gather(which)

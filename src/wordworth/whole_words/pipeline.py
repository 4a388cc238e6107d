"""Predict the words of chunks: windows are read in batches, then the paths off several batches grow together.

A group is a few batches of similar length. Its paths grow together, by one unit per pass. The keys and values of its
texts stay on the device until its paths are done. Scores are fetched while the device reads the next batch.
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
"""`line` (0, 1, … in the text) and `at` (0, 1, … in the line) locate the word; `glued` is true without a space before
it, as for a comma. `guess` is the result of greedy decoding. `hit1`: the guess is the word; `hitk`: a path of units,
each among the k best, spells it. `logp` is the natural logarithm of the word's probability, including its end;
`logp_naive` that of the product over its units. `units` is the number of the tokenizer's own units for the word. If
`left_out` has a reason, the word was not predicted and the rest is null. `form` is the word as the model reads it (for
example in lower case), and guesses are in that form. A blank guess is the end of the text or the line."""

GROUP_BYTES = 256 << 20
"""Maximum memory of the texts of a group, on a CPU."""
GROUP_MEMORY_SHARE = 0.25
"""The same as a share of an accelerator's free memory; it about doubles while paths grow."""
USUAL_PADDING, MAX_PADDING = 1.5, 3.0
"""Texts of a group are in rows of one length: at most this many times their tokens. The second applies on an
accelerator without guesses: paths are then few and a pass is cheap, so fewer groups are better. The paths of guesses
are many, and each attends to its whole row."""


class WindowBatch:
    """A batch of windows: read on the device, which then scores the words' own paths."""

    def __init__(self, model: WordModel, chunk: PreparedChunk, numbers: list[int], rules: PredictionRules) -> None:
        """Send the windows of these numbers to the device without waiting for it."""
        self.chunk, self.numbers = chunk, numbers
        windows, units = np.array(numbers), rules.units(model)
        lengths, ends = chunk.lengths[windows], chunk.chunk.ends[windows].tolist()
        self.longest, self.tokens = int(lengths.max()), int(lengths.sum())
        self.search = search = Search(units, rules, chunk, windows)
        texts = [chunk.chunk.ids[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
        with inference():
            rows, self.state = model.reader.read(texts, search.firsts.tolist())
            begins = units.begin_mask.to(model.device)
            scores = PendingScores(model.reader, rows, rules.k, begins, search.query, search.states(), search.own)
        self._pending: PendingScores | None = scores
        self.steps: list[PathStep] = []
        """The next steps of the paths off the texts."""

    def begin(self, texts_before: int) -> None:
        """Wait for the device, and set the first steps of the paths; `texts_before` is the number of the first text."""
        assert self._pending is not None
        scores, self._pending = self._pending.result(), None
        self.search.texts_before = texts_before
        self.steps = self.search.begin(scores)


def predict_chunks(model: WordModel, chunks: Iterable[Chunk], rules: PredictionRules) -> Iterator[pl.DataFrame]:
    """Yield the table of each chunk in order (schema `PREDICTIONS`). It runs in the process that has the model."""
    units = rules.units(model)
    for chunk in chunks:
        prepared_chunk = PreparedChunk(chunk, units, rules)
        groups = _read_groups(model, prepared_chunk, rules)
        batches = [batch for group in groups for batch in _predict_group(model, group, rules)]
        yield _table_of_searches(prepared_chunk, [batch.search for batch in batches])


def _read_groups(model: WordModel, chunk: PreparedChunk, rules: PredictionRules) -> Iterator[list[WindowBatch]]:
    """Read the windows of a chunk, the longest first: if memory runs out, it does so at the start."""
    has_accelerator = model.device.type == "cuda"
    max_bytes = int(GROUP_MEMORY_SHARE * free_memory(model.device)) if has_accelerator else GROUP_BYTES
    padding = MAX_PADDING if has_accelerator and not rules.guesses else USUAL_PADDING

    def fit(batches: Sequence[WindowBatch]) -> bool:
        """Return whether batches fit one group. The first is the longest; memory is that of rows of its length."""
        rows, tokens = sum(len(batch.numbers) for batch in batches), sum(batch.tokens for batch in batches)
        ratio = rows * batches[0].longest / tokens
        memory = sum(model.reader.count_bytes(batch.state) for batch in batches)
        return ratio <= padding and max(1.0, ratio / USUAL_PADDING) * memory <= max_bytes

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
    """Follow the paths of a group. If memory runs out, read its windows again in batches that are halved until each
    fits with its paths."""
    try:
        _follow(model, group, rules)
        return group
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
    chunk, numbers = group[0].chunk, [number for batch in group for number in batch.numbers]
    group.clear()

    def predict_batch(positions: list[int]) -> WindowBatch:
        batch = WindowBatch(model, chunk, [numbers[position] for position in positions], rules)
        batch.begin(0)
        _follow(model, [batch], rules)
        return batch

    return [batch for _, batch in by_length(predict_batch, chunk.lengths[numbers].tolist(), model.reader.budget)]


def _follow(model: WordModel, group: Sequence[WindowBatch], rules: PredictionRules) -> None:
    """Follow all paths of a group, by one unit per pass."""
    reader, begins = model.reader, rules.units(model).begin_mask.to(model.device)
    searches, steps = [batch.search for batch in group], [batch.steps for batch in group]
    state = reader.join([batch.state for batch in group])
    for batch in group:
        batch.state, batch.steps = None, []
    while any(steps):
        queries = [search.query_at(part) for search, part in zip(searches, steps, strict=True)]
        firsts = np.cumsum([0, *map(len, steps)])
        rows = np.concatenate([query.rows + first for query, first in zip(queries, firsts, strict=False)])
        units = np.concatenate([query.units for query in queries])
        states_after = [search.states_at(part) for search, part in zip(searches, steps, strict=True)]
        with inference():
            states = reader.extend(state, [step for part in steps for step in part])
            query = UnitQuery(rows, units)
            scores = PendingScores(reader, states, rules.k, begins, query, np.concatenate(states_after))
        cuts = np.cumsum([len(query.rows) for query in queries])[:-1]
        results = scores.result().split(firsts[1:-1], cuts)
        steps = [search.follow(part, result) for search, part, result in zip(searches, steps, results, strict=True)]


def _table_of_searches(chunk: PreparedChunk, searches: Sequence[Search]) -> pl.DataFrame:
    places = chunk.chunk.places[:0]
    columns: dict[str, Any] = {}
    if searches:
        places = chunk.chunk.places[np.concatenate([search.places for search in searches])]
        entries = places["entry"]
        if searches[0].rules.k:
            columns = {
                "guess": _guesses(chunk, searches, entries),
                "hit1": np.concatenate([search.hit1 for search in searches]),
                "hitk": np.concatenate([search.hitk for search in searches]),
            }
        columns |= {
            "logp": np.concatenate([search.logp for search in searches]),
            "logp_naive": np.concatenate([search.naive for search in searches]),
            "units": chunk.counts[entries],
            "form": pl.Series(chunk.forms, dtype=pl.Categorical).gather(entries),
        }
    return make_table(chunk.chunk, places, columns)


def make_table(chunk: Chunk, places: WordPlaces, columns: dict[str, Any]) -> pl.DataFrame:
    """Return the predicted words with these columns, and the skipped words with the reason."""
    reasons = [target if isinstance(target, str) else None for target in chunk.targets]
    reason_column = pl.Series(reasons, dtype=pl.Categorical).gather(chunk.skipped["entry"])
    tables = _table(chunk, places, columns), _table(chunk, chunk.skipped, {"left_out": reason_column})
    return pl.concat(tables).sort("line", "at")


def _table(chunk: Chunk, places: WordPlaces, columns: dict[str, Any]) -> pl.DataFrame:
    """Return a table of some words with these columns; other columns are null."""
    place_columns = {name: places[name].copy() for name in ("document", "line", "at", "glued")}
    words = pl.Series(chunk.words, dtype=pl.Categorical).gather(places["entry"])
    table = pl.DataFrame({**place_columns, "word": words, **columns})
    return table.select(
        (pl.col(name) if name in table.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in PREDICTIONS.items()
    )


def _guesses(chunk: PreparedChunk, searches: Sequence[Search], entries: WordPlaces) -> pl.Series:
    """Return the guesses: the words' own forms, what was decoded instead, or null."""
    decoded_guesses = [guess for search in searches for guess in search.decode_guesses()]
    guesses = pl.Series([*chunk.forms, *decoded_guesses, None], dtype=pl.Categorical)
    indices = np.where(np.concatenate([search.own_hits for search in searches]), entries, len(guesses) - 1)
    firsts = np.cumsum([0, *(len(search.places) for search in searches)]).tolist()
    positions = [first + word for search, first in zip(searches, firsts, strict=False) for word in search.guesses]
    indices[positions] = len(chunk.forms) + np.arange(len(decoded_guesses))
    return guesses.gather(indices)

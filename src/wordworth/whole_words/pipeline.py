"""Predicts the words of chunks: windows are read in batches, then all paths that leave some batches grow together.

A group is some batches of like length. Its paths are followed together, a unit each a pass. What the reader remembers
of its texts (keys and values) stays on the device until its paths are done. Scores are fetched while the device reads
the next batch.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl
import torch

from wordworth.engine.batching import by_length, free_memory, out_of_memory
from wordworth.whole_words.chunks import Chunk
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.predictions import table_of
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.search import PathStep, Search
from wordworth.whole_words.segmentations import PreparedChunk
from wordworth.whole_words.unit_scores import PendingScores, UnitQuery

HELD_BYTES = 256 << 20
"""Bytes that are remembered of a group's texts, on a CPU."""
HELD_SHARE = 0.25
"""The same as a share of an accelerator's free memory: it grows to about twice as much while paths are followed."""
USUAL_PADDING, MOST_PADDING = 1.5, 3.0
"""Texts of a group are in rows of one length: at most so many times their tokens. The second on an accelerator and
without guesses, where paths are few and a pass over them costs its launch and little else: the fewer groups the better.
The paths of guesses are many, and each looks at all of its row."""


class Batch:
    """A batch of windows: read on the device, then its own paths are scored."""

    def __init__(self, model: WordModel, chunk: PreparedChunk, numbers: list[int], rules: PredictionRules) -> None:
        """Send the windows of these numbers to the device, and do not wait for it."""
        self.chunk, self.numbers = chunk, numbers
        windows, units = np.array(numbers), rules.units(model)
        lengths, ends = chunk.lengths[windows], chunk.chunk.ends[windows].tolist()
        self.longest, self.tokens = int(lengths.max()), int(lengths.sum())
        self.search = search = Search(units, rules, chunk, windows)
        texts = [chunk.chunk.ids[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
        with torch.inference_mode():
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
        prepared = PreparedChunk(chunk, units, rules.punctuation)
        groups = _read_groups(model, prepared, rules)
        batches = [batch for group in groups for batch in _predict_group(model, group, rules)]
        yield table_of(prepared, [batch.search for batch in batches])


def _read_groups(model: WordModel, chunk: PreparedChunk, rules: PredictionRules) -> Iterator[list[Batch]]:
    """Read the windows of a chunk, the longest first: if memory runs out, it does so at the start."""
    has_accelerator = model.device.type == "cuda"
    most_held = int(HELD_SHARE * free_memory(model.device)) if has_accelerator else HELD_BYTES
    padding = MOST_PADDING if has_accelerator and not rules.guesses else USUAL_PADDING

    def fit(batches: Sequence[Batch]) -> bool:
        """The first batch is the longest. What is held is counted as it will be, in rows of one length."""
        padded = sum(len(one.numbers) for one in batches) * batches[0].longest / sum(one.tokens for one in batches)
        held = sum(model.reader.held(one.state) for one in batches)
        return padded <= padding and max(1.0, padded / USUAL_PADDING) * held <= most_held

    group: list[Batch] = []
    texts = 0
    for _, batch in by_length(
        lambda numbers: Batch(model, chunk, numbers, rules), chunk.lengths.tolist(), model.reader.budget
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


def _predict_group(model: WordModel, group: list[Batch], rules: PredictionRules) -> list[Batch]:
    """Follow the paths of a group. If memory runs out, read its windows again, in batches that are halved until they
    fit, each from its first token to its last path."""
    try:
        _follow(model, group, rules)
        return group
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
    chunk, numbers = group[0].chunk, [number for batch in group for number in batch.numbers]
    group.clear()

    def predict_batch(some: list[int]) -> Batch:
        batch = Batch(model, chunk, [numbers[at] for at in some], rules)
        batch.begin(0)
        _follow(model, [batch], rules)
        return batch

    return [batch for _, batch in by_length(predict_batch, chunk.lengths[numbers].tolist(), model.reader.budget)]


def _follow(model: WordModel, group: Sequence[Batch], rules: PredictionRules) -> None:
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
        with torch.inference_mode():
            states = reader.extend(state, [step for some in steps for step in some])
            pending = PendingScores(reader, states, rules.k, begins, UnitQuery(rows, asked), np.concatenate(after))
        cuts = np.cumsum([len(query.rows) for query in queries])[:-1]
        parts = pending.result().split(firsts[1:-1], cuts)
        steps = [search.follow(some, part) for search, some, part in zip(searches, steps, parts, strict=True)]

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
from wordworth.whole_words.batch import Batch, Ready, table_of
from wordworth.whole_words.chunks import Chunk
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.search import PredictionRules
from wordworth.whole_words.unit_scores import PendingScores, UnitQuery

HELD_BYTES = 256 << 20
"""Bytes that are remembered of a group's texts, on a CPU."""
HELD_SHARE = 0.25
"""The same as a share of an accelerator's free memory: it grows to about twice as much while paths are followed."""
USUAL_PADDING, MOST_PADDING = 1.5, 3.0
"""Texts of a group are in rows of one length: at most so many times their tokens. The second on an accelerator and
without guesses, where paths are few and a pass over them costs its launch and little else: the fewer groups the better.
The paths of guesses are many, and each looks at all of its row."""


def predict_chunks(model: WordModel, chunks: Iterable[Chunk], rules: PredictionRules) -> Iterator[pl.DataFrame]:
    """Yield the table of each chunk (schema `PREDICTIONS`), in their order. Chunks and tables are plain data, so this
    runs wherever the model is."""
    units = rules.units(model)
    for chunk in chunks:
        ready = Ready(chunk, units, rules.punctuation)
        groups = _read_groups(model, ready, rules)
        yield table_of(ready, [batch for group in groups for batch in _predict_group(model, group, rules)])


def _read_groups(model: WordModel, ready: Ready, rules: PredictionRules) -> Iterator[list[Batch]]:
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
        lambda numbers: Batch(model, ready, numbers, rules), ready.lengths.tolist(), model.reader.budget
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
    ready, numbers = group[0].ready, [number for batch in group for number in batch.numbers]
    group.clear()

    def predict_batch(some: list[int]) -> Batch:
        batch = Batch(model, ready, [numbers[at] for at in some], rules)
        batch.begin(0)
        _follow(model, [batch], rules)
        return batch

    return [batch for _, batch in by_length(predict_batch, ready.lengths[numbers].tolist(), model.reader.budget)]


def _follow(model: WordModel, group: Sequence[Batch], rules: PredictionRules) -> None:
    """Follow all paths of a group, all by one unit a pass."""
    reader, begins = model.reader, model.begins(rules.punctuation, unspaced=rules.unspaced)
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

"""Keeps the device busy: while it reads a batch, earlier ones are searched and later ones made ready, in one thread.

A batch is read as soon as the one before it is on the device. Batches of like length form a group, whose paths are
followed together, a level for each batch that is read meanwhile. What a group remembers of its texts (keys and values)
stays on the device until its paths are done, so as many groups are open as memory allows.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

import numpy as np
import polars as pl
import torch

from wordworth.engine.batching import by_length, free_memory, out_of_memory
from wordworth.predict.batch import Batch, Outcome, Ready, table_of
from wordworth.predict.chunks import Chunk
from wordworth.predict.model import WordModel
from wordworth.predict.search import PathStep, PredictionRules
from wordworth.predict.segmentations import Spellings
from wordworth.predict.unit_scores import PendingScores, UnitQuery

T = TypeVar("T")
HELD_SHARE = 0.25
"""Of the device's free memory: it grows to about twice as much while paths are followed."""
USUAL, PADDED = 1.5, 3.0
"""Texts of a group stand in rows of one length: at most so many times their tokens. The second on an accelerator and
without guesses, where paths are few and a pass over them costs its launch and little else: the fewer groups the better.
The paths of guesses are many, and each looks at all of its row."""


class _End:
    """Stands behind the last item."""


_END: Final = _End()


@contextmanager
def ahead(items: Iterable[T], *, thread: bool = True) -> Iterator[Iterator[T]]:
    """The items in their order, the next one made ready before it is asked for. An error comes where its item would
    have come. Without a thread, none is ready before: where it would only take its time from the work itself."""
    every = iter(items)
    if not thread:
        yield every
        return

    def following() -> T | _End:
        return next(every, _END)

    def given() -> Iterator[T]:
        coming = pool.submit(following)
        while not isinstance(item := coming.result(), _End):
            coming = pool.submit(following)
            yield item

    with ThreadPoolExecutor(1) as pool:
        yield given()


class Limits(NamedTuple):
    """How far the work on several batches may overlap."""

    held: int
    """Bytes that are remembered of texts whose paths are not done."""
    open_groups: int
    """Groups whose paths are not done while the next is read."""
    thread: bool
    """Whether the next chunk is made ready in a thread."""
    padded: float = USUAL
    """How much longer than its texts the rows of a group may be."""


ON_CPU = Limits(256 << 20, 0, thread=False)
"""The work has the cores to itself; what overlaps would only take them from it."""


@dataclass(eq=False)
class _Work:
    """A chunk that is being predicted."""

    ready: Ready
    outcomes: list[Outcome] = field(default_factory=list)
    left: int = 0
    """Groups that are not done."""
    read: bool = False

    def table(self) -> pl.DataFrame:
        return table_of(self.ready, self.outcomes)


@dataclass(eq=False)
class _Group:
    """Batches of one chunk whose paths are followed together."""

    work: _Work
    batches: list[Batch] = field(default_factory=list)
    steps: list[list[PathStep]] = field(default_factory=list)
    held: int = 0
    texts: int = 0

    def takes(self, batch: Batch, held: int, limits: Limits) -> bool:
        """The first batch is the longest. What is held is counted as it will be, in rows of one length."""
        if not self.batches:
            return True
        texts = self.texts + len(batch.numbers)
        tokens = sum(one.tokens for one in self.batches) + batch.tokens
        padded = texts * self.batches[0].longest / tokens
        more = max(1.0, padded / USUAL)
        return padded <= limits.padded and more * (self.held + held) <= limits.held / (1 + limits.open_groups)

    def begin_last(self) -> None:
        """Scores the own paths of the batch that was read last."""
        if len(self.steps) < len(self.batches):
            batch = self.batches[-1]
            self.steps.append(batch.begin(self.texts - len(batch.numbers)))


def predict_chunks(model: WordModel, chunks: Iterable[Chunk], rules: PredictionRules) -> Iterator[pl.DataFrame]:
    """The table of each chunk (schema `PREDICTIONS`), in their order. Chunks and tables are plain data, so this runs
    wherever the model is. Some chunks are taken ahead."""
    return _Pipeline(model, rules).run(chunks)


class _Pipeline:
    def __init__(self, model: WordModel, rules: PredictionRules) -> None:
        self.model, self.rules = model, rules
        self.limits = limits_of(model.device, rules.guesses)
        self.open: deque[tuple[_Group, Generator[None]]] = deque()
        self.works: deque[_Work] = deque()

    def run(self, chunks: Iterable[Chunk]) -> Iterator[pl.DataFrame]:
        spellings = Spellings(self.rules.units(self.model))
        works = (_Work(Ready(chunk, spellings, self.rules.punctuation)) for chunk in chunks)
        with ahead(works, thread=self.limits.thread) as ready:
            for work in ready:
                self.works.append(work)
                for _ in self._read(work):
                    self._advance()
                    yield from self._done()
                yield from self._done()
            while self.open:
                self._advance()
                yield from self._done()

    def _read(self, work: _Work) -> Iterator[None]:
        """Sends the batches of a chunk, in groups. Windows of like length go together, the longest first: if memory
        runs out, it does so at the start."""
        group = _Group(work)

        def one_batch(numbers: list[int]) -> Batch:
            return Batch(self.model, work.ready, numbers, self.rules)

        for _, batch in by_length(one_batch, work.ready.lengths.tolist(), self.model.reader.budget):
            held = self.model.reader.held(batch.state)
            group.begin_last()  # while the device is at this one
            if not group.takes(batch, held, self.limits):
                self._follow(group)
                group = _Group(work)
            group.batches.append(batch)
            group.held += held
            group.texts += len(batch.numbers)
            yield
            while self.open and sum(one.held for one, _ in self.open) + group.held > self.limits.held:
                self._advance()
        if group.batches:
            group.begin_last()
            self._follow(group)
        work.read = True

    def _follow(self, group: _Group) -> None:
        group.work.left += 1
        self.open.append((group, self._levels(group)))
        while len(self.open) > self.limits.open_groups:
            self._advance()

    def _advance(self) -> None:
        """Every open group goes on by a level."""
        for _ in range(len(self.open)):
            group, levels = self.open.popleft()
            try:
                going_on = next(levels, self) is not self
            except RuntimeError as error:
                if not out_of_memory(error):
                    raise
                going_on = False
                levels.close()
                self._alone(group)
            if going_on:
                self.open.append((group, levels))
            else:
                group.work.outcomes += [batch.outcome() for batch in group.batches]
                group.work.left -= 1

    def _alone(self, group: _Group) -> None:
        """Memory ran out among the paths of a group: its windows once more, in batches that are halved until they fit,
        each from its first token to its last path."""
        numbers = [number for batch in group.batches for number in batch.numbers]
        group.batches = []
        self.limits = self.limits._replace(held=self.limits.held // 2)
        lengths = group.work.ready.lengths[numbers].tolist()

        def whole(some: list[int]) -> Batch:
            batch = Batch(self.model, group.work.ready, [numbers[at] for at in some], self.rules)
            one = _Group(group.work, [batch], texts=len(some))
            one.begin_last()
            for _ in self._levels(one):
                pass
            return batch

        group.batches = [batch for _, batch in by_length(whole, lengths, self.model.reader.budget)]

    def _levels(self, group: _Group) -> Generator[None]:
        """Follows all paths of a group, all by one unit between one pause and the next."""
        reader, k, rules = self.model.reader, self.rules.k, self.rules
        begins = self.model.begins(rules.punctuation, unspaced=rules.unspaced)
        steps, group.steps = group.steps, []
        state = reader.join([batch.state for batch in group.batches])
        for batch in group.batches:
            batch.state = None
        while any(steps):
            queries = [batch.search.query_at(some) for batch, some in zip(group.batches, steps, strict=True)]
            firsts = np.cumsum([0, *map(len, steps)])
            rows = np.concatenate([query.rows + first for query, first in zip(queries, firsts, strict=False)])
            asked = np.concatenate([query.units for query in queries])
            after = [batch.search.states_at(some) for batch, some in zip(group.batches, steps, strict=True)]
            with torch.inference_mode():
                states = reader.extend(state, [step for some in steps for step in some])
                pending = PendingScores(reader, states, k, begins, UnitQuery(rows, asked), np.concatenate(after))
            yield
            cuts = np.cumsum([len(query.rows) for query in queries])[:-1]
            parts = pending.result().split(firsts[1:-1], cuts)
            steps = [
                batch.search.follow(some, part) for batch, some, part in zip(group.batches, steps, parts, strict=True)
            ]

    def _done(self) -> Iterator[pl.DataFrame]:
        """Tables, in the order of the chunks."""
        while self.works and self.works[0].read and not self.works[0].left:
            yield self.works.popleft().table()


def limits_of(device: torch.device, guesses: bool) -> Limits:
    """What suits a device, by its memory found free."""
    if device.type != "cuda":
        return ON_CPU
    padded = USUAL if guesses else PADDED
    return Limits(int(HELD_SHARE * free_memory(device)), 2, thread=True, padded=padded)

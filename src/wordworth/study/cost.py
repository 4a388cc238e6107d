"""How long a study takes: its work, counted in a few units, and what a unit takes on this machine."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

TRIAL = "It is pleasant to think of words in plain English, of which number {number} is read here by a network"
FEW_SECONDS = 10.0
"""What a study over word vectors takes."""
LONGEST = 2.0
"""Seconds that a model is tried for, if it is not slower still."""


class Work(NamedTuple):
    """What a study has to do with one model."""

    tokens: float = 0.0
    """That go through a language model."""
    pairs: float = 0.0
    """That an NLI model scores."""
    ranks: float = 0.0
    """Values in resamples, as long as one takes to rank: items × layers × resamples."""
    seconds: float = 0.0
    """What is the same for every model."""


class Pace:
    """What a unit takes on this machine; each is measured once, when it is first asked for."""

    def __init__(self) -> None:
        self._models: dict[int, float] = {}

    def seconds(self, work: Work, model: Any) -> float:
        """For this work with this model."""
        total = work.seconds + work.ranks * rank_seconds()
        for amount, measured in ((work.tokens, token_seconds), (work.pairs, pair_seconds)):
            if amount:
                if id(model) not in self._models:
                    self._models[id(model)] = measured(model)
                total += amount * self._models[id(model)]
        return total


def _timed(run: Callable[[int], object], first: int, most: int) -> float:
    """Seconds for one of what `run(n)` does n of: tried with a few, then with as many as `LONGEST` has room for."""
    run(1)  # what is set up at the first call is not counted
    taken, count = 0.0, first
    while True:
        began = time.perf_counter()
        run(count)
        taken = time.perf_counter() - began
        more = min(most, int(count * LONGEST / 2 / max(taken, 1e-6)))
        if more < 2 * count:
            return taken / count
        count = more


def token_seconds(model: Any) -> float:
    """For a token of a language model: sentences of a usual length, as many as a batch holds."""
    from wordworth.contexts import Context
    from wordworth.encode import encode_shard

    def run(count: int) -> None:
        texts = [TRIAL.format(number=number) for number in range(count)]
        contexts = [Context("network", text, len(text) - len("network"), len(text)) for text in texts]
        encode_shard(model, contexts, share_prefixes=False)

    length = len(model.tokenizer(TRIAL.format(number=1))["input_ids"])
    return _timed(run, 4, 256) / length


def pair_seconds(model: Any) -> float:
    """For a pair of an NLI model, scored as the study scores them."""
    from wordworth.infer.probe.pairs import PairSet
    from wordworth.infer.probe.probe import load_probe, probe_names
    from wordworth.infer.scoring.grid import grid_of

    pairs = PairSet.of(load_probe(probe_names()[0]))
    grid, cells = grid_of(model, pairs), pairs.shape[1] * pairs.shape[2]

    def run(count: int) -> None:
        if grid is not None:
            grid.probabilities(range(count))
        else:
            batch = pairs.batch(np.arange(count))
            model.probabilities(batch.sentences, batch.pairs)

    return _timed(run, 8, 64) / cells if grid is not None else _timed(run, 8, 512)


@cache
def rank_seconds() -> float:
    """For a value that is ranked in one resample."""
    from wordworth.statistics.correlation import spearman

    layers, items, resamples = 4, 4_000, 50
    values = np.random.default_rng(0).normal(size=(layers + 1, items))

    def run(count: int) -> None:
        for _ in range(count):
            spearman(values[:-1], values[-1], resamples=resamples)

    return _timed(run, 1, 8) / (layers * items * resamples)

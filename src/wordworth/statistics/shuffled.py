"""Pearson's ρ with shuffled ratings: what chance gives."""

from dataclasses import dataclass

import numpy as np

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact, Values
from wordworth.statistics.bootstrap import BLOCK, RESAMPLES, percentile_interval, told
from wordworth.statistics.correlation import checked_items, standardised


@dataclass(frozen=True)
class Shuffled:
    """Mean ρ over the shuffles, the range of 95 % of them, and p: one a layer."""

    value: Exact
    low: Exact
    high: Exact
    p: Exact
    """Share of shuffles whose |ρ| is at least the observed one, the observed order counted in."""


def shuffled_pearson(x: Values, y: Values, *, shuffles: int = RESAMPLES, seed: int = 0) -> Shuffled:
    """ρ of x (..., items) with y (items) in random order, `shuffles` times; leading axes share the orders."""
    if shuffles < 1:
        raise WordworthError(f"shuffled ratings need at least one shuffle, not {shuffles}")
    columns, ratings = checked_items(x, y)
    scores, people, n, shape = standardised(columns), standardised(ratings), len(y), x.shape[:-1]
    rng, step = np.random.default_rng(seed), max(1, BLOCK // n)
    drawn = []
    with told("shuffling", shuffles, n) as advance:
        for start in range(0, shuffles, step):
            orders = rng.permuted(np.tile(people, (min(step, shuffles - start), 1)), axis=1)
            drawn.append(scores @ orders.T / n)
            advance(len(orders))
    every = np.concatenate(drawn, axis=1)
    # What ties with the observed order counts; sums in another order differ in their last digits.
    reached = (np.abs(every) >= np.abs(scores @ people / n)[:, None] - 1e-12).sum(axis=1)
    low, high = percentile_interval(every)
    p = (reached + 1) / (shuffles + 1)
    value, low, high, p = (np.asarray(one).reshape(shape) for one in (every.mean(axis=1), low, high, p))
    return Shuffled(value, low, high, p)

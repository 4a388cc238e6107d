"""Calibration: inject a bias of a known size into word lists, and count how often each measure detects it.

A bias is injected by moving the words of X up and those of Y down along the direction from B to A. What a measure says
of a list depends on each word by itself, or on ranks over the list. So each measure is computed once per word, side and
dose, and thousands of lists are drawn from these values.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from wordworth.embedding.core import Matrix, Vectors, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.centroids import (
    cosines_with_centroids,
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    rank_agreement,
    shares,
)
from wordworth.measure.declaration import declare, find_measure
from wordworth.measure.directions import direct_bias, divergence, negative_probability, pair_direction, ripa
from wordworth.measure.weat import WEAT, association

LEVEL, POWER = 0.05, 0.8
"""The share of false alarms that a test may have, and the power at the detection limit."""
NUMBERS_PER_BLOCK = 1 << 22
"""Numbers in one block of draws (32 MB)."""
DETECTABLE = "detectable-d"
_VARIANT = "the measure that `variant` names, with k words per list (the test's own without k)"
_OPEN: dict[str, Any] = {"has_open_variants": True}
declare("power", f"Share of drawn lists in which an injected bias is detected by {_VARIANT}.", **_OPEN)
declare("false-alarms", f"Share of drawn lists without an injected bias that are called biased by {_VARIANT}.", **_OPEN)
declare("detection-limit", f"Smallest dose that is detected with power .8 by {_VARIANT}.", **_OPEN)
declare(
    DETECTABLE,
    f"Mean effect size d of weat at the smallest dose that is detected with power .8 by {_VARIANT}.",
    **_OPEN,
)
declare("injected-d", "Mean effect size d of weat over the lists with an injected bias of a dose.")


@dataclass(frozen=True, eq=False)
class Attributes:
    """The attribute words of a test, and the pairs of them that have the same place in A and in B."""

    A: Matrix
    B: Matrix
    pairs: tuple[Matrix, Matrix]

    @property
    def direction(self) -> Matrix:
        """Return the unit vector of the mean of A at unit length minus that of B."""
        difference = unit_rows(self.A, "A").mean(axis=0) - unit_rows(self.B, "B").mean(axis=0)
        return np.asarray(unit_rows(difference[None], "the attribute direction")[0], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Injection:
    """Target words without the real difference of X and Y, which a bias is injected into."""

    words: Matrix
    """X, then Y (words, dim): both have the same mean projection onto the direction."""
    direction: Matrix
    spread: float
    """Standard deviation of the projections, pooled within X and Y: one dose."""

    @classmethod
    def of(cls, X: Vectors, Y: Vectors, attributes: Attributes) -> "Injection":
        """Remove the difference of X and Y along the attribute direction."""
        direction = attributes.direction
        words = np.concatenate([X, Y]).astype(np.float64)
        projections = words @ direction
        deviations = projections.copy()
        for side in (slice(len(X)), slice(len(X), None)):
            deviations[side] -= projections[side].mean()
        spread = float(np.sqrt(deviations @ deviations / (len(words) - 2)))
        if not spread > np.finfo(np.float64).eps * np.abs(projections).max():
            raise WordworthError("the target words do not differ along the attribute direction, so there is no dose")
        return cls(words + np.outer(deviations + projections.mean() - projections, direction), direction, spread)

    def move(self, dose: float) -> Matrix:
        """Return each word moved up by half the dose, then each moved down: (2 × words, dim)."""
        step = dose * self.spread / 2 * self.direction
        return np.concatenate([self.words + step, self.words - step])


Members = NDArray[np.intp]
"""Which rows of a table of words are in each list: (words of X then Y, draws)."""


@dataclass(frozen=True)
class Draws:
    """Lists that are drawn with replacement: X from some rows of a table of words, Y from others.

    They are drawn again whenever they are iterated over, in blocks that bound the memory.
    """

    sizes: tuple[int, int]
    rows_x: range
    rows_y: range
    count: int
    seed: tuple[int, ...]

    @classmethod
    def of_moved(cls, words: int, sizes: tuple[int, int], count: int, seed: tuple[int, ...]) -> "Draws":
        """Draw X from the words moved up, and Y from those moved down, of `Injection.move`.

        Both are drawn from all words, so without a dose they are exchangeable, as a permutation test supposes.
        """
        return cls(sizes, range(words), range(words, 2 * words), count, seed)

    def __iter__(self) -> Iterator[Members]:
        rng, rows = np.random.default_rng(self.seed), (self.rows_x, self.rows_y)
        starts = np.repeat([one.start for one in rows], self.sizes)
        widths = np.repeat([len(one) for one in rows], self.sizes)
        step = max(1, NUMBERS_PER_BLOCK // max(sum(map(len, rows)), sum(self.sizes)))
        for start in range(0, self.count, step):
            places = rng.random((min(step, self.count - start), sum(self.sizes)))
            yield (starts + (places * widths).astype(np.intp)).T


def _average(values: Matrix, members: Members) -> Matrix:
    return np.asarray(values @ shares(_count(members, len(values)), len(values)), dtype=np.float64)


def _diverge(values: Matrix, members: Members) -> Matrix:
    return divergence(values, _count(members, len(values)))


def _correlate_ranks(values: Matrix, members: Members) -> Matrix:
    return rank_agreement(values[0][members], values[1][members])


def _count(members: Members, words: int) -> NDArray[np.intp]:
    """Return how often each word is in each list (words, draws)."""
    draws = members.shape[1]
    cells = members * draws + np.arange(draws)
    return np.bincount(cells.ravel(), minlength=words * draws).reshape(words, draws)


def _coherence(words: Matrix, of: Attributes) -> Matrix:
    return np.stack([cosines_with_centroids(words, one)[:, 0] for one in (of.A, of.B)])


@dataclass(frozen=True)
class ListMeasure:
    """A measure of word lists, by its two steps."""

    of_words: Callable[[Matrix, Attributes], Matrix]
    """Return the values of each word (..., words)."""
    of_lists: Callable[[Matrix, Members], Matrix] = _average
    """Return the measure of each list (draws) from the values of its words."""


LIST_MEASURES = {
    "direct-bias": ListMeasure(lambda words, of: direct_bias(words, pair_direction(*of.pairs).vector)),
    "ripa": ListMeasure(lambda words, of: np.abs(ripa(words, *of.pairs))),
    "garg-euclidean": ListMeasure(lambda words, of: garg_euclidean(words, of.A, of.B)),
    "garg-cosine": ListMeasure(lambda words, of: garg_cosine(words, of.A, of.B)),
    "manzini": ListMeasure(lambda words, of: manzini(words, [of.A, of.B])),
    "mac": ListMeasure(lambda words, of: mac(words, [of.A, of.B])),
    "ect": ListMeasure(_coherence, _correlate_ranks),
    "rnsb": ListMeasure(lambda words, of: negative_probability(words, of.A, of.B), _diverge),
}
"""The estimators, with X and Y as targets and A and B as classes; their own null distribution says what is detected."""


PERMUTATION_MEASURES = (WEAT, "lean-entailment")
"""Measures whose values of words are compared between X and Y, by a permutation test."""


def associate_words(words: Matrix, of: Attributes) -> Matrix:
    """Return each word's association, which WEAT compares between X and Y."""
    return association(words, of.A, of.B)


def measure_lists(name: str, values: Matrix, draws: Iterable[Members]) -> Matrix:
    """Return an estimator of every drawn list, from the values of the words (..., words) → (draws)."""
    of_lists = LIST_MEASURES[name].of_lists if name in LIST_MEASURES else _average
    return np.concatenate([of_lists(values, members) for members in draws])


def detect(name: str, values: Matrix, null: Matrix) -> NDArray[np.bool_]:
    """Return where values are beyond the 95 % of null draws that are nearest to no bias, as a one-sided exact p ≤ .05.

    The bias is at the upper end of a measure where lower is better, else at the lower end. NaN is never detected.
    """
    sign = 1 if find_measure(name).better == "lower" else -1
    sorted_null = np.sort(sign * null[np.isfinite(null)])
    at_least = len(sorted_null) - np.searchsorted(sorted_null, sign * values, side="left")
    return np.asarray(np.isfinite(values) & ((at_least + 1) / (len(sorted_null) + 1) <= LEVEL))


def share_with_interval(hits: int, count: int) -> tuple[float, float, float]:
    """Return a share and its 95 % interval, Wilson's."""
    interval = binomtest(hits, count).proportion_ci(method="wilson")
    return hits / count, float(interval.low), float(interval.high)


def detection_limit(doses: Vectors, power: Vectors, level: float = POWER) -> float:
    """Return the smallest dose with this power, between doses on a line; NaN where it is never reached.

    The curve is made monotone first: power at a dose is the largest up to it.
    """
    curve = np.maximum.accumulate(power)
    if not curve[-1] >= level:
        return float("nan")
    at = int(np.argmax(curve >= level))
    if at == 0:
        return float(doses[0])
    share = (level - curve[at - 1]) / (curve[at] - curve[at - 1])
    return float(doses[at - 1] + share * (doses[at] - doses[at - 1]))

"""How far a model's answers are from neutral where neutral is the only right one (Dev et al. 2020), and group gaps.

With e, n, c the probabilities of entailment, neutral and contradiction of M pairs:
Net Neutral = 1/M Σ n; Fraction Neutral = 1/M Σ 1[n = max(e, n, c)], a tie being neutral as the formula has it;
Threshold τ = 1/M Σ 1[n > τ]. All are 1 for a model without bias.

All of them are sums over pairs, so pairs are added up block by block into a `Tally`, one row a pair of subjects; the
scores, the averages of a pair of subjects and the resamples of subjects all come from those few rows.

For a premise p and a group g of hypotheses (the words for men, or one demonym), E(p, g) is the mean probability of
entailment. The gap is the mean of |E(p, g) − E(p, g′)| over premises and pairs of groups; likewise for contradiction.
Neutrality can hide it: a model that calls everything entailed is far from neutral and treats all alike. Of two groups
the lean, E(p, first) − E(p, second) without the bars, says which one the model favours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import all_counts

THRESHOLDS = (0.5, 0.7)
"""The paper's τ."""
BY_PAIR = "by-pair"
CHANGE = "change"
BY_PAIR_CHANGE = "by-pair-change"
OVER_SWAP = "over-swap"
FROM_ORIGINAL = ": the difference from the original version."
VARIANTS = {
    None: ".",
    BY_PAIR: ", where each pair of subjects is averaged over its sentences first.",
    CHANGE: FROM_ORIGINAL,
    BY_PAIR_CHANGE: f", by pairs of subjects{FROM_ORIGINAL}",
}
"""Variant → what it adds to the formula."""
_WHERE, _SHARE = "over pairs that are all neutral", "Share of pairs that are all neutral where"
declare(
    "net-neutral",
    f"Mean probability of neutral {_WHERE}.",
    "dev2020",
    "higher",
    verdict="infers more neutrally",
    items="subject_pairs",
    item_value="neutral",
    paired_test="mean",
    is_main=True,
)
for _variant, _addition in VARIANTS.items():
    _is_plain = _variant is None
    if not _is_plain:
        declare("net-neutral", f"Mean probability of neutral {_WHERE}{_addition}", "dev2020", "higher", _variant)
    for _name, _formula in (
        ("fraction-neutral", f"{_SHARE} no label is more probable"),
        ("threshold", f"{_SHARE} P(neutral) > {{threshold}}"),
    ):
        declare(_name, f"{_formula}{_addition}", "dev2020", "higher", _variant, is_main=_is_plain)
    for _name in ("entailment", "contradiction"):
        _formula = f"Mean probability of {_name} {_WHERE}{_addition}"
        declare(_name, _formula, "dev2020", "lower", _variant, is_main=_is_plain)
for _name in ("entailment", "contradiction"):
    declare(
        _name,
        f"Mean probability of {_name} minus that of pairs that differ in two words of one kind, as baker and tailor.",
        "",
        "zero",
        OVER_SWAP,
    )
_BASE_SUMS = 4  # e, n, c and labelled neutral; behind them one for each threshold


def is_neutral(probabilities: Vectors) -> NDArray[np.bool_]:
    """Return whether neutral is the largest of (…, 3) probabilities, ties included."""
    neutral: NDArray[np.bool_] = probabilities[..., 1] >= probabilities.max(axis=-1)
    return neutral


def measure_columns(thresholds: Sequence[float] = THRESHOLDS) -> list[dict[str, str | float]]:
    """Return the measures in the order that `scores` has them, as columns of a score; the last two are e and c."""
    above: list[dict[str, str | float]] = [{"measure": "threshold", "threshold": tau} for tau in thresholds]
    names = ("net-neutral", "fraction-neutral", "entailment", "contradiction")
    plain: list[dict[str, str | float]] = [{"measure": name} for name in names]
    return [*plain[:2], *above, *plain[2:]]


@dataclass
class Tally:
    """Sums over the pairs of each cell (premise's subject × hypothesis's subject)."""

    shape: tuple[int, int]
    thresholds: tuple[float, ...]
    counts: NDArray[np.int64]
    """(cells,): pairs added up."""
    sums: Matrix
    """(cells, 4 + thresholds): e, n, c, labelled neutral, above each threshold."""

    @classmethod
    def empty(cls, shape: tuple[int, int], thresholds: Sequence[float] = THRESHOLDS) -> "Tally":
        wrong = next((tau for tau in thresholds if not 0 <= tau < 1), None)
        if wrong is not None:
            raise WordworthError(f"the threshold {wrong:g} is not between 0 and 1; a probability is held against it")
        cells = shape[0] * shape[1]
        sums = np.zeros((cells, _BASE_SUMS + len(thresholds)))
        return cls(shape, tuple(thresholds), np.zeros(cells, dtype=np.int64), sums)

    def add(self, cells: NDArray[np.integer], probabilities: Vectors) -> None:
        """Add pairs of the given cells (n,) with their probabilities (n, 3)."""
        size, neutral = len(self.counts), probabilities[:, 1]
        columns = [*probabilities.T, is_neutral(probabilities), *(neutral > tau for tau in self.thresholds)]
        self.counts += np.bincount(cells, minlength=size)
        for at, column in enumerate(columns):
            self.sums[:, at] += np.bincount(cells, weights=column, minlength=size)

    @property
    def pairs(self) -> int:
        return int(self.counts.sum())

    def means(self) -> Matrix:
        """Return probabilities (cells, 3) of each pair of subjects, averaged over its templates; NaN without any."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums[:, :3] / self.counts[:, None])

    def over_pairs(self) -> tuple[Matrix, Matrix]:
        """Return numerators (measures, P, H) and denominators (P, H) of the measures over all pairs."""
        return self._tables(self.sums[:, [1, *range(3, self.sums.shape[1]), 0, 2]], self.counts)

    def over_cells(self) -> tuple[Matrix, Matrix]:
        """Return the same where each pair of subjects is averaged over templates first, as the authors' code does."""
        any_pairs = self.counts > 0
        means = np.where(any_pairs[:, None], self.means(), 0.0)
        above = [means[:, 1] > tau for tau in self.thresholds]
        columns = [means[:, 1], is_neutral(means), *above, means[:, 0], means[:, 2]]
        return self._tables(np.stack(columns, axis=1).astype(np.float64) * any_pairs[:, None], any_pairs)

    def _tables(self, columns: Matrix, weights: NDArray[np.generic]) -> tuple[Matrix, Matrix]:
        return columns.T.reshape(-1, *self.shape), weights.astype(np.float64).reshape(self.shape)


def scores(tally: Tally, *, by_pair: bool = False) -> Matrix:
    """Return the measures of `measure_columns`; `by_pair` averages each pair of subjects over its templates first."""
    if not tally.pairs:
        raise WordworthError("there are no pairs to measure")
    sums, weights = tally.over_cells() if by_pair else tally.over_pairs()
    return np.asarray(sums.sum(axis=(1, 2)) / weights.sum())


def replicates(tally: Tally, resamples: int, seed: int, *, by_pair: bool = False) -> Matrix:
    """Return (measures, resamples): the measures with the subjects of both sides drawn again with replacement.

    Both sides are drawn, each by itself, since other words could have stood in either. A side of one subject stays as
    it is. Two tallies of one shape and seed get the same draws, so their differences can be resampled too.
    """
    sums, weights = tally.over_cells() if by_pair else tally.over_pairs()
    premises, hypotheses = tally.shape
    first, second = all_counts(premises, resamples, seed), all_counts(hypotheses, resamples, seed + 1)
    over = np.einsum("pr,ph,hr->r", first, weights, second, optimize=True)
    with np.errstate(invalid="ignore"):  # a small sample may have no pair of the subjects drawn
        return np.asarray(np.einsum("pr,mph,hr->mr", first, sums, second, optimize=True) / over)


COUNTED_LABELS = ("entailment", "contradiction")
_COUNTED_SUMS = (0, 2)  # of a tally's sums
for _label in COUNTED_LABELS:
    _gap = f"Mean difference between two groups, without its sign, in the probability of {_label} per premise"
    _lean = f"Mean difference, first group minus second, in the probability of {_label} per premise"
    declare(f"gap-{_label}", f"{_gap}.", "", "lower", verdict="treats groups more alike", is_main=True)
    declare(f"gap-{_label}", f"{_gap}{FROM_ORIGINAL}", "", "lower", CHANGE)
    declare(f"lean-{_label}", f"{_lean}.", "", "zero", is_main=True)
    declare(f"lean-{_label}", f"{_lean}{FROM_ORIGINAL}", "", "zero", CHANGE)


def group_means(
    tally: Tally, groups: Sequence[NDArray[np.intp]], weights_by_group: Sequence[Matrix] | None = None
) -> Matrix:
    """Return (labels, groups, premises, draws): the mean probability of each label over the hypotheses of a group.

    `weights` has per group how often each of its hypotheses counts (hypotheses, draws); each once unless given.
    """
    sums = tally.sums[:, _COUNTED_SUMS].T.reshape(len(COUNTED_LABELS), *tally.shape)
    counts = tally.counts.reshape(tally.shape).astype(np.float64)
    means = []
    for at, group in enumerate(groups):
        weights = np.ones((len(group), 1)) if weights_by_group is None else weights_by_group[at]
        with np.errstate(invalid="ignore"):  # a small sample may have no pair of a premise and a group
            means.append((sums[:, :, group] @ weights) / (counts[:, group] @ weights))
    return np.stack(means, axis=1)


def by_premise(means: Matrix) -> Matrix:
    """Return (measures, premises, draws) of the means of groups: the gap of each label, and of two groups its lean."""
    pairs = list(combinations(range(means.shape[1]), 2))
    if not pairs:
        raise WordworthError("a gap is between groups, and there is one; give the probe's hypotheses two or more")
    gaps = sum(np.abs(means[:, one] - means[:, other]) for one, other in pairs) / len(pairs)
    return np.concatenate([gaps, means[:, 0] - means[:, 1]]) if len(pairs) == 1 else np.asarray(gaps)


def gap_names(groups: int) -> list[str]:
    """Return the measures in the order that `by_premise` has them."""
    return [f"{kind}-{label}" for kind in (("gap", "lean") if groups == 2 else ("gap",)) for label in COUNTED_LABELS]


def gap_replicates(tally: Tally, groups: Sequence[NDArray[np.intp]], resamples: int, seed: int) -> Matrix:
    """Return (measures, resamples): premises drawn again with replacement, and the words of a group that has several.

    Two tallies of one shape and seed get the same draws, so their differences can be resampled too.
    """
    premises = tally.shape[0]
    counts = all_counts(premises, resamples, seed)
    weights = None
    if any(len(group) > 1 for group in groups):
        weights = [all_counts(len(group), resamples, seed + 1 + at) for at, group in enumerate(groups)]
    values = by_premise(group_means(tally, groups, weights))
    has_pairs = np.isfinite(values)
    with np.errstate(invalid="ignore"):  # a small sample may have no pair of the premises drawn
        return np.asarray((np.where(has_pairs, values, 0.0) * counts).sum(axis=1) / (has_pairs * counts).sum(axis=1))

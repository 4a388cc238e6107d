"""How unequally a model speaks of groups where it should say the same of all.

For a premise p and a group g of hypotheses (the words for men, or one demonym), E(p, g) is the mean probability of
entailment. The gap is the mean of |E(p, g) − E(p, g′)| over premises and pairs of groups; likewise for contradiction.
Neutrality can hide it: a model that calls everything entailed is far from neutral and treats all alike. Of two groups
the lean, E(p, first) − E(p, second) without the bars, says which one the model favours.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import Matrix
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.measure.neutrality import CHANGE, Tally
from wordworth.statistics.bootstrap import resample_counts

LABELS = ("entailment", "contradiction")
_COLUMNS = (0, 2)  # of a tally's sums
for _label in LABELS:
    for _way, _said in (("", "."), (CHANGE, ": the difference from the original setting.")):
        declare(
            f"gap:{_label}{_way}",
            f"Mean difference between two groups, without its sign, in the probability of {_label} by premise{_said}",
            "",
            "lower",
            "" if _way else "treats groups more alike",
        )
        declare(
            f"lean:{_label}{_way}",
            f"Mean difference, first group less second, in the probability of {_label} by premise{_said}",
            "",
            "zero",
        )


def group_means(tally: Tally, groups: Sequence[NDArray[np.intp]], drawn: Sequence[Matrix] | None = None) -> Matrix:
    """(labels, groups, premises, draws): the mean probability of each label over the hypotheses of a group.

    `drawn` has for each group how often each of its hypotheses is taken (hypotheses, draws); each once if not given.
    """
    sums = tally.sums[:, _COLUMNS].T.reshape(len(LABELS), *tally.shape)
    counts = tally.counts.reshape(tally.shape).astype(np.float64)
    means = []
    for at, group in enumerate(groups):
        taken = np.ones((len(group), 1)) if drawn is None else drawn[at]
        with np.errstate(invalid="ignore"):  # a small sample may have no pair of a premise and a group
            means.append((sums[:, :, group] @ taken) / (counts[:, group] @ taken))
    return np.stack(means, axis=1)


def by_premise(means: Matrix) -> Matrix:
    """(measures, premises, draws) of the means of groups: the gap of each label, and of two groups its lean."""
    pairs = list(combinations(range(means.shape[1]), 2))
    if not pairs:
        raise WordworthError("a gap is between groups, and there is one; give the probe's hypotheses two or more")
    gaps = sum(np.abs(means[:, one] - means[:, other]) for one, other in pairs) / len(pairs)
    return np.concatenate([gaps, means[:, 0] - means[:, 1]]) if len(pairs) == 1 else np.asarray(gaps)


def gap_names(groups: int) -> list[str]:
    """The measures in the order that `by_premise` has them."""
    return [f"{kind}:{label}" for kind in (("gap", "lean") if groups == 2 else ("gap",)) for label in LABELS]


def gap_replicates(tally: Tally, groups: Sequence[NDArray[np.intp]], resamples: int, seed: int) -> Matrix:
    """(measures, resamples): premises drawn again with replacement, and the words of a group that has several.

    Two tallies of one shape and seed get the same draws, so their differences can be resampled too.
    """
    premises = tally.shape[0]
    taken = np.concatenate(list(resample_counts(premises, resamples, seed)), axis=1).astype(np.float64)
    drawn = None
    if any(len(group) > 1 for group in groups):
        drawn = [
            np.concatenate(list(resample_counts(len(group), resamples, seed + 1 + at)), axis=1).astype(np.float64)
            for at, group in enumerate(groups)
        ]
    values = by_premise(group_means(tally, groups, drawn))
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):  # a small sample may have no pair of the premises drawn
        return np.asarray((np.where(known, values, 0.0) * taken).sum(axis=1) / (known * taken).sum(axis=1))

"""Weighted F1 of a classifier on test items, with a bootstrap interval over them (VAST's probes)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES, percentile_interval, resample_counts

PROBES = {
    "acceptability": "whether a sentence is acceptable",
    "noun": "whether a word is a noun",
    "part-of-speech": "a word's part of speech",
}
for _name, _what in PROBES.items():
    _formula = f"Weighted F1 of a logistic regression that tells {_what} from a vector"
    declare(_name, f"{_formula}.", "wolfe2022", "higher", is_main=True)
    declare(_name, f"{_formula}'s part along its first components.", "wolfe2022", "higher", "components")
    declare(_name, f"{_formula} without its first components.", "wolfe2022", "higher", "rest")
    declare(_name, f"Weighted F1 of the most common answer to {_what}.", "", "", "majority")


def weighted_f1(
    labels: Sequence[str], predicted: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, float]:
    """Return F1 of every class, weighted by its share of the labels, as value, low and high of its 95 % interval.

    A class that is never right counts 0.
    """
    classes = np.array(sorted({*labels, *predicted}))[:, None]
    is_truth, is_guess = np.asarray(labels) == classes, np.asarray(predicted) == classes
    is_hit, is_truth, is_guess = (one.astype(np.float64) for one in (is_truth & is_guess, is_truth, is_guess))

    def score(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return F1 of every resample, from how often each item was drawn: items × resamples."""
        hits, support, predictions = (one @ counts for one in (is_hit, is_truth, is_guess))
        f1 = 2 * hits / np.maximum(support + predictions, 1)
        return np.asarray((f1 * support).sum(axis=0) / counts.sum(axis=0), dtype=np.float64)

    resampled_scores = [score(counts.astype(np.float64)) for counts in resample_counts(len(labels), resamples, seed)]
    low, high = percentile_interval(np.concatenate(resampled_scores))
    return {"value": float(score(np.ones((len(labels), 1)))[0]), "low": float(low), "high": float(high)}

"""Weighted F1 and its interval, against scikit-learn's and a plain loop."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from wordworth.measure.f1 import weighted_f1
from wordworth.statistics.bootstrap import resample_counts


@pytest.mark.parametrize("classes", [2, 7])
def test_equals_scikit_learns_in_every_resample(classes: int) -> None:
    rng = np.random.default_rng(classes)
    labels = rng.choice([f"c{at}" for at in range(classes)], 60)
    predicted = np.where(rng.random(60) < 0.6, labels, rng.choice([*np.unique(labels), "never"], 60))
    found = weighted_f1(labels.tolist(), predicted.tolist(), resamples=50, seed=3)
    plain = f1_score(labels, predicted, average="weighted", zero_division=0)
    assert found["value"] == pytest.approx(plain)
    drawn = []
    for counts in resample_counts(60, 50, 3):
        for column in counts.T:
            rows = np.repeat(np.arange(60), column)
            drawn.append(f1_score(labels[rows], predicted[rows], average="weighted", zero_division=0))
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))

"""Two models' correlations with one set of ratings, over the same items: their difference, its test, its interval."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact, Values
from wordworth.statistics.bootstrap import RESAMPLES, percentile_interval, resample_counts
from wordworth.statistics.correlation import checked_items, pearson_replicates, spearman_replicates, standardised
from wordworth.statistics.dependent_correlations import TESTS, CorrelationTest


@dataclass(frozen=True)
class CorrelationDifference:
    """ρ of both models (..., 2) and all that is said of ρ₁ − ρ₂ (...)."""

    values: Exact
    between: Exact
    """The models' correlation with each other."""
    statistic: Exact
    p: Exact
    low: Exact
    high: Exact
    bootstrap_p: Exact
    n: int


def correlation_test(
    x: Values, y: Values, *, ranked: bool = False, test: CorrelationTest = "williams"
) -> tuple[Exact, Exact, Exact, Exact]:
    """ρ of both models (..., 2), their correlation with each other, the statistic of `test` and its p (...).

    x (..., 2, items) and y (items) are as in `correlation_difference`, which adds the bootstrap.
    """
    if x.ndim < 2 or x.shape[-2] != 2:
        raise WordworthError(f"values of shape {x.shape} are not of two models: give (…, 2, items)")
    columns, ratings = checked_items(x, y)
    shape, n = x.shape[:-2], len(y)
    scored = (rankdata(columns, axis=1), rankdata(ratings)) if ranked else (columns, ratings)
    models, people = standardised(scored[0]), standardised(scored[1])
    values = np.clip(models @ people / n, -1, 1).reshape(*shape, 2)
    pairs = models.reshape(-1, 2, n)
    between = np.clip(np.einsum("ki,ki->k", pairs[:, 0], pairs[:, 1]) / n, -1, 1).reshape(shape)
    statistic, p = TESTS[test](values[..., 0], values[..., 1], between, n, ranked=ranked)
    return values, np.asarray(between), statistic, p


def correlation_difference(
    x: Values,
    y: Values,
    *,
    ranked: bool = False,
    test: CorrelationTest = "williams",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> CorrelationDifference:
    """Compares the rows of x (..., 2, items) by their correlation with y (items): Pearson's, or Spearman's if `ranked`.

    p is that of `test`. The interval and `bootstrap_p` are
    the paired bootstrap's: each resample of items gives both correlations and their difference, and p is twice the
    smaller share of differences on one side of 0, the observed sample counted in.
    """
    columns, ratings = checked_items(x, y)
    shape, n = x.shape[:-2], len(y)
    values, between, statistic, p = correlation_test(x, y, ranked=ranked, test=test)
    replicates = (spearman_replicates if ranked else pearson_replicates)(columns, ratings)
    drawn = np.concatenate([replicates(counts) for counts in resample_counts(n, resamples, seed)], axis=-1)
    differences = drawn[0::2] - drawn[1::2]
    low, high = percentile_interval(differences)
    return CorrelationDifference(
        values,
        between,
        statistic,
        p,
        low.reshape(shape),
        high.reshape(shape),
        _two_sided(differences).reshape(shape),
        n,
    )


def _two_sided(differences: Exact) -> Exact:
    known = np.isfinite(differences).sum(axis=-1)
    below, above = (differences <= 0).sum(axis=-1), (differences >= 0).sum(axis=-1)
    return np.asarray(np.minimum(2 * (np.minimum(below, above) + 1) / (known + 1), 1.0), dtype=np.float64)

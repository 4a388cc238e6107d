"""Weighted word lists: weights of one are the plain estimator, and counts are repeated words."""

import numpy as np
import pytest

from wordworth.measure import (
    direct_bias,
    garg_cosine,
    garg_euclidean,
    manzini,
    mean_over_targets,
    pair_direction,
    resampled_direct_bias,
)

pytestmark = pytest.mark.kernels

LAYERS, DIM, SIZES = 3, 12, {"targets": 20, "one": 6, "other": 6}


def spaces(scale: float = 1.0) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [scale * rng.normal(0.5, size=(LAYERS, size, DIM)) for size in SIZES.values()]


def weighted_direct_bias(targets, one, other, weights=None):
    if weights is None:
        return direct_bias(targets, pair_direction(one, other).vector)
    return resampled_direct_bias(targets, pair_direction(one, other, weights=weights[0]))


def weighted_centred(targets, one, other, weights=None):
    if weights is None:
        return direct_bias(targets, pair_direction(one, other, centred=True).vector)
    return resampled_direct_bias(targets, pair_direction(one, other, centred=True, weights=weights[0]))


ESTIMATORS = {
    "direct-bias": weighted_direct_bias,
    "direct-bias:centred": weighted_centred,
    "garg-euclidean": garg_euclidean,
    "garg-cosine": garg_cosine,
    "manzini": lambda targets, one, other, weights=None: manzini(targets, [one, other], weights=weights),
}
EACH = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)


@EACH
@pytest.mark.parametrize("scale", [1e-4, 1, 1e4])
def test_weights_of_one_are_the_plain_estimator(estimator, scale):
    targets, one, other = spaces(scale)
    weighted = estimator(targets, one, other, weights=(np.ones((6, 4)), np.ones((6, 4))))
    expected = estimator(targets, one, other)
    assert weighted.shape == (LAYERS, 20, 4)
    for column in range(4):
        np.testing.assert_allclose(weighted[..., column], expected, rtol=1e-9, atol=1e-12 * expected.max())


def test_explained_of_repeated_pairs():
    _, one, other = spaces()
    counts = np.array([[2, 1, 0, 3, 0, 0]]).T
    repeated = [np.repeat(side, counts[:, 0], axis=1) for side in (one, other)]
    found = pair_direction(one, other, weights=counts)
    np.testing.assert_allclose(found.explained[:, 0], pair_direction(*repeated).explained, rtol=1e-12)


def test_targets_that_are_weighted_too():
    values = np.random.default_rng(2).normal(size=(LAYERS, 4, 2))
    weights = np.array([[1, 0], [1, 2], [1, 1], [1, 1]])
    found = mean_over_targets(values, weights)
    np.testing.assert_allclose(found[:, 0], values[:, :, 0].mean(axis=1))
    np.testing.assert_allclose(found[:, 1], values[:, [1, 1, 2, 3], 1].mean(axis=1))

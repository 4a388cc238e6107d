import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.transform import fit_components, nullify, orthonormal, project_out

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("shape", [(200, 12), (8, 30)])
def test_same_as_a_plain_svd_for_every_k(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).normal(size=shape) * np.linspace(5, 1, shape[1]) + 3
    k = min(shape) - 2
    fitted = fit_components(x, k)
    centred = x - x.mean(0)
    _, spread, v = np.linalg.svd(centred, full_matrices=False)  # the independent way
    np.testing.assert_allclose(fitted.shares, (spread**2 / (spread**2).sum())[:k])
    for j in range(k + 1):
        expected = centred - centred @ v[:j].T @ v[:j]
        np.testing.assert_allclose(nullify(x, fitted, j), expected, atol=1e-9)


def test_by_hand() -> None:
    # Four points on a cross, longer along the first axis: the first direction is that axis, share 8/10.
    x = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]]) + np.array([5, 7])
    fitted = fit_components(x, 1)
    np.testing.assert_allclose(fitted.mean, [5, 7])
    np.testing.assert_allclose(np.abs(fitted.directions), [[1, 0]], atol=1e-12)
    np.testing.assert_allclose(fitted.shares, [0.8])
    np.testing.assert_allclose(nullify(x, fitted, 1), [[0, 0], [0, 0], [0, 1], [0, -1]], atol=1e-12)


def test_too_many_components() -> None:
    with pytest.raises(WordworthError, match="3 vectors of 9 dimensions have 2 components, so 3 cannot be nullified"):
        fit_components(np.eye(3, 9), 3)
    with pytest.raises(WordworthError, match="all vectors are the same"):
        fit_components(np.ones((5, 4)), 1)
    with pytest.raises(WordworthError, match="1 components were fitted, so 2 cannot be nullified"):
        nullify(np.eye(4), fit_components(np.eye(4), 1), 2)


def test_projection_removes_the_span_and_nothing_else() -> None:
    rng = np.random.default_rng(2)
    x, directions = rng.normal(size=(20, 7)), rng.normal(size=(2, 7))
    basis = orthonormal(directions)
    once = project_out(x, basis)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    assert np.abs(once @ unit.T).max() < 1e-12
    np.testing.assert_allclose(project_out(once, basis), once)
    aside = rng.normal(size=7)
    aside -= aside @ basis.T @ basis
    np.testing.assert_allclose(once @ aside, x @ aside)  # what is orthogonal to the span stays


def test_dependent_directions_are_refused() -> None:
    with pytest.raises(WordworthError, match="not independent"):
        orthonormal(np.array([[1.0, 2, 3], [2, 4, 6]]))
    with pytest.raises(WordworthError, match="zero or not a number"):
        orthonormal(np.zeros((1, 3)))

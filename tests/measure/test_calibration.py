"""Injected biases: doses are recovered, drawn lists equal a slow loop over public measures, and limits are by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from wordworth.embedding.core import unit_rows
from wordworth.errors import WordworthError
from wordworth.measure import (
    association,
    direct_bias,
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    pair_direction,
    ripa,
    rnsb,
    weat,
    weat_p,
)
from wordworth.measure import calibration as calibration_module
from wordworth.measure.calibration import (
    LIST_MEASURES,
    Attributes,
    Draws,
    Injection,
    associate_words,
    detect,
    detection_limit,
    measure_lists,
)
from wordworth.measure.centroids import ect
from wordworth.statistics.effect_size import effect_size
from wordworth.statistics.permutation import permutation_test

RNG = np.random.default_rng(3)
X, Y = RNG.normal(0.4, 1, (6, 12)), RNG.normal(-0.2, 1, (5, 12))
A, B = RNG.normal(0.8, 1, (7, 12)), RNG.normal(-0.5, 1, (6, 12))
ATTRIBUTES = Attributes(A, B, (A[:6], B))
SLOW: dict[str, Callable[[np.ndarray], float]] = {
    "direct-bias": lambda words: direct_bias(words, pair_direction(A[:6], B).vector).mean(),
    "ripa": lambda words: np.abs(ripa(words, A[:6], B)).mean(),
    "garg-euclidean": lambda words: garg_euclidean(words, A, B).mean(),
    "garg-cosine": lambda words: garg_cosine(words, A, B).mean(),
    "manzini": lambda words: manzini(words, [A, B]).mean(),
    "mac": lambda words: mac(words, [A, B]).mean(),
    "ect": lambda words: float(ect(words, A, B, resamples=1).value),
    "rnsb": lambda words: float(rnsb(words, A, B)),
}
"""Each estimator of one list, by the functions that users call."""


def inject_slowly(dose: float) -> tuple[np.ndarray, np.ndarray]:
    """Return all words moved up and moved down, word by word."""
    direction = unit_rows(A, "A").mean(axis=0) - unit_rows(B, "B").mean(axis=0)
    direction /= np.linalg.norm(direction)
    along = [[float(word @ direction) for word in side] for side in (X, Y)]
    means = [sum(side) / len(side) for side in along]
    squares = sum((one - mean) ** 2 for side, mean in zip(along, means, strict=True) for one in side)
    spread = np.sqrt(squares / (len(X) + len(Y) - 2))
    middle = sum(map(sum, along)) / (len(X) + len(Y))
    level = [word + (middle - mean) * direction for side, mean in zip((X, Y), means, strict=True) for word in side]
    return tuple(np.array([word + sign * dose / 2 * spread * direction for word in level]) for sign in (1, -1))


def draw_all(sizes: tuple[int, int], count: int) -> np.ndarray:
    """Return lists of the words of X and Y, one by one."""
    one_by_one = Draws.of_moved(len(X) + len(Y), sizes, count, (0, 1))
    return np.concatenate([*one_by_one], axis=1)


@pytest.mark.parametrize("dose", [0.0, 0.7, 3.0])
def test_the_projected_difference_of_x_and_y_is_the_dose(dose: float) -> None:
    injection = Injection.of(X, Y, ATTRIBUTES)
    up, down = np.split(injection.move(dose), 2)
    along = (up[: len(X)] @ injection.direction).mean() - (down[len(X) :] @ injection.direction).mean()
    assert along / injection.spread == pytest.approx(dose, abs=1e-12)
    np.testing.assert_allclose((up, down), inject_slowly(dose), atol=1e-12)
    across = np.eye(12) - np.outer(injection.direction, injection.direction)
    np.testing.assert_allclose(up @ across, np.concatenate([X, Y]) @ across, atol=1e-12)  # nothing else is moved


@pytest.mark.parametrize("block", [1 << 22, 30])
@pytest.mark.parametrize("name", SLOW)
def test_drawn_lists_equal_a_loop_over_the_public_measure(
    name: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = draw_all((5, 4), 25)
    monkeypatch.setattr(calibration_module, "NUMBERS_PER_BLOCK", block)
    draws = [*Draws.of_moved(len(X) + len(Y), (5, 4), 25, (0, 1))]
    assert len(draws) == (1 if block > 30 else 25)
    members = np.concatenate(draws, axis=1)
    np.testing.assert_array_equal(members, at_once)
    if name == "ect":  # its ranks of a word that is drawn twice depend on rounding: here words are drawn once
        members = np.argsort(np.random.default_rng(0).random((11, 25)), axis=0)[:9]
        members[5:] += 11
        draws = [members]
    moved = Injection.of(X, Y, ATTRIBUTES).move(1.5)
    fast = measure_lists(name, LIST_MEASURES[name].of_words(moved, ATTRIBUTES), draws)
    slowly = np.concatenate(inject_slowly(1.5))
    np.testing.assert_allclose(fast, [SLOW[name](slowly[rows]) for rows in members.T], atol=1e-9)
    assert set(SLOW) == set(LIST_MEASURES)


def test_associations_of_drawn_lists_give_the_d_and_p_of_weat() -> None:
    members = draw_all((5, 4), 25)
    values = associate_words(Injection.of(X, Y, ATTRIBUTES).move(1.5), ATTRIBUTES)[members].T
    up, down = inject_slowly(1.5)
    for row, (in_x, in_y) in enumerate((rows[:5], rows[5:] - len(up)) for rows in members.T):
        np.testing.assert_allclose(effect_size(values, 5)[row], weat(up[in_x], down[in_y], A, B), atol=1e-9)
        p = weat_p(up[in_x], down[in_y], A, B).p
        np.testing.assert_allclose(permutation_test(values, 5).p[row], p, atol=1e-9)
    np.testing.assert_allclose(values[:, :5].T, association(up, A, B)[members[:5]], atol=1e-12)


def test_x_is_drawn_from_words_moved_up_and_y_from_words_moved_down() -> None:
    members = draw_all((3, 5), 400)
    assert members.shape == (8, 400)
    assert set(members[:3].ravel()) == set(range(11))
    assert set(members[3:].ravel()) == set(range(11, 22))


def test_detection_is_an_exact_test_against_the_null() -> None:
    """Of 99 null values 1 … 99, four are at least 96: (4 + 1) / 100 is .05. Coherence falls with bias."""
    null = np.arange(1.0, 100.0)
    np.testing.assert_array_equal(detect("ripa", np.array([95.0, 96.0, np.nan]), null), [False, True, False])
    np.testing.assert_array_equal(detect("ect", np.array([5.0, 4.0]), null), [False, True])
    assert not detect("ripa", np.ones(3), np.ones(99)).any()  # ties are no bias


@pytest.mark.parametrize(
    ("power", "limit"),
    [
        ([0.05, 0.6, 1.0], 1.5),  # half of the way from .6 to 1
        ([0.05, 0.85, 0.7], 0.9375),  # 75/80 of the way from .05 to .85
        ([0.9, 0.9, 0.9], 0.0),
        ([0.05, 0.5, 0.79], np.nan),
    ],
)
def test_detection_limits_by_hand(power: list[float], limit: float) -> None:
    np.testing.assert_allclose(detection_limit(np.array([0.0, 1.0, 2.0]), np.array(power)), limit)


def test_words_without_spread_have_no_dose() -> None:
    same = np.repeat(X[:1], 4, axis=0)
    with pytest.raises(WordworthError, match="no dose"):
        Injection.of(same, same, ATTRIBUTES)

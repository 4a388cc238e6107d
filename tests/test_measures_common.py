"""What holds for every measure: a table of them all, and invariants they share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb

import numpy as np
import pytest

from wordworth.measure import (
    analogies,
    bert_score,
    direct_bias,
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    manzini_centroid,
    neighbour_ranks,
    pair_cosines,
    pair_direction,
    ripa,
    rnsb,
    sc_weat,
    sc_weat_p,
    similarity,
    valence,
    weat,
    weat_p,
)
from wordworth.measure.centroids import ect

pytestmark = pytest.mark.kernels

RNG = np.random.default_rng(0)
WORDS, DIM = 60, 12
SPACE = RNG.standard_normal((WORDS, DIM)) + 0.3
X, Y, A, B = (np.arange(start, start + size) for start, size in ((0, 8), (8, 7), (15, 6), (21, 5)))
M, F = A[:5], B  # pairs
TARGETS = np.arange(26, 56)
RATINGS = RNG.uniform(1, 9, size=len(TARGETS))
LEFT, RIGHT = TARGETS, RNG.permutation(WORDS)[: len(TARGETS)]
QUESTIONS = RNG.permuted(np.tile(np.arange(WORDS), (40, 1)), axis=1)[:, :4]


def correlation(record):
    return np.array([record.value, record.low, record.high])


@dataclass(frozen=True)
class Case:
    """A measure as a function of the space and of the rows it is given, in the order of `rows`."""

    run: Callable[..., np.ndarray]
    rows: tuple[np.ndarray, ...]
    lengths: str = "each"
    """Which change of the vectors' lengths it does not feel: of each word by itself, of all alike, or none."""


def effect_sizes(V, w, a, b):
    return sc_weat(V[w], V[a], V[b])


CASES = {
    "sc-weat": Case(effect_sizes, (TARGETS, A, B)),
    "sc-weat p": Case(lambda V, w, a, b: sc_weat_p(V[w], V[a], V[b]).p, (TARGETS, A, B)),
    "weat": Case(lambda V, x, y, a, b: weat(V[x], V[y], V[a], V[b]), (X, Y, A, B)),
    "weat p": Case(lambda V, x, y, a, b: weat_p(V[x], V[y], V[a], V[b]).p, (X, Y, A, B)),
    "weat p, two-sided": Case(lambda V, x, y, a, b: weat_p(V[x], V[y], V[a], V[b], sides="two").p, (X, Y, A, B)),
    "valence": Case(lambda V, w, a, b: correlation(valence(effect_sizes(V, w, a, b), RATINGS)), (TARGETS, A, B)),
    "valence:spearman": Case(
        lambda V, w, a, b: correlation(valence(effect_sizes(V, w, a, b), RATINGS, ranked=True)), (TARGETS, A, B)
    ),
    "similarity": Case(
        lambda V, left, right: correlation(similarity(pair_cosines(V, left, right), RATINGS)), (LEFT, RIGHT)
    ),
    "analogy": Case(lambda V: analogies(V, QUESTIONS), ()),
    "analogy:3cosmul": Case(lambda V: analogies(V, QUESTIONS, rule="3cosmul"), ()),
    "direct-bias": Case(
        lambda V, w, m, f: direct_bias(V[w], pair_direction(V[m], V[f]).vector), (TARGETS, M, F), "all"
    ),
    "direct-bias:centred": Case(
        lambda V, w, m, f: direct_bias(V[w], pair_direction(V[m], V[f], centred=True).vector), (TARGETS, M, F), "all"
    ),
    "direct-bias:explained": Case(lambda V, m, f: pair_direction(V[m], V[f], centred=True).explained, (M, F), "all"),
    "garg-euclidean": Case(lambda V, w, a, b: garg_euclidean(V[w], V[a], V[b]), (TARGETS, A, B), "none"),
    "garg-euclidean:unit": Case(lambda V, w, a, b: garg_euclidean(V[w], V[a], V[b], normalized=True), (TARGETS, A, B)),
    "garg-cosine": Case(lambda V, w, a, b: garg_cosine(V[w], V[a], V[b]), (TARGETS, A, B), "all"),
    "manzini": Case(lambda V, w, a, b: manzini(V[w], [V[a], V[b]]), (TARGETS, A, B)),
    "manzini:centroid": Case(lambda V, w, a, b: manzini_centroid(V[w], [V[a], V[b]]), (TARGETS, A, B), "all"),
    "ripa": Case(lambda V, w, m, f: ripa(V[w], V[m], V[f]), (TARGETS, M, F), "none"),
    "rnsb": Case(lambda V, w, a, b: np.array(rnsb(V[w], V[a], V[b])), (TARGETS, A, B), "none"),
    "mac": Case(lambda V, w, a, b: mac(V[w], [V[a], V[b]]), (TARGETS, A, B)),
    "ect": Case(lambda V, w, a, b: correlation(ect(V[w], V[a], V[b])), (TARGETS, A, B), "all"),
    "soft-match": Case(partial(neighbour_ranks, max_rank=WORDS), (LEFT, RIGHT)),
    "bert-score": Case(lambda V, a, b: np.array(bert_score(V[a], V[b])), (A, B)),
}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@EVERY
def test_rotation(case):
    rotation, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((DIM, DIM)))
    np.testing.assert_allclose(case.run(SPACE @ rotation, *case.rows), case.run(SPACE, *case.rows), rtol=1e-9)


@EVERY
@pytest.mark.parametrize("scale", [1e-6, 1e6, "each row its own"])
def test_length_of_vectors(case, scale):
    if case.lengths == "none" or (case.lengths == "all" and isinstance(scale, str)):
        return
    factor = np.random.default_rng(2).uniform(0.01, 100, size=(WORDS, 1)) if isinstance(scale, str) else scale
    np.testing.assert_allclose(case.run(SPACE * factor, *case.rows), case.run(SPACE, *case.rows), rtol=1e-9)


@EVERY
def test_float32_in_is_float64_inside(case):
    narrow = SPACE.astype(np.float32)
    result = case.run(narrow, *case.rows)
    np.testing.assert_allclose(result, case.run(narrow.astype(np.float64), *case.rows), rtol=1e-12)


@EVERY
def test_same_again_and_inputs_are_left_alone(case):
    space = SPACE.copy()
    space.flags.writeable = False
    np.testing.assert_array_equal(case.run(space, *case.rows), case.run(SPACE, *case.rows))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if len(case.rows) > 2])
def test_order_of_words_in_the_sets(name):
    case = CASES[name]
    kept = 1 if len(case.rows) == 3 else 0  # the targets of sc-weat are items, not a set
    shuffled = [rows if i < kept else rows[::-1] for i, rows in enumerate(case.rows)]
    np.testing.assert_allclose(case.run(SPACE, *shuffled), case.run(SPACE, *case.rows), rtol=1e-9)


@pytest.mark.parametrize("name", ["sc-weat", "weat"])
def test_swapping_a_and_b_turns_the_sign(name):
    *rest, a, b = CASES[name].rows
    np.testing.assert_allclose(CASES[name].run(SPACE, *rest, b, a), -CASES[name].run(SPACE, *rest, a, b), rtol=1e-9)


def test_swapping_x_and_y_turns_the_sign():
    assert weat(SPACE[Y], SPACE[X], SPACE[A], SPACE[B]) == pytest.approx(-weat(SPACE[X], SPACE[Y], SPACE[A], SPACE[B]))


def test_swapping_the_sets_turns_p_round():
    # Every partition is greater, less or equal; here only the given one is equal.
    targets, a, b = SPACE[TARGETS], SPACE[A], SPACE[B]
    np.testing.assert_allclose(sc_weat_p(targets, a, b).p + sc_weat_p(targets, b, a).p, 1 + 1 / comb(11, 5), rtol=1e-12)


def test_valence_turns_with_the_poles_and_with_the_ratings():
    d = effect_sizes(SPACE, TARGETS, A, B)
    swapped = valence(effect_sizes(SPACE, TARGETS, B, A), RATINGS)
    reversed_ratings = valence(d, 10 - RATINGS)
    plain = valence(d, RATINGS)
    for turned in (swapped, reversed_ratings):
        np.testing.assert_allclose([turned.value, turned.low, turned.high], [-plain.value, -plain.high, -plain.low])


@pytest.mark.parametrize("ranked", [False, True])
def test_order_of_items(ranked):
    # ρ does not depend on it; the interval does, as any random draw, by less than its own width.
    d = effect_sizes(SPACE, TARGETS, A, B)
    order = np.random.default_rng(3).permutation(len(d))
    one, other = valence(d, RATINGS, ranked=ranked), valence(d[order], RATINGS[order], ranked=ranked)
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert abs(one.low - other.low) < 0.25 * (one.high - one.low)


def test_order_of_targets_and_similarity_of_swapped_pairs():
    d = effect_sizes(SPACE, TARGETS, A, B)
    np.testing.assert_allclose(effect_sizes(SPACE, TARGETS[::-1], A, B), d[::-1], rtol=1e-12)
    one, other = (similarity(pair_cosines(SPACE, *pair), RATINGS) for pair in ((LEFT, RIGHT), (RIGHT, LEFT)))
    np.testing.assert_allclose(correlation(one), correlation(other), rtol=1e-12)


@pytest.mark.parametrize("rule", ["3cosadd", "3cosmul"])
def test_renaming_the_rows_renames_the_answers(rule):
    order = np.random.default_rng(4).permutation(WORDS)  # new row i is old row order[i]
    renamed = np.argsort(order)[QUESTIONS]
    answers = analogies(SPACE[order], renamed, rule=rule)
    np.testing.assert_array_equal(order[answers], analogies(SPACE, QUESTIONS, rule=rule))


def test_seeds():
    many = np.random.default_rng(5).standard_normal((50, DIM))
    drawn = [sc_weat_p(SPACE[TARGETS], many[:25], many[25:], seed=seed).p for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    d = effect_sizes(SPACE, TARGETS, A, B)
    lows = [valence(d, RATINGS, seed=seed).low for seed in (1, 1, 2)]
    assert lows[0] == lows[1] != lows[2]

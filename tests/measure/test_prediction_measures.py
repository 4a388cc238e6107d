"""Accuracy, type coverage and surprise of predicted words: by hand, and against plain loops over resamples."""

from math import exp, log

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.measure import perplexity, type_coverages
from wordworth.measure.diversity import WordGroup
from wordworth.measure.prediction import nats
from wordworth.statistics.bootstrap import Estimate, Summable, Summing, ratio, resample_counts

pytestmark = pytest.mark.kernels

RNG = np.random.default_rng(0)
WORDS = 400
CLUSTERS = np.sort(RNG.integers(5, 30, size=WORDS)) * 7  # labels with gaps
TYPES = RNG.zipf(1.4, size=WORDS) % 60 * 3
HITS = RNG.random(WORDS) < 0.3
LOGP = -RNG.exponential(3, size=WORDS)


def sum_up(clusters, above, below=None) -> Summable:
    sums = Summing(int(clusters.max()) + 1, ("above", "below"))
    sums.add(clusters, above=above, below=np.ones(len(above)) if below is None else below)
    return sums.sums("above", "below")


def accuracy(hits, clusters, **drawn) -> Estimate:
    return ratio(sum_up(clusters, hits), **drawn)


def type_coverage(hits, types, clusters, **drawn) -> Estimate:
    (found,) = type_coverages([WordGroup(types, clusters, [hits])], **drawn)
    return found


def test_accuracy_by_hand():
    found = accuracy(np.array([True, False, True, True]), np.array([0, 0, 1, 1]))
    assert (found.value, found.n) == (0.75, 4)
    # Two lines, of 1/2 and 2/2: a resample is one of 1/2, 3/4 and 1.
    assert (found.low, found.high) == (0.5, 1.0)


def test_one_line_has_no_interval():
    found = accuracy(np.array([True, False]), np.array([3, 3]))
    assert found.value == 0.5
    assert np.isnan([found.low, found.high]).all()


def test_accuracy_resamples_lines():
    found = accuracy(HITS, CLUSTERS, resamples=200, seed=5)
    labels = np.unique(CLUSTERS)
    (counts,) = resample_counts(len(labels), 200, 5)
    drawn = []
    for column in counts.T:
        words = [
            hit for label, times in zip(labels, column, strict=True) for hit in HITS[label == CLUSTERS].repeat(times)
        ]
        drawn.append(np.mean(words))
    np.testing.assert_allclose([found.low, found.high], np.quantile(drawn, [0.025, 0.975]))
    assert found.low < found.value < found.high


def test_type_coverage_by_hand():
    # Types a, b, c; a is hit in one of its two places, c never: 2 of 3.
    found = type_coverage(np.array([True, False, True, False]), np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1]))
    assert found.value == pytest.approx(2 / 3)
    assert found.n == 3


def test_type_coverage_of_a_model_that_only_says_the():
    # The paper's example (2.4.3): a fifth of the words are one type, which is all that is ever predicted.
    types = np.array([0] * 20 + list(range(1, 81)))
    found = type_coverage(types == 0, types, np.arange(100))
    assert accuracy(types == 0, np.arange(100)).value == 0.2
    assert found.value == pytest.approx(1 / 81)


def test_type_coverage_resamples_lines():
    found = type_coverage(HITS, TYPES, CLUSTERS, resamples=150, seed=2)
    labels = np.unique(CLUSTERS)
    (counts,) = resample_counts(len(labels), 150, 2)
    drawn = []
    for column in counts.T:
        rows = np.isin(CLUSTERS, labels[column > 0])
        drawn.append(len(set(TYPES[rows & HITS])) / len(set(TYPES[rows])))
    assert found.value == len(set(TYPES[HITS])) / len(set(TYPES))
    np.testing.assert_allclose(found.high - found.value, 1.959964 * np.std(drawn, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(found.high - found.value, found.value - found.low)


@pytest.mark.parametrize("size", [1, 7, 399, 400])
def test_words_that_come_in_parts(size):
    """Several ways of hitting at once, and any cut: each as if it were alone, to the last bit."""
    ways = [HITS, TYPES % 2 == 0, np.zeros(WORDS, dtype=bool), np.ones(WORDS, dtype=bool)]
    cuts = [slice(at, at + size) for at in range(0, WORDS, size)]
    found = type_coverages(WordGroup(TYPES[some], CLUSTERS[some], [hit[some] for hit in ways]) for some in cuts)
    assert found == [type_coverage(hit, TYPES, CLUSTERS) for hit in ways]
    sums = Summing(int(CLUSTERS.max()) + 10, ("hits", "nats", "sizes"))
    for some in cuts:
        sums.add(CLUSTERS[some], hits=HITS[some], nats=nats(LOGP[some]), sizes=TYPES[some] + 1)
    assert ratio(sums.sums("hits")) == accuracy(HITS, CLUSTERS)
    assert perplexity(sums.sums("nats")) == perplexity(sum_up(CLUSTERS, -LOGP))
    assert ratio(sums.sums("nats", "sizes")) == ratio(sum_up(CLUSTERS, -LOGP, TYPES + 1))


def test_no_words_in_any_part():
    with pytest.raises(WordworthError, match="no predicted word"):
        type_coverages([])
    with pytest.raises(WordworthError, match="no predicted word"):
        ratio(Summing(3, ["hits"]).sums("hits"))


def test_perplexity_and_bits_by_hand():
    clusters, found = np.array([0, 1]), nats(np.log([0.5, 0.125]))
    words = perplexity(sum_up(clusters, found))
    assert words.value == pytest.approx(4)  # the geometric mean of 2 and 8
    assert (words.low, words.high) == (pytest.approx(2), pytest.approx(8))
    assert ratio(sum_up(clusters, found / np.log(2))).value == pytest.approx(2)  # (1 + 3) / 2
    assert ratio(sum_up(clusters, found / np.log(2), np.array([3, 5]))).value == pytest.approx(4 / 8)


def test_perplexity_agrees_with_bits():
    words, bits = perplexity(sum_up(CLUSTERS, nats(LOGP))), ratio(sum_up(CLUSTERS, nats(LOGP) / np.log(2)))
    assert words.value == pytest.approx(exp(-sum(LOGP) / WORDS))
    np.testing.assert_allclose([words.value, words.low, words.high], np.exp2([bits.value, bits.low, bits.high]))
    assert accuracy(HITS, CLUSTERS) == accuracy(HITS, CLUSTERS) != accuracy(HITS, CLUSTERS, seed=1)


@pytest.mark.parametrize("bad", [0.1, float("nan"), float("-inf")])
def test_no_probability(bad):
    with pytest.raises(WordworthError, match="word 1 has ln p ="):
        nats(np.array([log(0.5), bad]))

"""Measures of sentence pairs, by hand and against numpy's own regression."""

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.measure.sentence_pairs import icat, regress_on_census, score_triples


def test_icat_is_1_for_the_ideal_model_and_0_for_one_that_always_stereotypes() -> None:
    """The three cases of Nadeem et al. (2021), section 5: ideal, stereotyped, and random (lms ½, ss ½)."""
    np.testing.assert_allclose(icat(np.array([1.0, 1.0, 0.5]), np.array([0.5, 1.0, 0.5])), [1, 0, 0.5])
    np.testing.assert_allclose(icat(np.array(0.9), np.array([0.6, 0.4])), 0.9 * 0.4 / 0.5)


def test_triples_by_hand_are_averaged_over_terms() -> None:
    """Term 0 has three triples, term 1 one: lms (5/6 + 1/2) / 2, ss (2/3 + 0) / 2."""
    logp = np.array([[-1.0, -2.0, -5.0, -6.0], [-2.0, -3.0, -4.0, -1.0], [-9.0, -8.0, -4.5, -5.0]])
    values, low, high = score_triples(logp, np.array([0, 0, 0, 1]), resamples=50)
    lms, ss = (5 / 6 + 1 / 2) / 2, (2 / 3 + 0) / 2
    np.testing.assert_allclose(values, [lms, ss, lms * min(ss, 1 - ss) / 0.5])
    assert low[0] == pytest.approx(1 / 2)
    assert high[0] == pytest.approx(5 / 6)  # a resample is of either term alone, or of both


def test_the_slope_on_the_census_is_numpy_s() -> None:
    rng = np.random.default_rng(0)
    shares = rng.uniform(0.05, 0.95, 40)
    odds = np.log(shares / (1 - shares))
    log_odds = 0.4 * odds - 1 + rng.normal(0, 0.5, 40)
    values, low, high = regress_on_census(shares, log_odds, resamples=200)
    np.testing.assert_allclose(values, [np.polyfit(odds, log_odds, 1)[0], np.corrcoef(odds, log_odds)[0, 1]])
    assert (low < values).all()
    assert (values < high).all()
    np.testing.assert_allclose(regress_on_census(shares, odds, resamples=10), 1)  # a model that mirrors the census
    with pytest.raises(WordworthError, match="between 0 and 1"):
        regress_on_census(np.array([0.2, 0.5, 1.0]), log_odds[:3])

"""The part of GloVe 840B on the package index: Caliskan et al.'s effect sizes, and valence."""

import polars as pl
import pytest

from wordworth.study import study

pytestmark = pytest.mark.index
NAME = "glove-840b-34k"


def test_weat_is_that_of_the_paper_where_the_words_are_there() -> None:
    """Within ±.1 of Caliskan et al. 2017, who had all of GloVe 840B; tests of names that are not there are refused."""
    found = study("weat")([NAME], resamples=20, permutations=100)
    theirs = {"weat1": 1.50, "weat2": 1.53, "weat7": 1.06, "weat8": 1.24, "weat9": 1.38}
    ours = dict(found.scores.filter(measure="weat").select("dataset", "value").iter_rows())
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=0.1)
    assert ours.keys().isdisjoint({"weat3", "weat4", "weat5"})
    reasons = [one["reason"] for one in found.failed]
    assert [reason.partition(" (")[0].partition("has ")[2] for reason in reasons] == [
        "10 of the 32 words of Y: African American names",
        "5 of the 16 words of Y: African American names",
        "5 of the 16 words of Y: African American names",
    ]


def test_one_that_is_asked_for_by_name_is_flagged() -> None:
    (row,) = study("weat")([NAME], tests=["weat4"], resamples=20, permutations=100).scores.to_dicts()
    assert "coverage 31% of African American names" in row["flags"]


def test_valence() -> None:
    """ρ of a plain script: .88, .80 and .69."""
    settings = {"experiments": ["valence"], "resamples": 20, "permutations": 100}
    scores = study("valnorm")([NAME], **settings).scores.filter(pl.col("experiment") == "valence", measure="valence")
    rho = dict(scores.select("dataset", "value").iter_rows())
    assert rho == pytest.approx({"bellezza": 0.88, "anew": 0.80, "warriner": 0.69}, abs=0.01)

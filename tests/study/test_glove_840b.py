"""The part of GloVe 840B on the package index: Caliskan et al.'s effect sizes, and valence."""

import pytest

from typed_runs import values_by
from wordworth.study import study

pytestmark = pytest.mark.index
NAME = "glove-840b-34k"


def test_weat_is_that_of_the_paper_where_the_words_are_there() -> None:
    """Within ±.1 of Caliskan et al. 2017, who had all of GloVe 840B; tests of names that are not there are refused."""
    found = study("weat")([NAME], resamples=20, permutations=100)
    theirs = {"weat1": 1.50, "weat2": 1.53, "weat7": 1.06, "weat8": 1.24, "weat9": 1.38}
    ours = values_by(found, "dataset", measure="weat")
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=0.1)
    refused = {notice.dataset: notice.reason for notice in found.notices if notice.kind == "failed"}
    assert refused.keys() == {"weat3", "weat4", "weat5"}
    assert ours.keys().isdisjoint(refused)
    assert all("African American names" in reason for reason in refused.values())
    assert "has 10 of the 32 words" in refused["weat3"]


def test_valence() -> None:
    """ρ of a plain script: .88, .80 and .69."""
    settings = {"experiments": ["valence"], "resamples": 20, "permutations": 100}
    rho = values_by(study("valnorm")([NAME], **settings), "dataset", experiment="valence", measure="valence")
    assert rho == pytest.approx({"bellezza": 0.88, "anew": 0.80, "warriner": 0.69}, abs=0.01)

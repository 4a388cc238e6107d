from pathlib import Path

import pytest

from wordworth.catalog.read.association_tests import load_test
from wordworth.errors import WordworthError
from wordworth.study import study

weat = study("weat")


@pytest.mark.parametrize(
    ("name", "effect"), [("weat1", 1.54), ("weat6", 1.89), ("weat7", 0.97), ("weat8", 1.24), ("weat9", 1.30)]
)
def test_caliskan_et_al_2017(data: Path, name: str, effect: float) -> None:
    """Supplementary Table 1 of Caliskan et al.: word2vec on Google News."""
    found = weat([data / "vectors/word2vec_googlenews_subset.npz"], tests=[name])
    assert found.scores["value"].to_list() == [pytest.approx(effect, abs=0.01)]
    assert found.scores["n"].item() == sum(len(group) for group in load_test(name).groups[:2])
    assert found.scores["p"].item() < 0.05
    assert found.left_out == {}
    model = found.models["word2vec_googlenews_subset"]
    assert (model["words"], model["dimensions"], len(model["sha256"])) == (13_784, 300, 64)
    assert "Caliskan" in found.data[f"words of {name}"]["reference"]


def test_the_word_of_weat9_that_google_news_lacks(data: Path) -> None:
    """The published figure of WEAT 9 stands on “short”; with “short-term” left out d is 1.376 (a plain loop's)."""
    found = weat([data / "vectors/word2vec_googlenews_subset.npz"], tests=["weat9"])
    assert found.items.drop_nulls("found_as").select("item", "found_as").rows() == [("short-term", "short")]


def test_the_ten_by_default_and_those_without_words_are_told(make: object) -> None:
    words = [word for name in ("weat1", "weat8") for group in load_test(name).groups for word in group]
    found = weat([make(words)], permutations=50)
    assert set(found.scores["dataset"]) >= {"weat1", "weat8"}
    assert found.scores["study"].unique().to_list() == ["weat"]
    assert any("words of X: instruments (test weat2)" in line for line in found.warnings)
    assert len(found.warnings) + found.scores.height == 10
    with pytest.raises(WordworthError, match=r"small has 0 of the 25 words of X: instruments \(test weat2\)"):
        weat([make(words)], tests=["weat2"])
    with pytest.raises(WordworthError, match=r"small has 0 of the \d+ words .* is it an embedding of english words"):
        weat([make(["eins", "zwei"])])


def test_sides_and_methods(make: object) -> None:
    model = make([word for group in load_test("weat8").groups for word in group])

    def p(**chosen: str) -> float:
        found = weat([model], tests=["weat8"], **chosen)
        return float(found.scores["p"].item())

    assert p(sides="two") > p(sides="one") or p(sides="one") > 0.5
    assert p(p_method="monte-carlo") == pytest.approx(p(p_method="exact"), abs=0.02)
    assert p(p_method="normal") == pytest.approx(p(p_method="exact"), abs=0.02)


def test_no_model() -> None:
    with pytest.raises(WordworthError, match="name a model"):
        weat([])

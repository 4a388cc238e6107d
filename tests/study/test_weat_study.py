import json
from pathlib import Path

import polars as pl
import pytest

from wordworth.catalog.read.word_sets import load_test
from wordworth.errors import WordworthError
from wordworth.results.run import Run
from wordworth.study import study

weat = study("weat")


def words_of(run: Run) -> pl.DataFrame:
    return run.item_table("association_words").collect()


def failures(run: Run) -> dict[str, str]:
    return {str(notice.dataset): notice.reason for notice in run.notices if notice.kind == "failed"}


@pytest.mark.parametrize(
    ("name", "effect"), [("weat1", 1.54), ("weat6", 1.89), ("weat7", 0.97), ("weat8", 1.24), ("weat9", 1.30)]
)
def test_caliskan_et_al_2017(data: Path, name: str, effect: float) -> None:
    """Supplementary Table 1 of Caliskan et al.: word2vec on Google News."""
    found = weat([data / "vectors/word2vec_googlenews_subset.npz"], tests=[name])
    assert found.scores["value"].to_list() == [pytest.approx(effect, abs=0.01)]
    assert found.scores["n"].item() == sum(len(group) for group in load_test(name).groups[:2])
    assert found.scores["p"].item() < 0.05
    assert found.skipped == {}
    model = found.facts_of("word2vec_googlenews_subset")
    assert (model.words, model.dimensions, len(model.sha256)) == (13_784, 300, 64)
    assert any("Caliskan" in data.reference for data in found.data if data.name == name)


def test_the_word_of_weat9_that_google_news_lacks(data: Path) -> None:
    """The published figure of WEAT 9 stands on “short”; with “short-term” left out d is 1.376 (a plain loop's)."""
    found = weat([data / "vectors/word2vec_googlenews_subset.npz"], tests=["weat9"])
    assert words_of(found).drop_nulls("spelling").select("word", "spelling").rows() == [("short-term", "short")]


def test_the_rule_of_valnorm_is_a_share_of_the_tests(make: object, data: Path) -> None:
    """|d| ≥ .8 and p ≤ .05 or ≥ .95, counted here from each test's d and p; a p of two sides is not its p."""
    chosen = {"tests": ["weat1", "weat6", "weat8"], "permutations": 100}
    words = [word for name in chosen["tests"] for group in load_test(name).groups for word in group]
    runs = [weat([vectors], **chosen) for vectors in (make(words), data / "vectors/word2vec_googlenews_subset.npz")]
    shares = [run.scores.filter(variant="valnorm-rule").select("value", "n").row(0) for run in runs]
    tests = [run.scores.filter(pl.col("variant").is_null()).select("value", "p").rows() for run in runs]
    biased = [sum(abs(d) >= 0.8 and not 0.05 < p < 0.95 for d, p in every) for every in tests]
    assert shares == [(count / len(every), len(every)) for count, every in zip(biased, tests, strict=True)]
    assert biased == [1, 3]
    both = weat([make(words)], **chosen, sides="two").scores
    assert both.filter(variant="valnorm-rule").is_empty()
    with pytest.raises(WordworthError, match=r"small has 0 of the 25 words of X: instruments \(test weat2\)"):
        weat([make(words)], tests=["weat2"])
    with pytest.raises(WordworthError, match=r"small has 0 of the \d+ words .* is it an embedding of english words"):
        weat([make(["eins", "zwei"])])


GOOGLE = "vectors/word2vec_googlenews_subset.npz"


def test_names_keep_their_capital_where_the_vocabulary_has_capitals(data: Path) -> None:
    """Heather, Jasmine and Ebony are not heather, jasmine and ebony; the subset has no African American name of 32."""
    with pytest.raises(WordworthError, match=r"has 0 of the 32 words of Y: African American names \(test weat3\)"):
        weat([data / GOOGLE], tests=["weat3"])
    found = weat([data / GOOGLE])
    assert {"weat3", "weat4", "weat5"}.isdisjoint(found.scores["dataset"])
    assert failures(found).keys() >= {"weat3", "weat4", "weat5"}
    assert any("has capitals, so names keep their capital" in notice.reason for notice in found.notices)


def test_names_are_found_in_a_vocabulary_in_lower_case(make: object) -> None:
    test = load_test("weat3")
    low = make([word.lower() for group in test.groups for word in group])
    found = weat([low], tests=["weat3"], permutations=50)
    assert found.scores.select("n", "cautions").row(0) == (64, [])
    assert words_of(found).filter(word="Heather")["spelling"].to_list() == ["heather"]
    # One capital letter in the vocabulary does not make it a cased one, 1 % of its words does.
    marked = make([*low.words, "UNK", *(f"w{i}" for i in range(300))])
    assert weat([marked], tests=["weat3"], permutations=50).scores["n"].item() == 64
    cased = make([*low.words, *(f"W{i}" for i in range(50))])
    with pytest.raises(WordworthError, match="has 0 of the 32 words"):
        weat([cased], tests=["weat3"])


def test_less_than_half_of_a_set_is_refused_or_flagged(make: object) -> None:
    """32 names against 9: skipped and told where all tests are run, flagged beside the number where it was asked."""
    test = load_test("weat3")
    flowers = [word for group in load_test("weat1").groups for word in group]
    some = make([*test.X, *test.Y[:9], *flowers])
    found = weat([some], permutations=50)
    assert "weat3" not in found.scores["dataset"]
    assert "has 9 of the 32 words of Y: African American names (test weat3), less than half" in failures(found)["weat3"]
    asked = weat([some], tests=["weat3"], permutations=50)
    assert asked.scores["cautions"].to_list() == [["unbalanced-sets", "low-coverage"]]
    assert asked.scores["coverage"].to_list() == [pytest.approx(9 / 32)]
    more = weat([make([*test.X, *test.Y[:24], *test.A, *test.B])], permutations=50)
    row = more.scores.filter(dataset="weat3")
    assert (row["coverage"].item(), row["cautions"].to_list()) == (0.75, [["low-coverage"]])


def test_d_has_an_interval_that_no_order_of_the_words_moves(make: object, tmp_path: Path) -> None:
    test = load_test("weat8")
    model = make([word for group in test.groups for word in group])
    plain = weat([model], tests=["weat8"]).scores.row(0, named=True)
    assert plain["low"] < plain["value"] < plain["high"]
    groups = zip("xyab", test.groups, strict=True)
    sets = [f"{name} = {{ words = {json.dumps(words[::-1])} }}" for name, words in groups]
    (tmp_path / "turned.toml").write_text("\n".join(["[test]", 'name = "turned"', *sets]))
    turned = weat([model], tests=[tmp_path / "turned.toml"]).scores.row(0, named=True)
    for column in ("value", "low", "high", "p"):
        assert turned[column] == pytest.approx(plain[column], rel=1e-12)

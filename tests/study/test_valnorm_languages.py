"""ValNorm in many languages at once."""

from collections.abc import Sequence
from statistics import variance

import pytest

from typed_runs import reasons, rows
from wordworth.catalog.resolve import resolve
from wordworth.errors import WordworthError
from wordworth.study import study
from wordworth.study.inputs import _pair_with_languages

EVERY = ("english", "french", "croatian")


@pytest.mark.parametrize(
    ("models", "named", "asked"),
    [
        (["use-multilingual"], ("all",), [("english", "french")]),  # which knows no Croatian
        (["use-multilingual", "fr-news-20k", "glove-6b-50d"], ("all",), [("english", "french"), ("",), ("",)]),
        (["use-multilingual"], ("french", "english", "french"), [("french", "english")]),
        (["numberbatch.txt"], ("french", "english"), [("french", "english")]),
        (["a", "b"], ("french", "english"), [("french",), ("english",)]),
        (["a", "b"], ("french",), [("french",), ("french",)]),
        (["a", "b"], (), [("",), ("",)]),
    ],
)
def test_the_languages_of_a_model(models: Sequence[str], named: tuple[str, ...], asked: list[tuple[str, ...]]) -> None:
    things = [resolve(model) for model in models]
    assert list(_pair_with_languages(things, named, EVERY)) == list(zip(things, asked, strict=True))


@pytest.mark.parametrize(
    ("models", "named", "message"),
    [
        (["fr-news-20k"], ("french", "english"), "2 languages for 1 model that knows one"),
        (["a", "b"], ("french", "english", "german"), "3 languages for 2 models"),
        (["use-multilingual"], ("all", "english"), "--language all means every language"),
    ],
)
def test_languages_that_do_not_fit(models: Sequence[str], named: tuple[str, ...], message: str) -> None:
    with pytest.raises(WordworthError, match=message):
        list(_pair_with_languages([resolve(model) for model in models], named, EVERY))


@pytest.mark.index
def test_every_language_in_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    run = {"experiments": ["weat", "similarity"], "pairs": ["multisimlex-french"], "resamples": 5, "permutations": 50}
    found = study("valnorm")(["use-multilingual"], languages=["all"], **run)
    tests = rows(found.scores, measure="weat")
    languages = tests["language"].unique(maintain_order=True).to_list()
    assert languages == ["english", "chinese", "french", "german", "polish", "portuguese", "spanish", "turkish"]
    assert tests.filter(language="french")["cautions"].list.contains("machine-translated").all()
    assert len(found.models) == 1
    for row in found.scores.filter(measure="weat", variant="variance").iter_rows(named=True):
        effects = tests.filter(dataset=row["dataset"])["value"].to_list()
        assert (row["n"], row["value"]) == (8, pytest.approx(variance(effects), abs=1e-12))
    # What a language lacks is a notice, and costs the others nothing.
    assert found.scores.filter(measure="similarity")["language"].to_list() == ["french"]
    failures = [notice for notice in found.notices if notice.kind == "failed"]
    assert ("weat", "dutch") in [(notice.experiment, notice.language) for notice in failures if not notice.model]
    # Dutch has no test but pairs, French has both.
    assert sum("has french pairs" in reason for reason in reasons(found, "failed")) == len(languages)

"""VAST in other languages: the words, texts and tests are of one language and one script."""

from pathlib import Path

import polars as pl
import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.contexts import load_templates
from wordworth.embedding.spelling import in_script
from wordworth.encode import LanguageModel
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study import study
from wordworth.study.vast.study import in_one_script, lexicon_in_script, script_of

QUICK = {"resamples": 20, "permutations": 200}

vast = study("vast")


def rows(findings: Findings, **columns: object) -> pl.DataFrame:
    return findings.scores.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in columns.items())


def test_languages_have_their_own_lexica_and_a_mean(tiny: LanguageModel, data: Path) -> None:
    found = vast([tiny], lexica=["bellezza"], experiments=["languages"], corpus="none", **QUICK)
    assert rows(found, measure="valence")["language"].n_unique() == 7
    bleached = rows(found, measure="valence", setting="bleached", layer=1)["value"]
    mean = rows(found, measure="valence:mean", setting="bleached", layer=1)
    assert mean["value"].item() == pytest.approx(bleached.mean())
    assert mean["n"].item() == 7
    assert any("to balance the polar words (spanish)" in note for note in found.notes)


def test_bias_in_spanish_has_spanish_words(tiny: LanguageModel, data: Path) -> None:
    asked = {"experiments": ["bias"], "tests": ["weat1"], "corpus": "none", "settings": ["bleached"]}
    found = vast([tiny], language="spanish", **asked, **QUICK)
    assert set(found.scores["language"]) == {"spanish"}
    assert {"libertad", "abeja"} <= set(found.items["item"])
    assert not {"freedom", "bee", "beetle"} & set(found.items["item"])


def test_bias_in_a_language_without_tests_is_refused(tiny: LanguageModel, data: Path) -> None:
    asked = {"experiments": ["bias"], "corpus": "none", "settings": ["bleached"], "language": "polish"}
    with pytest.raises(WordworthError, match=r"weat3 cannot be put into 'polish'.*\(XWEAT has german"):
        vast([tiny], **asked, **QUICK)


def test_an_own_test_in_such_a_language_is_run(tiny: LanguageModel, data: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    sets = {"x": ["róża", "lilia"], "y": ["mucha", "komar"], "a": ["miłość", "pokój"], "b": ["wojna", "rak"]}
    lines = [f'{key} = {{ label = "{key}", words = {words} }}' for key, words in sets.items()]
    own.write_text('[test]\nname = "own"\ntitle = "own"\nlanguage = "polish"\n' + "\n".join(lines), encoding="utf-8")
    asked = {"experiments": ["bias"], "corpus": "none", "settings": ["bleached"], "language": "polish"}
    found = vast([tiny], tests=[own], **asked, **QUICK)
    assert set(found.scores["dataset"]) == {"own"}
    assert any("fitted on the words of polish, polar words" in note for note in found.notes)


def test_a_language_that_fails_does_not_end_the_others(
    tiny: LanguageModel, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordworth.study.vast import study as module

    def polar(language: str) -> object:
        if language == "turkish":
            raise WordworthError("0 of the pleasant words could be encoded")
        return polar_words(language)

    monkeypatch.setattr(module, "polar_words", polar)
    found = vast([tiny], lexica=["bellezza"], experiments=["languages"], corpus="none", settings=["bleached"], **QUICK)
    assert rows(found, measure="valence")["language"].n_unique() == 6
    assert set(rows(found, measure="valence:mean")["n"]) == {6}
    (failed,) = found.failed
    assert (failed["language"], failed["model"]) == ("turkish", "tiny")
    assert any("turkish" in warning and "pleasant words could be encoded" in warning for warning in found.warnings)


def test_random_contexts_of_a_language_come_from_its_own_text(tiny: LanguageModel, data: Path, tmp_path: Path) -> None:
    polar, text = polar_words("spanish"), tmp_path / "spanish.txt"
    words = [*load_lexicon("spanish").words[:100], *polar.pleasant, *polar.unpleasant]
    text.write_text("".join(f"Ayer hablamos de {word} en la casa.\n" for word in words), encoding="utf-8")
    asked = {"experiments": ["languages"], "settings": ["random", "bleached"], "corpus": "none"}
    found = vast([tiny], lexica=["bellezza"], language_corpus=[f"spanish={text}"], **asked, **QUICK)
    random = rows(found, measure="valence", setting="random")
    assert set(random["language"]) == {"spanish"}
    assert 90 <= random["n"][0] <= 160
    assert rows(found, measure="valence:mean", setting="random").is_empty()  # of one language there is no mean
    assert rows(found, measure="valence", setting="bleached")["language"].n_unique() == 7


def test_chinese_is_in_one_script(data: Path) -> None:
    findings, templates, lexicon = Findings("vast"), load_templates("vast", "chinese"), load_lexicon("chinese")
    polar = in_one_script(findings, polar_words("chinese"), templates)
    assert script_of(lexicon.words) == script_of((templates.bleached, *templates.aligned)) == "traditional"
    assert script_of((*polar.pleasant, *polar.unpleasant)) == "traditional"
    assert (polar.pleasant[3], polar.unpleasant[3]) == ("愛", "謀殺")
    assert sum(word in lexicon.words for word in (*polar.pleasant, *polar.unpleasant)) == 35  # of 40; 15 as published
    assert findings.notes == [
        "24 of the 40 Chinese polar words were put into Traditional script, which the templates are in."
    ]
    assert lexicon_in_script(findings, lexicon, templates) is lexicon
    simple = lexicon.chosen(range(500), "simple")
    object.__setattr__(simple, "words", tuple(in_script(word, "simplified") for word in simple.words))
    assert script_of(lexicon_in_script(findings, simple, templates).words) == "traditional"

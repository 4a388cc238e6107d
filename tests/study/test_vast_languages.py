"""VAST in other languages: the words, texts and tests are of one language and one script."""

from pathlib import Path

import numpy as np
import pytest

from vast_runs import QUICK, rows, words_of
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.contexts import load_templates
from wordworth.embedding import Slot
from wordworth.embedding.core import in_script
from wordworth.encode import LanguageModel
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.study import study
from wordworth.study.vast.words import find_script, put_lexicon_into_script, put_poles_into_script

vast = study("vast")


def test_languages_have_their_own_lexica_and_a_mean(tiny: LanguageModel, data: Path) -> None:
    found = vast([tiny], lexica=["bellezza"], experiments=["languages"], corpus="none", **QUICK)
    bleached = rows(found, variant=None, context="bleached", layer=1)["value"]
    assert len(bleached) == 7
    mean = rows(found, variant="mean", context="bleached", layer=1)
    assert mean["value"].item() == pytest.approx(bleached.mean())
    assert mean["n"].item() == 7
    assert any("to balance the sets" in notice.reason and notice.language == "spanish" for notice in found.notices)


def test_tokens_and_components_by_language(tiny: LanguageModel, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a language is run by itself; English words under poles of both kinds are scored here by the formula."""
    asked = {"corpus": "none", "contexts": ["bleached"], "components": 2, "component_words": "scored", **QUICK}
    monkeypatch.setattr("wordworth.study.vast.tokens.MIN_WORDS_PER_KIND", 6)  # its tokenizer is English
    found = vast([tiny], lexica=["anew"], experiments=["tokenization", "isolation", "languages"], **asked)
    nullified = rows(found, experiment="languages", subset=None, variant=None).drop_nulls("components")
    assert nullified["language"].n_unique() == 7
    assert set(nullified["layer"]) == {tiny.layers - 1, tiny.layers}
    assert set(nullified["components"]) == {0, 1, 2}
    alone = vast([tiny], language="spanish", experiments=["isolation"], **asked)
    (spanish,), (expected,) = (
        rows(one, language="spanish", measure="valence", variant=None, layer=tiny.layers, components=2)["value"]
        for one in (found, alone)
    )
    assert spanish == pytest.approx(expected)

    split = rows(found, experiment="languages", variant="mixed-poles", subset="multiple", layer=1, pooling="mean")
    assert split["language"].n_unique() == 4
    mean = rows(found, experiment="languages", variant="mean", subset="multiple", layer=1, pooling="mean")
    assert mean["value"].item() == pytest.approx(split["value"].mean())
    assert mean["n"].item() == len(split)
    used = rows(found, "rated_words", experiment="languages", language="english", subset="multiple", skipped=None)
    polar, layers = polar_words(), words_of(tiny)
    high, low = (
        layers.encode("bleached", side, is_polar=True).layers("mean") for side in (polar.pleasant, polar.unpleasant)
    )
    vectors = layers.encode("bleached", used["word"].to_list()).layers("mean")
    A, B, words = (
        one.read(Slot(1)) / np.linalg.norm(one.read(Slot(1)), axis=1, keepdims=True) for one in (high, low, vectors)
    )
    cosines = words @ A.T, words @ B.T
    d = (cosines[0].mean(axis=1) - cosines[1].mean(axis=1)) / np.hstack(cosines).std(axis=1, ddof=1)
    english = split.filter(language="english")["value"].item()
    assert english == pytest.approx(np.corrcoef(d, used["rating"])[0, 1], abs=1e-5)


def test_an_own_test_in_another_language(tiny: LanguageModel, data: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    sets = {"x": ["róża", "lilia"], "y": ["mucha", "komar"], "a": ["miłość", "pokój"], "b": ["wojna", "rak"]}
    lines = [f'{key} = {{ label = "{key}", words = {words} }}' for key, words in sets.items()]
    own.write_text('[test]\nname = "own"\ntitle = "own"\nlanguage = "polish"\n' + "\n".join(lines), encoding="utf-8")
    asked = {"experiments": ["bias"], "corpus": "none", "contexts": ["bleached"], "language": "polish"}
    found = vast([tiny], tests=[own], **asked, **QUICK)
    assert set(found.scores["dataset"]) == {"own"}
    assert any("fitted on the words of polish, polar words" in notice.reason for notice in found.notices)


def test_a_failing_language_ends_no_other(tiny: LanguageModel, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordworth.study.vast import words as module

    def polar(language: str) -> object:
        if language == "turkish":
            raise WordworthError("0 of the pleasant words could be encoded")
        return polar_words(language)

    monkeypatch.setattr(module, "polar_words", polar)
    found = vast([tiny], lexica=["bellezza"], experiments=["languages"], corpus="none", contexts=["bleached"], **QUICK)
    assert rows(found, variant=None)["language"].n_unique() == 6
    assert set(rows(found, variant="mean")["n"]) == {6}
    (failed,) = [notice for notice in found.notices if notice.kind == "failed"]
    assert (failed.language, failed.model) == ("turkish", "tiny")


def test_random_contexts_of_a_language_come_from_its_own_text(tiny: LanguageModel, data: Path, tmp_path: Path) -> None:
    polar, text = polar_words("spanish"), tmp_path / "spanish.txt"
    words = [*load_lexicon("spanish").words[:100], *polar.pleasant, *polar.unpleasant]
    text.write_text("".join(f"Ayer hablamos de {word} en la casa.\n" for word in words), encoding="utf-8")
    asked = {"experiments": ["languages"], "contexts": ["random", "bleached"], "corpus": "none"}
    found = vast([tiny], lexica=["bellezza"], language_corpus=[f"spanish={text}"], **asked, **QUICK)
    random = rows(found, variant=None, context="random")
    assert set(random["language"]) == {"spanish"}
    assert 90 <= random["n"][0] <= 160
    assert rows(found, variant="mean", context="random").is_empty()  # of one language there is no mean
    assert rows(found, variant=None, context="bleached")["language"].n_unique() == 7


def test_chinese_is_put_poles_into_script(data: Path) -> None:
    findings, templates, lexicon = Findings("vast"), load_templates("vast", "chinese"), load_lexicon("chinese")
    polar = put_poles_into_script(findings, polar_words("chinese"), templates)
    assert find_script(lexicon.words) == find_script((templates.bleached, *templates.aligned)) == "traditional"
    assert find_script((*polar.pleasant, *polar.unpleasant)) == "traditional"
    assert (polar.pleasant[3], polar.unpleasant[3]) == ("愛", "謀殺")
    assert sum(word in lexicon.words for word in (*polar.pleasant, *polar.unpleasant)) == 35  # of 40; 15 as published
    assert [(notice.count, notice.total) for notice in findings.notices] == [(24, 40)]
    assert put_lexicon_into_script(findings, lexicon, templates) is lexicon
    simple = lexicon.select(range(500), "simple")
    object.__setattr__(simple, "words", tuple(in_script(word, "simplified") for word in simple.words))
    assert find_script(put_lexicon_into_script(findings, simple, templates).words) == "traditional"

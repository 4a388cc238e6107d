"""VAST's experiments on a tiny random model: which numbers there are, what they are made of, and what is told."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from vast_runs import QUICK, rows, words_of
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import load_test, polar_words
from wordworth.contexts import load_templates
from wordworth.encode import LanguageModel
from wordworth.errors import WordworthError
from wordworth.study import study
from wordworth.study.vast import VastSettings
from wordworth.study.vast.study import why_impossible
from wordworth.study.vast.words import EncodedWords, choose_greedy_poles

LAYERS = 2
vast = study("vast")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Sentences for every second word of Bellezza and for all polar words."""
    polar = polar_words()
    words = [*load_lexicon("bellezza").words[::2], *polar.pleasant, *polar.unpleasant]
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"We spoke of {word}, at length and in the rain.\n" for word in words), encoding="utf-8")
    return path


def test_contextualization_by_context_and_layer(tiny: LanguageModel, corpus: Path) -> None:
    found = vast([tiny], lexica=["bellezza"], experiments=["contextualization"], corpus=corpus, **QUICK)
    valence = rows(found, measure="valence", control=None, variant=None)
    assert valence["context"].unique(maintain_order=True).to_list() == ["random", "bleached", "aligned", "misaligned"]
    assert sorted(valence["layer"].unique()) == [0, 1, 2]
    assert set(valence["pooling"]) == {"last"}
    assert set(valence.filter(context="bleached")["n"]) == {399}
    # 200 words of the corpus, and those polar words that are Bellezza's but not among them.
    missing = rows(found, "rated_words", skipped="no context in the corpus")
    assert set(valence.filter(context="random")["n"]) == {399 - len(missing)}
    assert found.skipped["no context in the corpus"] == len(missing) > 100
    assert missing["rating"].null_count() == 0
    item = rows(found, "rated_words", word="abuse", context="bleached", layer=1)
    assert item["rating"].to_list() == [1.53]
    assert item["subwords"][0] >= 1


def fitted_on(words: EncodedWords, context: str) -> np.ndarray:
    """The authors' choice by hand: every word of three lexica and ten WEATs, then the polar words, which stay aligned.

    Ratings are Warriner's, else ANEW's, else Bellezza's on 1 to 9, else 8 and 2 for polar words and 5 for others.
    """
    ratings: dict[str, float] = {}
    for name in ("warriner", "anew", "bellezza"):
        lexicon = load_lexicon(name)
        values = lexicon.valence if name != "bellezza" else (lexicon.valence - 1) * 2 + 1
        ratings = dict(zip(lexicon.words, values.tolist(), strict=True)) | ratings
    tests = ["weat1", "weat2", "vast-weat3", *(f"weat{number}" for number in range(4, 11))]
    others = [word for name in tests for group in load_test(name).groups for word in group]
    pleasant, unpleasant = words.polar.pleasant, words.polar.unpleasant
    ratings |= {
        word: rating for side, rating in ((pleasant, 8.0), (unpleasant, 2.0)) for word in side if word not in ratings
    }
    ratings |= {word: 5.0 for word in others if word not in ratings}
    poles = [*pleasant, *unpleasant]
    every = words.encode(context, list(ratings), list(ratings.values())).layers("last")
    polar = words.encode(context, poles, [ratings[word] for word in poles], is_polar=True).layers("last")
    return np.concatenate([layers.at(LAYERS).matrix for layers in (every, polar)]).astype(float)


def cut(vectors: np.ndarray, base: np.ndarray, k: int) -> np.ndarray:
    """Unit vectors without the mean and the first k components of the base, by a plain SVD."""
    mean = base.mean(axis=0)
    directions = np.linalg.svd(base - mean, full_matrices=False)[2][:k]
    vectors = vectors - mean
    vectors = vectors - vectors @ directions.T @ directions
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def effects_of(words: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    to_a, to_b = (words @ side.T for side in (a, b))
    return (to_a.mean(axis=1) - to_b.mean(axis=1)) / np.concatenate([to_a, to_b], axis=1).std(axis=1, ddof=1)


@pytest.mark.parametrize("scored", [True, False])
def test_isolation_has_dominance_and_arousal(tiny: LanguageModel, data: Path, scored: bool) -> None:
    """Figure 7, against ANEW's poles and a decomposition by hand; in misaligned the poles are aligned."""
    asked = {"component_words": "scored"} if scored else {}
    found = vast(
        [tiny], lexica=["anew"], experiments=["isolation"], contexts=["misaligned"], components=3, **asked, **QUICK
    )
    top = rows(found, measure="arousal", layer=LAYERS)
    assert top["components"].to_list() == [None, 0, 1, 2, 3]
    assert rows(found, measure="dominance", layer=LAYERS).height == 5
    anew, words = load_lexicon("anew"), words_of(tiny)
    turned, straight = (words.read_rated(anew, context) for context in ("misaligned", "aligned"))
    lexicon, *polar = (layers.at(LAYERS).matrix.astype(float) for layers in (turned[0], *turned[1]))
    base = np.concatenate([lexicon, *polar]) if scored else fitted_on(words, "misaligned")
    high, low = choose_greedy_poles(anew.words, anew.ratings["arousal"].tolist())
    place = {word: row for row, word in enumerate(straight[0].words)}
    poles = straight[0].at(LAYERS).matrix.astype(float)
    a, b = (cut(poles[[place[word] for word in side]], base, 2) for side in (high, low))
    rest = [row for row, word in enumerate(turned[0].words) if word not in {*high, *low}]
    people = dict(zip(anew.words, anew.ratings["arousal"].tolist(), strict=True))
    effects = effects_of(cut(lexicon, base, 2)[rest], a, b)
    expected = np.corrcoef(effects, [people[turned[0].words[row]] for row in rest])[0, 1]
    assert rows(found, measure="arousal", layer=LAYERS, components=2)["value"].item() == pytest.approx(
        expected, abs=1e-5
    )


@pytest.mark.parametrize("context", ["bleached", "misaligned"])
def test_components_are_fitted_on_all_lexica_and_tests(tiny: LanguageModel, data: Path, context: str) -> None:
    """As VAST's authors fit them, whichever lexicon and test is run; one decomposition for isolation and bias."""
    asked = {"contexts": [context], "components": 3, "tests": ["weat7"], **QUICK}
    found = vast([tiny], lexica=["bellezza"], experiments=["isolation", "bias"], **asked)
    words, lexicon = words_of(tiny), load_lexicon("bellezza")
    base = fitted_on(words, context)
    rated, poles = words.read_rated(lexicon, context)
    w, a, b = (layers.at(LAYERS).matrix.astype(float) for layers in (rated, *poles))
    for k in (0, 1, 3):
        effects = effects_of(*(cut(group, base, k) for group in (w, a, b)))
        place = {"experiment": "isolation", "layer": LAYERS, "components": k}
        ours = rows(found, measure="valence", variant=None, **place)["value"].item()
        assert ours == pytest.approx(np.corrcoef(effects, lexicon.valence)[0, 1], abs=1e-5)
    counts = rows(found, measure="variance-share", layer=LAYERS)["n"].unique().to_list()
    assert counts == [len(base)]
    bleached = fitted_on(words, "bleached")
    x, y, a, b = (
        cut(words.encode("bleached", group).layers("last").at(LAYERS).matrix.astype(float), bleached, 3)
        for group in load_test("weat7").groups
    )
    sx, sy = (side @ a.T.mean(axis=1) - side @ b.T.mean(axis=1) for side in (x, y))
    expected = (sx.mean() - sy.mean()) / np.concatenate([sx, sy]).std(ddof=1)
    ours = rows(found, dataset="weat7", measure="weat", layer=LAYERS, components=3)["value"].item()
    assert ours == pytest.approx(expected, abs=1e-5)


def test_a_sample_of_the_component_words_is_fixed(tiny: LanguageModel, data: Path) -> None:
    asked = {"experiments": ["isolation"], "contexts": ["bleached"], "components": 1, "component_words": "sample"}
    runs = [vast([tiny], lexica=[name], **asked, **QUICK) for name in ("bellezza", "anew")]
    shares = [rows(found, measure="variance-share", layer=LAYERS)["value"].item() for found in runs]
    assert shares[0] == pytest.approx(shares[1], abs=1e-9)
    assert rows(runs[0], measure="variance-share", layer=LAYERS)["n"].item() == 2_500 + 50


def test_a_lexicon_that_cannot_be_had_is_reported(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    found = vast([tiny], lexica=["bellezza"], experiments=["isolation"], contexts=["bleached"], components=1, **QUICK)
    assert [notice.dataset for notice in found.notices if notice.kind == "reduced"] == ["anew", "warriner"]


def test_bias_is_weat_on_bleached_vectors(tiny: LanguageModel) -> None:
    found = vast(
        [tiny], lexica=["bellezza"], experiments=["bias"], contexts=["bleached"], tests=["weat7"], components=2, **QUICK
    )
    test = load_test("weat7")
    encoded = (words_of(tiny).encode("bleached", words).layers("last") for words in test.groups)
    x, y, a, b = (layers.at(1).matrix.astype(float) for layers in encoded)

    def unit(v: np.ndarray) -> np.ndarray:
        return v / np.linalg.norm(v, axis=1, keepdims=True)

    sx, sy = (unit(t) @ unit(a).T.mean(axis=1) - unit(t) @ unit(b).T.mean(axis=1) for t in (x, y))
    expected = (sx.mean() - sy.mean()) / np.concatenate([sx, sy]).std(ddof=1)
    assert rows(found, layer=1, components=None)["value"].item() == pytest.approx(expected, abs=1e-6)
    assert 0 <= rows(found, layer=1, components=None)["p"].item() <= 1
    assert set(rows(found, layer=LAYERS)["components"]) == {None, 0, 1, 2}
    # What d is made of: each target's association.
    kept = rows(found, "association_words", layer=1, components=None)
    assert kept.filter(role="X")["value"].to_list() == pytest.approx(sx.tolist())
    assert kept.filter(role="Y", set=test.labels[1])["word"].to_list() == list(test.groups[1])


@pytest.mark.parametrize(
    ("chosen", "name"), [("all", "the principal components (english)"), ("scored", "the components of bias (english)")]
)
def test_components_of_bias_do_not_depend_on_the_tests(tiny: LanguageModel, chosen: str, name: str) -> None:
    asked = {"lexica": ["bellezza"], "experiments": ["bias"], "contexts": ["bleached"], "components": 8, **QUICK}
    asked["component_words"] = chosen
    alone, beside = (vast([tiny], tests=tests, **asked) for tests in (["weat6"], ["weat1", "weat6", "weat9"]))
    d = [rows(found, dataset="weat6", layer=LAYERS)["value"].to_list() for found in (alone, beside)]
    assert d[0] == pytest.approx(d[1], abs=1e-6)  # float32: words go through the network in other batches
    assert len(d[0]) == 10
    (fitted,) = [facts for facts in alone.data if facts.name == name]
    assert fitted.rows >= sum(len(group) for n in range(1, 11) for group in load_test(f"weat{n}").groups)
    assert fitted in beside.data


def test_the_share_of_words_of_one_token_is_counted_by_the_tokenizer(tiny: LanguageModel, tmp_path: Path) -> None:
    words = load_lexicon("bellezza").words[:100]
    lines = [f"{one},{other},{at}" for at, (one, other) in enumerate(pairwise(words))]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["first,second,score", *lines]), encoding="utf-8")
    found = vast([tiny], lexica=["bellezza"], experiments=["validation"], pairs=[path], components=2, **QUICK)
    (share,) = rows(found, measure="single-token").to_dicts()
    single = [word for word in words if len(tiny.tokenizer.tokenize(f" {word}")) == 1]
    assert 0 < len(single) < 100
    assert (share["experiment"], share["n"]) == ("validation", 100)
    assert share["value"] == pytest.approx(len(single) / 100)
    assert rows(found, layer=LAYERS, measure="similarity")["components"].to_list() == [None, 0, 1, 2]


def test_greedy_poles_are_the_ends() -> None:
    assert choose_greedy_poles(list("abcdef"), [3, 1, 6, 1, 5, 4], 2) == (["c", "e"], ["d", "b"])


def test_an_own_lexicon_needs_its_scale_for_aligned(tiny: LanguageModel, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("word,rating\nlove,5\nwar,1\nrain,3\nsun,4\n")
    asked = {"lexica": [own], "experiments": ["contextualization"], "corpus": "none"}
    with pytest.raises(WordworthError, match="scale of own's ratings"):
        vast([tiny], contexts=["aligned"], **QUICK, **asked)
    found = vast([tiny], contexts=["aligned"], scale=(1.0, 5.0), **QUICK, **asked)
    assert set(rows(found, measure="valence", experiment="contextualization")["n"]) == {4}


def test_own_templates_need_only_the_texts_that_are_used(tiny: LanguageModel, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[mine]\nbleached = "Here it says WORD"\n', encoding="utf-8")
    asked = {"lexica": ["bellezza"], "experiments": ["contextualization"], "corpus": "none", "controls": ["none"]}
    found = vast([tiny], templates=str(own), **asked, **QUICK)
    assert set(found.scores["context"]) == {"bleached"}
    assert [notice.context for notice in found.notices if notice.kind == "skipped"] == ["aligned", "misaligned"]
    own.write_text('[mine]\naligned = [{ low = 1, high = 9, text = "To think of WORD" }]\n', encoding="utf-8")
    found = vast([tiny], templates=str(own), contexts=["aligned"], **asked, **QUICK)
    assert set(found.scores["context"]) == {"aligned"}
    # Of experiments that nobody named, those without their text are left out and said.
    words = replace(words_of(tiny), templates=load_templates(str(own)))
    reasons = {name: why_impossible(name, words) for name in ("isolation", "validation", "bias")}
    lacking = "the templates mine have no bleached text"
    assert reasons == {"isolation": "", "validation": lacking, "bias": lacking}
    words = replace(words, settings=VastSettings(language="polish"))
    assert "its sentences are English" in why_impossible("probes", words)


def test_the_best_layer_is_judged_on_words_that_did_not_pick_it(tiny: LanguageModel) -> None:
    """By hand: halves of the words in alphabetical order, shuffled with the seed."""
    found = vast([tiny], lexica=["bellezza"], contexts=["bleached"], experiments=["contextualization"], resamples=20)
    items = rows(found, "rated_words", experiment="contextualization", skipped=None)
    words = sorted(items["word"].unique().to_list())
    order = [words[at] for at in np.random.default_rng(0).permutation(len(words))]
    picking, judging = set(order[: len(words) // 2]), set(order[len(words) // 2 :])

    def rho(layer: int, half: set[str]) -> float:
        of_half = items.filter(pl.col("layer") == layer, pl.col("word").is_in(list(half)))
        return float(np.corrcoef(of_half["value"], of_half["rating"])[0, 1])

    layers = items["layer"].unique().to_list()
    best = max(layers, key=lambda layer: rho(layer, picking))
    (score,) = rows(found, measure="valence", variant="held-out", experiment="contextualization").to_dicts()
    assert (score["layer"], score["n"]) == (best, len(judging))
    assert score["value"] == pytest.approx(rho(best, judging), abs=1e-9)

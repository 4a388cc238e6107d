"""The study over decades, languages and samples of a corpus."""

import pickle
from pathlib import Path
from statistics import variance

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.association_tests import load_test, translated
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study import study
from wordworth.study.valnorm.data import SampledLines, choose_lines, train_fasttext

valnorm = study("valnorm")

QUICK = {"resamples": 20, "permutations": 100}


def test_one_row_a_decade(small: Embedding, tmp_path: Path) -> None:
    folder = tmp_path / "eng-all"
    folder.mkdir()
    for decade, factor in ((1810, 3.0), (1800, 1.0)):
        matrix = np.array(small.matrix)
        matrix[:, 0] *= factor
        np.save(folder / f"{decade}-w.npy", matrix)
        (folder / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(list(small.words), protocol=2))
    found = valnorm([folder], lexica=["bellezza"], experiments=["valence"], **QUICK)
    series = found.scores.filter(measure="valence")
    assert series["model"].to_list() == ["eng-all/1800", "eng-all/1810"]
    expected = valnorm([small], lexica=["bellezza"], experiments=["valence"], **QUICK).scores
    assert series["value"][0] == pytest.approx(expected.filter(measure="valence")["value"].item(), abs=1e-12)
    assert series["value"][1] != pytest.approx(series["value"][0])
    assert set(found.models) == {"eng-all/1800", "eng-all/1810"}
    labelled = valnorm([f"books={folder}"], lexica=["bellezza"], experiments=["valence"], **QUICK)
    assert labelled.scores["model"].unique().sort().to_list() == ["books/1800", "books/1810"]


def test_variance_over_languages(make: object, slow: type, data: Path) -> None:
    english = load_test("weat1")
    german = translated(english, "german")
    models = [
        make([word for group in test.groups for word in group], name=test.language, seed=seed)
        for seed, test in enumerate((english, german))
    ]
    run = {"experiments": ["weat"], "tests": ["weat1"], **QUICK}
    found = valnorm(models, languages=["english", "german"], **run)
    effects = found.scores.filter(measure="weat")
    assert effects["language"].to_list() == ["english", "german"]
    assert effects["dataset"].to_list() == ["weat1", "weat1"]
    X, Y, A, B = ([models[1][word].tolist() for word in group] for group in german.groups)
    assert effects["value"][1] == pytest.approx(slow.weat(X, Y, A, B), abs=1e-12)
    spread = found.scores.filter(measure="weat:variance").to_dicts()
    assert len(spread) == 1
    assert spread[0]["value"] == pytest.approx(variance(effects["value"].to_list()), abs=1e-12)
    assert (spread[0]["model"], spread[0]["n"], spread[0]["dataset"]) == (None, 2, "weat1")

    # Two models of one language are averaged before the variance is taken, and one language has none.
    second = make(models[0].words, name="second", seed=7)
    three = valnorm([*models, second], languages=["english", "german", "english"], **run)
    d = dict(three.scores.filter(measure="weat").select("model", "value").iter_rows())
    expected = variance([(d["english"] + d["second"]) / 2, d["german"]])
    assert three.scores.filter(measure="weat:variance")["value"].item() == pytest.approx(expected, abs=1e-12)
    assert "weat:variance of weat1: the effects of one language's models are averaged first." in three.notes
    alone = valnorm([models[0], second], languages=["english"], **run)
    assert alone.scores["language"].to_list() == ["english", "english"]


def test_the_models_own_language_is_taken(make: object, data: Path) -> None:
    german = translated(load_test("weat1"), "german")
    model = make([word for group in german.groups for word in group], language="german")
    found = valnorm([model], experiments=["weat"], tests=["weat1"], **QUICK)
    assert found.scores["language"].to_list() == ["german"]
    assert not found.warnings
    with pytest.raises(WordworthError, match=r"weat3 cannot be put into 'polish'.*XWEAT has german"):
        valnorm([model], experiments=["weat"], tests=["weat3"], languages=["polish"])


def test_chinese_in_the_other_script(make: object, data: Path) -> None:
    from opencc import OpenCC

    simplified, traditional = OpenCC("t2s").convert, OpenCC("s2t").convert
    lexicon, polar = load_lexicon("chinese"), polar_words("chinese")
    words = [simplified(word) for word in lexicon.words[:300]]
    model = make([*words, *polar.pleasant, *polar.unpleasant], name="zh")
    found = valnorm([model], lexica=["chinese"], languages=["chinese"], experiments=["valence"], **QUICK)
    items = found.items.filter(group="lexicon")
    known = {*words, *polar.pleasant, *polar.unpleasant}
    tried = [(word, simplified(word), traditional(word)) for word in lexicon.words]
    forms = [next((form for form in each if form in known), None) for each in tried]
    merged = sum(form is not None for form in forms) - len({*forms} - {None})  # words that are one in this vocabulary
    assert merged == 2
    assert items.height == len(lexicon) - merged > 5_000
    first = items.head(300)
    assert first["left_out"].null_count() == 300
    for word, form in first.select("item", "found_as").iter_rows():
        assert form == (simplified(word) if simplified(word) != word else None)
    assert 50 < first["found_as"].null_count() < 250
    coverage = found.scores.filter(measure="coverage").to_dicts()[0]
    assert coverage["value"] == pytest.approx(items["left_out"].null_count() / (len(lexicon) - merged))
    assert found.left_out["not in vocabulary"] == found.items["left_out"].eq("not in vocabulary").sum()


CORPUS = {"resamples": 10, "permutations": 50}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """200 lines in which pleasant words keep company with pleasant words, and unpleasant with unpleasant."""
    polar, lexicon = polar_words(), load_lexicon("bellezza")
    rng = np.random.default_rng(0)
    good = [*polar.pleasant, *[w for w, v in zip(lexicon.words, lexicon.valence, strict=True) if v > 3.8]]
    bad = [*polar.unpleasant, *[w for w, v in zip(lexicon.words, lexicon.valence, strict=True) if v < 2.2]]
    lines = [" ".join(rng.choice(side, 30)) for _ in range(100) for side in (good, bad)]
    path = tmp_path / "made.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def corpus_size(path: Path, shares: tuple[float, ...], **more: object) -> Findings:
    return valnorm([], corpus=path, shares=shares, dimensions=8, lexica=["bellezza"], pairs=["rg-65"], **CORPUS, **more)


def test_corpus_size(corpus: Path) -> None:
    found = corpus_size(corpus, (100, 50, 1))
    scores = found.scores.filter(measure="valence")
    assert scores["model"].to_list() == ["made.txt@100%", "made.txt@50%"]
    assert scores["experiment"].unique().to_list() == ["corpus-size"]
    assert scores["n"][0] > scores["n"][1] > 10
    assert found.models["made.txt@50%"]["dimensions"] == 8
    assert found.data["made.txt"]["rows"] == 200
    assert len(found.data["made.txt"]["sha256"]) == 64
    assert "made.txt@1%: no word is met five times in 2 of 200 lines; left out." in found.warnings
    # No pair of RG-65 is in that text: noted for each share, and no reason to stop.
    assert sum("pairs of rg-65" in line for line in found.warnings) == 2
    again = corpus_size(corpus, (50,))
    assert again.scores.equals(found.scores.filter(model="made.txt@50%"))
    assert again.items.equals(found.items.filter(model="made.txt@50%"))


def test_training_depends_on_the_seed_alone() -> None:
    lines = ["the cat sat on the mat", "the dog ate the cat"] * 10
    everything = np.ones(20, dtype=np.bool_)
    one, same, other = (
        train_fasttext(SampledLines(lines, everything), "x", dim=4, epochs=2, seed=s) for s in (1, 1, 2)
    )
    assert one is not None
    assert same is not None
    assert other is not None
    assert list(one.words) == list(same.words)
    assert "cat" in one
    assert np.array_equal(one.matrix, same.matrix)
    assert not np.array_equal(one.matrix, other.matrix)
    assert one.provenance.steps == ("fastText skip-gram, 4 dimensions, 2 epochs, min_count 5, seed 1",)


def test_several_corpora_are_a_series(corpus: Path) -> None:
    """Each as if it were alone."""
    other = corpus.with_name("other.txt")
    other.write_text(corpus.read_text(encoding="utf-8").upper(), encoding="utf-8")
    found = corpus_size([corpus, other], (100,)).scores.filter(pl.col("measure") == "valence")
    assert found["model"].to_list() == [f"{corpus.name}@100%", "other.txt@100%"]
    alone = corpus_size(other, (100,)).scores.filter(pl.col("measure") == "valence")
    assert found["value"][1] == alone["value"].item()


def test_a_corpus_that_cannot_serve(tmp_path: Path) -> None:
    blank = tmp_path / "blank.txt"
    blank.write_text("\n\n")
    with pytest.raises(WordworthError, match=r"blank\.txt has no lines of text"):
        corpus_size(blank, (100,))


@pytest.mark.parametrize(("total", "share", "count"), [(200, 50, 100), (1_000, 0.1, 1), (7, 100, 7), (100, 0.001, 0)])
def test_lines_are_drawn_exactly_and_once(total: int, share: float, count: int) -> None:
    chosen = choose_lines(total, share, seed=4)
    assert chosen.shape == (total,)
    assert chosen.sum() == count
    assert np.array_equal(chosen, choose_lines(total, share, seed=4))

"""The study over decades, languages and samples of a corpus."""

import pickle
from pathlib import Path
from statistics import variance

import numpy as np
import polars as pl
import pytest

from typed_runs import items_of, one, reasons, rows, value, values_by
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import load_test, polar_words, translate_test
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.pages.figures import figures_of
from wordworth.results.run import Run
from wordworth.results.runs import read_runs
from wordworth.study import study
from wordworth.task.training import Sentences, choose_lines, train_fasttext

valnorm = study("valnorm")

QUICK = {"resamples": 20, "permutations": 100}


def test_one_score_per_decade(small: Embedding, tmp_path: Path) -> None:
    folder = tmp_path / "eng-all"
    folder.mkdir()
    for decade, factor in ((1810, 3.0), (1800, 1.0)):
        matrix = np.array(small.matrix)
        matrix[:, 0] *= factor
        np.save(folder / f"{decade}-w.npy", matrix)
        (folder / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(list(small.words), protocol=2))
    chosen = {"lexica": ["bellezza"], "experiments": ["valence"], **QUICK}
    series = values_by(valnorm([folder], **chosen), "model", measure="valence")
    assert list(series) == ["eng-all/1800", "eng-all/1810"]
    expected = value(valnorm([small], **chosen), measure="valence")
    assert series["eng-all/1800"] == pytest.approx(expected, abs=1e-12)
    assert series["eng-all/1810"] != pytest.approx(expected)
    labelled = valnorm([f"books={folder}"], **chosen)
    assert [model.name for model in labelled.models] == ["books/1800", "books/1810"]
    assert [(model.corpus, model.decade) for model in labelled.models] == [("books", 1800), ("books", 1810)]
    figures = {figure.id: figure for some in figures_of(read_runs([labelled]).scores).values() for figure in some}
    assert figures["decades"].rows["value"].to_list() == pytest.approx(list(series.values()))
    assert figures["decades"].plot.data["decade"].to_list() == [1800, 1810]


def test_variance_over_languages(make: object, slow: type, data: Path) -> None:
    english = load_test("weat1")
    german = translate_test(english, "german")
    models = [
        make([word for group in test.groups for word in group], name=test.language, seed=seed)
        for seed, test in enumerate((english, german))
    ]
    run = {"experiments": ["weat"], "tests": ["weat1"], **QUICK}
    found = valnorm(models, languages=["english", "german"], **run)
    effects = values_by(found, "language", measure="weat", dataset="weat1")
    X, Y, A, B = ([models[1][word].tolist() for word in group] for group in german.groups)
    assert effects["german"] == pytest.approx(slow.weat(X, Y, A, B), abs=1e-12)
    spread = one(found.scores, measure="weat", variant="variance")
    assert spread["value"] == pytest.approx(variance(effects.values()), abs=1e-12)
    assert (spread["model"], spread["n"], spread["dataset"]) == (None, 2, "weat1")

    # Two models of one language are averaged before the variance is taken, and one language has none.
    second = make(models[0].words, name="second", seed=7)
    three = valnorm([*models, second], languages=["english", "german", "english"], **run)
    d = values_by(three, "model", measure="weat", dataset="weat1")
    expected = variance([(d["english"] + d["second"]) / 2, d["german"]])
    assert value(three, measure="weat", variant="variance") == pytest.approx(expected, abs=1e-12)
    assert any("averaged first" in reason for reason in reasons(three, "info"))
    alone = valnorm([models[0], second], languages=["english"], **run)
    assert alone.scores["language"].to_list() == ["english", "english"]


def test_the_models_own_language_is_taken(make: object, data: Path) -> None:
    german = translate_test(load_test("weat1"), "german")
    model = make([word for group in german.groups for word in group], language="german")
    found = valnorm([model], experiments=["weat"], tests=["weat1"], **QUICK)
    assert found.scores["language"].to_list() == ["german"]
    assert not reasons(found, "failed", "skipped", "caution")
    with pytest.raises(WordworthError, match=r"weat3 .*'polish'.*XWEAT has german"):
        valnorm([model], experiments=["weat"], tests=["weat3"], languages=["polish"])


def test_chinese_in_the_other_script(make: object, data: Path) -> None:
    from opencc import OpenCC

    simplified, traditional = OpenCC("t2s").convert, OpenCC("s2t").convert
    lexicon, polar = load_lexicon("chinese"), polar_words("chinese")
    words = [simplified(word) for word in lexicon.words[:300]]
    model = make([*words, *polar.pleasant, *polar.unpleasant], name="zh")
    found = valnorm([model], lexica=["chinese"], languages=["chinese"], experiments=["valence"], **QUICK)
    items = items_of(found, "rated_words", experiment="valence")
    known = {*words, *polar.pleasant, *polar.unpleasant}
    tried = [(word, simplified(word), traditional(word)) for word in lexicon.words]
    forms = [next((form for form in each if form in known), None) for each in tried]
    merged = sum(form is not None for form in forms) - len({*forms} - {None})  # words that are one in this vocabulary
    assert merged == 2
    used = items.filter(~pl.col("skipped").str.contains("vector").fill_null(False))
    assert (items.height, used.height) == (len(lexicon), len(lexicon) - merged)
    first = items.head(300)
    assert first["skipped"].null_count() == 300
    for word, form in first.select("word", "spelling").iter_rows():
        assert form == (simplified(word) if simplified(word) != word else None)
    assert 50 < first["spelling"].null_count() < 250
    assert value(found, measure="coverage") == pytest.approx(items["skipped"].null_count() / used.height)
    tables = [table.select("skipped") for table in found.items.values()]
    assert found.skipped["not in vocabulary"] == pl.concat(tables).filter(skipped="not in vocabulary").collect().height


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


def corpus_size(path: Path, shares: tuple[float, ...], **more: object) -> Run:
    return valnorm([], corpus=path, shares=shares, dimensions=8, lexica=["bellezza"], pairs=["rg-65"], **CORPUS, **more)


def test_corpus_size(corpus: Path) -> None:
    found = corpus_size(corpus, (100, 50, 1))
    scores = rows(found.scores, measure="valence", experiment="corpus-size")
    assert scores.select("model", "sentences").rows() == [("made.txt@100%", 200), ("made.txt@50%", 100)]
    assert scores["n"][0] > scores["n"][1] > 10
    assert found.facts_of("made.txt@50%").dimensions == 8
    figures = {figure.id: figure for some in figures_of(read_runs([found]).scores).values() for figure in some}
    assert figures["corpus-size"].plot.data["percent"].to_list() == [100, 50]
    (text,) = [data for data in found.data if data.name == "made.txt"]
    assert (text.rows, len(text.sha256)) == (200, 64)
    (skipped,) = reasons(found, "skipped")
    assert skipped.startswith("made.txt@1%: 2 of 200 lines")
    # No pair of RG-65 is in that text: a notice for each share, and no reason to stop.
    assert sum("pairs of rg-65" in reason for reason in reasons(found, "failed")) == 2
    again = corpus_size(corpus, (50,))
    assert again.scores.equals(found.scores.filter(model="made.txt@50%"))
    assert items_of(again, "rated_words").equals(items_of(found, "rated_words", model="made.txt@50%"))


def test_training_depends_on_the_seed_alone() -> None:
    lines = ["the cat sat on the mat", "the dog ate the cat"] * 10
    first, same, other = (train_fasttext(Sentences(lines), "x", dim=4, epochs=2, seed=s) for s in (1, 1, 2))
    assert list(first.words) == list(same.words)
    assert "cat" in first
    assert np.array_equal(first.matrix, same.matrix)
    assert not np.array_equal(first.matrix, other.matrix)


def test_a_corpus_that_cannot_serve(tmp_path: Path) -> None:
    blank = tmp_path / "blank.txt"
    blank.write_text("\n\n")
    with pytest.raises(WordworthError, match=r"blank\.txt has no lines of text"):
        corpus_size(blank, (100,))


@pytest.mark.parametrize(("total", "share", "count"), [(200, 50, 100), (1_000, 0.1, 1), (7, 100, 7), (100, 0.001, 0)])
def test_lines_are_drawn_exactly_and_once(total: int, share: float, count: int) -> None:
    chosen = choose_lines(total, share, seed=4)
    assert (chosen.shape, chosen.sum()) == ((total,), count)
    assert np.array_equal(chosen, choose_lines(total, share, seed=4))

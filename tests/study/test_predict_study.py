"""The study `predict` on tiny models: its scores against plain loops over the table of predictions; and its command."""

from math import exp, log, log2

import numpy as np
import polars as pl
import pytest

from typed_runs import items_of, one, reasons, rows, value, values_by
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.pairs import Paraphrases, Triple
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.results.run import read_run
from wordworth.study import study
from wordworth.study.predict import STUDY
from wordworth.task import prediction
from wordworth.task.soft_match import train_word2vec

predict = study("predict")
LINES = [
    "the cat sat on a mat",
    "The dog ran off with the hat",
    "the cats sat",
    "two words",
    "a dog sat on the cat and the cat ran off",
    "the zebra sat on a mat",
]
COUNTS = "the 5000\ncat 500\nsat 50\nmat 5\na 2000\non 1500\ndog 300\nran 20\nhat 200\n"
FEW = {"resamples": 50}


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text(COUNTS, encoding="utf-8")
    return path


@pytest.fixture
def embedding():
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "dog"]
    return Embedding(words, rng.standard_normal((len(words), 5)).astype(np.float32), Provenance("seven"))


@pytest.fixture
def found(tmp_path, text, counts, embedding, word_model_folder):
    folder = word_model_folder(tmp_path / "tiny")
    return predict([folder], corpus=text, frequencies=counts, soft_match=[embedding], top=5, **FEW)


def predicted_words(found):
    """Return the items of the words that were predicted."""
    return items_of(found, "predictions").filter(pl.col("skipped").is_null()).to_dicts()


def test_every_word_is_an_item(found):
    items = items_of(found, "predictions")
    assert items["word"].to_list() == [word for line in LINES for word in line.split()]
    places = [(at, n) for at, line in enumerate(LINES) for n in range(len(line.split()))]
    assert items.select("line", "position").rows() == places
    assert found.skipped["first word, which nothing precedes"] == 5
    assert found.skipped["line of fewer than 3 words"] == 2
    assert found.skipped["the tokenizer does not know its characters"] == 1  # zebra


def test_scores_are_those_of_a_loop_over_the_items(found):
    words = predicted_words(found)
    n = len(words)
    assert n == sum(len(line.split()) - 1 for line in LINES if len(line.split()) > 2) - 1
    types = {row["word"] for row in words}
    for k in (1, 5):
        hits = [row["word"] for row in words if row["rank"] and row["rank"] <= k]
        assert value(found, experiment="prediction", measure="top", k=k) == len(hits) / n
        assert value(found, experiment="prediction", measure="T", k=k) == len(set(hits)) / len(types)
    surprise = values_by(found, "measure", experiment="prediction", k=None)
    bits = sum(row["bits"] for row in words)
    assert surprise["bits-per-word"] == pytest.approx(bits / n)
    assert surprise["perplexity"] == pytest.approx(2 ** (bits / n))
    letters = sum(len(row["word"]) + 1 for row in words)
    assert surprise["bits-per-character"] == pytest.approx(bits / letters)
    assert surprise["bits-per-byte"] == pytest.approx(bits / letters)
    assert log2(value(found, experiment="prediction", measure="perplexity", variant="naive")) > 0


def test_measures_do_not_depend_on_the_parts(tmp_path, text, counts, embedding, word_model_folder, found, monkeypatch):
    monkeypatch.setattr(prediction, "WORDS_PER_PART", 3)
    folder = word_model_folder(tmp_path / "tiny")
    again = predict([folder], corpus=text, frequencies=counts, soft_match=[embedding], top=5, **FEW)
    assert again.scores.equals(found.scores)
    assert items_of(again, "predictions").equals(items_of(found, "predictions"))


def test_coverage_by_band(found):
    words = predicted_words(found)
    bands = {"the": "high", "cat": "mid", "sat": "low", "mat": "below", "and": "unseen", "off": "unseen", "hat": "mid"}
    assert bands.items() <= {row["word"]: row["band"] for row in words}.items()
    tokens = 0
    for band in ("high", "mid", "low", "below", "unseen"):
        mine = [row for row in words if row["band"] == band]
        where = {"experiment": "coverage", "subset": band}
        assert value(found, **where, measure="top", k=1) == sum(row["rank"] == 1 for row in mine) / len(mine)
        hits, types = {row["word"] for row in mine if row["rank"]}, {row["word"] for row in mine}
        assert value(found, **where, measure="T", k=5) == len(hits) / len(types)
        tokens += one(found.scores, **where, measure="top", k=1)["n"]
    assert tokens == len(words)


def test_soft_match_against_a_sort(found, embedding):
    words = predicted_words(found)
    unit = embedding.matrix / np.linalg.norm(embedding.matrix, axis=1)[:, None]
    for k in (1, 3, 5, 10):
        hits = 0
        for row in words:
            target, guess = (embedding.index.get(word.lower()) for word in (row["word"], row["guess"]))
            if row["rank"] == 1:
                hits += 1
            elif target is not None and guess is not None:
                order = sorted(range(len(unit)), key=lambda at: -(2 if at == target else unit[at] @ unit[target]))
                hits += order.index(guess) < k
        assert value(found, measure="soft-match", variant="seven", k=k) == pytest.approx(hits / len(words))


def test_the_error_view(found):
    misses = [row for row in predicted_words(found) if row["rank"] != 1]
    instead = items_of(found, "prediction_errors", experiment="instead")
    assert instead["count"].sum() == len(misses)
    assert instead["share"].sum() == pytest.approx(1)
    assert found.scores.filter(experiment="confusion", measure="share")["n"].sum() == len(misses)
    never = set(items_of(found, "prediction_errors", experiment="never-predicted")["word"])
    assert never == {row["word"] for row in misses} - {row["word"] for row in predicted_words(found) if row["rank"]}


def test_masked_models_and_probes(tmp_path, text, counts, word_model_folder):
    masked, causal = (word_model_folder(tmp_path / family, family) for family in ("masked", "causal"))
    rare = Paraphrases("rare", (Triple("the hat sat", "the mat sat", "the dog sat"),))
    common = Paraphrases("common", (Triple("a cat ran off", "a dog ran off", "a hat ran off"),))
    chosen = {"soft_match": (), "paraphrases": [rare, common], "layers": [0, 2], "top": 3, **FEW}
    found = predict([masked, f"other={causal}"], corpus=text, words=12, frequencies=counts, **chosen)
    assert found.scores["model"].unique(maintain_order=True).to_list() == ["masked", "other"]
    assert found.models[0].begins_with == ["[CLS]"]
    hits = rows(found.scores, model="other", measure="hits")
    assert hits.select("dataset", "layer", "n").rows() == [
        *(("rare", 0, 1), ("rare", 2, 1)),
        *(("common", 0, 1), ("common", 2, 1)),
    ]
    tests = rows(found.scores, model="other", dataset="rare", variant="common")
    assert tests["measure"].to_list() == ["chi2", "exact"] * 2
    # The first 12 words: two lines, the second one cut.
    items = items_of(found, "predictions", model="other")
    assert items["word"].to_list() == [*LINES[0].split(), *LINES[1].split()[:6]]


def test_trained_first(tmp_path, text, counts, word_model_folder):
    folder = word_model_folder(tmp_path / "tiny")
    chosen = {"corpus": text, "frequencies": counts, "soft_match": (), "top": 3, **FEW}
    plain, trained = predict([folder], **chosen), predict([folder], fine_tune=text, **chosen)
    assert trained.scores["model"].unique().to_list() == ["tiny+text.txt"]
    assert (trained.models[0].base, trained.models[0].fine_tuned) == ("tiny", "text.txt")
    assert any("trained on text.txt in one pass: 1 steps" in reason for reason in reasons(trained, "info"))
    assert value(trained, measure="perplexity") != value(plain, measure="perplexity")


def test_bands_and_vectors_are_of_the_text_trained_on(tmp_path, text, word_model_folder):
    pytest.importorskip("gensim")
    other = tmp_path / "other.txt"
    other.write_text("the cat sat on the mat\n" * 30 + "a dog ran off\n", encoding="utf-8")
    folder = word_model_folder(tmp_path / "tiny")
    found = predict([folder], corpus=text, fine_tune=other, soft_match=["word2vec"], top=3, **FEW)
    bands = {row["word"]: row["band"] for row in predicted_words(found)}
    # 60 × the, 30 × cat; dog once; and is not in that text
    assert (bands["the"], bands["cat"], bands["dog"], bands["and"]) == ("low", "low", "below", "unseen")
    assert found.facts_of("word2vec").steps[0].startswith("word2vec of other.txt")
    assert STUDY.settings(fine_tune=str(other)).as_table()["frequencies"] == str(other)
    assert STUDY.settings().as_table()["frequencies"] == "wordfreq"


def test_headings_are_facts_and_no_failures(tmp_path, counts, word_model_folder):
    path = tmp_path / "wiki.test.tokens"
    path.write_text(
        "\n = Cats = \n\n the cat @-@ mat sat on 3 @,@ 000 a\n\n = = Dogs = = \n the dog sat\n", encoding="utf-8"
    )
    folder = word_model_folder(tmp_path / "tiny")
    found = predict([folder], corpus=path, frequencies=counts, soft_match=(), top=3, **FEW)
    (headings,) = [notice for notice in found.notices if "headings" in notice.reason]
    assert (headings.kind, headings.count, headings.dataset) == ("info", 2, "wiki.test.tokens")
    (marks,) = [notice for notice in found.notices if "marks" in notice.reason]
    assert (marks.kind, marks.count) == ("info", 2)
    assert not reasons(found, "failed", "skipped")
    words = items_of(found, "predictions")["word"].to_list()
    assert words == ["the", "cat", "-", "mat", "sat", "on", "3", ",", "000", "a", "the", "dog", "sat"]


def test_a_language_without_spaces(tmp_path, counts, word_model_folder, text):
    """Words that spaces part are read without them, and the run says what that means."""
    folder = word_model_folder(tmp_path / "tiny")
    chosen = {"frequencies": counts, "soft_match": (), "top": 3, **FEW}
    found = predict([folder], corpus=text, language="thai", segmentation="spaces", **chosen)
    assert any("does not mark where a word ends" in reason for reason in reasons(found, "info"))
    with pytest.raises(WordworthError, match="--punctuation attached"):
        predict([folder], corpus=text, language="thai", punctuation="attached", **chosen)


def test_documents_are_resampled_where_there_are_enough(tmp_path, counts, word_model_folder):
    path = tmp_path / "documents.txt"
    path.write_text("\n\n".join(["the cat sat\non a mat"] * 10), encoding="utf-8")
    chosen = {"corpus": path, "frequencies": counts, "soft_match": (), "top": 3, **FEW}
    folder = word_model_folder(tmp_path / "tiny")
    by_line, by_document = predict([folder], **chosen), predict([folder], by_document=True, **chosen)
    assert any("intervals resample documents" in reason.lower() for reason in reasons(by_line, "info"))
    assert by_line.skipped["first word, which nothing precedes"] == 20
    assert by_document.skipped["first word, which nothing precedes"] == 10
    row = one(by_line.scores, measure="perplexity")
    assert row["low"] == pytest.approx(row["value"]) == row["high"]  # ten times the same document


def test_word2vec_of_the_text(tmp_path):
    pytest.importorskip("gensim")
    path = tmp_path / "long.txt"
    path.write_text("the cat sat on a mat\na dog sat on the hat\n" * 20, encoding="utf-8")
    found = train_word2vec(load_corpus(path))
    assert found.matrix.shape == (8, 50)
    np.testing.assert_array_equal(train_word2vec(load_corpus(path)).matrix, found.matrix)
    path.write_text("too few words\n", encoding="utf-8")
    with pytest.raises(WordworthError, match="occurs often enough"):
        train_word2vec(load_corpus(path))


def test_the_command(tmp_path, text, counts, word_model_folder, command):
    folder, run = word_model_folder(tmp_path / "tiny"), tmp_path / "run"
    options = ["--corpus", text, "--frequencies", counts, "--soft-match", "none", "--top", 3, "--bands", "10,1000"]
    answer = command("run", "predict", folder, *options, "-o", run)
    assert answer.code == 0, answer.err
    assert "top-3" in answer.out
    assert "first word" in answer.err
    bands = read_run(run).scores.filter(experiment="coverage")["subset"]
    assert set(bands) <= {"[1000,∞)", "[10,1000)", "below", "unseen"}


@pytest.mark.index
def test_a_real_model():
    """SmolLM2 on a hundred words of Wikipedia: word probabilities and hits agree with themselves, and are no chance."""
    found = predict(["smollm2-135m"], words=100, soft_match=["glove-6b-50d", "synonyms", "lemma"], **FEW)
    surprise = values_by(found, "measure", experiment="prediction", k=None)
    assert surprise["perplexity"] == pytest.approx(exp(surprise["bits-per-word"] * log(2)))
    top = values_by(found, "k", experiment="prediction", measure="top")
    assert 0.1 < top[1] < top[10] < 0.95
    softer = values_by(found, "k", measure="soft-match", variant="glove-6b-50d")
    assert list(softer) == [1, 3, 5, 10, 20, 50, 100]
    assert list(softer.values()) == sorted(softer.values())
    assert value(found, measure="soft-match", variant="lemma") >= top[1]

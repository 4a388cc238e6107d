"""The study `predict` on tiny models: its scores against plain loops over the table of predictions; and its command."""

import json
from math import exp, log, log2

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.paraphrases import Paraphrases, Triple
from wordworth.cli import main
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.results import read_run
from wordworth.study import study
from wordworth.study.predict import STUDY
from wordworth.study.predict.study import read
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


def value(scores, experiment, measure, setting=None):
    chosen = scores.filter(
        pl.col("experiment") == experiment, pl.col("measure") == measure, pl.col("setting").eq_missing(pl.lit(setting))
    )
    assert len(chosen) == 1, (experiment, measure, setting)
    return chosen["value"].item()


def predicted_items(found):
    items = found.items.filter(pl.col("experiment") == "prediction")
    return [row for row in items.iter_rows(named=True) if row["left_out"] is None]


def test_every_word_is_an_item(found):
    items = found.items.filter(pl.col("experiment") == "prediction")
    assert items["item"].to_list() == [word for line in LINES for word in line.split()]
    assert items["place"].to_list() == [f"{at}:{n}" for at, line in enumerate(LINES) for n in range(len(line.split()))]
    assert found.left_out["first word, which nothing precedes"] == 5
    assert found.left_out["line of fewer than 3 words"] == 2
    assert found.left_out["the tokenizer does not know its characters"] == 1  # zebra


def test_scores_are_those_of_a_loop_over_the_items(found):
    rows = predicted_items(found)
    scores, n = found.scores, len(rows)
    assert n == sum(len(line.split()) - 1 for line in LINES if len(line.split()) > 2) - 1
    assert value(scores, "prediction", "top-1") == sum(row["rank"] == 1 for row in rows) / n
    assert value(scores, "prediction", "top-5") == sum(row["rank"] is not None for row in rows) / n
    types = {row["item"] for row in rows}
    assert value(scores, "prediction", "T1") == len({row["item"] for row in rows if row["rank"] == 1}) / len(types)
    assert value(scores, "prediction", "T5") == len({row["item"] for row in rows if row["rank"]}) / len(types)
    bits = sum(row["value"] for row in rows)
    assert value(scores, "prediction", "bits-per-word") == pytest.approx(bits / n)
    assert value(scores, "prediction", "perplexity") == pytest.approx(2 ** (bits / n))
    letters = sum(len(row["item"]) + 1 for row in rows)
    assert value(scores, "prediction", "bits-per-character") == pytest.approx(bits / letters)
    assert value(scores, "prediction", "bits-per-byte") == pytest.approx(bits / letters)
    assert log2(value(scores, "prediction", "perplexity:naive")) > 0


def test_measures_do_not_depend_on_the_parts_that_are_held(
    tmp_path, text, counts, embedding, word_model_folder, found, monkeypatch
):
    monkeypatch.setattr(prediction, "PART", 3)
    folder = word_model_folder(tmp_path / "tiny")
    again = predict([folder], corpus=text, frequencies=counts, soft_match=[embedding], top=5, **FEW)
    assert again.scores.equals(found.scores)
    assert again.items.equals(found.items)


def test_a_text_is_read_anew_and_cut(text):
    """Never held: its lines and their documents come from the file, as often as they are asked for."""
    whole, some = (read(load_corpus(text), words) for words in (0, 8))
    assert list(whole.lines) == list(whole.lines) == LINES
    assert (whole.words, len(whole.lines), whole.clusters) == (sum(len(line.split()) for line in LINES), 6, "line")
    assert list(some.lines) == [LINES[0], "The dog"]
    assert list(some.documents) == [0, 0]
    assert (some.words, len(some.lines)) == (8, 2)


def test_coverage_by_band(found):
    rows = predicted_items(found)
    bands = {"the": "high", "cat": "mid", "sat": "low", "mat": "below", "and": "unseen", "off": "unseen", "hat": "mid"}
    for row in rows:
        assert row["group"] == bands.get(row["item"], row["group"])
    for band in ("high", "mid", "low", "below", "unseen"):
        mine = [row for row in rows if row["group"] == band]
        types = {row["item"] for row in mine}
        assert value(found.scores, "coverage", "top-1", band) == sum(row["rank"] == 1 for row in mine) / len(mine)
        hit = {row["item"] for row in mine if row["rank"]}
        assert value(found.scores, "coverage", "T5", band) == len(hit) / len(types)
    tokens = found.scores.filter(pl.col("experiment") == "coverage", pl.col("measure") == "top-1")["n"].sum()
    assert tokens == len(rows)


def test_soft_match_against_a_sort(found, embedding):
    rows = predicted_items(found)
    unit = embedding.matrix / np.linalg.norm(embedding.matrix, axis=1)[:, None]
    for k in (1, 3, 5, 10):
        hits = 0
        for row in rows:
            target, guess = (embedding.index.get(word.lower()) for word in (row["item"], row["found_as"]))
            if row["rank"] == 1:
                hits += 1
            elif target is not None and guess is not None:
                order = sorted(range(len(unit)), key=lambda at: -(2 if at == target else unit[at] @ unit[target]))
                hits += order.index(guess) < k
        assert value(found.scores, "soft-match", f"soft-match@{k}", "seven") == pytest.approx(hits / len(rows))


def test_the_error_view(found):
    rows = [row for row in predicted_items(found) if row["rank"] != 1]
    instead = found.items.filter(pl.col("experiment") == "instead")
    assert instead["value"].sum() == len(rows)
    assert instead["reference"].sum() == pytest.approx(1)
    confusion = found.scores.filter(pl.col("experiment") == "confusion")
    assert confusion["n"].sum() == len(rows)
    never = set(found.items.filter(pl.col("experiment") == "never-predicted")["item"])
    assert never == {row["item"] for row in rows} - {row["item"] for row in predicted_items(found) if row["rank"]}


def test_masked_models_and_probes(tmp_path, text, counts, word_model_folder):
    masked, causal = (word_model_folder(tmp_path / family, family) for family in ("masked", "causal"))
    rare = Paraphrases("rare", (Triple("the hat sat", "the mat sat", "the dog sat"),))
    common = Paraphrases("common", (Triple("a cat ran off", "a dog ran off", "a hat ran off"),))
    found = predict(
        [masked, f"other={causal}"],
        corpus=text,
        words=12,
        frequencies=counts,
        soft_match=(),
        paraphrases=[rare, common],
        layers=[0, 2],
        top=3,
        **FEW,
    )
    assert found.scores["model"].unique(maintain_order=True).to_list() == ["masked", "other"]
    assert found.models["masked"]["begins_with"] == ["[CLS]"]
    mine = found.scores.filter(pl.col("model") == "other")
    hits = mine.filter(pl.col("measure") == "hits")
    assert hits.select("dataset", "layer", "n").rows() == [
        *(("rare", 0, 1), ("rare", 2, 1)),
        *(("common", 0, 1), ("common", 2, 1)),
    ]
    tests = mine.filter(pl.col("dataset") == "rare/common")
    assert tests["measure"].to_list() == ["chi2", "exact"] * 2
    # The first 12 words: two lines, the second one cut.
    items = found.items.filter(pl.col("experiment") == "prediction", pl.col("model") == "other")
    assert items["item"].to_list() == [*LINES[0].split(), *LINES[1].split()[:6]]


def test_trained_first(tmp_path, text, counts, word_model_folder):
    folder = word_model_folder(tmp_path / "tiny")
    chosen = {"corpus": text, "frequencies": counts, "soft_match": (), "top": 3, **FEW}
    plain, trained = predict([folder], **chosen), predict([folder], fine_tune=text, **chosen)
    assert trained.scores["model"].unique().to_list() == ["tiny+text.txt"]
    assert any(note.startswith("tiny+text.txt was trained on text.txt in one pass: 1 steps") for note in trained.notes)
    assert value(trained.scores, "prediction", "perplexity") != value(plain.scores, "prediction", "perplexity")


def test_bands_and_vectors_are_of_the_text_trained_on(tmp_path, text, word_model_folder):
    pytest.importorskip("gensim")
    other = tmp_path / "other.txt"
    other.write_text("the cat sat on the mat\n" * 30 + "a dog ran off\n", encoding="utf-8")
    folder = word_model_folder(tmp_path / "tiny")
    found = predict([folder], corpus=text, fine_tune=other, soft_match=["word2vec"], top=3, **FEW)
    assert "Bands of frequency are by other.txt (occurrences)." in found.notes
    bands = {row["item"]: row["group"] for row in predicted_items(found)}
    # 60 × the, 30 × cat; dog once; and is not in that text
    assert (bands["the"], bands["cat"], bands["dog"], bands["and"]) == ("low", "low", "below", "unseen")
    assert found.models["word2vec"]["steps"][0].startswith("word2vec of other.txt")
    settings = STUDY.settings(fine_tune=str(other))
    assert settings.as_table()["frequencies"] == str(other)
    assert STUDY.settings().as_table()["frequencies"] == "wordfreq"


def test_headings_and_joined_marks_are_counted(tmp_path, counts, word_model_folder):
    path = tmp_path / "wiki.test.tokens"
    path.write_text(
        "\n = Cats = \n\n the cat @-@ mat sat on 3 @,@ 000 a\n\n = = Dogs = = \n the dog sat\n", encoding="utf-8"
    )
    folder = word_model_folder(tmp_path / "tiny")
    found = predict([folder], corpus=path, frequencies=counts, soft_match=(), top=3, **FEW)
    told = "Of wiki.test.tokens, 2 headings were left out, and 2 marks such as `@-@` joined to the words around them."
    assert told in found.notes
    items = found.items.filter(pl.col("experiment") == "prediction")["item"].to_list()
    assert items == ["the", "cat", "-", "mat", "sat", "on", "3", ",", "000", "a", "the", "dog", "sat"]


def test_a_language_without_spaces(tmp_path, counts, word_model_folder, text):
    """Words that spaces part are read without them, and the run says what that means."""
    folder = word_model_folder(tmp_path / "tiny")
    chosen = {"frequencies": counts, "soft_match": (), "top": 3, **FEW}
    found = predict([folder], corpus=text, language="thai", segmentation="spaces", **chosen)
    assert any(note.startswith("Nothing in thai text shows where a word ends") for note in found.notes)
    with pytest.raises(WordworthError, match="english is written with spaces; leave out --segmentation"):
        predict([folder], corpus=text, segmentation="icu", **chosen)
    with pytest.raises(WordworthError, match="where ICU finds the words, punctuation stands apart"):
        predict([folder], corpus=text, language="thai", punctuation="attached", **chosen)


def test_no_frequency_for_any_word(tmp_path, text, word_model_folder):
    path = tmp_path / "counts.tsv"
    path.write_text("zebra\t7\n", encoding="utf-8")
    found = predict([word_model_folder(tmp_path / "tiny")], corpus=text, frequencies=path, soft_match=(), top=3, **FEW)
    assert found.scores.filter(pl.col("experiment") == "coverage")["setting"].unique().to_list() == ["unseen"]


def test_documents_are_resampled_where_there_are_enough(tmp_path, counts, word_model_folder):
    path = tmp_path / "documents.txt"
    path.write_text("\n\n".join(["the cat sat\non a mat"] * 10), encoding="utf-8")
    chosen = {"corpus": path, "frequencies": counts, "soft_match": (), "top": 3, **FEW}
    folder = word_model_folder(tmp_path / "tiny")
    by_line, by_document = predict([folder], **chosen), predict([folder], by_document=True, **chosen)
    assert any("Intervals resample documents" in note for note in by_line.notes)
    assert by_line.left_out["first word, which nothing precedes"] == 20
    assert by_document.left_out["first word, which nothing precedes"] == 10
    row = by_line.scores.filter(pl.col("measure") == "perplexity").to_dicts()[0]
    assert row["low"] == pytest.approx(row["value"]) == row["high"]  # ten times the same document


def test_word2vec_of_the_text(tmp_path):
    pytest.importorskip("gensim")
    path = tmp_path / "long.txt"
    path.write_text("the cat sat on a mat\na dog sat on the hat\n" * 20, encoding="utf-8")
    found = train_word2vec(load_corpus(path))
    assert found.matrix.shape == (8, 50)
    np.testing.assert_array_equal(train_word2vec(load_corpus(path)).matrix, found.matrix)
    path.write_text("too few words\n", encoding="utf-8")
    with pytest.raises(WordworthError, match="is met often enough"):
        train_word2vec(load_corpus(path))


def test_the_command(tmp_path, text, counts, word_model_folder, monkeypatch, capsys):
    folder = word_model_folder(tmp_path / "tiny")
    run = tmp_path / "run"
    options = ["--corpus", str(text), "--frequencies", str(counts), "--soft-match", "none", "--top", "3"]
    line = ["wordworth", "run", "predict", str(folder), *options, "--bands", "10,1000", "-o", str(run)]
    monkeypatch.setattr("sys.argv", line)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    told = capsys.readouterr()
    assert "top-3" in told.out
    assert "left out: 5 first word" in told.err
    back = read_run(run)
    assert back.manifest["study"] == "predict"
    assert set(back.scores.filter(pl.col("experiment") == "coverage")["setting"]) <= {
        *("[1000,∞)", "[10,1000)", "below", "unseen"),
    }
    monkeypatch.setattr("sys.argv", [*line, "--overwrite", "--json"])
    with pytest.raises(SystemExit):
        main()
    assert json.loads(capsys.readouterr().out)["scores"]


@pytest.mark.index
def test_a_real_model():
    """SmolLM2 on a hundred words of Wikipedia: word probabilities and hits agree with themselves, and are no chance."""
    found = predict(["smollm2-135m"], words=100, soft_match=["glove-6b-50d", "synonyms", "lemma"], **FEW)
    scores = found.scores
    bits = value(scores, "prediction", "bits-per-word")
    assert value(scores, "prediction", "perplexity") == pytest.approx(exp(bits * log(2)))
    assert 0.1 < value(scores, "prediction", "top-1") < value(scores, "prediction", "top-10") < 0.95
    softer = [value(scores, "soft-match", f"soft-match@{k}", "glove-6b-50d") for k in (1, 3, 5, 10, 20, 50, 100)]
    assert softer == sorted(softer)
    assert value(scores, "soft-match", "soft-match", "lemma") >= value(scores, "prediction", "top-1")

"""Ten tasks of a user who has everything in memory, each in at most five lines; and what each odd call says."""

import pydoc
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
import transformers as hf

import wordworth as ww
from made_models import SIZES, llama
from wordworth.api.objects import accept_files
from wordworth.catalog.read.word_sets import load_test
from wordworth.engine.cache import hash_content
from wordworth.measure import weat as weat_effect

WEAT6 = load_test("weat6")
WORDS = list(dict.fromkeys([word for group in WEAT6.groups for word in group] + ["he", "she"]))
RATINGS = {"tea": 7, "war": 1, "love": 9, "death": 1.5, "joy": 8, "pain": 2, "sun": 7, "hate": 1.25, "peace": 8.5}
LINES = ["The old man the boat .", "He sat on the bank of the river .", "She likes tea ."]


def vectors_of(words: Sequence[str] = WORDS, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=(len(words), 12)).astype(np.float32)


@pytest.fixture
def keyed() -> Any:
    """gensim's KeyedVectors, random."""
    made = pytest.importorskip("gensim").models.KeyedVectors(12)
    made.add_vectors(WORDS, vectors_of())
    return made


@pytest.fixture
def nli() -> tuple[Any, Any]:
    """A tiny NLI model and its tokenizer."""
    _, tokenizer = llama()
    labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
    config = hf.BertConfig(vocab_size=len(tokenizer), pad_token_id=1, id2label=labels, **SIZES)
    return hf.BertForSequenceClassification(config), tokenizer


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """Return the data of a chart."""
    (rows,) = chart.to_dict()["datasets"].values()
    return list(rows)


# The ten tasks.


def test_own_weat_from_lists_on_keyed_vectors(keyed: Any) -> None:
    X, Y, A, B = WEAT6.X, WEAT6.Y, WEAT6.A, WEAT6.B
    run = ww.weat(keyed, X=X, Y=Y, A=A, B=B)
    sets = [keyed[list(words)].astype(np.float64) for words in (X, Y, A, B)]
    assert run.value == pytest.approx(float(weat_effect(*sets)), rel=1e-6)
    assert run.low < run.value < run.high
    assert (run.n, 0 < run.p <= 1) == (16, True)
    assert repr(run).startswith("d = ")
    assert (run.command, run.named) == (["python"], [f"KeyedVectors 12d, {len(WORDS)} words"])
    assert run.fingerprints[run.named[0]] == hash_content("\n".join(WORDS), keyed.vectors)
    assert run.settings["tests"] == ["own test.toml"]


def test_valence_by_layer_of_a_transformers_model_as_a_plot() -> None:
    network, tokenizer = llama()
    small: dict[str, Any] = {"contexts": ["bleached"], "controls": "none", "component_words": "scored", "resamples": 20}
    run = ww.vast((network, tokenizer), lexica=[RATINGS], experiments="contextualization", **small)
    chart = run.plot("valence by layer")
    assert {row["layer"] for row in rows_of(chart)} == {0, 1, 2}
    assert "own lexicon of 9 words" in run.scores["dataset"].to_list()
    assert "_repr_mimebundle_" in dir(chart)


@pytest.mark.parametrize("family", ["causal", "masked"])
def test_surprisal_of_a_list_as_a_pandas_frame(family: str, word_model_folder: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    lm = ww.load(word_model_folder(tmp_path / family, family))
    frame = lm.surprisal(["the cat sat on a mat", "a dog ran off"])
    assert frame["text"].to_list() == [0] * 6 + [1] * 4
    assert len(pandas.DataFrame(frame.to_dict(as_series=False))) == 10


def test_debias_vectors_and_save(keyed: Any, tmp_path: Path) -> None:
    ww.debias(keyed, direction=("he", "she"), without="all").save(tmp_path / "out.npz")
    after = ww.load(tmp_path / "out.npz")
    direction = keyed["he"] / np.linalg.norm(keyed["he"]) - keyed["she"] / np.linalg.norm(keyed["she"])
    assert len(after) == len(WORDS)
    np.testing.assert_allclose(after.matrix @ direction, 0, atol=1e-5)


def test_compare_two_runs_in_memory_and_on_disk(keyed: Any, tmp_path: Path) -> None:
    other = dict(zip(WORDS, vectors_of(seed=1), strict=True))
    runs = [ww.weat(keyed, "weat6"), ww.weat(other, "weat6")]
    comparison = ww.compare(*runs)
    assert [one.columns["dataset"] for one in comparison.differences] == ["weat6"]
    assert len(repr(comparison).splitlines()) < 12
    assert comparison._repr_html_().startswith("<table>")
    folders = [run.save(tmp_path / str(at)).folder for at, run in enumerate(runs)]
    assert ww.compare(*folders) == comparison


def test_export_static_vectors_for_a_vocabulary(tmp_path: Path) -> None:
    ww.export(llama(), ["tea", "war", "love"], layer=1, corpus="none").save(tmp_path / "my.vec")
    assert list(ww.load(tmp_path / "my.vec").words) == ["tea", "war", "love"]


def test_probe_an_nli_model_with_own_words(nli: Any) -> None:
    people, jobs = ["woman", "man"], ["nurse", "baker", "pilot"]
    doing = {"verbs": ["saw", "ate"], "objects": ["bagel", "car"]}
    sentence, slots = "The SUBJECT VERB a/an OBJECT.", {"premise": jobs, "hypothesis": people}
    probe = {"name": "jobs", "premise": sentence, "hypothesis": sentence, "slots": slots, "verbs": [doing]}
    run = ww.infer(nli, probe, mitigate="none", random=0, swaps=0)
    net_neutral = run.scores.filter(measure="net-neutral", experiment="jobs")
    assert net_neutral["n"].unique().to_list() == [3 * 2 * 2 * 2]
    assert run.settings["probes"] == ["own probe.toml"]


def test_top_10_whole_words_for_contexts(word_model_folder: Any, tmp_path: Path) -> None:
    lm = ww.load(word_model_folder(tmp_path / "lm"))
    frame = lm.complete(["the cat sat on", "a dog"], k=10)
    assert frame["text"].to_list() == [0] * 10 + [1] * 10


def test_a_check_in_pytest(keyed: Any) -> None:
    run = ww.weat(keyed, "weat6")
    assert ww.check(run, {"no strong bias": {"measure": "weat", "limit": "|value| < 3"}}).verdict == "pass"
    checked = ww.check(run, {"impossible": {"measure": "weat", "limit": "value > 3"}})
    assert checked.verdict == "fail"
    assert "impossible" in repr(checked)


def test_a_latex_table(keyed: Any, tmp_path: Path) -> None:
    path = ww.report(ww.weat(keyed, "weat6"), form="latex", output=tmp_path / "table.tex")
    assert "\\begin{tabular}" in path.read_text(encoding="utf-8")


# The forms of each kind of object.


def as_word2vec(words: list[str], matrix: Any) -> Any:
    return SimpleNamespace(wv=SimpleNamespace(index_to_key=words, vectors=matrix))


FORMS = {
    "dict": lambda words, matrix: dict(zip(words, matrix, strict=True)),
    "pair": lambda words, matrix: (words, matrix),
    "list": lambda words, matrix: [words, matrix.tolist()],
    "array of words": lambda words, matrix: (np.array(words), matrix),
    "series of words": lambda words, matrix: (pl.Series(words), matrix),
    "float64": lambda words, matrix: (words, matrix.astype(np.float64)),
    "Word2Vec": as_word2vec,
    "Embedding": ww.Embedding,
    "loaded": lambda words, matrix: ww.load((words, matrix)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_vectors_gives_the_same_number(form: str) -> None:
    matrix = vectors_of()
    run = ww.weat(FORMS[form](WORDS, matrix), "weat6", name="mine")
    sets = [matrix[[WORDS.index(word) for word in group]].astype(np.float64) for group in WEAT6.groups]
    assert run.value == pytest.approx(float(weat_effect(*sets)), rel=1e-6)
    assert run.named == ["mine"]


def test_a_matrix_is_not_copied() -> None:
    matrix = vectors_of()
    loaded = ww.load((WORDS, matrix))
    assert loaded.matrix is matrix
    matrix[:] = vectors_of(seed=5)  # in place: the run's fingerprint follows
    run = ww.weat(loaded, "weat6")
    assert run.fingerprints[loaded.name] == hash_content("\n".join(WORDS), matrix)


COLUMNS: dict[str, list[Any]] = {"word": WORDS, "rating": np.random.default_rng(2).normal(size=len(WORDS)).tolist()}
LEXICA = {
    "polars": pl.DataFrame,
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "dict": lambda columns: dict(zip(columns["word"], columns["rating"], strict=True)),
}


@pytest.fixture(scope="module")
def valued() -> dict[str, Any]:
    """Vectors of the words and of the polar words, as a dict."""
    from wordworth.catalog.read.word_sets import polar_words

    polar = polar_words()
    words = list(dict.fromkeys([*WORDS, *polar.pleasant, *polar.unpleasant]))
    return dict(zip(words, vectors_of(words), strict=True))


@pytest.mark.parametrize("form", LEXICA)
def test_every_form_of_a_lexicon_gives_the_number_of_its_file(form: str, valued: Any, tmp_path: Path) -> None:
    pl.DataFrame(COLUMNS).write_csv(tmp_path / "rated.csv")
    of_file = ww.valnorm(valued, tmp_path / "rated.csv", experiments=["valence"], resamples=5)
    run = ww.valnorm(valued, [LEXICA[form](COLUMNS)], experiments=["valence"], resamples=5)
    assert run.value == of_file.value
    assert f"own lexicon of {len(WORDS)} words" in [one.name for one in run.data]


def test_pairs_texts_and_words_in_memory(keyed: Any) -> None:
    rated = [(first, second, at) for at, (first, second) in enumerate(zip(WORDS[:8], WORDS[8:16], strict=True))]
    run = ww.valnorm(keyed, pairs=rated, experiments="similarity", resamples=5)
    assert run.value == run.scores.filter(measure="similarity")["value"][0]
    assert run.n == 8
    pairs = [("he", "she"), ("John", "Amy"), ("Paul", "Joan")]
    debiased = ww.debias(keyed, bias_pairs=pairs, without="all")
    assert debiased.product is not None
    predicted = ww.predict(llama(), corpus=LINES, frequencies=LINES, soft_match="none")
    assert predicted.scores.filter(measure="top", experiment="prediction")["n"].unique().to_list() == [
        19 - len(LINES)
    ]  # nothing predicts the first word


def test_an_audit_and_debias_read_models_in_memory_from_files(tmp_path: Path) -> None:
    vectors, network, named = accept_files([ww.Embedding(WORDS, vectors_of()), llama(), "glove-6b-50d"])
    assert named == "glove-6b-50d"
    np.testing.assert_array_equal(ww.load(vectors).matrix, vectors_of())
    assert repr(ww.load(network)) == "<causal model LlamaForCausalLM>"
    assert accept_files(llama(seed=1)) != [network]
    with pytest.raises(ww.WordworthError, match="audit takes a name, a path, an Embedding"):
        ww.audit(3, tmp_path)
    run = ww.debias(llama(), direction=("is", "an"), without="all", random=0)
    run.product.save(tmp_path / "debiased")
    assert (tmp_path / "debiased" / "model.safetensors").is_file()
    assert len(repr(run.product)) < 120


# What was in the table of the issue: each call works, or says in one sentence what is accepted.


TAKES = "weat takes a name, a path, an Embedding, gensim KeyedVectors, a dict, or \\(words, matrix\\); got "
TEST = "weat\\(tests=…\\) takes a name, a path, or a dict"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ww.weat([1, 2, 3], "weat6"), f"{TAKES}a list of int$"),
        (lambda: ww.weat(None, "weat6"), f"{TAKES}a NoneType$"),
        (lambda: ww.weat({"tea": 1.0}, "weat6"), f"{TAKES}a dict$"),
        (lambda: ww.weat(llama()[0], "weat6"), f"{TAKES}a LlamaForCausalLM without its tokenizer$"),
        (lambda: ww.weat(llama(), "weat6"), r'use `ww.vast\(model, experiments=\["bias"\]\)`$'),
        (lambda: ww.vast(llama()[0]), r"or \(model, tokenizer\) of transformers; got a LlamaForCausalLM without"),
        (lambda: ww.vast((WORDS, vectors_of())), r'use `ww.valnorm\(model, experiments=\["valence"\]\)`$'),
        (lambda: ww.weat((WORDS, vectors_of()), {"X": ["he"]}), f"{TEST}.*; got a dict$"),
        (lambda: ww.weat((WORDS, vectors_of()), X=["he"], Y=["she"], A="home", B=["work"]), f"{TEST}.*; got a dict$"),
        (lambda: ww.valnorm((WORDS, vectors_of()), [3]), r"valnorm\(lexica=…\) takes .*; got an int"),
        (lambda: ww.export(llama(), 3), r"export\(vocabulary=…\) takes a name, a path, or a list of words"),
        (lambda: ww.compare(1, 2), "compare takes runs and their folders; got an int$"),
        (lambda: ww.load(3), "load takes a name, a path, an Embedding"),
        (lambda: ww.sc_weat(3, "tea"), "sc_weat takes a name, a path, an Embedding"),
        (lambda: ww.weat((WORDS, vectors_of()[:5]), "weat6"), "34 words do not match a matrix of shape"),
        (lambda: ww.weat((WORDS, vectors_of() * np.nan), "weat6"), "NaN or infinity"),
        (lambda: ww.weat((["he", "he"], vectors_of()[:2]), "weat6"), "the word 'he' has more than one row"),
        (lambda: ww.weat(([1, 2], vectors_of()[:2]), "weat6"), "1 is not a word"),
        (lambda: ww.weat({"a": [1, 2], "b": [1]}, "weat6"), "have 1 to 2 numbers; give"),
        (lambda: ww.weat([(WORDS, vectors_of()), "glove-6b-50d"], "weat6", name="x"), "name= is for one model"),
    ],
)
def test_objects_that_are_not_accepted_are_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ww.WordworthError, match=sentence) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_run_of_several_numbers_is_a_short_table(keyed: Any) -> None:
    tests = [{"name": f"test {at}", "X": WEAT6.X, "Y": WEAT6.Y, "A": WEAT6.A, "B": WEAT6.B} for at in range(20)]
    run = ww.weat(keyed, tests)
    assert len(repr(run).splitlines()) <= 15
    assert "11 more in scores.csv" in repr(run)  # one is of the share by ValNorm’s rule
    assert run._repr_html_().count("<tr>") == 11
    assert not hasattr(run, "value")
    with pytest.raises(ww.WordworthError, match="10 numbers; choose from `scores`"):
        _ = run.value
    assert {"scores", "items", "value", "plot", "report", "save", "to_pandas"} <= set(dir(run))
    assert not [name for name in dir(run) if name.startswith("model_")]


def test_plot_and_report_of_a_run(keyed: Any, tmp_path: Path) -> None:
    run = ww.weat(keyed, "weat6")
    assert [row["n"] for row in rows_of(run.plot())] == [16]
    with pytest.raises(ww.WordworthError, match="no figure 'surprise'; its figures are '"):
        run.plot("surprise")
    assert run.report(tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_to_pandas_needs_no_pyarrow(keyed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert ww.weat(keyed, "weat6").to_pandas()["value"].size == 1


def test_the_catalog() -> None:
    assert ww.ls("tests", "gender")["name"][0] == "weat6"
    assert ww.ls(search="no such thing").is_empty()
    assert "male names" in repr(ww.show("weat6"))
    assert ww.show("weat6")._repr_html_().startswith("<table>")
    with pytest.raises(ww.WordworthError, match="weat6"):
        ww.show("weat66")


@pytest.mark.parametrize("name", ["valnorm", "weat", "vast", "static", "predict", "pairs", "infer", "debias", "export"])
def test_a_docstring_has_every_setting(name: str) -> None:
    from wordworth.study import study
    from wordworth.study.static import ExportSettings

    settings = ExportSettings if name == "export" else study(name).settings
    text = pydoc.plain(pydoc.render_doc(getattr(ww, name)))
    for field in settings.fields():
        assert f"{field.name} = " in text
        assert field.declared.help in text

"""The study isotropy on made vectors and a tiny language model: which numbers, what they are, and what is reported."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wordworth as ww
from commands import Command
from wordworth.embedding import Embedding, Provenance
from wordworth.encode import LanguageModel, load_model
from wordworth.errors import WordworthError
from wordworth.study import study

isotropy = study("isotropy")
WORDS = ("cat", "mat", "dog", "hat", "the", "and", "cats")


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "words.csv"
    path.write_text("word,rating\n" + "".join(f"{word},{at}\n" for at, word in enumerate(WORDS)), encoding="utf-8")
    return path


@pytest.fixture
def embedding() -> Embedding:
    """Six of the words, far from the origin in the first two dimensions; “Dog” has a capital."""
    matrix = np.random.default_rng(0).normal(size=(6, 8)) + np.array([6, 3, 0, 0, 0, 0, 0, 0])
    return Embedding(["cat", "mat", "Dog", "hat", "the", "cats"], matrix, Provenance("made"))


@pytest.fixture(scope="module")
def tiny(word_model_folder: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return load_model(word_model_folder(tmp_path_factory.mktemp("tiny")), device="cpu", name="tiny")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("the cat sat on a mat\nthe dog ran off with a hat\nThe cats sat on the hat\n", encoding="utf-8")
    return path


def value(scores: pl.DataFrame, **columns: object) -> float:
    wanted = {"setting": None, "layer": None, "pcs": None, **columns}
    found: float = scores.filter(pl.col(key).eq_missing(pl.lit(one)) for key, one in wanted.items())["value"].item()
    return found


def test_word_vectors_by_slow_versions(embedding: Embedding, lexicon: Path) -> None:
    scores = isotropy([embedding], lexica=[lexicon], components=2).scores
    matrix = np.asarray(embedding.matrix, dtype=np.float64)
    centred = matrix - matrix.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred)
    for pcs, vectors in ((None, matrix), (0, centred), (2, centred - centred @ axes[:2].T @ axes[:2])):
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = (units @ units.T)[np.triu_indices(6, 1)]
        assert value(scores, measure="anisotropy", pcs=pcs) == pytest.approx(cosines.mean())
        largest = np.argmax((vectors**2).mean(axis=0))
        assert value(scores, measure="neuron-share:1", pcs=pcs) == pytest.approx(np.abs(units[:, largest]).mean())
    assert value(scores, measure="variance-share", pcs=2) == pytest.approx(spread[1] ** 2 / (spread**2).sum())
    assert value(scores, measure="anisotropy") > 0.7 > value(scores, measure="anisotropy", pcs=0)
    assert set(scores["n"]) == {6}
    assert set(scores["experiment"]) == {"isotropy"}


def test_items(embedding: Embedding, lexicon: Path) -> None:
    findings = isotropy([embedding], lexica=[lexicon], components=1)
    used = findings.items.filter(pl.col("left_out").is_null())
    assert used["value"].mean() == pytest.approx(value(findings.scores, measure="anisotropy"))
    assert used.filter(item="dog")["found_as"].item() == "Dog"
    assert findings.left_out == {"not in vocabulary": 1}


def test_layers_and_settings_of_a_language_model(tiny: LanguageModel, lexicon: Path, text: Path) -> None:
    findings = isotropy([tiny], lexica=[lexicon], corpus=text, components=1)
    cosines = findings.scores.filter(measure="anisotropy")
    assert len(cosines) == 2 * 3 * 3  # settings, layers with the embeddings, raw and 0 and 1 nullified
    assert set(cosines["setting"]) == {"random", "bleached"}
    assert dict(cosines.group_by("setting").agg(pl.col("n").first()).iter_rows()) == {"random": 6, "bleached": 7}
    lost = findings.items.filter(pl.col("left_out").is_not_null())
    assert lost.select("item", "setting", "left_out").rows() == [("and", "random", "no context in the corpus")]
    assert set(findings.models["tiny"]) >= {"layers", "dimensions"}


def test_contexts_none_leaves_random_out(tiny: LanguageModel, lexicon: Path) -> None:
    scores = isotropy([tiny], lexica=[lexicon], corpus="none", components=0).scores
    assert set(scores["setting"]) == {"bleached"}
    with pytest.raises(WordworthError, match="random contexts are drawn from a text, and --corpus is none"):
        isotropy([tiny], lexica=[lexicon], corpus="none", settings=["random"])


def test_both_kinds_of_model_in_one_run_from_a_notebook(
    tiny: LanguageModel, embedding: Embedding, lexicon: Path, tmp_path: Path
) -> None:
    found = ww.run("isotropy", [embedding, tiny], lexicon, settings=["decontextualized"], components=1)
    assert set(found.scores["model"]) == {"made", "tiny"}
    run = found.save(tmp_path / "run")
    assert "Isotropy. In every layer" in run.report().read_text(encoding="utf-8")
    assert found.about.references.keys() == {"ethayarajh2019a", "mu2018"}
    assert ww.isotropy(embedding, lexicon, components=1).scores["study"].unique().to_list() == ["isotropy"]


def test_tables(embedding: Embedding, lexicon: Path) -> None:
    findings = isotropy([embedding], lexica=[lexicon], components=1)
    cosines, shares = isotropy.tables(findings.scores, findings.items)
    assert cosines.header == ["layer", "raw", "0", "1"]
    assert cosines.rows[0][0] == "static"
    assert shares.header == ["layer", "neuron-share:1", "neuron-share:4", "variance-share"]


def test_the_command(command: Command, lexicon: Path, tmp_path: Path) -> None:
    assert "isotropy" in command("run", "--help").out
    (tmp_path / "mine.vec").write_text("5 3\ncat 1 0 2\nmat 0 1 2\ndog 1 1 1\nhat 2 1 0\nthe 1 3 1\n", encoding="utf-8")
    answer = command("run", "isotropy", tmp_path / "mine.vec", "--lexicon", lexicon, "-o", tmp_path / "run")
    assert answer.code == 0, answer.err
    assert "mine · words: mean cosine, by components nullified" in " ".join(answer.out.split())
    assert (tmp_path / "run" / "scores.csv").is_file()


# Bad input.


def test_messages(embedding: Embedding, lexicon: Path, tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match="name a model, such as glove-6b-50d"):
        isotropy([])
    with pytest.raises(WordworthError, match=r"--setting is 'aligned'; it can be random, bleached or decontextual"):
        isotropy([embedding], settings=["aligned"])
    with pytest.raises(WordworthError, match="made has vectors of 0 of the 399 words of bellezza, and 3 are needed"):
        isotropy([Embedding(["x"], np.ones((1, 2)), Provenance("made"))])
    with pytest.raises(WordworthError, match="bellezza is a lexicon of english words and the language is dutch"):
        isotropy([embedding], language="dutch")

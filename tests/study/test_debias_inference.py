"""The part of `debias` that infers: the network over changed vectors against asking it pair by pair."""

from typing import Any

import numpy as np
import polars as pl
import pytest
import torch

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.nli.attention import Network, Shape
from wordworth.nli.over_vectors import AttentionNli
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.nli.vocabulary import StaticVectors, draw_extra_vectors
from wordworth.study import study
from wordworth.study.debias import PARTS, DebiasSettings
from wordworth.study.debias.network import probes_of
from wordworth.transform import random_directions

debias = study("debias")
PROBE = """
[probe]
name = "gender"
premise = "The SUBJECT VERB a/an OBJECT."
hypothesis = "The SUBJECT VERB a/an OBJECT."
slots = { premise = { words = ["nurse", "doctor"] }, hypothesis = { words = ["man", "woman"] } }
verbs = [{ kind = "eating", verbs = { words = ["ate", "sold"] }, objects = { words = ["apple", "bun", "car"] } }]
"""
WORDS = ["the", "nurse", "doctor", "man", "woman", "ate", "sold", "a", "an", "apple", "bun", "car", ".", "he", "she"]
ONLY = tuple(part for part in PARTS if part != "nli")


@pytest.fixture
def words() -> Embedding:
    matrix = np.random.default_rng(4).normal(size=(len(WORDS), 10)).astype(np.float32)
    return Embedding(WORDS, matrix, Provenance("tiny", sha256="0" * 64))


@pytest.fixture
def reader(words, monkeypatch) -> AttentionNli:
    torch.manual_seed(3)
    network = Network(Shape(dim=10, hidden=12, compare=9)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 2.5
    made = AttentionNli("tiny-nli", network, StaticVectors(words, draw_extra_vectors(10, seed=0)))
    monkeypatch.setattr("wordworth.study.debias.network.load_attention_nli", lambda _: made)
    return made


@pytest.fixture
def chosen(tmp_path) -> dict[str, Any]:
    path = tmp_path / "small.toml"
    path.write_text(PROBE, encoding="utf-8")
    return {"without": ONLY, "probes": (str(path),), "sample": 10_000, "random": 3, "resamples": 20}


def test_neutrality_before_after_and_without_random_directions(words, reader, chosen, monkeypatch):
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    made = debias(words, **chosen)
    pairs = PairSet.of(load_probe(chosen["probes"][0]))
    asked = [pairs.pair(at) for at in range(len(pairs))]

    def net_neutral(version: Embedding) -> float:
        model = reader.with_vectors(version)
        one = [model.probabilities([pair.premise, pair.hypothesis], np.array([[0, 1]]))[0, 1] for pair in asked]
        return float(np.mean(one))

    scores = made.scores.filter(pl.col("experiment") == "gender", pl.col("measure") == "net-neutral")
    found = dict(zip(scores["setting"], scores["value"], strict=True))
    assert list(found) == ["original", "projection", "random:1", "random:2", "random:3", "random"]
    assert found["original"] == pytest.approx(net_neutral(words), abs=1e-5)
    assert found["projection"] == pytest.approx(net_neutral(made.embedding), abs=1e-5)
    controls = []
    for control in random_directions(10, count=3):
        (v,) = control.basis
        matrix = words.matrix - np.outer(words.matrix @ v, v)
        controls.append(net_neutral(Embedding(WORDS, matrix.astype(np.float32), Provenance("other"))))
    assert found["random:2"] == pytest.approx(controls[1], abs=1e-5)
    assert found["random"] == pytest.approx(np.mean(controls), abs=1e-5)
    assert len(set(found.values())) == len(found)
    assert set(made.models) == {"tiny", "tiny-nli"}
    assert any("Accuracy was not measured" in sentence for sentence in made.warnings)


def test_a_probe_of_ones_own(words, reader, chosen, tmp_path):
    (tmp_path / "mine.toml").write_text(PROBE.replace('"gender"', '"mine"'), encoding="utf-8")
    made = debias(words, **chosen | {"probes": (str(tmp_path / "mine.toml"),)})
    assert {"mine", "subspace"} <= set(made.scores["experiment"])


def test_accuracy_before_and_after(words, reader, chosen, data):
    made = debias(words, **chosen)
    scores = made.scores.filter(pl.col("experiment") == "accuracy")
    assert scores["setting"].to_list() == ["original", "projection"]
    assert set(scores["dataset"]) == {"snli-test"}
    assert scores["value"].is_between(0.2, 0.5).all()  # a network of random weights guesses


def test_a_network_over_other_vectors_is_not_asked(words, reader, chosen, tmp_path):
    other = Embedding(WORDS, words.matrix, Provenance("other", sha256="2" * 64))
    made = debias(other, **chosen)
    assert made.scores["experiment"].to_list() == ["subspace"]
    assert any("tiny-nli reads tiny, not other" in sentence for sentence in made.warnings)
    with pytest.raises(WordworthError, match="tiny-nli reads tiny, not other; train a network"):
        debias(other, without=ONLY, nli=tmp_path)


def test_the_probes_that_fit():
    assert probes_of(DebiasSettings()) == ["gender"]
    assert probes_of(DebiasSettings(bias_words=("dev-demonyms_train",))) == ["nationality"]
    both = DebiasSettings(directions=(("he", "she"),), bias_words=("dev-adherents_train",), bias_components=2)
    assert probes_of(both) == ["gender", "religion"]
    assert probes_of(DebiasSettings(bias_words=("mine.txt",))) == ["gender"]

"""The part of `debias` that infers: the network over changed vectors against asking it pair by pair."""

from typing import Any

import numpy as np
import pytest

from made_nli import PROBE, make_nli, make_vectors
from typed_runs import reasons, value, values_by
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.nli.attention import AttentionNli
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.study import study
from wordworth.study.debias import DEBIAS_PARTS, DebiasSettings
from wordworth.study.debias.network import choose_probes
from wordworth.transform import random_directions

debias = study("debias")
WORDS = ["the", "nurse", "doctor", "man", "woman", "slept", ".", "he", "she"]
ONLY = tuple(part for part in DEBIAS_PARTS if part != "nli")


@pytest.fixture
def words() -> Embedding:
    return make_vectors(WORDS)


@pytest.fixture
def reader(monkeypatch) -> AttentionNli:
    made = make_nli(WORDS)
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

    where = {"experiment": "small", "measure": "net-neutral"}
    found = values_by(made, "version", **where)
    assert list(found) == ["original", "projection", "random"]
    assert found["original"] == pytest.approx(net_neutral(words), abs=1e-5)
    assert found["projection"] == pytest.approx(net_neutral(made.product), abs=1e-5)
    controls = []
    for control in random_directions(10, count=3):
        (v,) = control.basis
        matrix = words.matrix - np.outer(words.matrix @ v, v)
        controls.append(net_neutral(Embedding(WORDS, matrix.astype(np.float32), Provenance("other"))))
    for draw, slow in enumerate(controls, start=1):
        assert value(made, version="random", draw=draw, **where) == pytest.approx(slow, abs=1e-5)
    assert found["random"] == pytest.approx(np.mean(controls), abs=1e-5)
    assert len(set(found.values())) == len(found)
    assert {model.name for model in made.models} == {"tiny", "tiny-nli"}
    assert any("snli-test" in reason for reason in reasons(made, "skipped"))


def test_a_network_over_other_vectors_is_skipped(words, reader, chosen, tmp_path):
    other = Embedding(WORDS, words.matrix, Provenance("other", sha256="2" * 64))
    made = debias(other, **chosen)
    assert made.scores["experiment"].to_list() == ["subspace"]
    assert any("tiny-nli reads tiny, not other" in reason for reason in reasons(made, "skipped"))
    with pytest.raises(WordworthError, match="tiny-nli reads tiny, not other; train a network"):
        debias(other, without=ONLY, nli=tmp_path)


def test_the_probes_that_fit():
    assert choose_probes(DebiasSettings()) == ["gender"]
    assert choose_probes(DebiasSettings(bias_words=("dev-demonyms_train",))) == ["nationality"]
    both = DebiasSettings(directions=(("he", "she"),), bias_words=("dev-adherents_train",), bias_components=2)
    assert choose_probes(both) == ["gender", "religion"]
    assert choose_probes(DebiasSettings(bias_words=("mine.txt",))) == ["gender"]

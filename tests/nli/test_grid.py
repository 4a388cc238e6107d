"""All pairs of an action at once give the probabilities of the plain network, one pair at a time."""

from pathlib import Path

import numpy as np
import pytest
import torch

from wordworth.embedding import Embedding, Provenance
from wordworth.nli import over_vectors as grid
from wordworth.nli.attention import Network, Shape
from wordworth.nli.nli import LABELS
from wordworth.nli.over_vectors import AttentionNli
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.nli.vocabulary import StaticVectors, draw_extra_vectors

PROBE = """
[probe]
name = "mixed"
premise = "Today a/an SUBJECT VERB a/an OBJECT."
hypothesis = "The SUBJECT, who VERB it, is well."
slots.premise = { words = ["in-law", "nurse", "vice president", "VIP"] }
slots.hypothesis = { words = ["man", "old man", "a b c"] }
verbs = [{ verbs = { words = ["saw", "paid for"] }, objects = { words = ["hour", "unknown-thing"] } }]
"""
WORDS = ["today", "a", "an", "in", "law", "nurse", "vice", "president"]
WORDS += ["vip", "saw", "paid", "for", "hour", ".", ",", "old"]


@pytest.fixture(scope="module", params=[LABELS, ("contradiction", "entailment", "neutral")])
def model(request: pytest.FixtureRequest) -> AttentionNli:
    torch.manual_seed(1)
    network = Network(Shape(dim=6, hidden=8, compare=7, labels=request.param)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 2
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32)
    embedding = Embedding(WORDS, vectors, Provenance(name="tiny", source="", sha256="0" * 64))
    return AttentionNli("tiny", network, StaticVectors(embedding, draw_extra_vectors(6, seed=2)))


def _probe(folder: Path, old: str = "", new: str = "") -> PairSet:
    path = folder / "mixed.toml"
    path.write_text(PROBE.replace(old, new) if old else PROBE, encoding="utf-8")
    return PairSet.of(load_probe(path))


@pytest.mark.parametrize("at_once", [1, 5, 192])
def test_grid_is_one_pair_at_a_time(
    model: AttentionNli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Subjects of one, two and three tokens, unknown words, two templates, labels in a foreign order."""
    monkeypatch.setattr(grid, "GRID_PAIRS", at_once)
    pairs = _probe(tmp_path)
    made = grid.grid_of(model, pairs)
    assert made is not None
    found = made.probabilities([3, 0])
    assert found.shape == (2, 4, 3, 3)
    order = [model.network.shape.labels.index(label) for label in LABELS]
    for place, action in enumerate((3, 0)):
        for premise in range(4):
            for hypothesis in range(3):
                pair = pairs.pair(int(np.ravel_multi_index((action, premise, hypothesis), pairs.shape)))
                vectors = [model.embedder.vectors(np.array([model.embedder.ids(text)])) for text in pair[:2]]
                with torch.inference_mode():
                    expected = model.network(*vectors)[0].softmax(dim=0)[order].numpy()
                assert found[place, premise, hypothesis] == pytest.approx(expected, abs=1e-6)


def test_where_there_is_no_grid(model: AttentionNli, tmp_path: Path) -> None:
    """A subject that is part of a longer word cannot be read by itself."""
    assert grid.grid_of(model, _probe(tmp_path, "The SUBJECT, who", "The SUBJECT-like who")) is None
    assert grid.grid_of(model, _probe(tmp_path, "Today a/an SUBJECT", "The ex-SUBJECT")) is None

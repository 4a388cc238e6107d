"""Small NLI networks of random weights, in memory and in a folder."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from made_vectors import write_vectors
from wordworth.embedding import Embedding, Provenance
from wordworth.nli.attention import AttentionNli, Network, Shape
from wordworth.nli.contextual import StaticVectors, draw_extra_vectors
from wordworth.nli.loading import vectors_to_train_on, write_model
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe

PROBE = """
[probe]
name = "small"
premise = "The SUBJECT slept."
hypothesis = "The SUBJECT slept."
slots = { premise = { words = ["nurse", "doctor"] }, hypothesis = { words = ["man", "woman"] } }
subspace = { pair = ["he", "she"] }
"""
"""Four pairs."""


def make_vectors(words: Sequence[str]) -> Embedding:
    """Return random vectors of 10 dimensions, called “tiny”."""
    vectors = np.random.default_rng(4).normal(size=(len(words), 10)).astype(np.float32)
    return Embedding(words, vectors, Provenance("tiny", sha256="0" * 64))


def make_nli(words: Sequence[str]) -> AttentionNli:
    """Return a network over `make_vectors`, scaled up so that its answers differ."""
    torch.manual_seed(3)
    network = Network(Shape(dim=10, hidden=12, compare=9)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 2.5
    return AttentionNli("tiny-nli", network, StaticVectors(make_vectors(words), draw_extra_vectors(10, seed=0)))


def nli_folder(folder: Path, vectors: str, probes: Sequence[str], more: Sequence[str] = ()) -> None:
    """Write a network, and next to it the vectors of the words of probes and of `more` words."""
    texts = [text for name in probes for side in PairSet.of(load_probe(name)).fragments() for text in side]
    words = [word.lower().strip(".") for text in [*texts, "he she"] for word in text.split()]
    path = folder.parent / vectors
    write_vectors(path, [*words, *more], dim=8)
    made = vectors_to_train_on(str(path), seed=0)
    torch.manual_seed(0)
    network = Network(Shape(dim=8, hidden=4, compare=4))
    write_model(folder, network, made)

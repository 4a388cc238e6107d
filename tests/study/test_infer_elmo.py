"""A probe on a network over ELMo: projection is of layer 1, before the layers above read it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from made_elmo import PROBE
from typed_runs import values_by
from wordworth.nli.attention import AttentionNli, Network, Shape
from wordworth.nli.contextual import ElmoVectors
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.study import study

infer = study("infer")


@dataclass(eq=False)
class Layers:
    """What ELMo is to its readers: layer 1 by a word's characters, two layers that see the words around."""

    dim, layers, sha256 = 8, 3, "5" * 64

    def codes(self, words: list[str]) -> list[int]:
        return [sum(map(ord, word)) for word in words]

    def marks(self) -> list[int]:
        return [1, 2]

    def words(self, codes: list[int]) -> Tensor:
        rows = [np.random.default_rng(code).normal(size=4) for code in codes]
        return torch.tensor(np.array(rows), dtype=torch.float32)

    def sentences(self, x: Tensor) -> Tensor:
        before, after = x.cumsum(1).tanh(), x.flip(1).cumsum(1).flip(1).tanh()
        layers = [torch.cat([x, x], dim=-1), torch.cat([before, after], dim=-1), torch.cat([after * x, before], dim=-1)]
        return torch.stack(layers, dim=2)[:, 1:-1]


def test_projection_of_layer_one(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(PROBE)
    torch.manual_seed(0)
    network = Network(Shape(dim=8, layers=3, beside=True, hidden=6, compare=5)).eval()
    elmo = Layers()
    model = AttentionNli("over-elmo", network, ElmoVectors(elmo))
    run = infer([model], probes=[path], random=1, resamples=20)
    found = values_by(run, "version", measure="net-neutral")
    he, she = (row / row.norm() for row in elmo.words(elmo.codes(["he", "she"])))
    direction = (he - she) / (he - she).norm()

    class ByHand(Layers):
        def sentences(self, x: Tensor) -> Tensor:
            return super().sentences(x - (x @ direction)[..., None] * direction)

    changed = ElmoVectors(ByHand())
    pairs = PairSet.of(load_probe(path))
    for name, version in (("original", model), ("projection", AttentionNli("x", network, changed))):
        both = [pairs.pair(index)[:2] for index in range(4)]
        slow = np.mean([version.probabilities(list(one), np.array([[0, 1]]))[0, 1] for one in both])
        assert found[name] == pytest.approx(slow, abs=1e-6)
    assert len({round(value, 7) for value in found.values()}) == 3  # one random direction is its own mean

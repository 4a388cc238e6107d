"""The task isotropy, by slow versions."""

import numpy as np
import polars as pl
import pytest

from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.task.geometry import score_isotropy, score_variance_shares
from wordworth.transform import fit_layers, nullify_layers


def test_cosines_and_shares_by_slow_versions() -> None:
    matrix = np.random.default_rng(0).normal(size=(6, 8)) + np.array([6, 3, 0, 0, 0, 0, 0, 0])
    layers = Layers.of(Embedding([f"word{number}" for number in range(6)], matrix, Provenance("made")))
    components = fit_layers([layers], 2)
    findings = score_isotropy(nullify_layers(layers, components), "mine", "english")
    findings.add(score_variance_shares(layers, components, {"dataset": "mine", "n": 6}))

    def value(measure: str, components: int | None, k: int | None = None) -> float:
        key = {"measure": measure, "components": components, "k": k}
        conditions = [pl.col(name).eq_missing(pl.lit(wanted)) for name, wanted in key.items()]
        found: float = findings.scores.filter(conditions)["value"].item()
        return found

    centred = matrix - matrix.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred)
    for components, vectors in ((None, matrix), (0, centred), (2, centred - centred @ axes[:2].T @ axes[:2])):
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert value("anisotropy", components) == pytest.approx((units @ units.T)[np.triu_indices(6, 1)].mean())
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    largest = np.argmax((matrix**2).mean(axis=0))
    assert value("neuron-share", None, 1) == pytest.approx(np.abs(units[:, largest]).mean())
    assert value("variance-share", 2) == pytest.approx(spread[1] ** 2 / (spread**2).sum())
    assert findings.scores.filter(measure="neuron-share", k=1)["components"].to_list() == [None]

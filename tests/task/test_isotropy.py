"""The task isotropy, by slow versions."""

import numpy as np
import polars as pl
import pytest

from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.task.geometry import isotropy, variance_shares
from wordworth.transform import fit_layers, nullified


def test_cosines_and_shares_by_slow_versions() -> None:
    matrix = np.random.default_rng(0).normal(size=(6, 8)) + np.array([6, 3, 0, 0, 0, 0, 0, 0])
    layers = Layers.of(Embedding([f"word{number}" for number in range(6)], matrix, Provenance("made")))
    components = fit_layers([layers], 2)
    findings = isotropy(nullified(layers, components), "mine", "english")
    findings.add(variance_shares(layers, components, {"dataset": "mine", "n": 6}))

    def value(measure: str, pcs: int | None) -> float:
        found: float = findings.scores.filter(pl.col("measure") == measure, pl.col("pcs").eq_missing(pl.lit(pcs)))[
            "value"
        ].item()
        return found

    centred = matrix - matrix.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred)
    for pcs, vectors in ((None, matrix), (0, centred), (2, centred - centred @ axes[:2].T @ axes[:2])):
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert value("anisotropy", pcs) == pytest.approx((units @ units.T)[np.triu_indices(6, 1)].mean())
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    largest = np.argmax((matrix**2).mean(axis=0))
    assert value("neuron-share:1", None) == pytest.approx(np.abs(units[:, largest]).mean())
    assert value("variance-share", 2) == pytest.approx(spread[1] ** 2 / (spread**2).sum())
    assert findings.scores.filter(pl.col("measure") == "neuron-share:1")["pcs"].to_list() == [None]

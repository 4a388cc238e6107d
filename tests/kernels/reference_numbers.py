"""A table of reference numbers on fixed random vectors, printed as JSON: name → numbers."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_info

sys.path.insert(0, str(Path(__file__).parent.parent))

from test_measures_common import CASES, SPACE
from wordworth.measure import anisotropy, neuron_share, pair_direction, rnsb
from wordworth.statistics.correlation import correlation_difference
from wordworth.transform import fit_components, nullify
from wordworth.transform.inlp import inlp

Numbers = dict[str, list[float]]


def of_measures() -> Numbers:
    """Every measure of the common table, as it is and in a space whose vectors are nearly collinear."""
    collinear = 50 + SPACE[:, :1] + 1e-3 * SPACE
    table = {name: np.ravel(case.run(SPACE, *case.rows)).tolist() for name, case in CASES.items()}
    table |= {f"{name}, collinear": np.ravel(case.run(collinear, *case.rows)).tolist() for name, case in CASES.items()}
    table["anisotropy"] = [anisotropy(SPACE), anisotropy(collinear)]
    table["neuron-share"] = neuron_share(SPACE, 5).tolist()
    return table


def of_sentiment() -> Numbers:
    """rnsb of nearly collinear vectors of any length, in as many dimensions as a language model has."""
    rng = np.random.default_rng(1)
    table = {}
    for kind, width in (("collinear", np.full(300, 1e-6)), ("anisotropic", np.logspace(0, -4, 300))):
        words = rng.normal(size=(80, 1)) + rng.normal(size=(80, 300)) * width + 10
        for scale in (1e-2, 1, 1e2, 1e4):
            table[f"rnsb, {kind} × {scale:g}"] = [rnsb(*np.split(words * scale, [30, 55]))]
    return table


def of_decompositions() -> Numbers:
    """Components by both Gram matrices, a direction of pairs, and a classifier's subspace; signs mean nothing."""
    rng = np.random.default_rng(2)
    table = {}
    for kind, shape in (("tall", (400, 60)), ("wide", (40, 200))):
        x = rng.normal(size=shape) * np.geomspace(5, 0.1, shape[1]) + 3
        fitted = fit_components(x, 8)
        table[f"shares, {kind}"] = fitted.shares.tolist()
        table[f"nullified, {kind}"] = nullify(x, fitted, 8)[:3].ravel().tolist()
    pairs = rng.normal(0.5, size=(2, 23, 60))
    table["pairs' direction"] = np.abs(pair_direction(*pairs).vector).tolist()
    labels = np.arange(300) % 2
    x = rng.normal(size=(300, 20)) + np.outer(labels, np.linspace(1, 0, 20))
    table["inlp"] = [*inlp(x, labels, rounds=3).accuracies]
    people = rng.normal(size=40)
    models = people + rng.normal(size=(2, 40)) * [[0.5], [0.8]]
    found = correlation_difference(models, people, ranked=True)
    table["difference of correlations"] = [*map(float, (found.p, found.low, found.high))]
    return table


def of_torch() -> Numbers:
    """What a layer of a language model does, in float32."""
    torch.manual_seed(0)
    x, weights = torch.randn(20, 256), torch.randn(256, 256) / 16
    attended = torch.softmax(x @ weights @ x.T / 16, dim=-1) @ x
    layer = torch.nn.functional.layer_norm(torch.nn.functional.gelu(attended @ weights), (256,))
    return {"torch layer": layer[:2].double().ravel().tolist()}


if __name__ == "__main__":
    numbers = of_measures() | of_sentiment() | of_decompositions() | of_torch()
    blas = sorted({str(library["architecture"]) for library in threadpool_info() if library["user_api"] == "blas"})
    print(json.dumps({"blas": blas, "torch": torch.backends.cpu.get_cpu_capability(), "numbers": numbers}))

"""Inference probes: against one pair at a time through the plain network, and the time of a whole probe."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.common import Result, best_of
from wordworth.nli.attention import AttentionNli
from wordworth.nli.loading import load
from wordworth.nli.nli import LABELS
from wordworth.nli.pairs import PairSet, PairTask, score_pairs
from wordworth.nli.probe import load_probe
from wordworth.study import study

MODEL = "nli-glove"
CONTROLS = 8
SINGLE = 300
SHARDS = 24
LIMIT = 600.0
"""Seconds for a probe: before, after, and with each random direction."""


def pair_by_pair() -> Result:
    """The same probabilities one pair at a time, each sentence encoded for each of its pairs."""
    model = load(MODEL, "cpu")
    if not isinstance(model, AttentionNli):
        raise SystemExit(f"{MODEL} is not over word vectors")
    pairs = PairSet.of(load_probe("gender"))
    task = PairTask(pairs, sample=len(pairs) // SHARDS)
    ours, blocks = best_of(2, lambda: _fresh(model, task))
    indices = np.concatenate([block for block, _ in blocks])
    probabilities = np.concatenate([found for _, found in blocks])
    some = np.random.default_rng(0).choice(len(indices), SINGLE, replace=False)
    single, expected = best_of(1, lambda: np.array([_one(model, pairs, int(indices[at])) for at in some]))
    worst = float(np.abs(expected - probabilities[some]).max())
    if not worst <= 1e-5:
        raise SystemExit(f"the probabilities differ by {worst:.1e} from one pair at a time, more than 1e-5")
    return Result(
        what=f"gender pairs through {MODEL}, against one pair at a time",
        plain=single * len(indices) / SINGLE,
        ours=ours,
        wanted=50,
        note=f"{len(indices):,} pairs, {len(indices) / ours:,.0f} a second; {SINGLE} of them one at a time, "
        f"{SINGLE / single:,.0f} a second; largest difference {worst:.0e}",
    )


def _fresh(model: AttentionNli, task: PairTask) -> list[tuple[np.ndarray, np.ndarray]]:
    """Every block scored, in a cache of its own."""
    with _own_cache():
        return list(score_pairs(model, task))


def _one(model: AttentionNli, pairs: PairSet, index: int) -> np.ndarray:
    pair = pairs.pair(index)
    premise, hypothesis = (
        model.embedder.vectors(np.array([model.embedder.ids(text)])) for text in (pair.premise, pair.hypothesis)
    )
    with torch.inference_mode():
        found = model.network(premise, hypothesis)[0].double().softmax(dim=0).numpy()
    return found[[model.network.shape.labels.index(label) for label in LABELS]]


def whole_probes() -> list[Result]:
    """All pairs of each probe, original, projected and with 8 random directions, from the lists to the scores."""
    return [_whole(name) for name in ("gender", "nationality", "religion")]


def _whole(name: str) -> Result:
    model = load(MODEL, "cpu")
    with _own_cache():
        began = perf_counter()
        findings = study("infer")([model], probes=[name], random=CONTROLS)
        took = perf_counter() - began
    pairs = int(findings.scores.item(0, "n")) * (CONTROLS + 2)
    return Result(
        what=f"{name}: all pairs, original, projection and {CONTROLS} random directions, against {LIMIT:.0f} s",
        plain=LIMIT,
        ours=took,
        wanted=1,
        note=f"{pairs:,} pairs, {pairs / took:,.0f} a second, {torch.get_num_threads()} cores",
    )


@contextmanager
def _own_cache() -> Iterator[None]:
    """A cache of one's own, so that nothing is there already; models are loaded before."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, WORDWORTH_CACHE=folder):
        yield

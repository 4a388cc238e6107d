"""How far the estimators disagree: rank correlation of their layers, with intervals over resampled word lists.

The paper finds by eye that estimators of the same bias order a model's layers differently; here that is a number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from wordworth.embedding import Layers
from wordworth.embedding.cosine import norms, unit_rows
from wordworth.run import Findings
from wordworth.statistics.bootstrap import percentile_interval, resample_counts
from wordworth.task.bias import PAIRS, list_words, of, of_pairs
from wordworth.task.bias_lists import BiasLists
from wordworth.task.settings import Intervals

LEAST = 4
"""Layers that can be ranked to any purpose."""
BLOCK = 50
"""Resamples at a time."""

Curves = dict[str, NDArray[np.float64]]
"""Definition → layers × resamples; the first resample is the lists themselves."""


@dataclass(frozen=True)
class Draws:
    """How often each word of each list is drawn: words × resamples, the first column all ones."""

    targets: NDArray[np.float64]
    classes: Mapping[str, NDArray[np.float64]]
    """By class; `gender-pairs` counts pairs."""


def curves(layers: Layers, lists: BiasLists, target_words: tuple[str, ...], draws: Draws) -> dict[str, Curves]:
    """Attribute → the estimators' values by layer, in every resample of targets, classes and pairs.

    All of them need only products of targets with class words, so a resample is a weighting of those.
    """
    targets = of(layers, target_words)
    lengths = norms(targets, "the targets")[..., None]
    unit = targets / lengths
    shares = draws.targets / draws.targets.sum(axis=0)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.einsum("ltr,tr->lr", values, shares, optimize=True), dtype=np.float64)

    found: dict[str, Curves] = {attribute: {} for attribute in lists.classes}
    sides: list[tuple[str, str, list[tuple[NDArray[np.float64], str]]]] = []
    if lists.pairs and "gender" in found:
        male, female = of_pairs(layers, lists)
        found["gender"]["direct-bias@pairs"] = mean(_direct(unit, male - female, draws.classes[PAIRS]))
        sides.append(("gender", "@pairs", [(male, PAIRS), (female, PAIRS)]))
    for attribute, sets in lists.classes.items():
        sides.append((attribute, "", [(of(layers, words), name) for name, words in sets.items()]))
    for attribute, kind, classes in sides:
        weights = [draws.classes[name] / draws.classes[name].sum(axis=0) for _, name in classes]
        weighted = [(words, weight) for (words, _), weight in zip(classes, weights, strict=True)]
        if len(classes) == 2:
            centroids = [_centroid(targets, words, weight) for words, weight in weighted]
            distance = [np.sqrt(np.maximum(lengths**2 - 2 * dots + square, 0)) for dots, square in centroids]
            cosine = [dots / (lengths * np.sqrt(square)) for dots, square in centroids]
            found[attribute][f"garg-euclidean{kind}"] = mean(np.abs(distance[0] - distance[1]))
            found[attribute][f"garg-cosine{kind}"] = mean(np.abs(cosine[0] - cosine[1]))
        near = [(unit @ unit_rows(words, "the classes").swapaxes(-1, -2)) @ weight for words, weight in weighted]
        found[attribute][f"manzini{kind}"] = mean(np.abs(np.mean(near, axis=0)))
    return found


def _direct(
    unit: NDArray[np.float64], differences: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """|cos(w, g)|, layers × targets × resamples: g = Σ √c_i a_i d_i / s, a the first eigenvector of √c D Dᵀ √c."""
    root = np.sqrt(counts.T)
    gram = differences @ differences.swapaxes(-1, -2)
    spread, vectors = np.linalg.eigh(root[None, :, :, None] * gram[:, None] * root[None, :, None, :])
    mix = root[None] * vectors[..., -1] / np.sqrt(spread[..., -1])[..., None]
    return np.asarray(np.abs((unit @ differences.swapaxes(-1, -2)) @ mix.swapaxes(-1, -2)), dtype=np.float64)


def _centroid(
    targets: NDArray[np.float64], words: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """⟨w, μ⟩, layers × targets × resamples, and |μ|², layers × 1 × resamples."""
    gram = words @ words.swapaxes(-1, -2)
    square = np.einsum("lij,ir,jr->lr", gram, weights, weights, optimize=True)
    return (targets @ words.swapaxes(-1, -2)) @ weights, square[:, None]


def draw(lists: BiasLists, target_words: tuple[str, ...], settings: Intervals) -> Iterator[Draws]:
    """Blocks of resamples; the lists themselves are the first of the first block."""
    sizes = {"": len(target_words), PAIRS: len(lists.pairs)}
    sizes |= {name: len(words) for sets in lists.classes.values() for name, words in sets.items()}
    streams = {
        name: np.concatenate(
            [np.ones((size, 1)), *resample_counts(size, settings.resamples, settings.seed + number)], axis=1
        )
        for number, (name, size) in enumerate(sizes.items())
        if size
    }
    for start in range(0, settings.resamples + 1, BLOCK):
        part = {name: counts[:, start : start + BLOCK] for name, counts in streams.items()}
        yield Draws(part.pop(""), part)


def agreement(models: Sequence[Layers], lists: BiasLists, settings: Intervals) -> Findings:
    """Spearman's ρ over layers between every two definitions of a bias, for each model, and over all models' layers.

    `agreement` is its mean over the pairs of definitions that are different estimators.
    """
    findings = Findings()
    every: dict[str, list[Curves]] = {}
    for layers in models:
        if len(layers.slots) < LEAST:
            findings.note(f"{layers.name} has {len(layers.slots)} layers, too few to rank for agreement.")
            continue
        _, words, usable = list_words(layers, lists)
        for name, targets in usable.targets.items():
            blocks = [curves(words, usable, targets, draws) for draws in draw(usable, targets, settings)]
            for attribute in usable.classes:
                joined = {
                    label: np.concatenate([block[attribute][label] for block in blocks], axis=1)
                    for label in blocks[0][attribute]
                }
                every.setdefault(f"{attribute}/{name}", []).append(joined)
                _record(findings, layers.name, f"{attribute}/{name}", joined)
    for dataset, parts in every.items():
        if len(parts) > 1:
            shared = [label for label in parts[0] if all(label in part for part in parts)]
            together = {label: np.concatenate([part[label] for part in parts]) for label in shared}
            _record(findings, None, dataset, together)
    return findings


def _record(findings: Findings, model: str | None, dataset: str, found: Curves) -> None:
    where = {"model": model, "language": "english", "dataset": dataset}
    different = []
    for one, other in combinations(found, 2):
        rho = _rank_correlations(found[one], found[other])
        if one.partition("@")[0] != other.partition("@")[0]:
            different.append(rho)
        _score(findings, where, f"agreement:{one}~{other}", rho, len(found[one]))
    if different:
        _score(findings, where, "agreement", np.mean(different, axis=0), len(next(iter(found.values()))))


def _score(
    findings: Findings, where: dict[str, str | None], measure: str, rho: NDArray[np.float64], layers: int
) -> None:
    low, high = percentile_interval(rho[1:])
    findings.score(**where, measure=measure, value=float(rho[0]), low=float(low), high=float(high), n=layers)


def _rank_correlations(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spearman's ρ down the columns of layers × resamples."""
    ranks = [rankdata(values, axis=0) for values in (one, other)]
    first, second = (rank - rank.mean(axis=0) for rank in ranks)
    # A resample whose layers are all alike has no order, and is passed over in the interval.
    spread = np.sqrt(np.square(first).sum(axis=0) * np.square(second).sum(axis=0))
    with np.errstate(invalid="ignore"):
        return np.asarray((first * second).sum(axis=0) / spread, dtype=np.float64)

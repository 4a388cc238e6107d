"""How far the estimators disagree: rank correlation of their layers, with intervals over resampled word lists.

The paper finds by eye that estimators of the same bias order a model's layers differently; here that is a number.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers
from wordworth.measure import rank_agreement
from wordworth.run import Findings
from wordworth.statistics.bootstrap import percentile_interval
from wordworth.task.bias import list_words
from wordworth.task.bias_lists import BiasLists
from wordworth.task.estimators import definitions
from wordworth.task.list_draws import PAIRS, Draws, draw
from wordworth.task.settings import Intervals

LEAST = 4
"""Layers that can be ranked to any purpose."""
Curves = dict[str, NDArray[np.float64]]
"""Definition → layers × resamples; the first resample is the lists themselves."""


def curves(layers: Layers, lists: BiasLists, target_words: tuple[str, ...], draws: Draws) -> dict[str, Curves]:
    """Attribute → the estimators' values by layer, in every resample of targets, classes and pairs."""
    values: dict[str, Curves] = {attribute: {} for attribute in lists.classes}
    for one in definitions(layers, lists, target_words):
        attribute, label = (
            ("gender", f"{one.measure}@pairs") if one.attribute == PAIRS else (one.attribute, one.measure)
        )
        if attribute in values:
            values[attribute][label] = one.resampled(draws)
    return values


def agreement(models: Sequence[Layers], lists: BiasLists, settings: Intervals) -> Findings:
    """Spearman's ρ over layers between every two definitions of a bias, for each model, and over all models' layers.

    `agreement` is its mean over the pairs of definitions that are different estimators.
    """
    findings = Findings()
    every: dict[str, list[Curves]] = {}
    for layers in models:
        if len(layers.slots) < LEAST:
            findings.note(f"{layers.name} was measured in {len(layers.slots)} layers, too few to rank for agreement.")
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
        rho = rank_agreement(found[one], found[other])
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

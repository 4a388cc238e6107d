"""Scores and items of a scale by layer, in the words of `scores.csv`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.statistics.correlation import Correlation
from wordworth.study.findings import Findings
from wordworth.study.vast.encodings import Group


def at_place(found: Correlation, at: int) -> dict[str, float]:
    """One of the correlations that were computed together, as columns of a score."""
    interval = {"value": float(found.value[at]), "low": float(found.low[at]), "high": float(found.high[at])}
    return interval | {"n": found.n}


def record_layers(
    findings: Findings, where: dict[str, Any], measure: str, layers: tuple[int, ...], found: Correlation
) -> None:
    """One score a layer."""
    for at, layer in enumerate(layers):
        findings.score(**where, layer=layer, measure=measure, **at_place(found, at))


def record_words(
    findings: Findings,
    where: dict[str, Any],
    group: Group,
    layers: tuple[int, ...],
    effects: NDArray[np.float64],
    reference: NDArray[np.float64],
) -> None:
    """One item a word and layer, and one for each word that has no vector."""
    found = group.found()
    for at, layer in enumerate(layers):
        findings.item(
            **where,
            layer=layer,
            item=list(found),
            subwords=group.subwords.tolist(),
            group="lexicon",
            reference=reference.tolist(),
            value=effects[at].tolist(),
        )
    record_missing(findings, where, group, "lexicon")


def record_missing(findings: Findings, where: dict[str, Any], group: Group, label: str) -> None:
    """The words of a group that have no vector, with the reason."""
    if group.reasons:
        places = sorted(group.reasons)
        findings.item(
            **where,
            item=[group.words[place] for place in places],
            group=label,
            left_out=[group.reasons[place] for place in places],
        )

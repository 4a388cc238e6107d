"""Representation quality: similarity by layer, pooling and number of sentences (Tables 1, 2, 4–7; Figures 1, 3–10)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.pairs import Pairs
from wordworth.encode import POOLINGS_OF_BOTH, SUBWORD
from wordworth.errors import WordworthError
from wordworth.measure import cosines
from wordworth.statistics import spearman
from wordworth.statistics.correlation import rank_correlation
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.static.reduction import NO_VECTOR, Reduction

MEAN = "mean/mean"
"""The paper's choice of f and g, which is given intervals."""


def setting_over(sentences: int, all_of_them: int) -> str:
    """`aggregated` is over the whole sample; a part of it says how many sentences it has."""
    return "aggregated" if sentences == all_of_them else f"aggregated:{sentences}"


def quality(findings: Findings, reduction: Reduction, pairs: Sequence[Pairs], options: Options) -> None:
    """Spearman's ρ for every f, g, layer and number of sentences, the words alone beside them; and the best layers."""
    most = reduction.aggregates[-1].sentences
    for over in reduction.aggregates:
        setting = setting_over(over.sentences, most)
        for pooling in POOLINGS_OF_BOTH:
            matrices = (reduction.aggregated(layer, pooling, over) for layer in reduction.layers)
            _by_layer(findings, reduction, pairs, options, setting, pooling, matrices, precise=pooling == MEAN)
    for f in SUBWORD:
        alone = (reduction.decontextualized(layer, f) for layer in reduction.layers)
        _by_layer(findings, reduction, pairs, options, "decontextualized", f, alone, precise=f == "mean")


def _by_layer(
    findings: Findings,
    reduction: Reduction,
    pairs: Sequence[Pairs],
    options: Options,
    setting: str,
    pooling: str,
    matrices: Iterator[NDArray[np.float32]],
    *,
    precise: bool,
) -> None:
    row_of = {word: row for row, word in enumerate(reduction.words)}
    near: dict[str, list[NDArray[np.float64]]] = {one.name: [] for one in pairs}
    used: dict[str, NDArray[np.intp]] = {}
    sides = {one.name: [[row_of[word] for word in side] for side in (one.first, one.second)] for one in pairs}
    for matrix in matrices:
        for one in pairs:
            left, right = (matrix[rows] for rows in sides[one.name])
            if one.name not in used:
                used[one.name] = np.flatnonzero(~np.isnan(left[:, 0]) & ~np.isnan(right[:, 0]))
                if len(used[one.name]) < 3:
                    raise WordworthError(f"{reduction.model.name} has vectors for fewer than 3 pairs of {one.name}")
            kept = used[one.name]
            near[one.name].append(cosines(left[kept], right[kept]))
    for one in pairs:
        kept, cosine = used[one.name], np.stack(near[one.name])
        where = {
            "experiment": "quality",
            "model": reduction.model.name,
            "language": one.language,
            "dataset": one.name,
            "setting": setting,
            "pooling": pooling,
        }
        best = _record(findings, where, reduction.layers, cosine, one.scores[kept], options, precise)
        if precise and setting in ("aggregated", "decontextualized"):
            _items(findings, where, one, kept, cosine[best], reduction.layers[best])


def _record(
    findings: Findings,
    where: dict[str, Any],
    layers: tuple[int, ...],
    cosine: NDArray[np.float64],
    scores: NDArray[np.float64],
    options: Options,
    precise: bool,
) -> int:
    """A row a layer, and the best one again; gives its place."""
    if precise:
        found = _interval(cosine, scores, options)
    else:
        nothing = [None] * len(layers)
        found = list(zip(rank_correlation(cosine, scores).tolist(), nothing, nothing, strict=True))
    for layer, (value, low, high) in zip(layers, found, strict=True):
        findings.score(**where, layer=layer, measure="similarity", value=value, low=low, high=high, n=len(scores))
    best = int(np.argmax([value for value, _, _ in found]))
    value, low, high = found[best]
    findings.score(
        **where, layer=layers[best], measure="similarity:best", value=value, low=low, high=high, n=len(scores)
    )
    return best


def _interval(
    cosine: NDArray[np.float64], scores: NDArray[np.float64], options: Options
) -> list[tuple[float, float | None, float | None]]:
    found = spearman(cosine, scores, resamples=options.resamples, seed=options.seed)
    return list(zip(found.value.tolist(), found.low.tolist(), found.high.tolist(), strict=True))


def _items(
    findings: Findings,
    where: dict[str, Any],
    pairs: Pairs,
    kept: NDArray[np.intp],
    cosine: NDArray[np.float64],
    layer: int,
) -> None:
    values: list[float | None] = [None] * len(pairs)
    for at, value in zip(kept.tolist(), cosine.tolist(), strict=True):
        values[at] = value
    findings.item(
        **where,
        layer=layer,
        item=[f"{first} {second}" for first, second in zip(pairs.first, pairs.second, strict=True)],
        reference=pairs.scores.tolist(),
        value=values,
        left_out=[NO_VECTOR if value is None else None for value in values],
    )

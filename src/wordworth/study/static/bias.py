"""Bias by layer under every estimator, attribute and list of targets (Tables 3 and 8; Figures 2, 11–18).

The paper's tuples are 22 a layer: gender by pairs (Bolukbasi, Garg twice, Manzini) and by sets (Garg twice, Manzini),
race by sets (Manzini), religion by sets (Garg twice, Manzini), each with professions and with adjectives.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.measure import (
    direct_bias,
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    manzini_centroid,
    pair_direction,
    ripa,
    rnsb,
)
from wordworth.statistics.bootstrap import percentile_interval, resample_counts
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.static.lists import Lists, Space

PAIRS = "gender-pairs"
LOW = 0.35
"""Below this share of the variance the first component is no direction to speak of (paper, §5.2)."""

Values = NDArray[np.float64]
"""layers × targets: what a word's bias is."""


def definitions(space: Space, lists: Lists, target_words: tuple[str, ...]) -> Iterator[tuple[str, str, Values]]:
    """(attribute, measure, values) of the paper's eleven definitions for one list of targets."""
    targets = space.of(target_words)
    sides: dict[str, list[Values]] = {}
    if lists.pairs:
        sides[PAIRS] = [*space.pairs(lists.pairs)]
        yield PAIRS, "direct-bias", direct_bias(targets, pair_direction(*sides[PAIRS]).vector)
    for attribute, sets in lists.classes.items():
        sides[attribute] = [space.of(words) for words in sets.values()]
    for attribute, classes in sides.items():
        if len(classes) == 2:
            yield attribute, "garg-euclidean", garg_euclidean(targets, *classes)
            yield attribute, "garg-cosine", garg_cosine(targets, *classes)
        yield attribute, "manzini", manzini(targets, classes)


def beside(space: Space, lists: Lists, target_words: tuple[str, ...]) -> Iterator[tuple[str, str, Values]]:
    """Estimators beyond the paper's; the values of mac are those of the classes' words."""
    targets = space.of(target_words)
    if lists.pairs:
        male, female = space.pairs(lists.pairs)
        yield PAIRS, "direct-bias:centred", direct_bias(targets, pair_direction(male, female, centred=True).vector)
        yield PAIRS, "manzini:centroid", manzini_centroid(targets, [male, female])
        yield PAIRS, "ripa", np.abs(ripa(targets, male, female))
    for attribute, sets in lists.classes.items():
        yield attribute, "manzini:centroid", manzini_centroid(targets, [space.of(words) for words in sets.values()])
        yield attribute, "mac", mac(_joined(space, sets), [targets])


def _joined(space: Space, sets: Mapping[str, tuple[str, ...]]) -> Values:
    return np.concatenate([space.of(words) for words in sets.values()], axis=1)


def bias(findings: Findings, space: Space, lists: Lists, options: Options) -> None:
    """Every estimator in every layer, with 95 % intervals over resampled targets. `lists` are `restricted`."""
    for name, words in lists.targets.items():
        for kind, found in (("paper", definitions), ("beside", beside)):
            for attribute, measure, values in found(space, lists, words):
                where = {"experiment": "bias", "model": space.model, "language": "english"}
                where |= {"dataset": f"{attribute}/{name}"}
                _record(findings, where, space, measure, values, options)
                if kind == "paper":
                    for at, layer in enumerate(space.layers):
                        _items(findings, {**where, "layer": layer}, measure, list(words), values[at])
    if lists.pairs:
        _explained(findings, space, lists)
    if lists.poles:
        _sentiment(findings, space, lists)


def _items(findings: Findings, where: dict[str, Any], measure: str, words: list[str], values: Values) -> None:
    given = {key: value for key, value in where.items() if value is not None}
    findings.item(**given, item=words, group=measure, value=values.tolist())


def _record(
    findings: Findings, where: dict[str, Any], space: Space, measure: str, values: Values, options: Options
) -> None:
    blocks = resample_counts(values.shape[1], options.resamples, options.seed)
    replicates = np.concatenate([values @ counts / values.shape[1] for counts in blocks], axis=1)
    low, high = percentile_interval(replicates)
    for at, layer in enumerate(space.layers):
        interval = {"value": float(values[at].mean()), "low": float(low[at]), "high": float(high[at])}
        findings.score(**where, layer=layer, measure=measure, **interval, n=values.shape[1])


def _explained(findings: Findings, space: Space, lists: Lists) -> None:
    explained = pair_direction(*space.pairs(lists.pairs)).explained
    where = {"experiment": "bias", "model": space.model, "language": "english", "dataset": PAIRS}
    for layer, share in zip(space.layers, explained.tolist(), strict=True):
        findings.score(**where, layer=layer, measure="direct-bias:explained", value=share, n=len(lists.pairs))
    weak = int((explained < LOW).sum())
    if weak:
        layers = f"in {weak} of {len(explained)} layers" if len(explained) > 1 else "here"
        findings.warn(
            f"{space.model}: the first component explains less than {LOW:.0%} of the gender pairs' differences "
            f"{layers} (from {explained.min():.0%}), so direct-bias says little there."
        )


def _sentiment(findings: Findings, space: Space, lists: Lists) -> None:
    """rnsb of the words of an attribute's classes."""
    positive, negative = (space.of(words) for words in lists.poles.values())
    for attribute, sets in lists.classes.items():
        words = _joined(space, sets)
        where = {"experiment": "bias", "model": space.model, "language": "english", "dataset": attribute}
        for at, layer in enumerate(space.layers):
            value = rnsb(words[at], positive[at], negative[at])
            findings.score(**where, layer=layer, measure="rnsb", value=value, n=words.shape[1])

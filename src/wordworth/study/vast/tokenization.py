"""Experiment 2: words of one token against words of several (VAST, Figures 2 and 8)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.measure import sc_weat, valence
from wordworth.study.vast.encodings import Group
from wordworth.study.vast.recording import record_layers
from wordworth.study.vast.scale import Scale
from wordworth.study.vast.scales import Scales, greedy_poles

POOLINGS = ("first", "last", "mean", "max")
LEAST = 10
"""Words of either kind below which a correlation says nothing."""


def tokenization(scales: Scales, lexicon: Lexicon, anew: Lexicon | None) -> None:
    """ρ by layer for balanced sets of singly and multiply tokenized words, under poles of either kind."""
    setting = "random" if "random" in scales.settings else "bleached"
    scale = scales.of(lexicon, setting)
    rng = np.random.default_rng(scales.options.seed)
    single, multiple = (
        np.flatnonzero(scale.words.subwords == 1),
        np.flatnonzero(scale.words.subwords > 1),
    )
    size = min(len(single), len(multiple))
    if size < LEAST:
        scales.findings.warn(
            f"tokenization was left out: of {lexicon.name}'s words {len(single)} have one token and {len(multiple)} "
            f"have several, and {LEAST} of each are needed (warriner has enough)."
        )
        return
    sets = {
        "single": np.sort(rng.choice(single, size, replace=False)),
        "multiple": np.sort(rng.choice(multiple, size, replace=False)),
    }
    high, low = _balanced(rng, _singly(scale.high), _singly(scale.low))
    if len(high) >= 2:
        _by_pooling(scales, scale, sets, "valence", (scale.high, high), (scale.low, low))
    else:
        scales.findings.warn(f"{scales.encodings.model.name} has no two polar words of one token on each side.")
    if anew is not None:
        _multiple_poles(scales, scale, sets, anew, setting)


def _singly(group: Group) -> NDArray[np.intp]:
    return np.flatnonzero(group.subwords == 1)


def _balanced(
    rng: np.random.Generator, one: NDArray[np.intp], other: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Both cut at random to the size of the smaller."""
    size = min(len(one), len(other))
    return np.sort(rng.choice(one, size, replace=False)), np.sort(rng.choice(other, size, replace=False))


def _multiple_poles(
    scales: Scales, scale: Scale, sets: dict[str, NDArray[np.intp]], anew: Lexicon, setting: str
) -> None:
    """Poles of several tokens: the 25 highest and lowest of ANEW that the model splits."""
    known = scales.of(anew, setting).words
    split = np.flatnonzero(known.subwords > 1).tolist()
    found = known.found()
    ratings = anew.valence[known.positions]
    words = [found[row] for row in split]
    if len(words) < 2 * LEAST:
        scales.findings.warn(f"{scales.encodings.model.name} splits {len(words)} words of ANEW: too few to be poles.")
        return
    row_of = dict(zip(words, split, strict=True))
    high, low = greedy_poles(words, ratings[split].tolist(), min(25, len(words) // 2))
    sides = [(known, np.array([row_of[word] for word in side])) for side in (high, low)]
    _by_pooling(scales, scale, sets, "valence:multiple-poles", *sides)


Pole = tuple[Group, NDArray[np.intp]]


def _by_pooling(
    scales: Scales, scale: Scale, sets: dict[str, NDArray[np.intp]], measure: str, high: Pole, low: Pole
) -> None:
    layers = scales.encodings.layers
    ratings = scale.ratings()
    for pooling in POOLINGS:
        effects: dict[str, list[NDArray[np.float64]]] = {kind: [] for kind in sets}
        for layer in layers:
            targets = scale.words.vectors(layer, pooling)
            a, b = (group.vectors(layer, pooling)[rows] for group, rows in (high, low))
            for kind, rows in sets.items():
                effects[kind].append(sc_weat(targets[rows], a, b))
        for kind, rows in sets.items():
            drawn = {"resamples": scales.options.resamples, "seed": scales.options.seed}
            found = valence(np.stack(effects[kind]), ratings[rows], **drawn)
            where = scales.where("tokenization", f"{scale.lexicon.name}:{kind}", scale.setting, pooling)
            record_layers(scales.findings, where, measure, layers, found)
            if measure == "valence" and pooling == scales.pooling:
                scales.findings.item(
                    **where,
                    item=[scale.words.found()[row] for row in rows.tolist()],
                    subwords=scale.words.subwords[rows].tolist(),
                    group=kind,
                    reference=ratings[rows].tolist(),
                )

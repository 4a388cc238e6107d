"""Experiment 3: word meaning under the top principal components (VAST, Table 1 and Figure 3)."""

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.measure import sc_weat, valence
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.study.vast.recording import at_place
from wordworth.study.vast.scales import Scales
from wordworth.study.vast.versions import fitted, versions

NEURONS = (1, 2, 4, 8, 16)


def isolation(scales: Scales, lexica: list[Lexicon]) -> None:
    """ρ raw (`pcs` blank) and with 0 … k components nullified, in the best and the top layer, each setting.

    The mean and the components are those of the lexicon's words followed by the polar words; one decomposition serves
    every k. Beside ρ: the mean cosine of word pairs, and the share of length that the largest neurons hold.
    """
    for lexicon in lexica:
        for setting in scales.settings:
            for layer in scales.chosen_layers(lexicon):
                _layer(scales, lexicon, setting, layer)


def _layer(scales: Scales, lexicon: Lexicon, setting: str, layer: int) -> None:
    scale = scales.of(lexicon, setting)
    words, high, low = (
        np.asarray(group.vectors(layer, scales.pooling), dtype=np.float64)
        for group in (scale.words, scale.high, scale.low)
    )
    pooled = np.concatenate([words, high, low])
    ends = len(words), len(words) + len(high)
    components = fitted(pooled, scales.components)
    every = list(versions(pooled, components))
    effects = np.stack([sc_weat(v[: ends[0]], v[ends[0] : ends[1]], v[ends[1] :]) for _, v in every])
    found = valence(effects, scale.ratings(), resamples=scales.options.resamples, seed=scales.options.seed)
    where = {**scales.where("isolation", lexicon.name, setting), "layer": layer}
    for at, (pcs, version) in enumerate(every):
        scales.findings.score(**where, pcs=pcs, measure="valence", **at_place(found, at))
        spread = anisotropy(version[: ends[0]])
        scales.findings.score(**where, pcs=pcs, measure="anisotropy", value=spread, n=len(words))
        scales.findings.item(
            **where,
            pcs=pcs,
            item=list(scale.words.found()),
            subwords=scale.words.subwords.tolist(),
            group="lexicon",
            reference=scale.ratings().tolist(),
            value=effects[at].tolist(),
        )
    shares = neuron_share(words, min(max(NEURONS), words.shape[1]))
    for count in NEURONS:
        if count <= len(shares):
            value = float(shares[count - 1])
            scales.findings.score(**where, measure=f"neuron-share:{count}", value=value, n=len(words))
    for k, share in enumerate(components.shares.tolist(), start=1):
        scales.findings.score(**where, pcs=k, measure="variance-share", value=share, n=len(pooled))

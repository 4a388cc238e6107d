"""Experiment 3: word meaning under the top principal components (VAST, Table 1 and Figure 3)."""

import numpy as np

from wordworth.catalog.lexica import Lexicon
from wordworth.measure import sc_weat, valence
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.study.vast.scales import Scales
from wordworth.transform import fit_components, nullify

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
    most = min(scales.components, len(pooled) - 1, pooled.shape[1] - 1)
    fitted = fit_components(pooled, most)
    versions = [pooled, *(nullify(pooled, fitted, k) for k in range(most + 1))]
    effects = np.stack([sc_weat(v[: ends[0]], v[ends[0] : ends[1]], v[ends[1] :]) for v in versions])
    drawn = {"resamples": scales.options.resamples, "seed": scales.options.seed}
    found = valence(effects, scale.ratings(), **drawn)
    where = {**scales.where("isolation", lexicon.name, setting), "layer": layer}
    for at, (pcs, version) in enumerate(zip([None, *range(most + 1)], versions, strict=True)):
        interval = {"value": float(found.value[at]), "low": float(found.low[at]), "high": float(found.high[at])}
        scales.findings.score(**where, pcs=pcs, measure="valence", **interval, n=found.n)
        scales.findings.score(
            **where, pcs=pcs, measure="anisotropy", value=anisotropy(version[: ends[0]]), n=len(words)
        )
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
    for k, share in enumerate(fitted.shares.tolist(), start=1):
        scales.findings.score(**where, pcs=k, measure="variance-share", value=share, n=len(pooled))

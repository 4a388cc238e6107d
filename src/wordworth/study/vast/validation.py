"""Experiment 5: word similarity from the best and the top layer, raw and isolated (VAST, Figure 4)."""

import numpy as np

from wordworth.catalog.lexica import Lexicon
from wordworth.catalog.pairs import Pairs
from wordworth.measure import cosines
from wordworth.measure.correlation import spearman
from wordworth.study.vast.recording import record_missing
from wordworth.study.vast.scales import Scales
from wordworth.transform import fit_components, nullify


def validation(scales: Scales, every: list[Pairs], lexicon: Lexicon) -> None:
    """Spearman's ρ on word pairs, bleached; the best layer is that of the lexicon.

    Mean and components are those of the task's own words.
    """
    for pairs in every:
        words = tuple(dict.fromkeys((*pairs.first, *pairs.second)))
        group = scales.encodings.group("bleached", words)
        where = scales.where("validation", pairs.name, "bleached")
        record_missing(scales.findings, where, group, "pairs")
        row_of = {word: row for row, word in enumerate(group.found())}
        known = [at for at, pair in enumerate(zip(pairs.first, pairs.second, strict=True)) if row_of.keys() >= {*pair}]
        left = [row_of[pairs.first[at]] for at in known]
        right = [row_of[pairs.second[at]] for at in known]
        for layer in scales.chosen_layers(lexicon):
            vectors = np.asarray(group.vectors(layer, scales.pooling), dtype=np.float64)
            most = min(scales.components, len(vectors) - 1, vectors.shape[1] - 1)
            fitted = fit_components(vectors, most)
            versions = [vectors, *(nullify(vectors, fitted, k) for k in range(most + 1))]
            similar = np.stack([cosines(version[left], version[right]) for version in versions])
            drawn = {"resamples": scales.options.resamples, "seed": scales.options.seed}
            found = spearman(similar, pairs.scores[known], **drawn)
            for at, pcs in enumerate([None, *range(most + 1)]):
                interval = {"value": float(found.value[at]), "low": float(found.low[at]), "high": float(found.high[at])}
                scales.findings.score(**where, layer=layer, pcs=pcs, measure="similarity", **interval, n=found.n)
                scales.findings.item(
                    **where,
                    layer=layer,
                    pcs=pcs,
                    item=[f"{pairs.first[pair]} {pairs.second[pair]}" for pair in known],
                    reference=pairs.scores[known].tolist(),
                    value=similar[at].tolist(),
                )

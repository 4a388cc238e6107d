"""Experiment 5: word similarity from the best and the top layer, raw and isolated (VAST, Figure 4)."""

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.measure import cosines
from wordworth.statistics.correlation import spearman
from wordworth.study.vast.recording import at_place, record_missing
from wordworth.study.vast.scales import Scales
from wordworth.study.vast.versions import fitted, versions


def validation(scales: Scales, tasks: list[Pairs], lexicon: Lexicon) -> None:
    """Spearman's ρ on word pairs, bleached; the best layer is that of the lexicon.

    Mean and components are those of the task's own words.
    """
    for pairs in tasks:
        words = tuple(dict.fromkeys((*pairs.first, *pairs.second)))
        group = scales.encodings.group("bleached", words)
        where = scales.where("validation", pairs.name, "bleached")
        record_missing(scales.findings, where, group, "pairs")
        row_of = {word: row for row, word in enumerate(group.found())}
        known = [at for at, pair in enumerate(zip(pairs.first, pairs.second, strict=True)) if row_of.keys() >= {*pair}]
        left = [row_of[pairs.first[at]] for at in known]
        right = [row_of[pairs.second[at]] for at in known]
        for layer in scales.chosen_layers(lexicon):
            vectors = group.vectors(layer, scales.pooling)
            every = list(versions(vectors, fitted(vectors, scales.components)))
            similar = np.stack([cosines(version[left], version[right]) for _, version in every])
            drawn = {"resamples": scales.options.resamples, "seed": scales.options.seed}
            found = spearman(similar, pairs.scores[known], **drawn)
            for at, (pcs, _) in enumerate(every):
                scales.findings.score(**where, layer=layer, pcs=pcs, measure="similarity", **at_place(found, at))
                scales.findings.item(
                    **where,
                    layer=layer,
                    pcs=pcs,
                    item=[f"{pairs.first[pair]} {pairs.second[pair]}" for pair in known],
                    reference=pairs.scores[known].tolist(),
                    value=similar[at].tolist(),
                )

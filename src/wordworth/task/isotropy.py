"""How evenly vectors fill their space: the mean cosine of word pairs, and the share that the largest neurons hold."""

from collections.abc import Mapping

import numpy as np

from wordworth.embedding import Layers
from wordworth.measure.isotropy import anisotropy, mean_cosines, neuron_share
from wordworth.run import Findings
from wordworth.task.valence import word_columns
from wordworth.task.words import record_missing
from wordworth.transform import Components

NEURONS = (1, 2, 4, 8, 16)


def isotropy(layers: Layers, dataset: str, language: str, *, whole: bool = False) -> Findings:
    """`anisotropy` in every slot, and `neuron-share:k` of the vectors as they are.

    With `whole`, the neurons' shares in every slot too, and items: each word's mean cosine with the others in the
    vectors as they are, and the words without a vector.
    """
    findings = Findings()
    place = {**layers.columns, "language": language, "dataset": dataset}
    where = {**place, "n": len(layers)}
    for slot, matrix in layers.each():
        vectors = np.asarray(matrix, dtype=np.float64)
        findings.score(**where, **slot._asdict(), measure="anisotropy", value=anisotropy(vectors))
        if slot.pcs is None and whole:
            cosines = mean_cosines(vectors).tolist()
            findings.item(**place, **slot._asdict(), **word_columns(layers), group="anisotropy", value=cosines)
        if slot.pcs is None or whole:
            shares = neuron_share(vectors, min(max(NEURONS), vectors.shape[1]))
            for count in NEURONS:
                if count <= len(shares):
                    share = float(shares[count - 1])
                    findings.score(**where, **slot._asdict(), measure=f"neuron-share:{count}", value=share)
    if whole:
        record_missing(findings, place, layers, "anisotropy")
    return findings


def variance_shares(
    layers: Layers, components: Mapping[int | None, Components], where: Mapping[str, object]
) -> Findings:
    """`variance-share`: of the total variance, the part along each component that can be nullified."""
    findings = Findings()
    for layer, fitted in components.items():
        for k, share in enumerate(fitted.shares.tolist(), start=1):
            findings.score(**layers.columns, **where, layer=layer, pcs=k, measure="variance-share", value=share)
    return findings

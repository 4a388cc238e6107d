"""How evenly vectors fill their space: the mean cosine of word pairs, and the share that the largest neurons hold."""

from collections.abc import Mapping

import numpy as np

from wordworth.embedding import Layers
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.run import Findings
from wordworth.transform import Components

NEURONS = (1, 2, 4, 8, 16)


def isotropy(layers: Layers, dataset: str, language: str) -> Findings:
    """Score `anisotropy` in every slot, and `neuron-share:k` of the vectors as they are."""
    findings = Findings()
    where = {**layers.columns, "language": language, "dataset": dataset, "n": len(layers)}
    for slot, matrix in layers.each():
        vectors = np.asarray(matrix, dtype=np.float64)
        findings.score(**where, **slot._asdict(), measure="anisotropy", value=anisotropy(vectors))
        if slot.pcs is None:
            shares = neuron_share(vectors, min(max(NEURONS), vectors.shape[1]))
            for count in NEURONS:
                if count <= len(shares):
                    share = float(shares[count - 1])
                    findings.score(**where, **slot._asdict(), measure=f"neuron-share:{count}", value=share)
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

"""The embedding coherence test (Dev & Phillips 2019)."""

import numpy as np

from wordworth.embedding.cosine import Vectors, cosines_with, unit_rows
from wordworth.measure.declaration import declare
from wordworth.measure.weighted import weighted_mean
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, spearman

declare(
    "ect",
    "Spearman's ρ over the targets between cos(w, μ₁) and cos(w, μ₂) with μ the mean of a class.",
    "dev2019",
    "higher",
    "orders neutral words more alike for both classes",
)


def ect(targets: Vectors, A1: Vectors, A2: Vectors, *, resamples: int = RESAMPLES, seed: int = 0) -> Correlation:
    """Spearman's ρ of the targets' cosines with the two classes' means: (..., words, dim) → (...). 1 is no bias.

    The interval is over resampled targets, which are ranked anew in each resample. The means are those of vectors as
    they are.
    """
    means = [unit_rows(weighted_mean(words), "the classes' means") for words in (A1, A2)]
    first, second = (cosines_with(targets, mean, "the targets")[..., 0] for mean in means)
    shape, count = first.shape[:-1], first.shape[-1]
    columns = zip(first.reshape(-1, count), second.reshape(-1, count), strict=True)
    layers = [spearman(one, other, resamples=resamples, seed=seed) for one, other in columns]
    value, low, high = (
        np.array([getattr(layer, name) for layer in layers]).reshape(shape) for name in ("value", "low", "high")
    )
    return Correlation(value, low, high, count)

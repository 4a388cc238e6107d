"""Type diversity T: which share of a text's types was ever predicted right (Dudy & Bedrick 2020, 2.4.3)."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import BLOCK, RESAMPLES, resample_counts
from wordworth.statistics.clustered import Estimate, numbered

NORMAL = 1.959963984540054
"""The 97.5th percentile of the normal distribution."""

declare(
    "T1", "Share of the text's types that were the first guess at least once where they stand.", "dudy2020", "higher"
)
declare("T{k}", "Share of the text's types that were ever among the {k} best where they stand.", "dudy2020", "higher")
declare(
    "T1:code",
    "Types that were the first guess at least once / types outside the low band, as in the authors' script.",
    "dudy2020",
    "higher",
)


def type_coverage(
    hits: NDArray[np.bool_],
    types: NDArray[np.integer],
    clusters: NDArray[np.integer],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Types hit at least once / types, over words (items) of the given types; n counts types.

    The interval is the value ± 1.96 bootstrap standard errors. Percentiles would miss the value itself: a resample
    holds some 63 % of the clusters, so fewer types, and fewer chances to hit each.
    """
    kind, kinds = numbered(types, len(hits))
    number, k = numbered(clusters, len(hits))
    if hits.shape != types.shape:
        raise WordworthError(f"hits of shape {hits.shape} do not go with types of shape {types.shape}")
    words, right = (_by_cluster(kind[some], number[some], (kinds, k)) for some in (slice(None), hits))
    value = np.unique(kind[hits]).size / kinds
    if k == 1:
        return Estimate(value, np.nan, np.nan, kinds)
    replicates = []
    # Blocks such that both clusters × resamples and types × resamples stay small.
    for counts in resample_counts(k, resamples, seed, block=max(1, min(BLOCK, 4 * BLOCK * k // kinds))):
        drawn, hit = ((held @ counts > 0).sum(axis=0) for held in (words, right))
        replicates.append(hit / drawn)
    error = NORMAL * float(np.concatenate(replicates).std(ddof=1)) if resamples > 1 else np.nan
    return Estimate(value, max(0.0, value - error), min(1.0, value + error), kinds)


def _by_cluster(kind: NDArray[np.intp], number: NDArray[np.intp], shape: tuple[int, int]) -> csr_array:
    """types × clusters: how often a type stands in a cluster."""
    return csr_array((np.ones(len(kind), dtype=np.int32), (kind, number)), shape=shape)

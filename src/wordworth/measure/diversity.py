"""Type diversity T: which share of a text's types was ever predicted right (Dudy & Bedrick 2020, 2.4.3)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import NO_PREDICTED_WORD, RESAMPLES, Estimate, resample_counts

NORMAL_QUANTILE = 1.959963984540054
"""The 97.5th percentile of the normal distribution."""

declare(
    "T",
    "Share of the text's types that were ever among the {k} best guesses where they occur.",
    "dudy2020",
    "higher",
    is_main=True,
)
declare(
    "T",
    "Seen types that were ever among the {k} best / types in the bands of frequency, as in the authors' script.",
    "dudy2020",
    "higher",
    "code",
)


class WordGroup(NamedTuple):
    """Some words: of which type and cluster each is (numbers from 0 on), and whether it was hit, in several ways."""

    types: NDArray[np.integer]
    clusters: NDArray[np.integer]
    hits: Sequence[NDArray[np.bool_]]


def type_coverages(groups: Iterable[WordGroup], *, resamples: int = RESAMPLES, seed: int = 0) -> list[Estimate]:
    """Return types hit at least once / types, for each way of hitting; n counts types.

    The interval is the value ± 1.96 bootstrap standard errors. Percentiles would miss the value itself: a resample
    holds some 63 % of the clusters, so fewer types, and fewer chances to hit each.
    """
    by_group = [[_places(part, hit) for hit in (np.ones(len(part.types), dtype=bool), *part.hits)] for part in groups]
    places = [np.unique(np.concatenate(one)) for one in zip(*by_group, strict=True)]
    if not places or not len(places[0]):
        raise WordworthError(NO_PREDICTED_WORD)
    types, clusters = np.unique(places[0] >> 32), np.unique(places[0] & CLUSTER)
    # Types × clusters: whether a type is met in a cluster, and whether it is hit there in each way.
    tables, shape = [], (len(types), len(clusters))
    for keys in places:
        cells = (types.searchsorted(keys >> 32), clusters.searchsorted(keys & CLUSTER))
        tables.append(csr_array((np.ones(len(keys), dtype=bool), cells), shape=shape))
    values = [len(np.unique(one >> 32)) / len(types) for one in places[1:]]
    if len(clusters) == 1:
        return [Estimate(value, np.nan, np.nan, len(types)) for value in values]
    draws = resample_counts(len(clusters), resamples, seed)
    resampled_counts = [np.stack([(table @ (counts > 0)).sum(axis=0) for table in tables]) for counts in draws]
    types_present, *hits = np.concatenate(resampled_counts, axis=1)
    errors = [NORMAL_QUANTILE * float((hit / types_present).std(ddof=1)) if resamples > 1 else np.nan for hit in hits]
    rows = zip(values, errors, strict=True)
    return [Estimate(value, max(0.0, value - error), min(1.0, value + error), len(types)) for value, error in rows]


CLUSTER = (1 << 32) - 1
"""The bits that hold a cluster's number in a place; those above it hold the type's."""


def _places(part: WordGroup, hit: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the distinct (type, cluster) of the words that were hit, as one number each."""
    return np.unique(part.types[hit].astype(np.int64) << 32 | part.clusters[hit])

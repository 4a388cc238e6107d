"""Type diversity T: which share of a text's types was ever predicted right (Dudy & Bedrick 2020, 2.4.3)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import NOTHING, RESAMPLES, Estimate, resample_counts

NORMAL = 1.959963984540054
"""The 97.5th percentile of the normal distribution."""
HELD = 32 << 20
"""Bytes of bits at one time, for types and clusters; more resamples take another pass over the words."""
ROWS = 1 << 12
"""Types whose bits are counted together."""

Flags = NDArray[np.bool_]
Bits = NDArray[np.uint64]

declare(
    "T1", "Share of the text's types that were the first guess at least once where they stand.", "dudy2020", "higher"
)
declare("T{k}", "Share of the text's types that were ever among the {k} best where they stand.", "dudy2020", "higher")
declare(
    "T{k}:code",
    "Seen types that were ever among the {k} best / types in the bands of frequency, as in the authors' script.",
    "dudy2020",
    "higher",
)


class Part(NamedTuple):
    """Some words: of which type and cluster each is (numbers from 0 on), and whether it was hit, in several ways."""

    types: NDArray[np.integer]
    clusters: NDArray[np.integer]
    hits: Sequence[NDArray[np.bool_]]


Parts = Callable[[], Iterable[Part]]
"""All words, part by part; they are gone through some times."""


def type_coverages(parts: Parts, *, resamples: int = RESAMPLES, seed: int = 0) -> list[Estimate]:
    """Return types hit at least once / types, for each way of hitting; n counts types.

    The interval is the value ± 1.96 bootstrap standard errors. Percentiles would miss the value itself: a resample
    holds some 63 % of the clusters, so fewer types, and fewer chances to hit each. The words need not be held: what is
    held grows with types and clusters.

    Whether a resample has a cluster is a bit. A type is in the resamples that one of its words' clusters is in: for
    all resamples together, the bits of the clusters or-ed over its words.
    """
    seen, clusters, right = _present(parts)
    kinds, k = int(seen.sum()), int(clusters.sum())
    if not kinds:
        raise WordworthError(NOTHING)
    values = [float(one.sum() / kinds) for one in right]
    if k == 1:
        return [Estimate(value, np.nan, np.nan, kinds) for value in values]
    of_type, of_cluster = (np.cumsum(flags) - 1 for flags in (seen, clusters))
    replicates = []
    words = max(1, HELD // (8 * (k + (1 + len(right)) * kinds)))
    for drawn in _drawn(k, resamples, seed, words):
        found = np.zeros((1 + len(right), kinds, drawn.bits.shape[1]), dtype=np.uint64)
        for part in parts():
            _or_into(found, of_type[part.types], drawn.bits[of_cluster[part.clusters]], part.hits)
        replicates.append(np.stack([_counted(one)[: drawn.resamples] for one in found]))
    held, *hit = np.concatenate(replicates, axis=1)
    shares = [some / held for some in hit]
    errors = [NORMAL * float(one.std(ddof=1)) if resamples > 1 else np.nan for one in shares]
    return [
        Estimate(value, max(0.0, value - error), min(1.0, value + error), kinds)
        for value, error in zip(values, errors, strict=True)
    ]


def _present(parts: Parts) -> tuple[Flags, Flags, list[Flags]]:
    """Which types and clusters there are, and which types were hit in each way."""
    seen, clusters = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
    right: list[Flags] = []
    for part in parts():
        if part.hits[0].shape != part.types.shape:
            shapes = f"{part.hits[0].shape} do not go with types of shape {part.types.shape}"
            raise WordworthError(f"hits of shape {shapes}")
        right = right or [np.zeros(0, dtype=bool) for _ in part.hits]
        seen, clusters = _marked(seen, part.types), _marked(clusters, part.clusters)
        right = [_marked(one, part.types[hit]) for one, hit in zip(right, part.hits, strict=True)]
    return seen, clusters, right


def _marked(flags: Flags, labels: NDArray[np.integer]) -> Flags:
    more = int(labels.max()) + 1 - len(flags) if len(labels) else 0
    grown = np.concatenate([flags, np.zeros(max(more, len(flags)), dtype=bool)]) if more > 0 else flags
    grown[labels] = True
    return grown


class _Drawn(NamedTuple):
    """Some resamples of clusters, in words of 64 bits: clusters × words."""

    bits: Bits
    resamples: int


def _drawn(k: int, resamples: int, seed: int, words: int) -> Iterator[_Drawn]:
    """At most so many words of 64 resamples at a time."""
    bits, at = np.zeros((k, min(words, -(-resamples // 64))), dtype=np.uint64), 0
    for counts in resample_counts(k, resamples, seed):
        for of_one in counts.T > 0:
            bits[:, at // 64] |= of_one.astype(np.uint64) << np.uint64(at % 64)
            at += 1
            if at == 64 * bits.shape[1]:
                yield _Drawn(bits, at)
                bits, at = np.zeros_like(bits), 0
    if at:
        yield _Drawn(bits, at)


def _or_into(found: Bits, types: NDArray[np.integer], rows: Bits, hits: Sequence[NDArray[np.bool_]]) -> None:
    """The words' bits into those of their types: of all words, and of those that were hit in each way."""
    order = np.argsort(types, kind="stable")
    for into, hit in zip(found, [None, *hits], strict=True):
        some = order if hit is None else order[hit[order]]
        if len(some):
            own = types[some]
            firsts = np.flatnonzero(np.diff(own, prepend=-1))
            into[own[firsts]] |= np.bitwise_or.reduceat(rows[some], firsts, axis=0)


def _counted(bits: Bits) -> NDArray[np.int64]:
    """How many types each resample has."""
    counts = np.zeros(64 * bits.shape[1], dtype=np.int64)
    for start in range(0, len(bits), ROWS):
        some = np.ascontiguousarray(bits[start : start + ROWS]).astype("<u8").view(np.uint8)
        counts += np.unpackbits(some, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
    return counts

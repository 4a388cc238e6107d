"""The papers' formulas once more, a word at a time, from numpy, SciPy and scikit-learn alone."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def cos(u: Vector, v: Vector) -> float:
    return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))


def sc_weat(word: Vector, a: Sequence[Vector], b: Sequence[Vector]) -> float:
    """d(w): ValNorm's and VAST's effect size of one word."""
    to_a, to_b = [cos(word, one) for one in a], [cos(word, one) for one in b]
    return float((np.mean(to_a) - np.mean(to_b)) / np.std([*to_a, *to_b], ddof=1))


def associations(words: Sequence[Vector], a: Sequence[Vector], b: Sequence[Vector]) -> list[float]:
    """s(w, A, B) of each word."""
    return [float(np.mean([cos(w, one) for one in a]) - np.mean([cos(w, one) for one in b])) for w in words]


def weat(x: Sequence[Vector], y: Sequence[Vector], a: Sequence[Vector], b: Sequence[Vector]) -> float:
    """d of Caliskan et al. 2017."""
    sx, sy = associations(x, a, b), associations(y, a, b)
    return float((np.mean(sx) - np.mean(sy)) / np.std([*sx, *sy], ddof=1))


def weat_p(x: Sequence[Vector], y: Sequence[Vector], a: Sequence[Vector], b: Sequence[Vector]) -> float | None:
    """The share of all partitions whose statistic is at least the observed; None where there are too many to list."""
    s = [*associations(x, a, b), *associations(y, a, b)]
    if comb(len(s), len(x)) > 200_000:
        return None
    total, observed = sum(s), 2 * sum(s[: len(x)])
    rounding = 1e-12 * sum(map(abs, s))
    sums = [2 * sum(s[at] for at in chosen) for chosen in combinations(range(len(s)), len(x))]
    return float(np.mean([one - total >= observed - total - rounding for one in sums]))


def analogy(words: Sequence[str], matrix: NDArray[np.float32], questions: Iterable[tuple[str, ...]]) -> float:
    """The share of a : b :: c : d that 3CosAdd answers, the three words themselves set aside."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    row = {word: at for at, word in enumerate(words)}
    hits = []
    for question in questions:
        a, b, c, d = (row[word] for word in question)
        near = unit @ (unit[b] - unit[a] + unit[c])
        near[[a, b, c]] = -np.inf
        hits.append(int(np.argmax(near)) == d)
    return float(np.mean(hits))


def direct_bias(targets: Sequence[Vector], pairs: Sequence[tuple[Vector, Vector]]) -> float:
    """Mean |cos(w, g)|, g the first right singular vector of the differences male − female, which are not centred."""
    g = np.linalg.svd(np.stack([male - female for female, male in pairs]))[2][0]
    return float(np.mean([abs(cos(w, g)) for w in targets]))


def garg(targets: Sequence[Vector], classes: Sequence[Sequence[Vector]], *, euclidean: bool) -> float:
    one, other = (np.mean(words, axis=0) for words in classes)
    if euclidean:
        return float(np.mean([abs(np.linalg.norm(w - one) - np.linalg.norm(w - other)) for w in targets]))
    return float(np.mean([abs(cos(w, one) - cos(w, other)) for w in targets]))


def manzini(targets: Sequence[Vector], classes: Sequence[Sequence[Vector]]) -> float:
    return float(np.mean([abs(np.mean([np.mean([cos(w, a) for a in words]) for words in classes])) for w in targets]))


def manzini_centroid(targets: Sequence[Vector], classes: Sequence[Sequence[Vector]]) -> float:
    return float(np.mean([abs(np.mean([cos(w, np.mean(words, axis=0)) for words in classes])) for w in targets]))


def ripa(targets: Sequence[Vector], pairs: Sequence[tuple[Vector, Vector]]) -> float:
    units = [(male - female) / np.linalg.norm(male - female) for female, male in pairs]
    return float(np.mean([abs(np.mean([w @ unit for unit in units])) for w in targets]))

"""Whether people agree: ratings of the same words by different people, in one language and across languages."""

from collections.abc import Sequence, Set
from itertools import combinations

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.run import Findings
from wordworth.statistics.correlation import pearson
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn

LEAST = 3
"""Words that two lexica must share."""


def by_english(lexicon: Lexicon) -> dict[str, float]:
    """English word → its valence; in another language the mean over the words that were chosen to translate it."""
    if not lexicon.english:
        return dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
    values: dict[str, list[float]] = {}
    for english, value in zip(lexicon.english, lexicon.valence.tolist(), strict=True):
        for word in english:
            values.setdefault(word, []).append(value)
    return {word: float(np.mean(rated)) for word, rated in values.items()}


def common_words(lexica: Sequence[Lexicon]) -> frozenset[str]:
    """The English words that all of them rate."""
    return frozenset.intersection(*(frozenset(by_english(lexicon)) for lexicon in lexica))


def raters(lexica: Sequence[Lexicon], among: Set[str], settings: Intervals) -> Findings:
    """Pearson's ρ between the ratings of every two lexica, over the words of `among` that both have; an item a word."""
    findings = Findings()
    rated = {lexicon.name: by_english(lexicon) for lexicon in lexica}
    for one, other in combinations(rated, 2):
        words = sorted(rated[one].keys() & rated[other].keys() & among)
        where = {"dataset": f"{one}~{other}"}
        if len(words) < LEAST:
            findings.warn(f"{one} and {other} share {len(words)} words, too few to correlate.")
            continue
        first, second = (np.array([rated[name][word] for word in words]) for name in (one, other))
        rho = pearson(first, second, items=words, **drawn(settings))
        interval = {"value": float(rho.value), "low": float(rho.low), "high": float(rho.high)}
        findings.score(**where, measure="raters", **interval, n=rho.n)
        findings.item(**where, item=words, value=first.tolist(), reference=second.tolist())
    return findings

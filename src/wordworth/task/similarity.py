"""Word similarity: how well cosines order pairs of words as people do."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.pairs import Pairs
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.measure import cosines
from wordworth.measure import similarity as measure_similarity
from wordworth.run import Findings
from wordworth.run.flags import uncovered
from wordworth.statistics.correlation import rank_correlation
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn
from wordworth.task.words import TooFewWordsError, spelling_of


@dataclass(frozen=True)
class Recorded:
    """What is recorded of similarity beside the value in each slot."""

    interval: bool = True
    best: bool = False
    """The best slot once more, as `similarity:best`; items are then of that slot alone."""
    items: bool = True


def similarity(layers: Layers, pairs: Pairs, settings: Intervals, recorded: Recorded | None = None) -> Findings:
    """Spearman's ρ between the cosine of two words and their rated similarity, in every slot.

    It is over the pairs with both words; of a whole vocabulary the coverage is recorded too.
    """
    recorded, findings = recorded or Recorded(), Findings()
    spelled = spelling_of(pairs.language, settings)
    first, second = layers.select(pairs.first, spelled), layers.select(pairs.second, spelled)
    forms = {word: form for side in (first, second) for word, form in zip(side.words, side.resolved, strict=True)}
    merged = pairs.merged(forms)
    if merged is not pairs:
        findings.note(
            f"{layers.name}: {len(pairs) - len(merged)} pairs of {pairs.name} were merged with another that has the "
            "same vectors in another spelling, and their scores averaged."
        )
        pairs = merged
        first, second = layers.select(pairs.first, spelled), layers.select(pairs.second, spelled)
    both, left, right = np.intersect1d(first.positions, second.positions, return_indices=True)
    count = len(pairs.first)
    if len(both) < 3:
        raise TooFewWordsError(
            f"{layers.name} has both words of {len(both)} of the {count} pairs of {pairs.name}, and 3 are needed; "
            f"is it an embedding of {pairs.language} words?"
        )
    first, second = first.rows(left), second.rows(right)
    where = {**layers.columns, "language": pairs.language, "dataset": pairs.name}
    cosine = np.stack([cosines(matrix, second.read(slot)) for slot, matrix in first.each()])
    names = [f"{pairs.first[place]} {pairs.second[place]}" for place in both.tolist()]
    rows = _values(cosine, pairs.scores[both], names, settings if recorded.interval else None)
    for slot, row in zip(layers.slots, rows, strict=True):
        findings.score(**where, **slot._asdict(), measure="similarity", **row, n=len(both))
    shown = range(len(layers.slots))
    if recorded.best:
        best = int(np.argmax([row["value"] for row in rows]))
        shown = range(best, best + 1)
        slot = layers.slots[best]
        findings.score(**where, **slot._asdict(), measure="similarity:best", **rows[best], n=len(both))
    if layers.vocabulary:
        findings.score(**where, measure="coverage", value=len(both) / count, n=count)
        for line in pairs.left_out:
            findings.note(f"{pairs.name}: {line}.")
    for at in shown if recorded.items else ():
        columns: dict[str, Any] = {"found_as": _spelled(first, second)} if layers.vocabulary else {}
        reference = pairs.scores[both].tolist()
        place = layers.slots[at]._asdict()
        findings.item(**where, **place, **columns, item=names, reference=reference, value=cosine[at].tolist())
    if recorded.items:
        _record_missing(findings, where, layers, pairs, set(both.tolist()))
    findings.flag(uncovered(len(both), count))
    return findings


def words_of(pairs: Pairs) -> tuple[str, ...]:
    """Every word of the pairs, once."""
    return tuple(dict.fromkeys((*pairs.first, *pairs.second)))


def _values(
    cosine: NDArray[np.float64], scores: NDArray[np.float64], names: list[str], settings: Intervals | None
) -> list[dict[str, Any]]:
    """value, low, high of every slot; the interval is blank where there are no settings of one."""
    if settings is None:
        return [{"value": float(value), "low": None, "high": None} for value in rank_correlation(cosine, scores)]
    found = measure_similarity(cosine, scores, items=names, **drawn(settings))
    rows = zip(found.value.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    return [{"value": value, "low": low, "high": high} for value, low, high in rows]


def _spelled(first: Layers, second: Layers) -> list[str | None]:
    """How the vocabulary spells a pair, where that differs."""
    written = zip(first.words, second.words, strict=True)
    spelled = zip(first.forms, second.forms, strict=True)
    return [" ".join(forms) if forms != words else None for words, forms in zip(written, spelled, strict=True)]


def _record_missing(findings: Findings, where: dict[str, Any], layers: Layers, pairs: Pairs, there: set[int]) -> None:
    """The pairs of which a word has no vector, with the reason."""
    gone = [at for at in range(len(pairs.first)) if at not in there]
    if gone:
        reasons = dict(layers.missing())
        findings.item(
            **where,
            item=[f"{pairs.first[at]} {pairs.second[at]}" for at in gone],
            reference=[float(pairs.scores[at]) for at in gone],
            left_out=[reasons.get(pairs.first[at]) or reasons.get(pairs.second[at]) or NOT_FOUND for at in gone],
        )

"""Similarity, analogies and nearest words: how well cosines order and answer as people do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from wordworth.catalog.read.analogies import Analogies
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.embedding.cosine import nearest_neighbours
from wordworth.measure import analogies, cosines
from wordworth.measure import similarity as measure_similarity
from wordworth.measure.analogy import Rule
from wordworth.results import Findings
from wordworth.results.flags import uncovered
from wordworth.statistics.correlation import rank_correlation
from wordworth.task.settings import Intervals, WordLookup
from wordworth.task.valence import drawn
from wordworth.task.words import TooFewWordsError, rated_words, spelling_of


def similarity(
    layers: Layers, pairs: Pairs, settings: Intervals, *, interval: bool = True, best: bool = False, items: bool = True
) -> Findings:
    """Record Spearman's ρ between the cosine of two words and their rated similarity, in every slot.

    It is over the pairs with both words; of a whole vocabulary the coverage is recorded too. `best` records the best
    slot once more, as `similarity:best`, and items of that slot alone.
    """
    findings = Findings()
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
    rows = _values(cosine, pairs.scores[both], names, settings if interval else None)
    for slot, row in zip(layers.slots, rows, strict=True):
        findings.score(**where, **slot._asdict(), measure="similarity", **row, n=len(both))
    shown = range(len(layers.slots))
    if best:
        top = int(np.argmax([row["value"] for row in rows]))
        shown = range(top, top + 1)
        slot = layers.slots[top]
        findings.score(**where, **slot._asdict(), measure="similarity:best", **rows[top], n=len(both))
    if layers.vocabulary:
        findings.score(**where, measure="coverage", value=len(both) / count, n=count)
        for line in pairs.left_out:
            findings.note(f"{pairs.name}: {line}.")
    for at in shown if items else ():
        columns: dict[str, Any] = {"found_as": _spelled(first, second)} if layers.vocabulary else {}
        reference = pairs.scores[both].tolist()
        place = layers.slots[at]._asdict()
        findings.item(**where, **place, **columns, item=names, reference=reference, value=cosine[at].tolist())
    if items:
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


NEIGHBOURS = 10
MOST = 2_000
"""Words of a lexicon, at most, whose neighbours are looked for among the whole vocabulary."""


def neighbours(layers: Layers, lexicon: Lexicon, settings: WordLookup) -> Findings:
    """The ten nearest words of every word of a lexicon that is not too long, in every slot."""
    findings = Findings()
    words, lexicon = rated_words(findings, layers, lexicon, settings)
    if not 0 < len(words) <= MOST or len(layers) <= NEIGHBOURS:
        return findings
    rows = np.array([layers.index[form] for form in words.forms], dtype=np.intp)
    for slot, matrix in layers.each():
        places, cosine = nearest_neighbours(matrix, rows, NEIGHBOURS)
        findings.item(
            **layers.columns,
            **slot._asdict(),
            experiment="neighbours",
            language=lexicon.language,
            dataset=lexicon.name,
            item=list(words.words),
            found_as=[", ".join(layers.words[row] for row in near) for near in places.tolist()],
            value=cosine[:, 0].tolist(),
        )
    return findings


BEYOND = "beyond the first {:,} words of the vocabulary"
RULES: dict[Rule, str] = {"3cosadd": "analogy", "3cosmul": "analogy:3cosmul"}


def analogy(layers: Layers, questions: Analogies, settings: Any) -> Findings:
    """Scores by rule and kind, in every slot; items are the questions with the answer by 3CosAdd.

    Answers are sought among the first `settings.analogy_vocabulary` words (0: all).
    """
    findings = Findings()
    where = {**layers.columns, "language": questions.language, "dataset": questions.name}
    limit = settings.analogy_vocabulary or len(layers)
    rows = _rows(layers, questions, settings)
    known = [all(rows.get(word, limit) < limit for word in question) for question in questions.questions]
    asked = [at for at, there in enumerate(known) if there]
    section_of = [section for section in questions.sections for _ in range(section.start, section.stop)]
    findings.score(**where, measure="coverage", value=len(asked) / len(questions), n=len(questions))
    gone = [at for at, there in enumerate(known) if not there]
    if gone:
        beyond = [all(word in rows for word in questions.questions[at]) for at in gone]
        findings.item(
            **where,
            **_columns(questions, gone),
            left_out=[BEYOND.format(limit) if there else NOT_FOUND for there in beyond],
        )
    if not asked:
        findings.warn(f"{layers.name} has all four words of no analogy of {questions.name}; the task has no score.")
        return findings
    table = np.array([[rows[word] for word in questions.questions[at]] for at in asked], dtype=np.intp)
    kinds = np.array([section_of[at].kind for at in asked])
    for slot, matrix in layers.each():
        for rule, measure in RULES.items():
            answers = analogies(matrix, table, rule=rule, restrict_vocab=limit)
            right = answers == table[:, 3]
            _record(findings, {**where, **slot._asdict()}, measure, right, kinds)
            if rule == "3cosadd":
                words = [layers.words[row] for row in answers.tolist()]
                value = right.astype(float).tolist()
                findings.item(**where, **slot._asdict(), **_columns(questions, asked), found_as=words, value=value)
    findings.flag(uncovered(len(asked), len(questions)))
    return findings


def _rows(layers: Layers, questions: Analogies, settings: Any) -> dict[str, int]:
    """The row of every word of the questions that the vocabulary has."""
    words = sorted({word for question in questions.questions for word in question})
    chosen = layers.select(words, spelling_of(questions.language, settings))
    return {word: layers.index[form] for word, form in zip(chosen.words, chosen.forms, strict=True)}


def _columns(questions: Analogies, places: list[int]) -> dict[str, list[str]]:
    section_of = [section.name for section in questions.sections for _ in range(section.start, section.stop)]
    named = ["{} : {} :: {} : {}".format(*questions.questions[at]) for at in places]
    return {"item": named, "group": [section_of[at] for at in places]}


def _record(
    findings: Findings, where: dict[str, Any], measure: str, right: NDArray[np.bool_], kinds: NDArray[np.str_]
) -> None:
    """Accuracy over all questions and over either kind, with Wilson's interval."""
    for kind in ("", "semantic", "syntactic"):
        hits = right[kinds == kind] if kind else right
        if len(hits):
            name = f"{measure}:{kind}" if kind else measure
            findings.score(**where, measure=name, **rate(int(hits.sum()), len(hits)))


def rate(hits: int, count: int) -> dict[str, Any]:
    """A share with Wilson's interval, as columns of a score."""
    interval = binomtest(hits, count).proportion_ci(method="wilson")
    return {"value": hits / count, "low": float(interval.low), "high": float(interval.high), "n": count}

"""Similarity, analogies and nearest words: how well cosines order and answer as people do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Analogies, Pairs, Section
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.embedding.core import nearest_neighbours
from wordworth.measure import analogies, pair_cosines
from wordworth.measure import similarity as correlate
from wordworth.measure.analogy import Rule
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.correlation import rank_correlation
from wordworth.task.settings import Intervals, WordLookup
from wordworth.task.valence import score_slots
from wordworth.task.words import TooFewWordsError, choose_spellings, match_rated_words


def score_similarity(
    layers: Layers,
    pairs: Pairs,
    settings: Intervals,
    *,
    with_interval: bool = True,
    with_best: bool = False,
    with_items: bool = True,
) -> Findings:
    """Record Spearman's ρ between the cosine of two words and their rated similarity, in every slot.

    It is over the pairs with both words; of a whole vocabulary the coverage is recorded too. `with_best` records the
    best slot once more, as the variant `best`, and items only of that slot.
    """
    findings = Findings()
    where = {**layers.columns, "language": pairs.language, "dataset": pairs.name}
    spelling = choose_spellings(pairs.language, settings)
    words = layers.select(list_words(pairs), spelling)
    merged_pairs = pairs.merge_forms(dict(zip(words.words, words.matched_words, strict=True)))
    if merged_pairs is not pairs:
        count = len(pairs) - len(merged_pairs)
        reason = "pairs were merged with another that has the same vectors, and their scores averaged"
        findings.notice("info", reason, count=count, total=len(pairs), model=layers.name, dataset=pairs.name)
        pairs = merged_pairs
    rows = [(words.index.get(a), words.index.get(b)) for a, b in zip(pairs.first, pairs.second, strict=True)]
    both = [at for at, pair in enumerate(rows) if None not in pair]
    count = len(pairs.first)
    if len(both) < 3:
        raise TooFewWordsError(
            f"{layers.name} has both words of {len(both)} of the {count} pairs of {pairs.name}, and 3 are needed; "
            f"is it an embedding of {pairs.language} words?"
        )
    left, right = np.array([rows[at] for at in both], dtype=np.intp).T
    cosine = np.stack([pair_cosines(matrix, left, right) for _, matrix in words.each()])
    first, second = [pairs.first[at] for at in both], [pairs.second[at] for at in both]
    names = [f"{a} {b}" for a, b in zip(first, second, strict=True)]
    ratings = pairs.scores[both]
    if with_interval:
        rho = correlate(cosine, ratings, items=names, **settings.bootstrap)
        numbers = {"value": rho.value, "low": rho.low, "high": rho.high}
    else:
        numbers = {"value": rank_correlation(cosine, ratings)}
    score_slots(findings, {**where, "measure": "similarity", "n": len(both)}, layers, **numbers)
    item_slots = list(layers.slots) if with_items else []
    if with_best:
        best = int(np.argmax(numbers["value"]))
        slot = layers.slots[best]
        item_slots = item_slots and [slot]
        row = {name: column[best].item() for name, column in numbers.items()}
        findings.score(**where, **slot._asdict(), measure="similarity", variant="best", **row, n=len(both))
    if layers.vocabulary:
        findings.score(**where, measure="coverage", value=len(both) / count, n=count)
        for line in pairs.left_out:
            findings.notice("info", line, dataset=pairs.name)
    columns: Keys = {"first": first, "second": second, "rating": ratings.tolist()}
    if layers.vocabulary:
        spelled_as = dict(zip(words.words, words.forms, strict=True))
        spellings = [f"{spelled_as[a]} {spelled_as[b]}" for a, b in zip(first, second, strict=True)]
        columns["spelling"] = [form if form != name else None for form, name in zip(spellings, names, strict=True)]
    for slot, values in zip(layers.slots, cosine.tolist(), strict=True):
        if slot in item_slots:
            findings.item("word_pairs", **where, **slot._asdict(), **columns, value=values)
    if with_items:
        _record_missing(findings, where, layers, pairs, set(both))
    findings.set_coverage(len(both) / count)
    return findings


def list_words(pairs: Pairs) -> tuple[str, ...]:
    """Return every word of the pairs once."""
    return tuple(dict.fromkeys((*pairs.first, *pairs.second)))


def _record_missing(findings: Findings, where: Keys, layers: Layers, pairs: Pairs, usable: set[int]) -> None:
    """Record the pairs of which a word has no vector, with the reason."""
    missing = [at for at in range(len(pairs.first)) if at not in usable]
    if missing:
        reasons = dict(layers.missing())
        findings.item(
            "word_pairs",
            **where,
            first=[pairs.first[at] for at in missing],
            second=[pairs.second[at] for at in missing],
            rating=[float(pairs.scores[at]) for at in missing],
            skipped=[reasons.get(pairs.first[at]) or reasons.get(pairs.second[at]) or NOT_FOUND for at in missing],
        )


NEIGHBOURS = 10
MAX_NEIGHBOUR_WORDS = 2_000
"""Longer lexica are not searched for neighbours in the whole vocabulary."""


def record_neighbours(layers: Layers, lexicon: Lexicon, settings: WordLookup) -> Findings:
    """Record the ten nearest words of every word of a lexicon that is not too long, in every slot."""
    findings = Findings()
    words, lexicon = match_rated_words(findings, layers, lexicon, settings)
    if not 0 < len(words) <= MAX_NEIGHBOUR_WORDS or len(layers) <= NEIGHBOURS:
        return findings
    rows = np.array([layers.index[form] for form in words.forms], dtype=np.intp)
    for slot, matrix in layers.each():
        places, cosine = nearest_neighbours(matrix, rows, NEIGHBOURS)
        findings.item(
            "neighbours",
            **layers.columns,
            **slot._asdict(),
            experiment="neighbours",
            language=lexicon.language,
            dataset=lexicon.name,
            word=list(words.words),
            neighbours=[[layers.words[row] for row in near] for near in places.tolist()],
            value=cosine[:, 0].tolist(),
        )
    return findings


RULES: dict[Rule, str | None] = {"3cosadd": None, "3cosmul": "3cosmul"}
"""Rule → variant of the measure."""


def score_analogies(layers: Layers, questions: Analogies, settings: Any) -> Findings:
    """Record scores by rule and kind, in every slot; items are the questions with the answer by 3CosAdd.

    Answers are sought among the first `settings.analogy_vocabulary` words (0: all).
    """
    findings = Findings()
    where = {**layers.columns, "language": questions.language, "dataset": questions.name}
    limit = settings.analogy_vocabulary or len(layers)
    rows = _find_rows(layers, questions, settings)
    is_known = [all(rows.get(word, limit) < limit for word in question) for question in questions.questions]
    asked = [at for at, known in enumerate(is_known) if known]
    missing = [at for at, known in enumerate(is_known) if not known]
    coverage = len(asked) / len(questions)
    findings.score(**where, measure="coverage", value=coverage, n=len(questions))
    if missing:
        beyond = f"beyond the first {limit:,} words of the vocabulary"
        has_words = [all(word in rows for word in questions.questions[at]) for at in missing]
        reasons = [beyond if has_all else NOT_FOUND for has_all in has_words]
        findings.item("analogies", **where, **_columns(questions, missing), skipped=reasons)
    if not asked:
        reason = "analogies have all four words in the vocabulary"
        place = {"model": layers.name, "dataset": questions.name}
        findings.notice("skipped", reason, count=0, total=len(questions), **place)
        return findings
    table = np.array([[rows[word] for word in questions.questions[at]] for at in asked], dtype=np.intp)
    sections = _sections(questions)
    kinds = np.array([sections[at].kind for at in asked])
    for slot, matrix in layers.each():
        place = {**where, **slot._asdict()}
        for rule, variant in RULES.items():
            answers = analogies(matrix, table, rule=rule, restrict_vocab=limit)
            is_correct = answers == table[:, 3]
            _record_accuracy(findings, place | {"measure": "analogy", "variant": variant}, is_correct, kinds)
            if variant is None:
                words = [layers.words[row] for row in answers.tolist()]
                columns = {**_columns(questions, asked), "answer": words, "is_correct": is_correct.tolist()}
                findings.item("analogies", **place, **columns)
    findings.set_coverage(coverage)
    return findings


def _find_rows(layers: Layers, questions: Analogies, settings: Any) -> dict[str, int]:
    """Return the row of every word of the questions that the vocabulary has."""
    words = sorted({word for question in questions.questions for word in question})
    selected = layers.select(words, choose_spellings(questions.language, settings))
    return {word: layers.index[form] for word, form in zip(selected.words, selected.forms, strict=True)}


def _sections(questions: Analogies) -> list[Section]:
    """Return the section of each question."""
    return [section for section in questions.sections for _ in range(section.start, section.stop)]


def _columns(questions: Analogies, places: list[int]) -> dict[str, list[str]]:
    sections = _sections(questions)
    words = zip(*(questions.questions[at] for at in places), strict=True)
    return {**dict(zip("abcd", map(list, words), strict=True)), "section": [sections[at].name for at in places]}


def _record_accuracy(findings: Findings, where: Keys, is_correct: NDArray[np.bool_], kinds: NDArray[np.str_]) -> None:
    """Record the accuracy over all questions and over either kind, with Wilson's interval."""
    for kind in (None, "semantic", "syntactic"):
        hits = is_correct[kinds == kind] if kind else is_correct
        if len(hits):
            findings.score(**where, subset=kind, **estimate_rate(int(hits.sum()), len(hits)))


def estimate_rate(hits: int, count: int) -> dict[str, Any]:
    """Return a share with Wilson's interval, as columns of a score."""
    interval = binomtest(hits, count).proportion_ci(method="wilson")
    return {"value": hits / count, "low": float(interval.low), "high": float(interval.high), "n": count}

"""Analogies: accuracy of 3CosAdd and 3CosMul over the questions whose four words are there, by kind of question."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from wordworth.catalog.read.analogies import Analogies
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.measure import analogies
from wordworth.measure.analogy import Rule
from wordworth.run import Findings
from wordworth.run.flags import uncovered
from wordworth.task.words import spelling_of

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

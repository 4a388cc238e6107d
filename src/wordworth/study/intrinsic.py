"""The intrinsic tasks on one embedding: valence, word similarity, analogies. Each adds scores and items."""

import re

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from wordworth.catalog.read.analogies import Analogies
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.catalog.read.word_sets import PolarWords
from wordworth.embedding import Embedding, Lookup, spellings
from wordworth.embedding.neighbours import nearest_neighbours
from wordworth.measure import analogies, cosines, sc_weat, sc_weat_p, similarity, valence, valence_spearman
from wordworth.measure.analogy import Rule
from wordworth.statistics.correlation import Correlation
from wordworth.study.findings import Findings
from wordworth.study.options import NOT_FOUND, Options, TooFewWordsError, find_sets, found_as

BEYOND = "beyond the first {:,} words of the vocabulary"


NEIGHBOURS = 10
ASKED = 2_000
"""Words of a lexicon, at most, whose neighbours are looked for among the whole vocabulary."""


def _correlation(findings: Findings, where: dict[str, str], measure: str, found: Correlation) -> None:
    interval = {"value": float(found.value), "low": float(found.low), "high": float(found.high)}
    findings.score(**where, measure=measure, **interval, n=found.n)


def _spread(values: NDArray[np.float64], positions: NDArray[np.intp], length: int) -> list[float | None]:
    """Values of the items that were found, at their places among all that were asked for."""
    column: list[float | None] = [None] * length
    for position, value in zip(positions.tolist(), values.tolist(), strict=True):
        column[position] = value
    return column


def valence_of(
    findings: Findings,
    embedding: Embedding,
    lexicon: Lexicon,
    polar: PolarWords,
    options: Options,
    experiment: str = "valence",
) -> None:
    """ValNorm: SC-WEAT effect size and p of every word of the lexicon, and ρ of the effect sizes with the ratings."""
    where = {
        "experiment": experiment,
        "model": embedding.name,
        "language": lexicon.language,
        "dataset": lexicon.name,
    }
    sets = {"pleasant": polar.pleasant, "unpleasant": polar.unpleasant}
    findings.used_words(f"polar words, {polar.language}", sets)
    poles = find_sets(embedding, sets, polar.language, options, f"polar words of {polar.language}")
    A, B = (pole.vectors(embedding) for pole in poles)
    lookup = embedding.find(lexicon.words, spellings(lexicon.language, options.case))
    if len(lookup.words) < 3:
        raise TooFewWordsError(
            f"{embedding.name} has {len(lookup.words)} of the {len(lexicon)} words of {lexicon.name}, and 3 are "
            f"needed; is it an embedding of {lexicon.language} words?"
        )
    vectors = embedding.matrix[lookup.rows]
    effects = sc_weat(vectors, A, B)
    tested = sc_weat_p(
        vectors, A, B, sides=options.sides, method=options.method, permutations=options.permutations, seed=options.seed
    )
    ratings = lexicon.valence[lookup.positions]
    drawn = {"resamples": options.resamples, "seed": options.seed}
    _correlation(findings, where, "valence", valence(effects, ratings, **drawn))
    _correlation(findings, where, "valence:spearman", valence_spearman(effects, ratings, **drawn))
    findings.score(**where, measure="coverage", value=len(lookup.words) / len(lexicon), n=len(lexicon))
    findings.note(f"valence: p of a word is {tested.method} over {tested.partitions:,} partitions of the polar words.")
    for word in polar.dropped:
        findings.note(f"The polar word {word!r} ({polar.language}) was published twice and is used once.")
    count = len(lexicon)
    findings.item(
        **where,
        item=list(lexicon.words),
        found_as=found_as(lexicon.words, lookup),
        group="lexicon",
        reference=lexicon.valence.tolist(),
        value=_spread(effects, lookup.positions, count),
        p=_spread(tested.p, lookup.positions, count),
        left_out=_missing(count, lookup.positions),
    )
    if lexicon.left_out:
        findings.item(
            **where,
            item=[row.word for row in lexicon.left_out],
            group="lexicon rows",
            left_out=[f"{lexicon.name}: {_kind_of(row.reason)}" for row in lexicon.left_out],
        )
    for pole in poles:
        forms = found_as(pole.words, pole.lookup)
        findings.item(**where, item=list(pole.words), found_as=forms, group=pole.label, left_out=pole.reasons())


def neighbours_of(findings: Findings, embedding: Embedding, lexicon: Lexicon, options: Options) -> None:
    """The nearest words of every word of a lexicon that is not too long, for a reader to look at: items, no score."""
    lookup = embedding.find(lexicon.words, spellings(lexicon.language, options.case))
    if not 0 < len(lookup.rows) <= ASKED or len(embedding) <= NEIGHBOURS:
        return
    place, cosine = nearest_neighbours(embedding.matrix, np.asarray(lookup.rows), NEIGHBOURS)
    findings.item(
        experiment="neighbours",
        model=embedding.name,
        language=lexicon.language,
        dataset=lexicon.name,
        item=[lexicon.words[at] for at in lookup.positions.tolist()],
        found_as=[", ".join(embedding.words[row] for row in rows) for rows in place.tolist()],
        value=cosine[:, 0].tolist(),
    )


def _kind_of(reason: str) -> str:
    """A reason less what differs from row to row, so that reasons can be counted."""
    return re.sub(r"on line \d+", "on another line", reason.partition(":")[0].partition("(")[0].strip())


def _missing(length: int, positions: NDArray[np.intp]) -> list[str | None]:
    found = set(positions.tolist())
    return [None if at in found else NOT_FOUND for at in range(length)]


def _spelled_pairs(pairs: Pairs, first: Lookup, second: Lookup) -> list[str | None]:
    """For every pair with both words, how the vocabulary spells it where that differs."""
    forms = [dict(zip(side.positions.tolist(), side.forms, strict=True)) for side in (first, second)]
    told: list[str | None] = []
    for at, asked in enumerate(zip(pairs.first, pairs.second, strict=True)):
        found = [form[at] for form in forms if at in form]
        told.append(" ".join(found) if len(found) == 2 and found != list(asked) else None)
    return told


def similarity_of(
    findings: Findings, embedding: Embedding, pairs: Pairs, options: Options, experiment: str = "similarity"
) -> None:
    """Spearman's ρ between the cosine of two words and their rated similarity, over the pairs with both words."""
    where = {
        "experiment": experiment,
        "model": embedding.name,
        "language": pairs.language,
        "dataset": pairs.name,
    }
    spelled = spellings(pairs.language, options.case)
    first, second = embedding.find(pairs.first, spelled), embedding.find(pairs.second, spelled)
    both, at_first, at_second = np.intersect1d(first.positions, second.positions, return_indices=True)
    count = len(pairs.first)
    if len(both) < 3:
        raise TooFewWordsError(
            f"{embedding.name} has both words of {len(both)} of the {count} pairs of {pairs.name}, and 3 are needed; "
            f"is it an embedding of {pairs.language} words?"
        )
    left, right = embedding.vectors(first.rows[at_first]), embedding.vectors(second.rows[at_second])
    found = similarity(left, right, pairs.scores[both], resamples=options.resamples, seed=options.seed)
    _correlation(findings, where, "similarity", found)
    findings.score(**where, measure="coverage", value=len(both) / count, n=count)
    for line in pairs.left_out:
        findings.note(f"{pairs.name}: {line}.")
    findings.item(
        **where,
        item=[f"{one} {other}" for one, other in zip(pairs.first, pairs.second, strict=True)],
        found_as=_spelled_pairs(pairs, first, second),
        reference=pairs.scores.tolist(),
        value=_spread(cosines(left, right), both, count),
        left_out=_missing(count, both),
    )


def analogies_of(findings: Findings, embedding: Embedding, questions: Analogies, options: Options) -> None:
    """Accuracy of 3CosAdd and 3CosMul over the questions whose four words are there, by kind of question."""
    where = {
        "experiment": "analogy",
        "model": embedding.name,
        "language": questions.language,
        "dataset": questions.name,
    }
    words = sorted({word for question in questions.questions for word in question})
    lookup = embedding.find(words, spellings(questions.language, options.case))
    rows = dict(zip(lookup.words, lookup.rows.tolist(), strict=True))
    limit = options.analogy_vocabulary or len(embedding)
    known = [all(rows.get(word, limit) < limit for word in question) for question in questions.questions]
    asked = np.array([at for at, there in enumerate(known) if there], dtype=np.intp)
    section_of = [section for section in questions.sections for _ in range(section.start, section.stop)]
    items = {"item": [f"{a} : {b} :: {c} : {d}" for a, b, c, d in questions.questions]}
    items |= {"group": [section.name for section in section_of]}
    reasons = [
        None if there else BEYOND.format(limit) if all(word in rows for word in question) else NOT_FOUND
        for there, question in zip(known, questions.questions, strict=True)
    ]
    findings.score(**where, measure="coverage", value=len(asked) / len(questions), n=len(questions))
    if not len(asked):
        findings.warn(f"{embedding.name} has all four words of no analogy of {questions.name}; the task has no score.")
        findings.item(**where, **items, left_out=reasons)
        return
    table = np.array([[rows[word] for word in questions.questions[at]] for at in asked.tolist()], dtype=np.intp)
    kinds = np.array([section_of[at].kind for at in asked.tolist()])
    rules: dict[Rule, str] = {"3cosadd": "analogy", "3cosmul": "analogy:3cosmul"}
    for rule, measure in rules.items():
        answers = analogies(embedding.matrix, table, rule=rule, restrict_vocab=limit)
        right = answers == table[:, 3]
        for kind in ("", "semantic", "syntactic"):
            hits = right[kinds == kind] if kind else right
            if len(hits):
                interval = binomtest(int(hits.sum()), len(hits)).proportion_ci(method="wilson")
                findings.score(
                    **where,
                    measure=f"{measure}:{kind}" if kind else measure,
                    value=float(hits.mean()),
                    low=float(interval.low),
                    high=float(interval.high),
                    n=len(hits),
                )
        if rule == "3cosadd":
            answered = {at: embedding.words[row] for at, row in zip(asked.tolist(), answers.tolist(), strict=True)}
            findings.item(
                **where,
                **items,
                found_as=[answered.get(at) for at in range(len(questions))],
                value=_spread(right.astype(np.float64), asked, len(questions)),
                left_out=reasons,
            )

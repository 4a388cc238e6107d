"""Valence: the association of a lexicon's words with two poles, and its agreement with people's ratings.

Controls show what ρ is by chance, and what it is without the polar words themselves. Ratings of the same words by
different people show how far people agree.
"""

import re
from collections.abc import Collection, Sequence, Set
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import Layers
from wordworth.measure import VALENCE, sc_weat, sc_weat_p
from wordworth.measure import valence as correlate
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.correlation import Correlation, pearson, rank_correlation, shuffled_pearson
from wordworth.task.settings import Intervals, Permutations
from wordworth.task.words import Poles, TooFewWordsError, match_rated_words, record_missing, record_set

MIN_WORDS_PER_HALF = 10
"""Words in either half of a lexicon, below which nothing is picked on one half and judged on the other."""
RATED_WORDS = "rated_words"
JOIN = " / "
"""Joins the translations of one English word in the name of their item."""


class RatedItems:
    """Items whose effect sizes are correlated with `people`'s ratings: words, or English words by their translations.

    Words that translate the same English words are one item (as in `score_raters`) where the lexicon counts by English.
    """

    def __init__(self, words: Sequence[str], lexicon: Lexicon) -> None:
        meanings = dict(zip(lexicon.words, lexicon.english, strict=True)) if lexicon.by_english else {}
        translations: dict[tuple[str, ...], list[str]] = {}
        for word, meaning in meanings.items():
            translations.setdefault(meaning, []).append(word)
        rows: dict[str, list[int]] = {}
        for row, word in enumerate(words):
            rows.setdefault(JOIN.join(translations[meanings[word]]) if meanings else word, []).append(row)
        self.names = list(rows)
        self.members = [[words[row] for row in some] for some in rows.values()]
        self._rows = np.concatenate([*rows.values()]).astype(np.intp) if rows else np.empty(0, dtype=np.intp)
        self._starts = np.cumsum([0, *map(len, self.members)])[:-1]
        ratings = dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
        self.people = self.mean(np.array([ratings[word] for word in words]))

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Average values (..., words) over the words of each item: (..., items)."""
        if len(self.names) == values.shape[-1]:
            return values
        sums = np.add.reduceat(values[..., self._rows], self._starts, axis=-1)
        return np.asarray(sums / [len(words) for words in self.members])

    def columns(self, words: Layers, p: NDArray[np.float64] | None) -> dict[str, Any]:
        """Return the columns that say which words the items are, and p and tokens where an item is a single word."""
        row_of = {word: row for row, word in enumerate(words.words)}
        members = [[row_of[word] for word in some] for some in self.members]
        forms = [JOIN.join(words.matched_words[row] for row in rows) for rows in members]
        columns: dict[str, Any] = {"word": self.names}
        columns["spelling"] = [form if form != name else None for form, name in zip(forms, self.names, strict=True)]
        for name, values in (("p", p), ("subwords", words.subwords)):
            if values is not None:
                columns[name] = [values[rows[0]].item() if len(rows) == 1 else None for rows in members]
        return columns


def score_valence(
    layers: Layers,
    poles: Poles,
    lexicon: Lexicon,
    settings: Intervals,
    *,
    with_spearman: bool = True,
    effects: NDArray[np.float64] | None = None,
) -> Findings:
    """Record ρ of the words' SC-WEAT effect sizes with their rated valence in every slot, and an item per word.

    `layers` are a whole vocabulary, for which p of each word and the coverage are recorded too, or the lexicon's own
    words encoded. `effects` are the words' effect sizes where they are known already.
    """
    findings = Findings()
    words, lexicon = match_rated_words(findings, layers, lexicon, settings)
    if len(words) < 3:
        raise TooFewWordsError(
            f"{layers.name} has {len(words)} of the {len(lexicon)} words of {lexicon.name}, and 3 are "
            f"needed; is it an embedding of {lexicon.language} words?"
        )
    where = {**layers.columns, "language": lexicon.language, "dataset": lexicon.name}
    if effects is None:
        effects = compute_effect_sizes(words, poles)
    items = RatedItems(words.words, lexicon)
    people, associated = items.people, items.mean(effects)
    for variant in (None, "spearman") if with_spearman else (None,):
        options = {"ranked": variant == "spearman", "items": items.names, **settings.bootstrap}
        agreement = correlate(associated, people, **options)
        record_slots(findings, {**where, "measure": VALENCE, "variant": variant}, words, agreement)
    if len(words.slots) > 1 and len(items.names) >= 2 * MIN_WORDS_PER_HALF:
        _score_held_out(findings, where, words, items, associated, settings)
    p = None
    if layers.vocabulary:
        findings.score(**where, measure="coverage", value=len(words) / len(lexicon), n=len(lexicon))
        p = _test_words(findings, where, (words, poles), effects, settings)
    for at, slot in enumerate(words.slots):
        findings.item(
            RATED_WORDS,
            **where,
            **slot._asdict(),
            **items.columns(words, None if p is None else p[at]),
            rating=people.tolist(),
            value=associated[at].tolist(),
        )
    ratings = dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
    record_missing(findings, RATED_WORDS, where, words, ratings)
    if lexicon.left_out and layers.vocabulary:
        reasons = [f"{lexicon.name}: {_kind_of(row.reason)}" for row in lexicon.left_out]
        findings.item(RATED_WORDS, **where, word=[row.word for row in lexicon.left_out], skipped=reasons)
    for label, pole in zip(("pleasant", "unpleasant"), poles, strict=True):
        (record_set if layers.vocabulary else record_missing)(findings, "word_lists", where, pole, list=label)
    findings.set_coverage(len(words) / len(words.requested_words))
    return findings


def _score_held_out(
    findings: Findings, where: Keys, words: Layers, items: RatedItems, effects: NDArray[np.float64], settings: Intervals
) -> None:
    """Score the slot that is best on one half of the items on the other half: the best of many must not judge itself.

    `effects` are slots × items.
    """
    people = items.people
    by_name = np.argsort(np.array(items.names))  # so that the halves do not depend on the order of a file
    shuffled = np.random.default_rng(settings.seed).permutation(by_name)
    picking, judging = shuffled[: len(shuffled) // 2], shuffled[len(shuffled) // 2 :]
    best = int(np.argmax(correlate(effects[:, picking], people[picking], resamples=1).value))
    names = [items.names[row] for row in judging.tolist()]
    rho = correlate(effects[best, judging], people[judging], items=names, **settings.bootstrap)
    slot = words.slots[best]._asdict()
    findings.score(**where, **slot, measure=VALENCE, variant="held-out", **get_interval(rho), n=rho.n)


def compute_effect_sizes(words: Layers, poles: Poles) -> NDArray[np.float64]:
    """Return the SC-WEAT effect size of every word: slots × words."""
    high, low = poles
    return np.stack([sc_weat(matrix, high.read(slot), low.read(slot)) for slot, matrix in words.each()])


def record_slots(findings: Findings, where: Keys, layers: Layers, rho: Correlation) -> None:
    """Record one score per slot, of correlations that were computed together."""
    score_slots(findings, where | {"n": rho.n}, layers, value=rho.value, low=rho.low, high=rho.high)


def score_slots(findings: Findings, where: Keys, layers: Layers, **numbers: NDArray[np.floating[Any]]) -> None:
    """Record one score per slot; `numbers` are columns of the scores as arrays over the slots."""
    rows = zip(*(column.tolist() for column in numbers.values()), strict=True)
    for slot, row in zip(layers.slots, rows, strict=True):
        findings.score(**where, **slot._asdict(), **dict(zip(numbers, row, strict=True)))


def get_interval(rho: Correlation) -> dict[str, float]:
    """Return a single correlation and its interval, as columns of a score."""
    return {"value": float(rho.value), "low": float(rho.low), "high": float(rho.high)}


def _test_words(
    findings: Findings,
    where: Keys,
    words_and_poles: tuple[Layers, Poles],
    effects: NDArray[np.float64],
    settings: Intervals,
) -> list[NDArray[np.float64]]:
    """Return p of every word in each slot, and score how far p follows the effect size (ValNorm: ρ ≥ .99).

    The score says how p of the words was computed; it has no p of its own. All p may be the same: then it is skipped.
    """
    assert isinstance(settings, Permutations)
    options, (words, (high, low)) = settings.permutation, words_and_poles
    p_by_slot = []
    for (slot, matrix), d in zip(words.each(), effects, strict=True):
        test = sc_weat_p(matrix, high.read(slot), low.read(slot), **options)
        p_by_slot.append(test.p)
        if np.ptp(test.p):
            how = {"p_method": test.method, "sides": settings.sides, "partitions": test.partitions}
            place = {**where, **slot._asdict(), "measure": VALENCE, "variant": "p-against-d"}
            findings.score(**place, **how, value=float(rank_correlation(d, 1 - test.p)), n=len(d))
    return p_by_slot


def _kind_of(reason: str) -> str:
    """Return a reason without what differs from row to row, so that reasons can be counted."""
    return re.sub(r"on line \d+", "on another line", reason.partition(":")[0].partition("(")[0].strip())


class RatedEffects:
    """A lexicon's words with effect sizes and ratings, in alphabetical order: random draws depend only on the words."""

    def __init__(self, layers: Layers, lexicon: Lexicon, effects: NDArray[np.float64]) -> None:
        items = RatedItems(layers.words, lexicon)
        order = np.argsort(np.array(items.names))
        self.layers, self.lexicon = layers, lexicon
        self.names = [items.names[row] for row in order.tolist()]
        matched = dict(zip(layers.words, layers.matched_words, strict=True))
        self.forms = [{matched[word] for word in items.members[row]} for row in order.tolist()]
        """The words of each item, one or the translations of an English word, as the vocabulary has them."""
        self.effects = items.mean(effects)[:, order]
        """slots × items."""
        self.people = items.people[order]

    def place(self, control: str, variant: str | None = None) -> dict[str, Any]:
        """Return the columns of a control's scores, or with `above-control` those of the difference from it."""
        where = {**self.layers.columns, "language": self.lexicon.language, "dataset": self.lexicon.name}
        return where | {"experiment": "control", "control": control, "measure": VALENCE, "variant": variant}


def score_shuffled(findings: Findings, effects: RatedEffects, settings: Intervals) -> None:
    """Record mean ρ and the range of 95 % of the shuffles; then ρ above that mean, with p."""
    chance, p = shuffled_pearson(effects.effects, effects.people, shuffles=settings.resamples, seed=settings.seed)
    rho = correlate(effects.effects, effects.people, items=effects.names, **settings.bootstrap)
    test = {"p_method": "monte-carlo", "sides": "two", "partitions": settings.resamples, "n": rho.n}
    record_slots(findings, effects.place("shuffled"), effects.layers, chance)
    # Over shuffles the mean is a constant, so only ρ has an interval over words.
    above = {name: getattr(rho, name) - chance.value for name in ("value", "low", "high")}
    score_slots(findings, effects.place("shuffled", "above-control") | test, effects.layers, **above, p=p)


def score_without_poles(findings: Findings, effects: RatedEffects, polar: Collection[str], settings: Intervals) -> None:
    """Record ρ over the words that are no poles; `polar` has those as the vocabulary or the tokenizer has them."""
    poles = set(polar)
    rest = [row for row, forms in enumerate(effects.forms) if poles.isdisjoint(forms)]
    names = [effects.names[row] for row in rest]
    rho = correlate(effects.effects[:, rest], effects.people[rest], items=names, **settings.bootstrap)
    record_slots(findings, effects.place("poles-out"), effects.layers, rho)
    total = len(effects.names)
    place = {"model": effects.layers.name, "control": "poles-out", "dataset": effects.lexicon.name}
    findings.notice("info", "words are polar words, and are removed", count=total - len(rest), total=total, **place)


MIN_SHARED_WORDS = 3
"""Words that two lexica must share."""


def average_by_english(lexicon: Lexicon) -> dict[str, float]:
    """Return the valence of each English word; in another language the mean over the words that translate it."""
    if not lexicon.english:
        return dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
    values: dict[str, list[float]] = {}
    for english, value in zip(lexicon.english, lexicon.valence.tolist(), strict=True):
        for word in english:
            values.setdefault(word, []).append(value)
    return {word: float(np.mean(ratings)) for word, ratings in values.items()}


def find_common_words(lexica: Sequence[Lexicon]) -> frozenset[str]:
    """Return the English words that all lexica rate."""
    return frozenset.intersection(*(frozenset(average_by_english(lexicon)) for lexicon in lexica))


def score_raters(lexica: Sequence[Lexicon], among: Set[str], settings: Intervals) -> Findings:
    """Record Pearson's ρ between the ratings of every two lexica over the words of `among` that both have."""
    findings = Findings()
    ratings = {lexicon.name: average_by_english(lexicon) for lexicon in lexica}
    for one, other in combinations(ratings, 2):
        words = sorted(ratings[one].keys() & ratings[other].keys() & among)
        place = {"dataset": one, "subset": other}
        if len(words) < MIN_SHARED_WORDS:
            reason = "words are in both lexica, too few to correlate"
            findings.notice("skipped", reason, count=len(words), dataset=f"{one} and {other}")
            continue
        first, second = (np.array([ratings[name][word] for word in words]) for name in (one, other))
        rho = pearson(first, second, items=words, **settings.bootstrap)
        findings.score(**place, measure="raters", **get_interval(rho), n=rho.n)
        findings.item(RATED_WORDS, **place, word=words, value=first.tolist(), rating=second.tolist())
    return findings

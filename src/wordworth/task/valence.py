"""Valence: the association of a lexicon's words with two poles, and its agreement with people's ratings.

Controls say what ρ is where chance is all there is, and where polar words are not held against themselves. Ratings of
the same words by different people say how far people agree.
"""

import re
from collections.abc import Collection, Sequence, Set
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import Layers
from wordworth.measure import sc_weat, sc_weat_p
from wordworth.measure import valence as measure_valence
from wordworth.results import Findings
from wordworth.results.flags import uncovered
from wordworth.statistics.correlation import Correlation, pearson, rank_correlation, shuffled_pearson
from wordworth.task.settings import Intervals, Permuted
from wordworth.task.words import Poles, TooFewWordsError, rated_words, record_missing, record_set

MIN_WORDS_PER_HALF = 10
"""Words in either half of a lexicon, below which nothing is picked on one half and judged on the other."""
BOTH = ("valence", "valence:spearman")
JOIN = " / "
"""Between the translations of one English word, in the name of their item."""


class RatedItems:
    """Items whose effect sizes are held against ratings: words, or English words by the mean over their translations.

    Words that translate the same English words are one item (as in `raters`), where the lexicon counts by English.
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

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Average values (..., words) over the words of each item: (..., items)."""
        if len(self.names) == values.shape[-1]:
            return values
        sums = np.add.reduceat(values[..., self._rows], self._starts, axis=-1)
        return np.asarray(sums / [len(words) for words in self.members])

    def columns(self, words: Layers, p: NDArray[np.float64] | None) -> dict[str, Any]:
        """Return the columns of items that say which words they are of, and p where an item is a single word."""
        if len(self.names) == len(words):
            return {**word_columns(words), "item": self.names, "p": None if p is None else p.tolist()}
        form_of = dict(zip(words.words, words.forms or words.words, strict=True))
        p_of = dict(zip(words.words, [None] * len(words) if p is None else p.tolist(), strict=True))
        forms = [JOIN.join(form_of[word] for word in some) for some in self.members]
        return {
            "item": self.names,
            "found_as": [form if form != name else None for form, name in zip(forms, self.names, strict=True)],
            "p": [p_of[some[0]] if len(some) == 1 else None for some in self.members],
        }


def valence(
    layers: Layers,
    poles: Poles,
    lexicon: Lexicon,
    settings: Intervals,
    *,
    measures: tuple[str, ...] = BOTH,
    rated: str = "valence",
    effects: NDArray[np.float64] | None = None,
) -> Findings:
    """ρ of the words' SC-WEAT effect sizes with their ratings, in every slot, with an item a word.

    `layers` are a whole vocabulary, of which a word's p and the coverage are recorded too, or the lexicon's own words
    encoded. `rated` is what the lexicon rates: valence, dominance or arousal. `effects` are the words' effect sizes,
    where they are known already.
    """
    findings = Findings()
    words, lexicon = rated_words(findings, layers, lexicon, settings)
    if len(words) < 3:
        raise TooFewWordsError(
            f"{layers.name} has {len(words)} of the {len(lexicon)} words of {lexicon.name}, and 3 are "
            f"needed; is it an embedding of {lexicon.language} words?"
        )
    where = {**layers.columns, "language": lexicon.language, "dataset": lexicon.name}
    if effects is None:
        effects = effect_sizes(words, poles)
    ratings = dict(zip(lexicon.words, lexicon.ratings[rated].tolist(), strict=True))
    items = RatedItems(words.words, lexicon)
    people, associated = items.mean(np.array([ratings[word] for word in words.words])), items.mean(effects)
    for measure in measures:
        ranked = measure.endswith(":spearman")
        agreement = measure_valence(associated, people, ranked=ranked, items=items.names, **drawn(settings))
        record_slots(findings, {**where, "measure": measure}, words, agreement)
    if "valence" in measures and len(words.slots) > 1 and len(items.names) >= 2 * MIN_WORDS_PER_HALF:
        _held_out(findings, where, words, (items.names, associated, people), settings)
    chance: list[NDArray[np.float64] | None] = [None] * len(words.slots)
    if layers.vocabulary:
        findings.score(**where, measure="coverage", value=len(words) / len(lexicon), n=len(lexicon))
        chance = _p_values(findings, words, poles, settings)
        _p_against_d(findings, where, words, effects, chance)
    for at, slot in enumerate(words.slots):
        findings.item(
            **where,
            **slot._asdict(),
            **items.columns(words, chance[at]),
            group="lexicon",
            reference=people.tolist(),
            value=associated[at].tolist(),
        )
    record_missing(findings, where, words, "lexicon", ratings)
    if lexicon.left_out and layers.vocabulary:
        reasons = [f"{lexicon.name}: {_kind_of(row.reason)}" for row in lexicon.left_out]
        rows = [row.word for row in lexicon.left_out]
        findings.item(**where, item=rows, group="lexicon rows", left_out=reasons)
    for label, pole in zip(("pleasant", "unpleasant"), poles, strict=True):
        (record_set if layers.vocabulary else record_missing)(findings, where, pole, label)
    findings.flag(uncovered(len(words), len(words.asked)))
    return findings


def _held_out(
    findings: Findings,
    where: dict[str, Any],
    words: Layers,
    rated: tuple[list[str], NDArray[np.float64], NDArray[np.float64]],
    settings: Intervals,
) -> None:
    """The slot that is best on one half of the items, scored on the other: the best of many is not its own judge.

    `rated` are the items' names, effect sizes (slots × items) and ratings.
    """
    items, effects, people = rated
    by_name = np.argsort(np.array(items))  # so that the halves do not depend on the order of a file
    shuffled = np.random.default_rng(settings.seed).permutation(by_name)
    picking, judging = shuffled[: len(shuffled) // 2], shuffled[len(shuffled) // 2 :]
    best = int(np.argmax(measure_valence(effects[:, picking], people[picking], resamples=1).value))
    names = [items[row] for row in judging.tolist()]
    found = measure_valence(effects[best, judging], people[judging], items=names, **drawn(settings))
    interval = {name: float(getattr(found, name)) for name in ("value", "low", "high")}
    findings.score(**where, **words.slots[best]._asdict(), measure="valence:held-out", **interval, n=found.n)


def effect_sizes(words: Layers, poles: Poles) -> NDArray[np.float64]:
    """slots × words: the SC-WEAT effect size of every word."""
    high, low = poles
    return np.stack([sc_weat(matrix, high.read(slot), low.read(slot)) for slot, matrix in words.each()])


def word_columns(words: Layers) -> dict[str, Any]:
    """The columns of items that say which word it is, how it is spelled and in how many tokens."""
    columns: dict[str, Any] = {"item": list(words.words)}
    if words.subwords is not None:
        return columns | {"subwords": words.subwords.tolist()}
    return columns | {"found_as": words.found_as()}


def drawn(settings: Intervals) -> dict[str, Any]:
    """How an interval is resampled."""
    return {"resamples": settings.resamples, "seed": settings.seed}


def record_slots(findings: Findings, where: dict[str, Any], layers: Layers, found: Correlation) -> None:
    """One score a slot, of correlations that were computed together."""
    for at, slot in enumerate(layers.slots):
        interval = {name: float(np.asarray(getattr(found, name))[at]) for name in ("value", "low", "high")}
        findings.score(**where, **slot._asdict(), **interval, n=found.n)


def _p_values(findings: Findings, words: Layers, poles: Poles, settings: Intervals) -> list[NDArray[np.float64] | None]:
    assert isinstance(settings, Permuted)
    p: list[NDArray[np.float64] | None] = []
    for slot, matrix in words.each():
        tested = sc_weat_p(matrix, poles[0].read(slot), poles[1].read(slot), **permuted(settings))
        p.append(tested.p)
        findings.note(
            f"valence: p of a word is {tested.method} over {tested.partitions:,} partitions of the polar words."
        )
    return p


def _p_against_d(
    findings: Findings,
    where: dict[str, Any],
    words: Layers,
    effects: NDArray[np.float64],
    chance: list[NDArray[np.float64] | None],
) -> None:
    """How far p follows the effect size (ValNorm: ρ ≥ .99); blank where every word has one p."""
    for slot, d, p in zip(words.slots, effects, chance, strict=True):
        if p is not None and np.ptp(p):
            value = float(rank_correlation(d, 1 - p))
            findings.score(**where, **slot._asdict(), measure="valence:p-against-d", value=value, n=len(d))


def permuted(settings: Permuted) -> dict[str, Any]:
    """How a permutation test is done."""
    names = {"sides": settings.sides, "method": settings.p_method, "count": settings.p_count}
    return {**names, "permutations": settings.permutations, "seed": settings.seed}


def _kind_of(reason: str) -> str:
    """A reason without what differs from row to row, so that reasons can be counted."""
    return re.sub(r"on line \d+", "on another line", reason.partition(":")[0].partition("(")[0].strip())


EXPERIMENT = "control"
CONTROL, ABOVE = "valence:control", "valence:above"


class Rated:
    """A lexicon's words with their effect sizes and ratings, in alphabetical order: draws depend on the words alone."""

    def __init__(self, layers: Layers, lexicon: Lexicon, effects: NDArray[np.float64]) -> None:
        items = RatedItems(layers.words, lexicon)
        order = np.argsort(np.array(items.names))
        ratings = dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
        self.layers, self.lexicon = layers, lexicon
        self.names = [items.names[row] for row in order.tolist()]
        resolved = dict(zip(layers.words, layers.resolved, strict=True))
        self.forms = [{resolved[word] for word in items.members[row]} for row in order.tolist()]
        """The words of each item, one or the translations of an English word, as the vocabulary has them."""
        self.effects = items.mean(effects)[:, order]
        """slots × items."""
        self.people = items.mean(np.array([ratings[word] for word in layers.words]))[order]

    def where(self, control: str, measure: str) -> dict[str, Any]:
        """The columns of a control's scores: `setting` is the control, and the setting it is a control of."""
        setting = ":".join(filter(None, (control, self.layers.setting)))
        columns = {**self.layers.columns, "setting": setting, "experiment": EXPERIMENT}
        return columns | {"language": self.lexicon.language, "dataset": self.lexicon.name, "measure": measure}


def shuffled(findings: Findings, rated: Rated, settings: Intervals) -> None:
    """Mean ρ and the range of 95 % of the shuffles; ρ above that mean, with p."""
    found, chances = shuffled_pearson(rated.effects, rated.people, shuffles=settings.resamples, seed=settings.seed)
    rho = measure_valence(rated.effects, rated.people, items=rated.names, **drawn(settings))
    for at, slot in enumerate(rated.layers.slots):
        row = {**slot._asdict(), "n": len(rated.people)}
        chance, low, high = (float(one[at]) for one in (found.value, found.low, found.high))
        findings.score(**rated.where("shuffled", CONTROL), **row, value=chance, low=low, high=high)
        # Over shuffles the mean is a constant, so that only ρ has an interval over words.
        value, low, high = (float(one[at]) - chance for one in (rho.value, rho.low, rho.high))
        p = float(chances[at])
        findings.score(**rated.where("shuffled", ABOVE), **row, value=value, low=low, high=high, p=p)


def poles_out(findings: Findings, rated: Rated, polar: Collection[str], settings: Intervals) -> None:
    """Record ρ over the words that are no poles; `polar` has those as the vocabulary or the tokenizer has them."""
    poles = set(polar)
    rest = [row for row, forms in enumerate(rated.forms) if poles.isdisjoint(forms)]
    names = [rated.names[row] for row in rest]
    rho = measure_valence(rated.effects[:, rest], rated.people[rest], items=names, **drawn(settings))
    record_slots(findings, rated.where("poles-out", CONTROL), rated.layers, rho)
    count = len(rated.names) - len(rest)
    findings.note(f"control: {count} words of {rated.lexicon.name} are polar words, and are taken out in poles-out.")


MIN_SHARED_WORDS = 3
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
        if len(words) < MIN_SHARED_WORDS:
            findings.warn(f"{one} and {other} share {len(words)} words, too few to correlate.")
            continue
        first, second = (np.array([rated[name][word] for word in words]) for name in (one, other))
        rho = pearson(first, second, items=words, **drawn(settings))
        interval = {"value": float(rho.value), "low": float(rho.low), "high": float(rho.high)}
        findings.score(**where, measure="raters", **interval, n=rho.n)
        findings.item(**where, item=words, value=first.tolist(), reference=second.tolist())
    return findings

"""Calibration of bias measures on one association test: power, false alarms and detection limits.

What a model does with words is calibrated with them, if a function says what it does where they have other vectors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.word_sets import AssociationTest
from wordworth.embedding import Layers
from wordworth.embedding.core import Matrix
from wordworth.errors import WordworthError
from wordworth.measure import WEAT
from wordworth.measure.calibration import (
    DETECTABLE,
    LEVEL,
    LIST_MEASURES,
    PERMUTATION_MEASURES,
    POWER,
    Attributes,
    Draws,
    Injection,
    associate_words,
    detect,
    detection_limit,
    measure_lists,
    share_with_interval,
)
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.effect_size import effect_size
from wordworth.statistics.permutation import Permuting, permutation_test
from wordworth.task.association import ROLES, get_reliability, place_of_test, select_test_sets

DOSES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
"""In standard deviations of the target words along the attribute direction; the first is the null."""
RANDOM_WORDS = "random-words"
CANDIDATES, BEHAVIOUR_CANDIDATES = 200, 10
"""Random words for each target word; fewer where a model has to read them."""
WINDOW, MIN_WINDOW = 1.5, 250
"""Random words are drawn among those whose rank differs by this factor, or number."""
NULL_DRAWS = 10
"""Null lists per drawn list: with as many of both, false alarms would vary with the null as much as with the lists."""
Sizes = tuple[int, int]
Behave = Callable[[Sequence[str], Matrix], Mapping[str, Matrix]]
"""Words and their vectors (words, dim) → measures of what a model does with each word (words)."""
Tables = tuple[list[Matrix], Matrix | None]
"""A measure's values of all words, moved up and moved down, at each dose; and those of random words."""


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists that are drawn from one test's words, of one size."""

    k: int | None
    """Words per list; None for the sizes that the test has."""
    draws: Draws
    null: Draws
    """Other draws, whose measures without a bias are the null distribution."""
    chance: Draws
    """Draws of random words: those in X match words of X in frequency, those in Y words of Y (probes: all words)."""


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of a test in one slot, with each dose injected, and random words."""

    injection: Injection
    attributes: Attributes
    spellings: Sequence[str]
    random: tuple[Sequence[str], Matrix] | None

    def tabulate(self, of_words: Callable[[Matrix, Attributes], Matrix]) -> Tables:
        by_dose = [of_words(self.injection.move(dose), self.attributes) for dose in DOSES]
        return by_dose, None if self.random is None else of_words(self.random[1], self.attributes)

    def tabulate_behaviour(self, behave: Behave) -> dict[str, Tables]:
        by_dose = [[behave(self.spellings, side) for side in np.split(self.injection.move(dose), 2)] for dose in DOSES]
        random = None if self.random is None else behave(*self.random)
        tables = {}
        for name in by_dose[0][0]:
            values = [np.concatenate([side[name] for side in sides]) for sides in by_dose]
            tables[name] = (values, None if random is None else random[name])
        return tables


def score_calibration(layers: Layers, test: AssociationTest, settings: Any, behave: Behave | None = None) -> Findings:
    """Record power by dose, false alarms and detection limits of every measure, by the number of words per list."""
    findings = Findings()
    X, Y, A, B = select_test_sets(findings, layers, test, settings)
    X, Y = (group.rows(np.argsort(group.words)) for group in (X, Y))  # draws do not depend on how a list is sorted
    labels = [f"{role}: {label}" for role, label in zip(ROLES, test.labels, strict=True)]
    findings.add_words(test.name, dict(zip(labels, test.groups, strict=True)), test.reference)
    place = place_of_test(layers, test)
    random, candidates = None, CANDIDATES if behave is None else BEHAVIOUR_CANDIDATES
    if (embedding := layers.source) is not None:
        with findings.part(model=layers.name, dataset=test.name, control=RANDOM_WORDS):
            rows = draw_random_words(layers, [X, Y, A, B], candidates, settings.seed)
            random = [embedding.words[row] for row in rows], embedding.vectors(rows)
    middle, end = len(X) * candidates, (len(X) + len(Y)) * candidates
    chance = (range(middle), range(middle, end)) if behave is None else (range(end), range(end))
    lists_by_size = list(_draw_lists(len(X), len(Y), chance, settings))
    _, first, second = np.intersect1d(A.positions, B.positions, return_indices=True)
    for slot, *vectors in zip(layers.slots, *(group.vectors() for group in (X, Y, A, B)), strict=True):
        attributes = Attributes(vectors[2], vectors[3], (vectors[2][first], vectors[3][second]))
        injection = Injection.of(vectors[0], vectors[1], attributes)
        words = _Words(injection, attributes, [*X.matched_words, *Y.matched_words], random)
        where = {**place, **slot._asdict(), **get_reliability((X, Y, A, B), test)}
        behaviour = {} if behave is None else words.tabulate_behaviour(behave)
        _score_slot(findings, where, words, behaviour, lists_by_size, settings)
    return findings


def _draw_lists(size_x: int, size_y: int, chance: tuple[range, range], settings: Any) -> Iterator[Lists]:
    sizes_by_k: dict[int | None, Sizes] = {None: (size_x, size_y), **{k: (k, k) for k in settings.sizes}}
    for k, sizes in sizes_by_k.items():
        seed, count = (settings.seed, *sizes), settings.lists
        draws = Draws.of_moved(size_x + size_y, sizes, count, (*seed, 0))
        null = Draws.of_moved(size_x + size_y, sizes, NULL_DRAWS * count, (*seed, 1))
        yield Lists(k, draws, null, Draws(sizes, *chance, count, (*seed, 2)))


def draw_random_words(layers: Layers, groups: list[Layers], candidates: int, seed: int) -> NDArray[np.intp]:
    """Return rows of random words for each word of X, then of Y, that are about as frequent: the rows are ranks.

    They are words of letters only, and none of the test.
    """
    rng, (embedding, index) = np.random.default_rng((seed, 3)), (layers.source, layers.index)
    assert embedding is not None
    own = {index[form] for group in groups for form in group.matched_words}
    rows: list[NDArray[np.intp]] = []
    for rank in (index[form] for group in groups[:2] for form in group.matched_words):
        low, high = min(int(rank / WINDOW), rank - MIN_WINDOW), max(int(rank * WINDOW), rank + MIN_WINDOW)
        near = range(max(low, 0), min(high, len(embedding)))
        words = [row for row in near if row not in own and embedding.words[row].isalpha()]
        if len(words) < candidates:
            raise WordworthError(
                f"{layers.name} has {len(words)} other words about as frequent as {embedding.words[rank]!r}, and "
                f"{candidates} are needed"
            )
        rows.append(rng.choice(words, candidates, replace=False))
    return np.concatenate(rows)


def _score_slot(
    findings: Findings, where: Keys, words: _Words, behaviour: dict[str, Tables], samples: list[Lists], settings: Any
) -> None:
    """Record every measure; one that cannot be computed is recorded as failed."""
    associations = words.tabulate(associate_words)
    effects = {}
    for lists in samples:
        place = {**where, "k": lists.k, "n": settings.lists}
        ds = [_weigh(values, lists.draws) for values in associations[0]]
        effects[lists.k] = np.array([np.nanmean(d) for d in ds])
        for dose, d in zip(DOSES, effects[lists.k].tolist(), strict=True):
            findings.score(**place, measure="injected-d", dose=dose, value=d)
    sizes_without_limit: dict[str, list[str]] = {}
    tables = {WEAT: associations, **behaviour}
    for name in (WEAT, *LIST_MEASURES, *behaviour):
        with findings.part(model=where["model"], dataset=where["dataset"], layer=where["layer"], measure=name):
            by_dose, random = tables[name] if name in tables else words.tabulate(LIST_MEASURES[name].of_words)
            for lists in samples:
                place = {**where, "k": lists.k, "variant": name}
                judge = _judge(name, by_dose[0], lists, settings)
                hits = [int(judge(values, lists.draws).sum()) for values in by_dose]
                if not _record_curve(findings, place, hits, effects[lists.k], settings.lists):
                    sizes_without_limit.setdefault(name, []).append("its own" if lists.k is None else str(lists.k))
                if random is not None:
                    share, low, high = share_with_interval(int(judge(random, lists.chance).sum()), settings.lists)
                    numbers = {"value": share, "low": low, "high": high, "n": settings.lists}
                    findings.score(**place, measure="false-alarms", control=RANDOM_WORDS, **numbers)
    if sizes_without_limit:
        names = "; ".join(f"{name} ({', '.join(sizes)})" for name, sizes in sizes_without_limit.items())
        reason = f"power stays below {POWER:g} up to a dose of {DOSES[-1]:g}, by words per list: {names}"
        findings.notice("info", reason, model=where["model"], dataset=where["dataset"], layer=where["layer"])


def _weigh(associations: Matrix, draws: Draws) -> Matrix:
    """Return d of every drawn list."""
    return np.concatenate([effect_size(associations[members].T, draws.sizes[0]) for members in draws])


def _judge(name: str, null_values: Matrix, lists: Lists, settings: Any) -> Callable[[Matrix, Draws], NDArray[np.bool_]]:
    """Return a function that says of drawn lists whether a measure calls them biased."""
    how: Permuting = {"permutations": settings.permutations, "seed": settings.seed}

    def is_significant(associations: Matrix, draws: Draws) -> NDArray[np.bool_]:
        p = [permutation_test(associations[members].T, draws.sizes[0], **how).p for members in draws]
        return np.asarray(np.concatenate(p) <= LEVEL)

    if name in PERMUTATION_MEASURES:
        return is_significant
    null = measure_lists(name, null_values, lists.null)
    return lambda values, draws: detect(name, measure_lists(name, values, draws), null)


def _record_curve(findings: Findings, place: Keys, hits: list[int], effects: Matrix, draws: int) -> bool:
    """Record the shares detected and the detection limit, in doses and in d; return whether there is a limit."""
    rows = [share_with_interval(count, draws) for count in hits]
    for dose, (share, low, high) in zip(DOSES, rows, strict=True):
        measure = "power" if dose else "false-alarms"
        findings.score(**place, measure=measure, dose=dose, value=share, low=low, high=high, n=draws)
    shares, lows, highs = np.array(rows).T
    doses = np.array(DOSES)
    ends = np.array([detection_limit(doses, curve) for curve in (shares, highs, lows)])
    in_d = np.where(np.isnan(ends), np.nan, np.interp(ends, doses, effects))
    for measure, numbers in (("detection-limit", ends), (DETECTABLE, in_d)):
        limit, *interval = numbers.tolist()  # NaN where it is never reached
        least, most = (None if np.isnan([limit, end]).any() else end for end in interval)
        findings.score(**place, measure=measure, value=limit, low=least, high=most, n=draws)
    return not np.isnan(ends[0])

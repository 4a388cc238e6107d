"""Sensitivity of a test or of valence: its number under every combination of choices that the literature defends.

Which words (all, without one, half of the sets, other poles), which vectors, how near a word is to a set, which σ or ρ,
how p is computed and for how many sides. Every variant is an item; the scores say how many agree with the number as it
is run.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import Layers, Slot
from wordworth.embedding.cosine import Matrix
from wordworth.measure.sensitivity import (
    ASSOCIATIONS,
    conclusions,
    flipped_by,
    kept_values,
    product_associations,
    robustness,
    word_effects,
)
from wordworth.results import Findings
from wordworth.results.flags import uncovered
from wordworth.statistics.choices import Sides
from wordworth.statistics.correlation import correlation_p, correlations
from wordworth.statistics.effect_size import effect_size
from wordworth.statistics.permutation import normal_p, permutation_test
from wordworth.task.association import flags_of_sets, sets_of_test
from wordworth.task.settings import Permuted, Sensitive
from wordworth.task.valence import RatedItems, permuted
from wordworth.task.variants import AND, VECTORS, Versions, Words, record_options, word_variants
from wordworth.task.words import Poles, rated_words

SPREADS = ("sample σ", "population σ")
METHODS = ("permutation p", "normal p")
SIDES = ("one-sided", "two-sided")
ALIKE = "a variant in which all words are associated alike"


@dataclass(frozen=True)
class Grid:
    """Values and p of all variants, along one axis for each choice: the words first.

    The first option of each is that of the number as it is run, so that this is the first variant.
    """

    choices: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    words: Words
    values: NDArray[np.float64]
    p: NDArray[np.float64]


def association_sensitivity(layers: Layers, test: AssociationTest, settings: Sensitive, versions: Versions) -> Findings:
    """Shares over the variants of one test in every slot, and an item a variant."""
    findings = Findings()
    labels = [f"{side}: {label}" for side, label in zip("XYAB", test.labels, strict=True)]
    groups = [group.rows(np.argsort(group.words)) for group in sets_of_test(findings, layers, test, labels, settings)]
    names = [list(group.words) for group in groups]
    words = word_variants(names[:2], names[2:], settings.draws, settings.seed)
    where = {**layers.columns, "language": test.language, "dataset": test.name.removesuffix(f"-{test.language}")}
    flags = flags_of_sets(groups, test)
    for slot in layers.slots:
        X, Y, A, B = (group.read(slot) for group in groups)
        sets = versions(slot, (np.concatenate((X, Y)), np.concatenate((A, B))))
        found = [_every_way(one, words, (len(X), len(A))) for one in sets]
        grid = _grid([rows for version in found for rows in version], words, len(X), settings)
        record_grid(findings, where, slot, grid, flags)
    return findings


def _every_way(sets: list[Matrix], words: Words, sizes: tuple[int, int]) -> list[Matrix]:
    """For each kind of association, targets × variants."""
    targets, attributes = sets
    of_a = np.arange(len(attributes)) < sizes[1]
    masks = words.attributes & of_a, words.attributes & ~of_a
    return [product_associations(targets, attributes, *masks, way) for way in ASSOCIATIONS]


def _grid(associations: list[Matrix], words: Words, size_x: int, settings: Permuted) -> Grid:
    """d and p of all variants: words × (vectors and associations) × σ × how p is computed × sides."""
    sides = -1 if settings.sides == "two" else 1
    blocks = len(associations)
    d = np.empty((len(words), blocks, len(SPREADS)))
    p = np.empty((len(words), blocks, len(METHODS), len(SIDES)))
    for rows, size in _alike(words, size_x):
        values = np.concatenate([kept_values(one[:, rows], words.targets[rows]) for one in associations])
        shape = (blocks, len(rows))
        for at, ddof in enumerate((1, 0)):
            d[rows, :, at] = effect_size(values, size, ddof).reshape(shape).T
        for place, found in _p_values(values, size, settings, exact=rows[0] == 0).items():
            p[rows, :, *place] = found.reshape(shape).T
    full = (len(words), blocks, len(SPREADS), len(METHODS), len(SIDES))
    values = np.broadcast_to(d[..., None, None], full)
    chances = np.broadcast_to(p[:, :, None, :, ::sides], full)
    choices = ("words", "vectors", "association", "σ", "p", "sides")
    options = (words.kinds, VECTORS, ASSOCIATIONS, SPREADS, METHODS, SIDES[::sides])
    return Grid(choices, options, words, values.reshape(-1), chances.reshape(-1))


def _alike(words: Words, size_x: int) -> list[tuple[NDArray[np.intp], int]]:
    """Variants whose targets are as many, which share their partitions, with the size of X; the whole test alone."""
    sizes = words.targets[:, :size_x].sum(axis=1).tolist(), words.targets[:, size_x:].sum(axis=1).tolist()
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at, pair in enumerate(zip(*sizes, strict=True)):
        alike[(*pair, at == 0)].append(at)
    return [(np.array(rows), key[0]) for key, rows in alike.items()]


def _p_values(values: Matrix, size: int, settings: Permuted, exact: bool) -> dict[tuple[int, int], Matrix]:
    """p by permutation and by a normal, one-sided and two-sided.

    Only the test as it is run is counted out whatever it costs: of many rows that is too much for large sets.
    """
    given = permuted(settings)
    if not exact and given["method"] != "monte-carlo":
        given["method"] = "auto"
    drawn = {"permutations": settings.permutations, "seed": settings.seed}
    both: tuple[Sides, ...] = ("one", "two")
    found = {}
    for side, sides in enumerate(both):
        found[0, side] = permutation_test(values, size, **given | {"sides": sides}).p
        found[1, side] = normal_p(values, size, sides=sides, **drawn)
    return found


def record_grid(findings: Findings, where: dict[str, Any], slot: Slot, grid: Grid, flags: str | None) -> None:
    """The shares over all variants, how often each option flips the conclusion, and an item a variant."""
    known = np.isfinite(grid.values)
    place = {**where, **slot._asdict()}
    values, p = grid.values[known], grid.p[known]
    for measure, numbers in robustness(values, p).items():
        findings.score(**place, measure=measure, **numbers, n=len(values), flags=flags)
    concluded = conclusions(values, p)
    flipped = concluded != concluded[0]
    places = np.unravel_index(np.arange(len(grid.values)), [len(one) for one in grid.options])
    shares = {
        choice: flipped_by(flipped, np.array(options)[at[known]])
        for choice, options, at in zip(grid.choices, grid.options, places, strict=True)
    }
    record_options(findings, place, shares, flags)
    texts = [np.array(one, dtype=object)[at] for one, at in zip(grid.options[1:], places[1:], strict=True)]
    findings.item(
        **place,
        item=np.array(grid.words.names, dtype=object)[places[0]].tolist(),
        group=np.array(grid.words.kinds, dtype=object)[places[0]].tolist(),
        place=[AND.join(one) for one in zip(*texts, strict=True)],
        value=np.where(known, grid.values, np.nan).tolist(),
        p=grid.p.tolist(),
        left_out=[None if one else ALIKE for one in known.tolist()],
    )


EFFECT = "effect size"
WAYS = (EFFECT, *ASSOCIATIONS)
"""A word's SC-WEAT effect size (ValNorm), or its association alone, without the σ of its own cosines."""
CORRELATIONS = ("Pearson", "Spearman")
OTHER = "other poles"


def valence_sensitivity(
    layers: Layers, poles: Mapping[str, Poles], lexicon: Lexicon, settings: Sensitive, versions: Versions
) -> Findings:
    """Shares over the variants of one lexicon's ρ in every slot, and an item a variant.

    The first of the `poles` are those of the number as it is run; the others are published ones that could stand in
    their place. p is two-sided, of the t that belongs to ρ: for thousands of variants there is no time to resample.
    """
    findings = Findings()
    words, lexicon = rated_words(findings, layers, lexicon, settings)
    words = words.rows(np.argsort(words.words))
    ratings = dict(zip(lexicon.words, lexicon.ratings["valence"].tolist(), strict=True))
    items = RatedItems(words.words, lexicon)
    people = items.mean(np.array([ratings[word] for word in words.words]))
    sides = {name: [pole.rows(np.argsort(pole.words)) for pole in pair] for name, pair in poles.items()}
    chosen, masks = _choices(items.names, sides, settings)
    where = {**layers.columns, "language": lexicon.language, "dataset": lexicon.name}
    for slot in layers.slots:
        polar = np.concatenate([pole.read(slot) for pair in sides.values() for pole in pair])
        shape = (len(chosen), len(VECTORS), len(WAYS), len(CORRELATIONS))
        rho, p = np.empty(shape), np.empty(shape)
        for at, (targets, attributes) in enumerate(versions(slot, (words.read(slot), polar))):
            for way, name in enumerate(WAYS):
                associated = items.mean(_associated(targets, attributes, masks, name).T).T
                rho[:, at, way], p[:, at, way] = _rho(associated, people, chosen)
        options = (chosen.kinds, VECTORS, WAYS, CORRELATIONS)
        grid = Grid(("words", "vectors", "association", "ρ"), options, chosen, rho.reshape(-1), p.reshape(-1))
        record_grid(findings, where, slot, grid, uncovered(len(words), len(lexicon)) or None)
    return findings


Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]


def _choices(words: list[str], poles: Mapping[str, list[Layers]], settings: Sensitive) -> tuple[Words, Masks]:
    """The variants of words, and which of all polar words are pleasant and unpleasant in each."""
    first, *others = poles.values()
    made = word_variants([words], [list(pole.words) for pole in first], settings.draws, settings.seed)
    sizes = [len(pole) for pair in poles.values() for pole in pair]
    ends = np.cumsum([0, *sizes])
    total = len(made) + len(others)
    masks = np.zeros((total, ends[-1]), dtype=np.bool_), np.zeros((total, ends[-1]), dtype=np.bool_)
    high, low = slice(0, ends[1]), slice(ends[1], ends[2])
    masks[0][: len(made), high], masks[1][: len(made), low] = made.attributes[:, high], made.attributes[:, low]
    for at, side in product(range(len(others)), (0, 1)):
        masks[side][len(made) + at, ends[2 + 2 * at + side] : ends[3 + 2 * at + side]] = True
    kept = np.concatenate((made.targets, np.ones((len(others), len(words)), dtype=np.bool_)))
    names = (*made.names, *list(poles)[1:])
    return Words((*made.kinds, *[OTHER] * len(others)), names, kept, masks[0] | masks[1]), masks


def _associated(targets: Matrix, attributes: Matrix, masks: Masks, way: str) -> Matrix:
    """words × variants."""
    if way == EFFECT:
        return word_effects(targets, attributes, *masks)
    return product_associations(targets, attributes, *masks, way)


def _rho(associated: Matrix, people: Matrix, chosen: Words) -> tuple[Matrix, Matrix]:
    """ρ and p (variants × correlations): those of all words together, those of some one by one."""
    rho = np.empty((len(chosen), len(CORRELATIONS)))
    whole = chosen.targets.all(axis=1)
    for at in range(len(CORRELATIONS)):
        rho[whole, at] = correlations(associated[:, whole].T, people, ranked=bool(at))
        for row in np.flatnonzero(~whole).tolist():
            kept = chosen.targets[row]
            rho[row, at] = correlations(associated[kept, row][None], people[kept], ranked=bool(at))[0]
    return rho, correlation_p(rho, chosen.targets.sum(axis=1)[:, None])

"""Sensitivity of a test or of valence: its number under every combination of choices that the literature defends.

The choices are which words (all, without one, half of the sets, other poles), which vectors, how near a word is to a
set, which σ or ρ, how p is computed and for how many sides. Every variant is an item; the scores say how many agree
with the number as it is run.

Masks keep or remove words: one word at a time, a word of either side, or random halves of the sets. Vectors are taken
as they are, without their mean, or also without their first principal components.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.word_sets import AssociationTest
from wordworth.embedding import Layers, Slot
from wordworth.embedding.core import Matrix, Vectors
from wordworth.measure.sensitivity import (
    ASSOCIATIONS,
    Masks,
    conclusions,
    flipped_by,
    product_associations,
    robustness,
    select_values,
    word_effects,
)
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.choices import Sides
from wordworth.statistics.correlation import correlation_p, correlations
from wordworth.statistics.effect_size import effect_size
from wordworth.statistics.permutation import normal_p, permutation_test
from wordworth.task.association import get_reliability, place_of_test, select_test_sets
from wordworth.task.settings import Permutations, Sensitive
from wordworth.task.valence import RatedItems
from wordworth.task.words import Poles, match_rated_words
from wordworth.transform.components import Components, fit_components, nullify

ALL_WORDS = "all words"
VARIANT_KINDS = (
    ALL_WORDS,
    "one target out",
    "one attribute out",
    "one of each out",
    "half of targets",
    "half of attributes",
    "half of all",
)
VECTOR_VERSIONS = ("as they are", "centred", "all but the top")
BASIS_WORDS = 50_000
"""The mean and components are those of so many words, evenly spread over the vocabulary."""
MAX_ONE_BY_ONE = 200
"""With more words on a side not each is removed once, but as many as are drawn."""
MIN_WORDS = 2
"""Words that every set keeps."""


@dataclass(frozen=True)
class WordVariants:
    """Which words each variant keeps; the first variant keeps all."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    """The word or words that are removed, or the number of the draw."""
    targets: Masks
    attributes: Masks

    def __len__(self) -> int:
        return len(self.kinds)


def make_word_variants(
    targets: Sequence[Sequence[str]], attributes: Sequence[Sequence[str]], draws: int, seed: int
) -> WordVariants:
    """Return the variants of a test whose targets and attributes are in one set or several each."""
    rng = np.random.default_rng(seed)
    first, second = sides = [_Side(sets) for sets in (targets, attributes)]
    single = [side.one_by_one(draws, rng) for side in sides]
    rows = [(ALL_WORDS, ALL_WORDS, first.all(), second.all())]
    rows += [(VARIANT_KINDS[1], first.words[at], first.without(at), second.all()) for at in single[0]]
    rows += [(VARIANT_KINDS[2], second.words[at], first.all(), second.without(at)) for at in single[1]]
    if all(single):
        for _ in range(draws):
            target, attribute = (places[rng.integers(len(places))] for places in single)
            name = f"{first.words[target]}, {second.words[attribute]}"
            rows.append((VARIANT_KINDS[3], name, first.without(target), second.without(attribute)))
    for kind, *halved in zip(VARIANT_KINDS[4:], (True, False, True), (False, True, True), strict=True):
        if any(side.divisible and half for side, half in zip(sides, halved, strict=True)):
            for number in range(1, draws + 1):
                one, other = (side.half(rng) if half else side.all() for side, half in zip(sides, halved, strict=True))
                rows.append((kind, f"draw {number}", one, other))
    kinds, names, of_targets, of_attributes = zip(*rows, strict=True)
    return WordVariants(kinds, names, np.array(of_targets), np.array(of_attributes))


class _Side:
    """Sets of words side by side, as masks over all of them."""

    def __init__(self, sets: Sequence[Sequence[str]]) -> None:
        self.words = [word for one in sets for word in one]
        ends = np.cumsum([0, *map(len, sets)])
        self.parts = [np.arange(start, stop) for start, stop in pairwise(ends)]
        self.divisible = any(len(part) > MIN_WORDS for part in self.parts)

    def all(self) -> NDArray[np.bool_]:
        return np.ones(len(self.words), dtype=np.bool_)

    def without(self, place: int) -> NDArray[np.bool_]:
        mask = self.all()
        mask[place] = False
        return mask

    def one_by_one(self, draws: int, rng: np.random.Generator) -> list[int]:
        """Return the places of words that can be removed."""
        places = np.concatenate([part for part in self.parts if len(part) > MIN_WORDS] or [np.empty(0, dtype=np.intp)])
        if len(places) > MAX_ONE_BY_ONE:
            places = np.sort(rng.choice(places, min(draws, len(places)), replace=False))
        return [int(place) for place in places]

    def half(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Keep half of every set, or two words of a small one."""
        mask = np.zeros(len(self.words), dtype=np.bool_)
        for part in self.parts:
            mask[rng.choice(part, max(MIN_WORDS, (len(part) + 1) // 2), replace=False)] = True
        return mask


VectorVariants = Callable[[Slot, Sequence[Vectors]], Iterator[list[Matrix]]]
"""Vectors of several sets of words → the same for each of `VECTORS`."""


def make_vector_variants(layers: Layers) -> VectorVariants:
    """Return what changes vectors by the mean and components of the vocabulary, or else of the words themselves.

    As many components are removed as Mu & Viswanath (2018) advise: a hundredth of the dimensions.
    """

    @cache
    def of_vocabulary(slot: Slot) -> Components:
        matrix = layers.read(slot)
        return _components(matrix[:: -(-len(matrix) // BASIS_WORDS)])

    def variants(slot: Slot, sets: Sequence[Vectors]) -> Iterator[list[Matrix]]:
        basis = of_vocabulary(slot) if layers.vocabulary and layers.words else _components(np.concatenate(sets))
        yield [np.asarray(one, dtype=np.float64) for one in sets]
        for k in (0, len(basis.directions)):
            yield [nullify(one, basis, k) for one in sets]

    return variants


def _components(vectors: Vectors) -> Components:
    return fit_components(vectors, max(1, round(vectors.shape[1] / 100)))


SPREADS = ("sample σ", "population σ")
P_METHODS = ("permutation p", "normal p")
TEST_SIDES = ("one-sided", "two-sided")
SAME_ASSOCIATION = "a variant in which all words have the same association"
CHOICE_COLUMNS = {
    "vectors": "vectors",
    "association": "association",
    "σ": "sigma",
    "ρ": "correlation",
    "p": "p_test",
    "sides": "sides",
}
"""Choice → its column in the items."""


@dataclass(frozen=True)
class Grid:
    """Values and p of all variants, along one axis per choice; the first axis is the words.

    The first option of each choice is that of the number as it is run, so the first variant is that number.
    """

    options: dict[str, tuple[str, ...]]
    """Choice → its options, one per place along the axis."""
    words: WordVariants
    values: NDArray[np.float64]
    p: NDArray[np.float64]


def score_association_variants(
    layers: Layers, test: AssociationTest, settings: Sensitive, vector_variants: VectorVariants
) -> Findings:
    """Score how many variants of one test agree in every slot, and record an item per variant."""
    findings = Findings()
    groups = [group.rows(np.argsort(group.words)) for group in select_test_sets(findings, layers, test, settings)]
    names = [list(group.words) for group in groups]
    words = make_word_variants(names[:2], names[2:], settings.draws, settings.seed)
    where = place_of_test(layers, test)
    reliability = get_reliability(groups, test)
    for slot in layers.slots:
        X, Y, A, B = (group.read(slot) for group in groups)
        sets = vector_variants(slot, (np.concatenate((X, Y)), np.concatenate((A, B))))
        is_a = np.arange(len(A) + len(B)) < len(A)
        masks = words.attributes & is_a, words.attributes & ~is_a
        ways = product(sets, ASSOCIATIONS)
        associations = [product_associations(near, to, *masks, way) for (near, to), way in ways]
        grid = _make_grid(associations, words, len(X), settings)
        record_grid(findings, {**where, **slot._asdict()}, grid, reliability)
    return findings


def _make_grid(associations: list[Matrix], words: WordVariants, size_x: int, settings: Permutations) -> Grid:
    """Compute d and p of all variants: words × (vectors and associations) × σ × how p is computed × sides."""
    sides = -1 if settings.sides == "two" else 1
    blocks = len(associations)
    d = np.empty((len(words), blocks, len(SPREADS)))
    p = np.empty((len(words), blocks, len(P_METHODS), len(TEST_SIDES)))
    for rows, size in _group_by_size(words, size_x):
        values = np.concatenate([select_values(one[:, rows], words.targets[rows]) for one in associations])
        shape = (blocks, len(rows))
        for at, ddof in enumerate((1, 0)):
            d[rows, :, at] = effect_size(values, size, ddof).reshape(shape).T
        for place, block in _p_values(values, size, settings, exact=rows[0] == 0).items():
            p[rows, :, *place] = block.reshape(shape).T
    full = (len(words), blocks, len(SPREADS), len(P_METHODS), len(TEST_SIDES))
    values = np.broadcast_to(d[..., None, None], full)
    chances = np.broadcast_to(p[:, :, None, :, ::sides], full)
    options = {
        "words": words.kinds,
        "vectors": VECTOR_VERSIONS,
        "association": ASSOCIATIONS,
        "σ": SPREADS,
        "p": P_METHODS,
        "sides": TEST_SIDES[::sides],
    }
    return Grid(options, words, values.reshape(-1), chances.reshape(-1))


def _group_by_size(words: WordVariants, size_x: int) -> list[tuple[NDArray[np.intp], int]]:
    """Return variants with as many targets, which share their partitions, and the size of X; the whole test alone."""
    sizes = words.targets[:, :size_x].sum(axis=1).tolist(), words.targets[:, size_x:].sum(axis=1).tolist()
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at, pair in enumerate(zip(*sizes, strict=True)):
        groups[(*pair, at == 0)].append(at)
    return [(np.array(rows), key[0]) for key, rows in groups.items()]


def _p_values(values: Matrix, size: int, settings: Permutations, exact: bool) -> dict[tuple[int, int], Matrix]:
    """Compute p by permutation and by a normal, one-sided and two-sided.

    Only the test as it is run is counted exactly at any cost: many rows of large sets would take too long.
    """
    options = settings.permutation
    if not exact and options["method"] != "monte-carlo":
        options["method"] = "auto"
    monte_carlo = {"permutations": settings.permutations, "seed": settings.seed}
    both: tuple[Sides, ...] = ("one", "two")
    p_values = {}
    for side, sides in enumerate(both):
        p_values[0, side] = permutation_test(values, size, **options | {"sides": sides}).p
        p_values[1, side] = normal_p(values, size, sides=sides, **monte_carlo)
    return p_values


def record_grid(findings: Findings, place: Keys, grid: Grid, reliability: Keys) -> None:
    """Score all variants, and how often each option flips the conclusion; record an item per variant."""
    is_known = np.isfinite(grid.values)
    values, p = grid.values[is_known], grid.p[is_known]
    columns = {**place, **reliability, "measure": "sensitivity"}
    for variant, numbers in robustness(values, p).items():
        findings.score(**columns, variant=variant, **numbers, n=len(values))
    signs = conclusions(values, p)
    is_flipped = signs != signs[0]
    places = np.unravel_index(np.arange(len(grid.values)), [len(one) for one in grid.options.values()])
    by_choice = {}
    for at, choice in zip(places, grid.options, strict=True):
        options = np.array(grid.options[choice], dtype=object)[at]
        by_choice[choice] = options.tolist()
        for option, (share, n) in flipped_by(is_flipped, options[is_known].astype(str)).items():
            findings.score(**columns, variant="flipped", subset=f"{choice}: {option}", value=share, n=n)
    choices = [choice for choice in by_choice if choice in CHOICE_COLUMNS]
    findings.item(
        "variants",
        **place,
        words=by_choice["words"],
        without=np.array(grid.words.names, dtype=object)[places[0]].tolist(),
        **{CHOICE_COLUMNS[choice]: by_choice[choice] for choice in choices},
        value=np.where(is_known, grid.values, np.nan).tolist(),
        p=grid.p.tolist(),
        skipped=[None if known else SAME_ASSOCIATION for known in is_known.tolist()],
    )


EFFECT_SIZE = "effect size"
WAYS = (EFFECT_SIZE, *ASSOCIATIONS)
"""A word's SC-WEAT effect size (ValNorm), or only its association, without the σ of its own cosines."""
CORRELATIONS = ("Pearson", "Spearman")
OTHER_POLES = "other poles"


def score_valence_variants(
    layers: Layers, poles: Mapping[str, Poles], lexicon: Lexicon, settings: Sensitive, vector_variants: VectorVariants
) -> Findings:
    """Score how many variants of one lexicon's ρ agree in every slot, and record an item per variant.

    The first of the `poles` are those of the number as it is run; the others are published ones that could replace
    them. p is two-sided, of the t that belongs to ρ: resampling thousands of variants would take too long.
    """
    findings = Findings()
    words, lexicon = match_rated_words(findings, layers, lexicon, settings)
    words = words.rows(np.argsort(words.words))
    items = RatedItems(words.words, lexicon)
    sides = {name: [pole.rows(np.argsort(pole.words)) for pole in pair] for name, pair in poles.items()}
    chosen, masks = _choose_words(items.names, sides, settings)
    where = {**layers.columns, "language": lexicon.language, "dataset": lexicon.name}
    options = {"words": chosen.kinds, "vectors": VECTOR_VERSIONS, "association": WAYS, "ρ": CORRELATIONS}
    for slot in layers.slots:
        polar = np.concatenate([pole.read(slot) for pair in sides.values() for pole in pair])
        rho, p = (np.empty([len(one) for one in options.values()]) for _ in range(2))
        for at, (targets, attributes) in enumerate(vector_variants(slot, (words.read(slot), polar))):
            for way, name in enumerate(WAYS):
                how = (targets, attributes, *masks)
                effects = word_effects(*how) if name == EFFECT_SIZE else product_associations(*how, name)
                associated = items.mean(effects.T).T
                rho[:, at, way], p[:, at, way] = _rho(associated, items.people, chosen)
        grid = Grid(options, chosen, rho.reshape(-1), p.reshape(-1))
        record_grid(findings, {**where, **slot._asdict()}, grid, {"coverage": len(words) / len(lexicon)})
    return findings


PoleMasks = tuple[Masks, Masks]


def _choose_words(
    words: list[str], poles: Mapping[str, list[Layers]], settings: Sensitive
) -> tuple[WordVariants, PoleMasks]:
    """Return the variants of words, and which of all polar words are pleasant and unpleasant in each."""
    first, *others = poles.values()
    variants = make_word_variants([words], [list(pole.words) for pole in first], settings.draws, settings.seed)
    sizes = [len(pole) for pair in poles.values() for pole in pair]
    ends = np.cumsum([0, *sizes])
    total = len(variants) + len(others)
    masks = np.zeros((total, ends[-1]), dtype=np.bool_), np.zeros((total, ends[-1]), dtype=np.bool_)
    high, low = slice(0, ends[1]), slice(ends[1], ends[2])
    masks[0][: len(variants), high] = variants.attributes[:, high]
    masks[1][: len(variants), low] = variants.attributes[:, low]
    for at, side in product(range(len(others)), (0, 1)):
        masks[side][len(variants) + at, ends[2 + 2 * at + side] : ends[3 + 2 * at + side]] = True
    targets = np.concatenate((variants.targets, np.ones((len(others), len(words)), dtype=np.bool_)))
    names = (*variants.names, *list(poles)[1:])
    return WordVariants((*variants.kinds, *[OTHER_POLES] * len(others)), names, targets, masks[0] | masks[1]), masks


def _rho(associations: Matrix, people: Matrix, variants: WordVariants) -> tuple[Matrix, Matrix]:
    """Return ρ and p (variants × correlations): those of all words together, those of some one by one."""
    rho = np.empty((len(variants), len(CORRELATIONS)))
    is_full = variants.targets.all(axis=1)
    for at in range(len(CORRELATIONS)):
        rho[is_full, at] = correlations(associations[:, is_full].T, people, ranked=bool(at))
        for row in np.flatnonzero(~is_full).tolist():
            mask = variants.targets[row]
            rho[row, at] = correlations(associations[mask, row][None], people[mask], ranked=bool(at))[0]
    return rho, correlation_p(rho, variants.targets.sum(axis=1)[:, None])

"""Sensitivity of valence: ρ under other words, poles, vectors, associations and correlations."""

from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import Layers
from wordworth.embedding.cosine import Matrix
from wordworth.measure.sensitivity import ASSOCIATIONS, product_associations, word_effects
from wordworth.run import Findings
from wordworth.run.flags import uncovered
from wordworth.statistics.correlation import correlation_p, correlations
from wordworth.task.sensitivity import Grid, record_grid
from wordworth.task.settings import Sensitive
from wordworth.task.valence import RatedItems
from wordworth.task.variants import VECTORS, Versions, Words, word_variants
from wordworth.task.words import Poles, rated_words

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

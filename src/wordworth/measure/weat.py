"""Association tests: SC-WEAT (WEFAT) for single words, WEAT for two sets (Caliskan et al. 2017; ValNorm's Table 1)."""

from collections.abc import Callable
from typing import Unpack

import numpy as np

from wordworth.embedding.cosine import Matrix, Vectors, refuse_degenerate, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.effect_size import effect_size
from wordworth.statistics.effect_size import weat_interval as interval_of
from wordworth.statistics.permutation import PermutationTest, Permuting, permutation_test
from wordworth.statistics.threads import in_threads

BLOCK = 1 << 19  # numbers in one float64 block of targets (4 MB): memory-mapped float32 input is never copied whole
NO_SPREAD = 1e-12  # a standard deviation of cosines below this is rounding, not spread

declare(
    "sc-weat",
    "Effect size of one word: (mean cos(w, A) − mean cos(w, B)) / σ of cos(w, A ∪ B).",
    "caliskan2017",
    "zero",
)
declare(
    "weat",
    "Effect size of two word sets: (mean s(x, A, B) − mean s(y, A, B)) / σ of s over X ∪ Y, with s(w, A, B) = "
    "mean cos(w, A) − mean cos(w, B).",
    "caliskan2017",
    "zero",
    verdict="associates more strongly",
    noun="association",
    items="association_words",
    paired_test="association",
    is_main=True,
)
declare("weat", "Variance of a test's effect sizes over the languages.", "toney2021", "", "variance")


def sc_weat(targets: Vectors, A: Vectors, B: Vectors, *, block: int = BLOCK) -> Matrix:
    """d(w) = (mean_a cos(w, a) − mean_b cos(w, b)) / σ_{x ∈ A∪B} cos(w, x), sample standard deviation.

    targets (..., words, dim), A (..., p, dim), B (..., q, dim) → (..., words); leading axes (layers) broadcast.
    """
    attributes = _attributes(A, B)
    lead = _leading(targets, attributes, "the targets")
    effects = np.empty((*lead, targets.shape[-2]))
    # Products with x̂ − mean x̂ are the centred cosines (times |w|, which d does not feel): their squares sum to the
    # variance, and nothing cancels where all cosines are near 1. The last axis gives the difference of the means.
    centred = attributes - attributes.mean(axis=-2, keepdims=True)
    axes = np.concatenate((centred, _difference(attributes, A.shape[-2])[..., None, :]), axis=-2)
    freedom = attributes.shape[-2] - 1

    def fill(layer: tuple[int, ...], part: slice, dots: Matrix, lengths: Matrix) -> None:
        spread = np.sqrt(np.einsum("xw,xw->w", dots[:-1], dots[:-1]) / freedom)
        flat = spread <= NO_SPREAD * lengths
        if flat.any():
            raise WordworthError(
                f"row {part.start + int(np.argmax(flat))} of the targets is equally near all words of A and B, so it "
                "has no effect size; drop that word or look for repeated attribute vectors"
            )
        effects[layer][part] = dots[-1] / spread

    _each_block(targets, axes, lead, block, fill)
    return effects


def sc_weat_p(
    targets: Vectors, A: Vectors, B: Vectors, *, block: int = BLOCK, **settings: Unpack[Permuting]
) -> PermutationTest:
    """Pr_i[s(w, A_i, B_i) ≥ s(w, A, B)] over the partitions of A ∪ B that keep the sizes; shapes as in `sc_weat`."""
    attributes = _attributes(A, B)
    lead = _leading(targets, attributes, "the targets")
    values = np.empty((*lead, targets.shape[-2], attributes.shape[-2]))

    def fill(layer: tuple[int, ...], part: slice, dots: Matrix, lengths: Matrix) -> None:
        values[layer][part] = dots.T  # |w| scales all of a word's statistics alike, so p needs no cosines

    _each_block(targets, attributes, lead, block, fill)
    return permutation_test(values, A.shape[-2], **settings)


def association(targets: Vectors, A: Vectors, B: Vectors) -> Matrix:
    """s(w, A, B) = mean_a cos(w, a) − mean_b cos(w, b), shapes as in `sc_weat`."""
    return _association(targets, _attributes(A, B), A.shape[-2], "the targets")


def weat(X: Vectors, Y: Vectors, A: Vectors, B: Vectors) -> Matrix:
    """d = (mean_x s(x, A, B) − mean_y s(y, A, B)) / σ_{w ∈ X∪Y} s(w, A, B), sample standard deviation.

    X (..., m, dim), Y (..., n, dim) and A, B as in `sc_weat` → (...), of no dimension for plain sets.
    """
    pooled = _pooled_associations(X, Y, A, B)
    d = effect_size(pooled, X.shape[-2])
    if (np.ptp(pooled, axis=-1) <= NO_SPREAD).any() or np.isnan(d).any():
        raise WordworthError("all words of X and Y are equally associated with A and B, so there is no effect size")
    return d


def weat_p(X: Vectors, Y: Vectors, A: Vectors, B: Vectors, **settings: Unpack[Permuting]) -> PermutationTest:
    """Pr_i[s(X_i, Y_i, A, B) ≥ s(X, Y, A, B)] over the partitions of X ∪ Y that keep the sizes."""
    pooled = _pooled_associations(X, Y, A, B)
    return permutation_test(pooled, X.shape[-2], **settings)


def weat_interval(
    X: Vectors, Y: Vectors, A: Vectors, B: Vectors, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Matrix, Matrix]:
    """Return the 95 % interval of d over the words of the four sets, shapes as in `weat`."""
    for words, name in ((X, "X"), (Y, "Y")):
        _need_two(words, name)
    attributes = _attributes(A, B)
    lead = np.broadcast_shapes(*(_leading(words, attributes, name) for words, name in ((X, "X"), (Y, "Y"))))
    units = [
        np.broadcast_to(unit_rows(words, name), (*lead, *words.shape[-2:])) for words, name in ((X, "X"), (Y, "Y"))
    ]
    cosines = np.concatenate(units, axis=-2) @ attributes.swapaxes(-1, -2)
    return interval_of(cosines, X.shape[-2], A.shape[-2], resamples=resamples, seed=seed)


def _pooled_associations(X: Vectors, Y: Vectors, A: Vectors, B: Vectors) -> Matrix:
    _need_two(X, "X")
    _need_two(Y, "Y")
    attributes = _attributes(A, B)
    x, y = (_association(words, attributes, A.shape[-2], name) for words, name in ((X, "X"), (Y, "Y")))
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    parts = [np.broadcast_to(part, (*lead, part.shape[-1])) for part in (x, y)]
    return np.concatenate(parts, axis=-1)


def _association(targets: Vectors, attributes: Matrix, size_a: int, what: str) -> Matrix:
    _leading(targets, attributes, what)
    difference = _difference(attributes, size_a)
    return np.asarray(np.einsum("...wi,...i->...w", unit_rows(targets, what), difference), dtype=np.float64)


def _difference(attributes: Matrix, size_a: int) -> Matrix:
    """mean â − mean b̂: the mean of dot products with unit vectors is the dot product with their mean."""
    return np.asarray(attributes[..., :size_a, :].mean(axis=-2) - attributes[..., size_a:, :].mean(axis=-2))


def _need_two(words: Vectors, name: str) -> None:
    if words.ndim < 2:
        raise WordworthError(f"the set {name} must be words × dimensions, not of shape {words.shape}")
    if words.shape[-2] < 2:
        raise WordworthError(f"the set {name} has {words.shape[-2]} words; an association test needs at least 2")


def _attributes(A: Vectors, B: Vectors) -> Matrix:
    """A and B as unit vectors in one array (..., p + q, dim)."""
    _need_two(A, "A")
    _need_two(B, "B")
    if A.shape[-1] != B.shape[-1]:
        raise WordworthError(f"A has {A.shape[-1]} dimensions and B has {B.shape[-1]}; take both from one embedding")
    lead = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    units = [np.broadcast_to(unit_rows(s, name), (*lead, *s.shape[-2:])) for s, name in ((A, "A"), (B, "B"))]
    return np.concatenate(units, axis=-2)


def _leading(targets: Vectors, attributes: Matrix, what: str) -> tuple[int, ...]:
    if targets.ndim < 2:
        raise WordworthError(f"{what} must be words × dimensions, not of shape {targets.shape}")
    if targets.shape[-1] != attributes.shape[-1]:
        raise WordworthError(
            f"{what} have {targets.shape[-1]} dimensions and A and B have {attributes.shape[-1]}; take all from one "
            "embedding"
        )
    return np.broadcast_shapes(targets.shape[:-2], attributes.shape[:-2])


def _each_block(
    targets: Vectors,
    axes: Matrix,
    lead: tuple[int, ...],
    block: int,
    fill: Callable[[tuple[int, ...], slice, Matrix, Matrix], None],
) -> None:
    """Calls fill(layer, rows, x·w (axes, rows), |w| (rows)) for all blocks: one matrix product each, in float64."""
    words, dim = targets.shape[-2:]
    targets = np.broadcast_to(targets, (*lead, words, dim))
    axes = np.broadcast_to(axes, (*lead, *axes.shape[-2:]))
    step = max(1, block // dim)

    def work(place: tuple[tuple[int, ...], int]) -> None:
        layer, start = place
        part = slice(start, min(start + step, words))
        exact = np.asarray(targets[layer][part], dtype=np.float64)
        lengths = np.sqrt(np.vecdot(exact, exact))
        refuse_degenerate(lengths, "the targets" + (f" at layer {layer}" if layer else ""), start)
        fill(layer, part, axes[layer] @ exact.T, lengths)  # this way round BLAS is a tenth faster

    in_threads(work, [(layer, start) for layer in np.ndindex(*lead) for start in range(0, words, step)])

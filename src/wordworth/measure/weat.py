"""Association tests: SC-WEAT (WEFAT) for single words, WEAT for two sets (Caliskan et al. 2017; ValNorm's Table 1).

Valence (ValNorm) is how the effect sizes of single words go with their ratings; similarity is measured alike.
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from wordworth.embedding.core import Matrix, Vectors, norms, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, pearson, spearman
from wordworth.statistics.effect_size import effect_size
from wordworth.statistics.effect_size import weat_interval as interval_of
from wordworth.statistics.permutation import PermutationTest, Permuting, permutation_test

VALENCE, SIMILARITY = "valence", "similarity"
RHO = "between the words' sc-weat effect sizes and their rated valence."
declare(
    VALENCE,
    f"Pearson's ρ {RHO}",
    "toney2021",
    "higher",
    verdict="knows the valence of words better",
    items="rated_words",
    paired_test="pearson",
    is_main=True,
)
declare(VALENCE, f"Spearman's ρ {RHO}", "toney2021", "higher", "spearman", items="rated_words")
declare(
    VALENCE,
    "Valence over one half of the words, in the layer (and with the components) that is best on the other half.",
    "",
    "higher",
    "held-out",
)
declare(VALENCE, "Mean of valence over the languages.", "wolfe2022", "higher", "mean", is_main=True)
declare(VALENCE, "Valence minus the valence of the control that `control` names.", "", "higher", "above-control")
declare(VALENCE, "Spearman's ρ between the words' effect sizes and 1 − their p.", "toney2021", "", "p-against-d")
declare(VALENCE, "Valence with poles that the model splits into tokens.", "wolfe2022", "higher", "multiple-poles")
declare(VALENCE, "Valence with poles of one token and of several together.", "wolfe2022", "higher", "mixed-poles")
declare(
    "raters",
    "Pearson's ρ between two groups of people's mean ratings of the same words.",
    "toney2021",
    "higher",
    items="rated_words",
    paired_test="pearson",
    is_main=True,
)
for _affect in ("arousal", "dominance"):
    _formula = f"Pearson's ρ of the same with poles of {_affect} and rated {_affect}."
    declare(_affect, _formula, "wolfe2022", "higher", is_main=True)


declare(
    SIMILARITY,
    "Spearman's ρ between the cosine of two words and their rated similarity.",
    "",
    "higher",
    verdict="knows the similarity of words better",
    items="word_pairs",
    paired_test="spearman",
    is_main=True,
)
declare(SIMILARITY, "The largest similarity over the layers.", "bommasani2020", "higher", "best", items="word_pairs")


def valence(
    effect_sizes: Vectors,
    ratings: Vectors,
    *,
    ranked: bool = False,
    items: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """Return ρ between SC-WEAT effect sizes (..., words) and ratings (words): Pearson's, or Spearman's if `ranked`.

    With the names of the `items` the interval does not depend on their order (Toney & Caliskan 2021).
    """
    return (spearman if ranked else pearson)(effect_sizes, ratings, items=items, resamples=resamples, seed=seed)


similarity = spearman
"""ρ between the cosines of pairs (..., pairs) and human scores (pairs)."""

NO_SPREAD = 1e-12  # a standard deviation of cosines below this is rounding, not spread

declare(
    "sc-weat",
    "Effect size of one word: (mean cos(w, A) − mean cos(w, B)) / σ of cos(w, A ∪ B).",
    "caliskan2017",
    "zero",
)
WEAT = "weat"
declare(
    WEAT,
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
declare(WEAT, "Share of tests with |d| ≥ .8 and a one-sided p ≤ .05 or ≥ .95.", "toney2021", "", "valnorm-rule")
declare(WEAT, "Variance of a test's effect sizes over the languages.", "toney2021", "", "variance")


def sc_weat(targets: Vectors, A: Vectors, B: Vectors) -> Matrix:
    """Return d(w) = (mean_a cos(w, a) − mean_b cos(w, b)) / σ_{x ∈ A∪B} cos(w, x), sample standard deviation.

    targets (..., words, dim), A (..., p, dim), B (..., q, dim) → (..., words); leading axes (layers) broadcast.
    """
    attributes = _attributes(A, B)
    words, lengths = _targets(targets)
    # Products with x̂ − mean x̂ are the centred cosines (times |w|, which d does not feel): their squares sum to the
    # variance, and nothing cancels where all cosines are near 1.
    dots = words @ (attributes - attributes.mean(axis=-2, keepdims=True)).swapaxes(-1, -2)
    spread = np.sqrt(np.vecdot(dots, dots) / (attributes.shape[-2] - 1))
    flat = spread <= NO_SPREAD * lengths
    if flat.any():
        raise WordworthError(
            f"row {np.argwhere(flat)[0, -1]} of the targets is equally near all words of A and B, so it has no effect "
            "size; drop that word or look for repeated attribute vectors"
        )
    return np.asarray(_associate(words, attributes, A.shape[-2]) / spread, dtype=np.float64)


def sc_weat_p(targets: Vectors, A: Vectors, B: Vectors, **settings: Unpack[Permuting]) -> PermutationTest:
    """Return Pr_i[s(w, A_i, B_i) ≥ s(w, A, B)] over partitions of A ∪ B that keep the sizes; shapes as in `sc_weat`."""
    attributes = _attributes(A, B)
    words, _ = _targets(targets)
    # |w| scales all of a word's statistics alike, so p needs no cosines.
    return permutation_test(words @ attributes.swapaxes(-1, -2), A.shape[-2], **settings)


def association(targets: Vectors, A: Vectors, B: Vectors, what: str = "the targets") -> Matrix:
    """Return s(w, A, B) = mean_a cos(w, a) − mean_b cos(w, b), shapes as in `sc_weat`."""
    attributes = _attributes(A, B)
    words, lengths = _targets(targets, what)
    return _associate(words / lengths[..., None], attributes, A.shape[-2])


def weat(X: Vectors, Y: Vectors, A: Vectors, B: Vectors) -> Matrix:
    """Return d = (mean_x s(x, A, B) − mean_y s(y, A, B)) / σ_{w ∈ X∪Y} s(w, A, B), sample standard deviation.

    X (..., m, dim), Y (..., n, dim) and A, B as in `sc_weat` → (...), of no dimension for plain sets.
    """
    pooled = _pooled_associations(X, Y, A, B)
    d = effect_size(pooled, X.shape[-2])
    if (np.ptp(pooled, axis=-1) <= NO_SPREAD).any() or np.isnan(d).any():
        raise WordworthError("all words of X and Y are equally associated with A and B, so there is no effect size")
    return d


def weat_p(X: Vectors, Y: Vectors, A: Vectors, B: Vectors, **settings: Unpack[Permuting]) -> PermutationTest:
    """Return Pr_i[s(X_i, Y_i, A, B) ≥ s(X, Y, A, B)] over the partitions of X ∪ Y that keep the sizes."""
    return permutation_test(_pooled_associations(X, Y, A, B), X.shape[-2], **settings)


def weat_interval(
    X: Vectors, Y: Vectors, A: Vectors, B: Vectors, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Matrix, Matrix]:
    """Return the 95 % interval of d over the words of the four sets, shapes as in `weat`."""
    attributes = _attributes(A, B)
    of_x, of_y = (_units(words, name) @ attributes.swapaxes(-1, -2) for words, name in ((X, "X"), (Y, "Y")))
    return interval_of(_join(of_x, of_y, axis=-2), X.shape[-2], A.shape[-2], resamples=resamples, seed=seed)


def _pooled_associations(X: Vectors, Y: Vectors, A: Vectors, B: Vectors) -> Matrix:
    _need_two(X, "X")
    _need_two(Y, "Y")
    return _join(association(X, A, B, "X"), association(Y, A, B, "Y"), axis=-1)


def _associate(words: Matrix, attributes: Matrix, size_a: int) -> Matrix:
    """Return ⟨w, mean â − mean b̂⟩: the mean of products with unit vectors is the product with their mean."""
    difference = attributes[..., :size_a, :].mean(axis=-2) - attributes[..., size_a:, :].mean(axis=-2)
    return np.asarray(np.einsum("...wi,...i->...w", words, difference), dtype=np.float64)


def _need_two(words: Vectors, name: str) -> None:
    if words.shape[-2] < 2:
        raise WordworthError(f"the set {name} has {words.shape[-2]} words; an association test needs at least 2")


def _units(words: Vectors, name: str) -> Matrix:
    _need_two(words, name)
    return unit_rows(words, name)


def _attributes(A: Vectors, B: Vectors) -> Matrix:
    """Return A and B as unit vectors in one array (..., p + q, dim)."""
    return _join(_units(A, "A"), _units(B, "B"), axis=-2)


def _join(one: Matrix, other: Matrix, axis: int) -> Matrix:
    """Concatenate two arrays along an axis from the end; the axes before it broadcast."""
    lead = np.broadcast_shapes(one.shape[:axis], other.shape[:axis])
    return np.concatenate([np.broadcast_to(part, (*lead, *part.shape[axis:])) for part in (one, other)], axis=axis)


def _targets(targets: Vectors, what: str = "the targets") -> tuple[Matrix, Matrix]:
    """Return the targets in float64, and their lengths."""
    words = np.asarray(targets, dtype=np.float64)
    return words, norms(words, what)

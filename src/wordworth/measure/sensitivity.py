"""How far a number depends on choices that could have been made otherwise (specification curve, Simonsohn et al. 2020).

A variant is the number under one combination of choices. Words that are left out are masks, so that all variants of a
test are a few matrix products over one matrix of products of its words.
"""

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.core import Matrix, Vectors, unit_rows
from wordworth.measure.declaration import declare

ALPHA = 0.05
"""Of significance."""
ASSOCIATIONS = ("mean cosine", "centroid", "inner product")
"""How near a word is to a set: the mean of its cosines (Caliskan et al. 2017), its cosine with the mean of the set's
unit vectors (Garg et al. 2018), or the mean of its inner products, which feel lengths (Ethayarajh et al. 2019)."""
NO_SPREAD = 1e-12
"""A standard deviation below this is rounding."""
OVER = "of the variants of one test: all combinations of the choices named in its items."

declare("sensitivity", f"Share with p < .05 {OVER}", "simonsohn2020", "", "significant")
declare("sensitivity", f"Share with the sign of the test as it is run {OVER}", "simonsohn2020", "higher", "same-sign")
declare(
    "sensitivity",
    "Share of the variants whose conclusion (p < .05 and the sign, or neither) is not that of the test as it is run; "
    "where `subset` names an option of a choice, of the variants with that option.",
    "simonsohn2020",
    "lower",
    "flipped",
    is_main=True,
)
declare("sensitivity", f"Median, with the minimum and the maximum, {OVER}", "simonsohn2020", "", "median")

Masks = NDArray[np.bool_]
"""variants × words: which words each variant keeps."""


def product_associations(targets: Vectors, attributes: Vectors, in_a: Masks, in_b: Masks, way: str) -> Matrix:
    """Return s(w, A, B) of every target under every choice of A and B: targets × variants.

    `in_a` and `in_b` (variants × attributes) say which attributes are A's and B's. One matrix of products of targets
    with attributes serves all variants; the length of a centroid comes from the products of attributes.
    """
    near = np.asarray(targets, dtype=np.float64)
    to = np.asarray(attributes, dtype=np.float64)
    if way != "inner product":
        near, to = unit_rows(near, "the targets"), unit_rows(to, "the attributes")
    products = near @ to.T
    gram = to @ to.T if way == "centroid" else None
    means = []
    for mask in (in_a, in_b):
        weights = mask / mask.sum(axis=1, keepdims=True)
        mean = products @ weights.T
        if gram is not None:
            mean = mean / np.sqrt(np.einsum("vi,ij,vj->v", weights, gram, weights, optimize=True))
        means.append(mean)
    return np.asarray(means[0] - means[1], dtype=np.float64)


def select_values(associations: Matrix, masks: Masks) -> Matrix:
    """Return the associations (targets × variants) of the targets that each variant keeps, in order: variants × words.

    All of these variants keep as many.
    """
    return associations.T[masks].reshape(len(masks), -1)


def word_effects(targets: Vectors, attributes: Vectors, in_a: Masks, in_b: Masks) -> Matrix:
    """Return SC-WEAT's d of every target under every choice of A and B, σ of the sample: targets × variants."""
    products = unit_rows(targets, "the targets") @ unit_rows(attributes, "the attributes").T
    products -= products.mean(axis=1, keepdims=True)  # so that nothing cancels where all cosines are near 1
    either = (in_a | in_b).astype(np.float64)
    counts = either.sum(axis=1)
    mean = products @ either.T / counts
    squares = np.square(products) @ either.T - counts * np.square(mean)
    spread = np.sqrt(np.clip(squares, 0, None) / (counts - 1))
    sides = (products @ (mask / mask.sum(axis=1, keepdims=True)).T for mask in (in_a, in_b))
    difference = next(sides) - next(sides)
    return np.asarray(difference / np.where(spread > NO_SPREAD, spread, np.nan), dtype=np.float64)


def conclusions(values: Matrix, p: Matrix) -> NDArray[np.int8]:
    """Return 1 or −1, the sign of the value, where p < .05; else 0."""
    return np.where(p < ALPHA, np.sign(values), 0).astype(np.int8)


def robustness(values: Matrix, p: Matrix) -> dict[str, dict[str, float]]:
    """Return each variant of `sensitivity`; all choices are compared with the first."""
    signs = conclusions(values, p)
    limits = {"value": np.median(values), "low": values.min(), "high": values.max()}
    return {
        "significant": {"value": float(np.mean(p < ALPHA))},
        "same-sign": {"value": float(np.mean(np.sign(values) == np.sign(values[0])))},
        "flipped": {"value": float(np.mean(signs != signs[0]))},
        "median": {name: float(limit) for name, limit in limits.items()},
    }


def flipped_by(is_flipped: NDArray[np.bool_], options: NDArray[np.str_]) -> dict[str, tuple[float, int]]:
    """Return option → (share of its variants that are flipped, how many variants it has)."""
    names, codes = np.unique(options, return_inverse=True)
    counts = np.bincount(codes, minlength=len(names))
    flips = np.bincount(codes, weights=is_flipped, minlength=len(names))
    return {str(name): (float(flips[at] / counts[at]), int(counts[at])) for at, name in enumerate(names)}

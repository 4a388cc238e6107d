"""Cosines: vectors of length one, and an error that names the row that cannot be one."""

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError


def norms(vectors: NDArray[np.floating], what: str = "the vectors") -> NDArray[np.float64]:
    """Euclidean lengths (..., rows) of vectors (..., rows, dim); a zero or non-finite one is an error."""
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors, dtype=np.float64))
    refuse_degenerate(lengths, what)
    return np.asarray(lengths, dtype=np.float64)


def refuse_degenerate(lengths: NDArray[np.float64], what: str, offset: int = 0) -> None:
    """Raises for the first length that is zero or not finite; `offset` is the row at which these lengths begin."""
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        *layer, row = (int(place) for place in np.argwhere(~usable)[0])
        where = f"row {row + offset} of {what}" + (f", layer {','.join(map(str, layer))}," if layer else "")
        kind = "is zero" if lengths[(*layer, row)] == 0 else "has a value that is not finite"
        raise WordworthError(f"{where} {kind} and so has no cosine; drop that word")


def unit_rows(vectors: NDArray[np.floating], what: str = "the vectors") -> NDArray[np.float64]:
    """v / |v| for every row of (..., rows, dim), in float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / norms(exact, what)[..., None], dtype=np.float64)


def cosines(left: NDArray[np.floating], right: NDArray[np.floating]) -> NDArray[np.float64]:
    """cos(left_i, right_i) row by row: (..., rows, dim) twice → (..., rows)."""
    if left.shape[-2:] != right.shape[-2:]:
        raise WordworthError(f"rows of shape {left.shape} cannot be paired with rows of shape {right.shape}")
    one, other = unit_rows(left, "the left vectors"), unit_rows(right, "the right vectors")
    return np.asarray(np.einsum("...i,...i->...", one, other), dtype=np.float64)


def cosines_with(
    vectors: NDArray[np.floating], directions: NDArray[np.float64], what: str = "the vectors"
) -> NDArray[np.float64]:
    """⟨v / |v|, d⟩ of every row with every direction: (..., rows, dim) and (..., k, dim) → (..., rows, k).

    These are cosines where the directions have length one, and mean cosines where they are means of such.
    """
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact @ directions.swapaxes(-1, -2) / norms(exact, what)[..., None], dtype=np.float64)

"""Word similarity: how well cosines order pairs of words as people do."""

from wordworth.embedding.cosine import Vectors, cosines
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, spearman

declare(
    "similarity",
    "Spearman's ρ between the cosine of two words and their rated similarity.",
    "",
    "higher",
    "knows the similarity of words better",
)
declare("similarity:best", "The largest similarity over the layers.", "bommasani2020", "higher")


def similarity(
    left: Vectors, right: Vectors, scores: Vectors, *, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Spearman's ρ between cos(left_i, right_i) and human scores: (..., pairs, dim) twice and (pairs)."""
    return spearman(cosines(left, right), scores, resamples=resamples, seed=seed)

"""What it means to score higher in a measure. The only place here that knows measures by name."""

from dataclasses import dataclass

GROWS_WITH_VECTORS = ("garg-euclidean",)
"""Measures in the units of a model's vectors: of one model before and after, not of two models."""


@dataclass(frozen=True)
class Direction:
    """Which end of a measure wins, and what is said of the winner."""

    verdict: str
    better: str = "higher"
    """`higher` or `lower`; blank where neither end is better, and the higher value is told first."""


_DIRECTIONS = {
    "valence": Direction("knows the valence of words better"),
    "similarity": Direction("knows the similarity of words better"),
    "analogy": Direction("answers analogies better"),
    "weat": Direction("associates more strongly", ""),
    "net-neutral": Direction("infers more neutrally"),
    "bits-per-word": Direction("is less surprised by words", "lower"),
}


def direction(measure: str) -> Direction:
    """What a measure declares."""
    if measure.startswith("top-"):
        return Direction(f"predicts words better ({measure})")
    return _DIRECTIONS.get(measure, Direction(f"has a larger {measure}", ""))

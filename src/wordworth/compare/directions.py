"""What it means to score higher in a measure: the one place in this room that knows measures by name."""

from dataclasses import dataclass

GROWS_WITH_VECTORS = ("garg-euclidean",)
"""Measures in the units of a model's vectors: of one model before and after, not of two models."""


@dataclass(frozen=True)
class Direction:
    """Which end of a measure wins, and what is said of the winner."""

    verdict: str
    noun: str
    """What no difference was found in."""
    better: str = "higher"
    """`higher` or `lower`; blank where neither end is better, and the higher value comes first."""


_DIRECTIONS = {
    "valence": Direction("knows the valence of words better", "valence"),
    "similarity": Direction("knows the similarity of words better", "similarity"),
    "analogy": Direction("answers analogies better", "analogies"),
    "weat": Direction("associates more strongly", "association", ""),
    "net-neutral": Direction("infers more neutrally", "net-neutral"),
    "bits-per-word": Direction("is less surprised by words", "bits-per-word", "lower"),
}


def direction(measure: str) -> Direction:
    """What a measure declares."""
    if measure.startswith("top-"):
        return Direction(f"predicts words better ({measure})", measure)
    return _DIRECTIONS.get(measure, Direction(f"has a larger {measure}", measure, ""))

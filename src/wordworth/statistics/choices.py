"""What can be chosen of intervals and tests, and how much is drawn where nothing is chosen. It imports no arrays."""

from typing import Literal

RESAMPLES = 1_000
PERMUTATIONS = 10_000
Sides = Literal["one", "two"]
Method = Literal["auto", "exact", "monte-carlo"]
Count = Literal["inclusive", "strict"]
"""What p counts: partitions that give as much as the observed one, itself among them; or only those that give more."""

"""Compare the runs of two models item by item."""

from wordworth.paired.comparison import Comparison, ComparisonSettings, Difference, PairedTest, compare, compare_scores
from wordworth.paired.items import NotComparableError
from wordworth.paired.sides import Side, sides
from wordworth.paired.verdict import verdicts

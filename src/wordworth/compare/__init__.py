"""Which differences between two models are real: their runs held against each other, item by item."""

from wordworth.compare.comparison import Comparison, ComparisonSettings, Difference, compare
from wordworth.compare.sides import Side, sides
from wordworth.compare.verdict import verdicts

"""Which differences between two models are real: their runs held against each other, item by item."""

from wordworth.paired.comparison import Comparison, ComparisonSettings, Difference, compare
from wordworth.paired.sides import Side, sides
from wordworth.paired.verdict import verdicts

"""Rules for a model's numbers: each passes, fails or stays undecided, by the interval and not the point."""

from wordworth.check.checking import Checked, check
from wordworth.check.output import headings, junit, legend_of, rows, sentence, summary
from wordworth.check.rules import Rule, Rules, read_rules

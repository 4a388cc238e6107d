"""Rules for a model's numbers: each passes, fails or stays undecided, by the interval and not the point."""

from wordworth.rules.checking import Checked, check
from wordworth.rules.output import headings, junit, legend_of, rows, sentence, summary
from wordworth.rules.rules import Rule, Rules, read_rules

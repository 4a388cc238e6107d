"""Rules for a model's numbers: each passes, fails or stays undecided, by the interval and not the point."""

from wordworth.check.checking import Checked, check, held, judge
from wordworth.check.drafting import draft
from wordworth.check.junit import junit
from wordworth.check.rules import Rule, Rules, read_rules
from wordworth.check.wording import headings, legend_of, rows, sentence, summary

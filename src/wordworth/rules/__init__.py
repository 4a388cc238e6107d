"""Rules for a model's numbers: each passes, fails or stays undecided, by the interval and not the point."""

from wordworth.rules.checking import CheckResult, RuleResult, check
from wordworth.rules.junit import to_junit
from wordworth.rules.rules import Rule, Rules, read_rules

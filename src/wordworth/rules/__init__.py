"""Check a model's numbers against rules: each passes, fails or is undecided, by its interval."""

from wordworth.rules.checking import CheckResult, RuleResult, check
from wordworth.rules.junit import to_junit
from wordworth.rules.rules import Rule, Rules, read_rules

"""Rules for a model's numbers: each passes, fails or stays undecided, by the interval and not the point."""

from typing import TYPE_CHECKING

from wordworth.lazy import lazily

if TYPE_CHECKING:  # pytest loads this room in every run of its own: nothing more is imported until a rule is looked at
    from wordworth.check.checking import Checked, check, held, judge
    from wordworth.check.drafting import draft
    from wordworth.check.junit import junit
    from wordworth.check.rules import Rule, Rules, read_rules
    from wordworth.check.wording import headings, legend_of, rows, sentence, summary

lazily(__name__)

"""Intervals, tests and corrections: pure functions over arrays that know nothing of words."""

from typing import TYPE_CHECKING

from wordworth.lazy import lazily

if TYPE_CHECKING:
    from wordworth.statistics.bootstrap import Estimate, ratio
    from wordworth.statistics.correlation import Correlation, pearson, spearman
    from wordworth.statistics.effect_size import WeatDifference, weat_difference
    from wordworth.statistics.paired_correlation import CorrelationDifference, correlation_difference
    from wordworth.statistics.paired_tests import TwoByTwo, holm, mcnemar, sign_flip, two_by_two
    from wordworth.statistics.permutation import PermutationTest, permutation_test

lazily(__name__)

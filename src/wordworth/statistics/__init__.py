"""Intervals, tests and corrections: pure functions over arrays that know nothing of words."""

from typing import TYPE_CHECKING

from wordworth.lazy import lazily

if TYPE_CHECKING:
    from wordworth.statistics.clustered import Estimate, ratio
    from wordworth.statistics.contingency import TwoByTwo, two_by_two
    from wordworth.statistics.correlation import Correlation, pearson, spearman
    from wordworth.statistics.holm import holm
    from wordworth.statistics.mcnemar import mcnemar
    from wordworth.statistics.paired_correlation import CorrelationDifference, correlation_difference
    from wordworth.statistics.permutation import PermutationTest, permutation_test
    from wordworth.statistics.sign_flip import sign_flip
    from wordworth.statistics.weat_difference import WeatDifference, weat_difference

lazily(__name__)

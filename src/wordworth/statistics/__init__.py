"""Intervals, tests and corrections: pure functions over arrays that know nothing of words."""

from wordworth.statistics.clustered import Estimate as Estimate
from wordworth.statistics.clustered import ratio as ratio
from wordworth.statistics.contingency import TwoByTwo as TwoByTwo
from wordworth.statistics.contingency import two_by_two as two_by_two
from wordworth.statistics.correlation import Correlation as Correlation
from wordworth.statistics.correlation import pearson as pearson
from wordworth.statistics.correlation import spearman as spearman
from wordworth.statistics.holm import holm as holm
from wordworth.statistics.mcnemar import mcnemar as mcnemar
from wordworth.statistics.paired_correlation import CorrelationDifference as CorrelationDifference
from wordworth.statistics.paired_correlation import correlation_difference as correlation_difference
from wordworth.statistics.permutation import PermutationTest as PermutationTest
from wordworth.statistics.permutation import permutation_test as permutation_test
from wordworth.statistics.sign_flip import sign_flip as sign_flip
from wordworth.statistics.weat_difference import WeatDifference as WeatDifference
from wordworth.statistics.weat_difference import weat_difference as weat_difference

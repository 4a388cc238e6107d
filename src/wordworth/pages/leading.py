"""Which models lead: the best one, and those that the paired test of `compare` finds no worse."""

from collections.abc import Sequence
from dataclasses import dataclass

from wordworth.measure import find_measure
from wordworth.pages.runs import Runs, Score
from wordworth.paired import ComparisonSettings, NotComparableError, Tested, compare_scores
from wordworth.paired.comparison import ALPHA
from wordworth.statistics.paired_tests import holm

P_ONLY = ComparisonSettings(resamples=100)
"""Only p is used; the interval, which takes most of the time, is not."""


@dataclass(frozen=True)
class Leading:
    """The models that lead among those that are compared."""

    models: frozenset[str] = frozenset()
    """The best one, and all that are not significantly worse."""
    test: str = ""
    """The name of the test; blank where none could be made."""
    untested: frozenset[str] = frozenset()
    """Models that could not be tested against the best."""


def leading(runs: Runs, scores: Sequence[Score], better: str) -> Leading:
    """Return who leads among scores that differ only in their model; p is corrected by Holm over the models.

    Nobody leads where neither end is better, or where there is one model.
    """
    if len(scores) < 2 or better not in ("higher", "lower"):
        return Leading()
    if find_measure(scores[0]["measure"], scores[0]["variant"]).grows_with_vectors:
        return Leading()
    sign = 1 if better == "higher" else -1
    best = max(scores, key=lambda score: sign * score["value"])
    others = {score["model"]: _test(runs, best, score) for score in scores if score is not best}
    tested = {model: test for model, test in others.items() if test is not None}
    adjusted = dict(zip(tested, holm([test.p for test in tested.values()]), strict=True)) if tested else {}
    worse = {model for model, p in adjusted.items() if p < ALPHA and sign * tested[model].difference > 0}
    equal = {score["model"] for score in scores if score["value"] == best["value"]}
    names = [test.test for test in tested.values()]
    untested = frozenset(others.keys() - tested)
    return Leading(frozenset(equal | (adjusted.keys() - worse)), names[0] if names else "", untested)


def _test(runs: Runs, first: Score, second: Score) -> Tested | None:
    try:
        return compare_scores((runs.run_of(first), first), (runs.run_of(second), second), P_ONLY)
    except NotComparableError:
        return None

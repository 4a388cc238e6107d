"""The sentences over a table for a paper: data, n, intervals, tests, and what is bold."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordworth.pages.leading import Leading
from wordworth.pages.runs import Runs, Score
from wordworth.paired.comparison import ALPHA
from wordworth.results.numbers import format_list, format_number

TESTS = {
    "williams": "Williams’ t", "mcnemar": "McNemar’s mid-p", "exchange": "a permutation test that exchanges models",
    "sign-flip": "a sign-flip permutation test",
}  # fmt: skip
"""Paired test → its name."""
Leaders = Sequence[tuple[str, Leading]]
"""What was compared, and who leads in it."""


def caption(runs: Runs, what: str, scores: Sequence[Score], leaders: Leaders) -> str:
    """Return the sentences over a table of these scores."""
    tested = [score for score in scores if score["p"] is not None]
    measured = [score for score in scores if score["low"] is not None and score["high"] is not None]
    return " ".join([what, *_data(scores), *_interval(runs, measured), *_test(tested), *_bold(leaders)])


def _data(scores: Sequence[Score]) -> Iterator[str]:
    named = list(dict.fromkeys(score["dataset"] for score in scores if score["dataset"]))
    counts = {score["n"] for score in scores if score["n"] is not None}
    n = f"n = {counts.pop():,}" if len(counts) == 1 else ""
    data = f"Data: {format_list(named, most=12)}" if named else ""
    if data or n:
        yield f"{', '.join(filter(None, (data, n)))}."
    if len(counts) > 1:
        yield "n is the number of items."


def _interval(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    if not scores:
        return
    settings: list[Mapping[str, Any]] = [runs.each[at].settings for at in {score["run"] for score in scores}]
    counts = {int(one.get("resamples") or 0) for one in settings}
    drawn = " or ".join(f"{count:,}" for count in sorted(counts))
    yield f"Brackets: 95 % intervals (bootstrap, {drawn} resamples)." if all(counts) else "Brackets: 95 % intervals."


def _test(scores: Sequence[Score]) -> Iterator[str]:
    """Say what p is; only permutation tests have one in a table."""
    if not scores:
        return
    sides = {score["sides"] for score in scores} - {None}
    side = f"{sides.pop()}-sided " if len(sides) == 1 else ""
    exact = any(score["p_method"] == "exact" for score in scores)
    counts = sorted({score["partitions"] for score in scores if score["p_method"] == "monte-carlo"} - {None})
    drawn = f"{' or '.join(f'{count:,}' for count in counts)} random ones" if counts else ""
    over = ", or ".join(filter(None, ["all partitions" if exact else "", drawn]))
    yield f"p: {side}permutation test{f' over {over}' if over else ''}."
    if any(score["p"] == 0 for score in scores):
        yield "< 1/N: none of N partitions gives more."


def _bold(leaders: Leaders) -> Iterator[str]:
    compared = [(name, one) for name, one in leaders if one.models]
    tests = sorted({TESTS.get(one.test, one.test) for _, one in compared if one.test})
    untested = list(dict.fromkeys(name for name, one in compared if not one.test))
    if tests:
        yield (
            "Bold: the best model of each measure, and those that are not significantly worse on the items that both "
            f"have ({format_list(tests)}; p < {format_number(ALPHA)} after Holm’s correction over the models)."
        )
    if untested:
        yield f"There is no paired test for {format_list(untested, most=12)}: only the best is bold."

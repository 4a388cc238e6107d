"""A comparison in sentences that a person can read."""

from collections.abc import Sequence

from wordworth.measure import named
from wordworth.paired.comparison import Comparison, Difference
from wordworth.results.flags import MARK, legend
from wordworth.results.numbers import format_p, format_precise, state_p


def headings(comparison: Comparison) -> list[str]:
    """Of a table of differences; all but the first are numbers."""
    return ["task", comparison.first, comparison.second, "Δ [95 %]", "p", "p Holm", "n", "only in one"]


def cells(one: Difference) -> list[str]:
    """One row of it."""
    first, second, difference, low, high = map(
        format_precise, (one.first, one.second, one.difference, one.low, one.high)
    )
    ps = [format_p(p, 0.001) for p in (one.p, one.p_holm)]
    only = f"{one.only_first:,} / {one.only_second:,}"
    n = f"{one.n:,}{MARK if one.flags else ''}"
    return [one.task, first, second, f"{difference} [{low}, {high}]", *ps, n, only]


def care(comparison: Comparison) -> str:
    """Which of the differences are to be read with care, and why; blank where none is."""
    return legend((one.task, one.flags) for one in comparison.differences)


def verdicts(comparison: Comparison) -> list[str]:
    """A sentence for each thing measured and each side that does it better, and one for what shows no difference."""
    sentences: list[str] = []
    for measure in dict.fromkeys(one.measure for one in comparison.differences):
        declared = named(measure)
        of_measure = [one for one in comparison.differences if one.measure == measure]
        for first_wins in (True, False):
            won = [one for one in of_measure if one.real and _first_wins(one) is first_wins]
            if won:
                names = comparison.first, comparison.second
                winner, loser = names if first_wins else names[::-1]
                does = declared.verdict or f"has a larger {measure}"
                sentences.append(f"{winner} {does} than {loser} on {_each(won, first_wins)}.")
        alike = [one for one in of_measure if not one.real]
        if alike:
            sentences.append(f"No difference found in {declared.noun or measure} on {_each(alike, True)}.")
    return sentences


def method(comparison: Comparison) -> str:
    """What the p-values and figures are, in a line."""
    count = len(comparison.differences)
    tests = "test" if count == 1 else "tests"
    return (
        f"Values are over the items that both have, first v second; Δ with its 95 % interval; p is Holm's, over "
        f"{count} {tests}."
    )


def _first_wins(one: Difference) -> bool:
    return (one.difference > 0) is named(one.measure).larger_wins


def _each(differences: Sequence[Difference], first_wins: bool) -> str:
    clauses = [_clause(difference, first_wins) for difference in differences]
    return " and ".join(filter(None, (", ".join(clauses[:-1]), clauses[-1])))


def _clause(one: Difference, first_wins: bool) -> str:
    """The winner's figure stands first, so that Δ is its lead."""
    values = (one.first, one.second, one.difference, one.low, one.high)
    if not first_wins:
        values = (one.second, one.first, -one.difference, -one.high, -one.low)
    a, b, difference, low, high = map(format_precise, values)
    place = " ".join(filter(None, (one.dataset, one.setting)))
    lead = f"Δ {difference} [{low}, {high}], " if one.real else ""
    detail = f", {one.detail}" if one.detail and one.real else ""
    return f"{place}{detail} ({a} v {b}, {lead}{state_p(one.p_holm)})"

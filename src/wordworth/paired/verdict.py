"""Put a comparison into sentences."""

from collections.abc import Sequence

from wordworth.measure import label
from wordworth.paired.comparison import Comparison, Difference
from wordworth.results.table import format_precise, state_p


def verdicts(comparison: Comparison) -> list[str]:
    """Return a sentence per measure and winning side, and one per measure for tasks without a difference."""
    sentences: list[str] = []
    names = comparison.first, comparison.second
    for name in dict.fromkeys(map(_label, comparison.differences)):
        differences = [difference for difference in comparison.differences if _label(difference) == name]
        measure = differences[0].measure
        for first_wins in (True, False):
            wins = [item for item in differences if item.is_real and _first_wins(item) is first_wins]
            if wins:
                winner, loser = names if first_wins else names[::-1]
                verb = measure.verdict or f"has a larger {name}"
                verb += f" ({name})" if measure.verdict and name != measure.name else ""
                sentences.append(f"{winner} {verb} than {loser} on {_join_clauses(wins, first_wins)}.")
        undecided = [difference for difference in differences if not difference.is_real]
        if undecided:
            clauses = _join_clauses(undecided, True)
            sentences.append(f"No difference found in {measure.noun or name} on {clauses}.")
    return sentences


def describe_method(comparison: Comparison) -> str:
    """Return a line that explains the values and p."""
    count = len(comparison.differences)
    tests = "test" if count == 1 else "tests"
    return f"Values are over the items that both have; Δ with its 95 % interval; p is Holm's, over {count} {tests}."


def _label(difference: Difference) -> str:
    return label(*(difference.columns.get(name) for name in ("measure", "variant", "k")))  # type: ignore[arg-type]


def _first_wins(difference: Difference) -> bool:
    return (difference.test.difference > 0) is difference.measure.larger_wins


def _join_clauses(differences: Sequence[Difference], first_wins: bool) -> str:
    clauses = [_clause(difference, first_wins) for difference in differences]
    return " and ".join(filter(None, (", ".join(clauses[:-1]), clauses[-1])))


def _clause(one: Difference, first_wins: bool) -> str:
    """Return the data and the numbers, the winner's first, so that Δ is its lead."""
    test = one.test
    values = (test.first, test.second, test.difference, test.low, test.high)
    if not first_wins:
        values = (test.second, test.first, -test.difference, -test.high, -test.low)
    a, b, difference, low, high = map(format_precise, values)
    places = ("dataset", "subset", "context", "version", "control")
    place = " ".join(str(one.columns[name]) for name in places if one.columns.get(name))
    lead = f"Δ {difference} [{low}, {high}], " if one.is_real else ""
    sets = f", {' v '.join(test.sets)}" if test.sets and one.is_real else ""
    return f"{place}{sets} ({a} v {b}, {lead}{state_p(one.p_holm)})"

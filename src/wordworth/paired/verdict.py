"""A comparison in sentences."""

from collections.abc import Sequence

from wordworth.measure import label
from wordworth.paired.comparison import Comparison, Difference
from wordworth.results.table import format_precise, state_p


def verdicts(comparison: Comparison) -> list[str]:
    """Return a sentence per measure and winning side, and one for what shows no difference."""
    sentences: list[str] = []
    names = comparison.first, comparison.second
    for shown in dict.fromkeys(map(_label, comparison.differences)):
        differences = [one for one in comparison.differences if _label(one) == shown]
        measure = differences[0].measure
        for first_wins in (True, False):
            won = [one for one in differences if one.is_real and _first_wins(one) is first_wins]
            if won:
                winner, loser = names if first_wins else names[::-1]
                does = measure.verdict or f"has a larger {shown}"
                does += f" ({shown})" if measure.verdict and shown != measure.name else ""
                sentences.append(f"{winner} {does} than {loser} on {_join_clauses(won, first_wins)}.")
        alike = [one for one in differences if not one.is_real]
        if alike:
            sentences.append(f"No difference found in {measure.noun or shown} on {_join_clauses(alike, True)}.")
    return sentences


def describe_method(comparison: Comparison) -> str:
    """Return what the values and p are, in a line."""
    count = len(comparison.differences)
    tests = "test" if count == 1 else "tests"
    return f"Values are over the items that both have; Δ with its 95 % interval; p is Holm's, over {count} {tests}."


def _label(one: Difference) -> str:
    return label(*(one.columns.get(name) for name in ("measure", "variant", "k")))  # type: ignore[arg-type]


def _first_wins(one: Difference) -> bool:
    return (one.tested.difference > 0) is one.measure.larger_wins


def _join_clauses(differences: Sequence[Difference], first_wins: bool) -> str:
    clauses = [_clause(difference, first_wins) for difference in differences]
    return " and ".join(filter(None, (", ".join(clauses[:-1]), clauses[-1])))


def _clause(one: Difference, first_wins: bool) -> str:
    """Return the data and the numbers, the winner's first, so that Δ is its lead."""
    tested = one.tested
    values = (tested.first, tested.second, tested.difference, tested.low, tested.high)
    if not first_wins:
        values = (tested.second, tested.first, -tested.difference, -tested.high, -tested.low)
    a, b, difference, low, high = map(format_precise, values)
    places = ("dataset", "subset", "context", "version", "control")
    place = " ".join(str(one.columns[name]) for name in places if one.columns.get(name))
    lead = f"Δ {difference} [{low}, {high}], " if one.is_real else ""
    sets = f", {' v '.join(tested.sets)}" if tested.sets and one.is_real else ""
    return f"{place}{sets} ({a} v {b}, {lead}{state_p(one.p_holm)})"

"""What was checked, as a table and in sentences."""

from wordworth.check.checking import COUNTED, Checked, Judged
from wordworth.run.flags import MARK, legend
from wordworth.run.numbers import format_precise


def headings() -> list[str]:
    """Of the table; the fourth and fifth columns are numbers."""
    return ["rule", "score", "asked", "value [95 %]", "n", "verdict"]


def rows(checked: Checked) -> list[list[str]]:
    """A row a rule."""
    return [[one.rule, one.score, one.asked, _value(one), _count(one), one.verdict] for one in checked.judged]


def _value(one: Judged) -> str:
    if one.value is None:
        return "–"
    known = one.low is not None and one.high is not None
    interval = f" [{format_precise(one.low or 0.0)}, {format_precise(one.high or 0.0)}]" if known else ""
    delta = "Δ " if one.asked.startswith("no worse than ") else ""
    return f"{delta}{format_precise(one.value)}{interval}"


def _count(one: Judged) -> str:
    return "" if one.n is None else f"{one.n:,}{MARK if one.flags else ''}"


def legend_of(checked: Checked) -> str:
    """Which of the numbers are to be read with care, and why; blank where none is."""
    return legend((one.rule, one.flags) for one in checked.judged)


def sentence(one: Judged) -> str:
    """What came of a rule, and why."""
    notes = "".join(f"; {note}" for note in one.notes)
    return f"{one.score}: {one.reason}{notes}"


def summary(checked: Checked) -> str:
    """How many rules passed, failed and are undecided."""
    verdicts = [one.verdict for one in checked.judged]
    return ", ".join(f"{verdicts.count(one):,} {word}" for one, word in COUNTED.items() if one in verdicts)

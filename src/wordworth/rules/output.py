"""What was checked: as a table, in sentences, and as JUnit XML, which every CI server shows."""

import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from wordworth.results.flags import MARK, legend
from wordworth.results.numbers import format_precise
from wordworth.rules.checking import COUNTED, Checked, Judged
from wordworth.visible import visible


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


SUITE = "wordworth check"
_NO_XML = re.compile("[\ufffe\uffff]")
"""Characters, beside those that no eye sees, that XML cannot hold."""


def junit(checked: Checked) -> str:
    """The file. A rule that failed is a failure; one that is undecided is skipped, with the reason."""
    verdicts = [one.verdict for one in checked.judged]
    counts = {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count("fail")),
        "errors": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", {"name": SUITE, **counts})
    skipped = str(verdicts.count("undecided"))
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts, "skipped": skipped, "timestamp": began})
    for one in checked.judged:
        _case(suite, one, Path(checked.rules).stem)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, one: Judged, file: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", {"classname": _text(file), "name": _text(one.rule), "time": "0"})
    if one.verdict == "fail":
        said = ElementTree.SubElement(case, "failure", {"message": _text(one.reason), "type": "fail"})
        said.text = _text(sentence(one))
    elif one.verdict == "undecided":
        ElementTree.SubElement(case, "skipped", {"message": _text(f"undecided: {one.reason}"), "type": "undecided"})
    else:
        ElementTree.SubElement(case, "system-out").text = _text(sentence(one))


def _text(text: str) -> str:
    return _NO_XML.sub("\ufffd", visible(text))

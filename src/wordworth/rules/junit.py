"""Judged rules as JUnit XML, which every CI server shows."""

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from wordworth.errors import visible
from wordworth.rules.checking import CheckResult, RuleResult

SUITE = "wordworth check"


def to_junit(checked: CheckResult) -> str:
    """Return the file. A rule that failed is a failure; one that is undecided is skipped, with the reason."""
    verdicts = [one.verdict for one in checked.judged]
    counts = {"tests": str(len(verdicts)), "failures": str(verdicts.count("fail")), "errors": "0", "time": "0"}
    root = ElementTree.Element("testsuites", {"name": SUITE, **counts})
    skipped = str(verdicts.count("undecided"))
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts, "skipped": skipped, "timestamp": began})
    for one in checked.judged:
        _add_case(suite, one, Path(checked.rules).stem)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ElementTree.Element, one: RuleResult, file: str) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", {"classname": visible(file), "name": visible(one.rule), "time": "0"}
    )
    if one.verdict == "pass":
        ElementTree.SubElement(case, "system-out").text = visible(str(one))
        return
    tag = "failure" if one.verdict == "fail" else "skipped"
    result = ElementTree.SubElement(case, tag, {"message": visible(one.reason), "type": one.verdict})
    result.text = visible(str(one))

"""Write the results of rules as JUnit XML, which CI servers show."""

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from wordworth.errors import visible
from wordworth.rules.checking import CheckResult, RuleResult

SUITE = "wordworth check"


def to_junit(check_result: CheckResult) -> str:
    """Return the XML. A failed rule is a failure; an undecided one is skipped, with the reason."""
    verdicts = [result.verdict for result in check_result.judged]
    counts = {"tests": str(len(verdicts)), "failures": str(verdicts.count("fail")), "errors": "0", "time": "0"}
    root = ElementTree.Element("testsuites", {"name": SUITE, **counts})
    skips = str(verdicts.count("undecided"))
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts, "skipped": skips, "timestamp": began})
    for result in check_result.judged:
        _add_case(suite, result, Path(check_result.rules).stem)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ElementTree.Element, rule_result: RuleResult, file: str) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", {"classname": visible(file), "name": visible(rule_result.rule), "time": "0"}
    )
    if rule_result.verdict == "pass":
        ElementTree.SubElement(case, "system-out").text = visible(str(rule_result))
        return
    tag = "failure" if rule_result.verdict == "fail" else "skipped"
    result = ElementTree.SubElement(case, tag, {"message": visible(rule_result.reason), "type": rule_result.verdict})
    result.text = visible(str(rule_result))

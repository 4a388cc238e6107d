"""What was checked as JUnit XML, which every CI server shows: one test case a rule."""

import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from wordworth.check.checking import Checked, Judged
from wordworth.check.wording import sentence
from wordworth.visible import visible

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

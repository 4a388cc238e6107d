"""A number that needs care is marked on the screen, and the reason is under the table."""

import pytest

from wordworth.cli import display
from wordworth.results.findings import Findings
from wordworth.study.tables import score_tables


def test_the_reasons_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    findings = Findings("weat")
    place = {"experiment": "weat", "model": "a", "measure": "weat"}
    findings.score(**place, dataset="weat1", value=1.5, n=50)
    findings.score(**place, dataset="weat9", value=0.25, low=-1.0, high=-0.32, n=8)
    (table,) = score_tables(findings.to_run(command=[]))
    display.print_table(table)
    assert "† fewer than 20 items (weat weat9)" in " ".join(capsys.readouterr().out.split())

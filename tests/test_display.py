"""Tables and notices in the terminal."""

import pytest

from wordworth.cli import display
from wordworth.results.findings import Findings
from wordworth.results.table import Cell, Row, Table
from wordworth.results.vocabulary import Caution


def test_a_table_shows_all_that_is_known_of_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    full = Cell(1.7078, 1.48, 1.83, 0.00008, 12870, 16, (Caution.FEW_ITEMS,))
    none_as_large = Cell(0.5, p=0.0, partitions=1000)
    rows = (
        Row(("weat6",), (full, Cell(0.00025, form="p"))),
        Row(("weat7",), (none_as_large, Cell(1200, form="count"))),
        Row(("weat8",), (None, Cell(None))),
    )
    display.print_table(Table("weat", ("test",), ("d", "share"), rows, note="Below: cautions."))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "weat6 1.71† [1.48, 1.83], p = 8e-05, n = 16 0.00025" in lines
    assert "weat7 .500, p < 0.001 1,200" in lines
    assert "weat8 –" in lines
    assert lines[-1] == "Below: cautions."


def test_notices_are_printed_by_kind_and_facts_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    findings = Findings("weat")
    findings.notice("info", "merged with another word of the same vector", count=3, dataset="bellezza")
    findings.notice("skipped", "the model is Chinese", model="mine")
    findings.notice("failed", "it has 3 of the 8 words of X", model="mine", dataset="weat3")
    findings.item("word_lists", experiment="weat", word=["a", "b"], skipped="not in vocabulary")
    display.print_run(findings.to_run(command=[]))
    assert capsys.readouterr().err.splitlines()[:-1] == [
        "failed: mine, weat3: it has 3 of the 8 words of X.",
        "skipped: mine: the model is Chinese.",
        "not used: 2 items (not in vocabulary)",
    ]

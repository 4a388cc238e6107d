"""Tables and notices in the terminal."""

from collections import Counter

import pytest
from rich.cells import cell_len

from wordworth.cli import display
from wordworth.results.findings import Findings
from wordworth.results.table import Cell, Row, Table, text_lines, text_table
from wordworth.results.vocabulary import Caution


def test_a_table_shows_all_that_is_known_of_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    full = Cell(1.7078, 1.48, 1.83, 0.00008, 12870, 16, (Caution.FEW_ITEMS,))
    none_as_large = Cell(0.5, p=0.0, partitions=1000)
    rows = (
        Row(("weat6",), (full, Cell(0.00025, form="p"))),
        Row(("weat7",), (none_as_large, Cell(1200, form="count"))),
        Row(("weat8",), (None, Cell(None))),
        Row(("men",), (Cell(-0.1, p=0.0), None)),
    )
    display.print_table(Table("weat", ("test",), ("d", "share"), rows, note="Below: cautions."))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "test d 95 % p n share" in lines
    assert "weat6 1.71† [1.48, 1.83] 8e-05 16 0.00025" in lines
    assert "weat7 .50 < 0.001 1,200" in lines
    assert "weat8 –" in lines
    assert "men −.10 < 1e-300" in lines  # smaller than a number can be
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


def test_a_wide_table_is_turned() -> None:
    """Six models of 18 letters do not fit next to each other, and under each other they do."""
    models = tuple(f"a-model-of-letters{at}" for at in range(6))
    rows = tuple(Row((name,), tuple(Cell(at / 10) for at in range(6))) for name in ("valence", "similarity"))
    lines = list(text_lines(Table("six", ("measure",), models, rows, across="model")))
    assert [line.split() for line in lines[1:] if "─" not in line] == [
        ["model", "valence", "similarity"],
        *([model, *[display_of(at / 10)] * 2] for at, model in enumerate(models)),
    ]


def display_of(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)


LONG = "seat-heilman_double_bind_competent_one_sentence"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_end_at_words_and_long_names_have_their_own(width: int) -> None:
    title, other = "names that people have and things that they do " * 3, "中文 " * 20
    rows = [(LONG, title, "32 words"), ("weat6", title, "32 words"), ("xweat", other, "32 words")]
    lines = list(text_lines(text_table("tests", ("name", "title", "holds"), rows), width))
    assert max(map(cell_len, lines)) <= width
    words = Counter(word for line in lines[3:] for word in line.split())
    assert words == Counter(word for row in rows for text in row for word in text.split())


def test_numbers_are_never_broken() -> None:
    cells = Cell(-0.123, -0.5, 0.25, 0.04, n=12_345), Cell(12.5, 11.0, 13.0, n=16)
    rows = tuple(Row(("some words that need room " * 3,), cells) for _ in range(2))
    lines = list(text_lines(Table("", ("measure",), ("first", "second"), rows), 72))
    assert max(map(len, lines)) <= 72
    assert sum("−.12  [−.50, .25]  0.04  12,345    12.5  [11.0, 13.0]  16" in line for line in lines) == 2

"""Labels and words come out of files: none of them steers a terminal, breaks a table or becomes a formula."""

import csv
import json
import re
from pathlib import Path

import pytest

from made_runs import finish, record
from wordworth.cli import display
from wordworth.errors import visible
from wordworth.pages.page import write_report
from wordworth.pages.writers import latex, markdown
from wordworth.results.run import Run, read_run
from wordworth.results.runs import read_runs

STEERING = "a\x1b[2Jb\x9b31mc\u202ed\u2066e\x07f\rg\nh\u2028i\ud800"
SPELLED = r"a\x1b[2Jb\x9b31mc\u202ed\u2066e\x07f\rg\nh\u2028i\ud800"
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
FORMULAS = ["=1+1", "+1", "-1", "-x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''@x", "'tis", "a=b", "−.5", "'"]


def _run(*models: str, dataset: str = "bellezza") -> Run:
    run = record("valnorm", {model: {} for model in models})
    for model in models:
        row = {"dataset": dataset, "measure": "valence", "value": -0.5, "low": -0.6, "high": 0.4, "n": 399}
        run.score(experiment="valence", model=model, language="english", **row)
    return finish(run)


def test_control_characters_are_escaped() -> None:
    assert visible(STEERING) == SPELLED
    assert visible("a\tb\nc\x1b", lines=True) == "a\tb\nc\\x1b"
    kept = "naïve 词 می‌خواهم 👩‍🔬 \u200fשלום ρ = −.5 [x] \\"
    assert visible(kept) == kept


@pytest.mark.parametrize("label", FORMULAS)
def test_no_label_is_a_formula_in_a_spreadsheet(tmp_path: Path, label: str) -> None:
    """A text that a spreadsheet would compute has an apostrophe before it in the file, and none when it is read."""
    run = _run(label)
    scores = run.scores
    run.save(tmp_path / "run")
    with (tmp_path / "run" / "scores.csv").open(encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row["model"].lstrip("'")[:1] in "=+-@\t\r\n＝" or row["model"] == label
    assert row["model"][:1] not in tuple("=+-@\t\r\n＝")
    assert (row["value"], row["low"]) == ("-0.5", "-0.6")  # numbers stay numbers
    assert read_run(tmp_path / "run").scores.equals(scores)


def test_a_terminal_is_not_steered(capsys: pytest.CaptureFixture[str]) -> None:
    display.print_line(STEERING)
    display.print_notice(STEERING)
    display.print_text_table(STEERING, [STEERING], [[STEERING], ["[/x] :smile: \\"]])
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert not UNSEEN.search(text)
        assert SPELLED in text
    assert "[/x] :smile: \\" in shown.out  # neither markup nor a picture


def test_json_on_a_terminal_has_the_same_value(capsys: pytest.CaptureFixture[str]) -> None:
    display.print_json({"model": STEERING})
    text = capsys.readouterr().out
    assert not UNSEEN.search(text)
    assert json.loads(text) == {"model": STEERING}


def test_markdown_holds_a_name_in_its_cell() -> None:
    run = _run(STEERING.replace("\ud800", ""), "- item", "1. $x$ | y", dataset="new\x1b\n# line")
    text = markdown(read_runs([run]))
    assert not UNSEEN.search(text)
    assert "\n# line" not in text
    assert "new\\\\x1b\\\\n\\# line" in text
    assert "1\\. \\$x\\$ \\| y" in text


LABELS = {
    "[1]": "{[}1]",
    "*": "{*}",
    "&%$#_{}": r"\&\%\$\#\_\{\}",
    "~^\\": r"\textasciitilde{}\textasciicircum{}\textbackslash{}",
    "a--b": "a-{}-b",
    "a\n\nb\x1b": r"a\textbackslash{}n\textbackslash{}nb\textbackslash{}x1b",
}


@pytest.mark.parametrize("label", LABELS)
def test_latex_holds_a_name_in_its_cell(label: str) -> None:
    r"""After `\\`, a row that begins with `[` is read as a length, and one that begins with `*` loses it."""
    text = latex(read_runs([_run(label, "other")]))
    assert f"\n{LABELS[label]} & \\textbf{{$-$.50}} & " in text or f"\n{LABELS[label]} & $-$.50 & " in text
    assert not UNSEEN.search(text)
    assert not re.search(r"^\s*[\[*]", text, re.MULTILINE)


def test_a_page_escapes_control_characters(tmp_path: Path) -> None:
    page = write_report([_run("m\x1b\x9b\u202em")], tmp_path / "report.html").read_text(encoding="utf-8")
    assert r"<title>What a word is worth to m\x1b\x9b\u202em</title>" in page
    assert not re.search("[\x1b\x9b\u202e]", page)
    held = re.search(r'<script type="application/json" id="scores">(.*?)</script>', page)
    assert held is not None
    assert json.loads(held[1])["columns"]["model"]["values"] == [r"m\x1b\x9b\u202em"]

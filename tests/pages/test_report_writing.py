"""Markdown, LaTeX, and the command."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from made_runs import MadeRun
from wordworth.cli import app
from wordworth.errors import WordworthError
from wordworth.pages.markdown import markdown
from wordworth.pages.page import write_report
from wordworth.pages.runs import read_runs
from wordworth.results import reserve


@pytest.fixture
def two(tmp_path: Path) -> Path:
    run = MadeRun("valnorm")
    for model, value in (("a_b", 0.812), ("50% & <more>", -0.05)):
        told = {"dataset": "bellezza", "measure": "valence", "value": value, "low": value, "high": value}
        run.score(experiment="valence", model=model, language="english", **told, n=399)
    return run.write(tmp_path / "run")


def test_markdown(two: Path) -> None:
    text = markdown(read_runs([two]))
    assert r"| valence | bellezza | .81 \[.81, .81\] | −.05 \[−.05, −.05\] |" in text
    assert "| measure | dataset | a\\_b | 50% &amp; &lt;more&gt; |" in text
    assert "| --- | --- | ---: | ---: |" in text
    assert "Data: bellezza, n = 399." in text
    assert "**Does it know what words mean?**" in text
    assert "## Leaderboard" in text


def test_the_command_writes_beside_the_run(two: Path) -> None:
    for form, name in (("html", "report.html"), ("md", "report.md"), ("latex", "report.tex")):
        told = CliRunner().invoke(app, ["report", str(two), "--format", form])
        assert told.exit_code == 0, told.output
        assert told.stdout.strip() == str(two / name)
        assert (two / name).is_file()
    reserve(two, overwrite=True)  # a run with its reports may still be replaced


def test_tables_are_chosen(two: Path, tmp_path: Path) -> None:
    asked = ["report", str(two), "--format", "md", "--table", "intrinsic", "-o", str(tmp_path / "x.md")]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    text = (tmp_path / "x.md").read_text(encoding="utf-8")
    assert "## Intrinsic tasks" in text
    assert "Leaderboard" not in text


@pytest.mark.parametrize(
    ("chosen", "keyword"),
    [
        ({"tables": ["intrinsics"]}, "did you mean intrinsic"),
        ({"tables": ["§"]}, "there are leaderboard, intrinsic"),
        ({"form": "html", "tables": ["weat"]}, "--format md"),
        ({"form": "pdf"}, "html, md, latex"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(two: Path, chosen: Any, keyword: str) -> None:
    with pytest.raises(WordworthError, match=re.escape(keyword)):
        write_report([two], **{"form": "latex", **chosen})


def test_a_folder_is_no_file(two: Path) -> None:
    with pytest.raises(WordworthError, match="is a folder"):
        write_report([two], two)

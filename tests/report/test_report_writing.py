"""Markdown, LaTeX, and the command."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from made_runs import MadeRun, random_predict
from wordworth.cli import app
from wordworth.errors import WordworthError
from wordworth.report.figures import figures_of
from wordworth.report.plain import latex, markdown, pivoted
from wordworth.report.runs import read_runs
from wordworth.report.writing import write_report
from wordworth.run import reserve


@pytest.fixture
def two(tmp_path: Path) -> Path:
    run = MadeRun("valnorm")
    for model, value in (("a_b", 0.812), ("50% & <more>", -0.05)):
        told = {"dataset": "bellezza", "measure": "valence", "value": value, "low": value, "high": value}
        run.score(experiment="valence", model=model, language="english", **told, n=399)
    return run.write(tmp_path / "run")


def test_the_table_behind_a_figure(two: Path) -> None:
    (figures,) = figures_of(read_runs([two]).scores).values()
    title, header, rows, note = pivoted(figures[0])
    assert note == ""
    assert title == "Intrinsic tasks"
    assert header == ["measure", "dataset", "a_b", "50% & <more>"]
    assert rows == [["valence", "bellezza", ".81", "−.05"]]


def test_markdown(two: Path) -> None:
    text = markdown(read_runs([two]))
    assert "| valence | bellezza | .81 | −.05 |" in text
    assert "| measure | dataset | a\\_b | 50% &amp; &lt;more&gt; |" in text
    assert "| --- | --- | ---: | ---: |" in text
    assert "**Does it know what words mean?**" in text
    assert "## Leaderboard" in text


def test_latex(two: Path) -> None:
    text = latex(read_runs([two]))
    assert r"measure & dataset & a\_b & 50\% \& <more> \\" in text
    assert r"valence & bellezza & .81 & −.05 \\" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2


def test_the_command_writes_beside_the_run(two: Path) -> None:
    for form, name in (("html", "report.html"), ("md", "report.md"), ("latex", "report.tex")):
        told = CliRunner().invoke(app, ["report", str(two), "--format", form])
        assert told.exit_code == 0, told.output
        assert told.stdout.strip() == str(two / name)
        assert (two / name).is_file()
    reserve(two, overwrite=True)  # a run with its reports may still be replaced


def test_many_runs_go_where_they_are_told(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = random_predict("tiny").write(tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    assert write_report([two, other]) == Path("report.html")
    assert (tmp_path / "report.html").is_file()
    assert write_report([two, other], tmp_path / "new" / "x.html").is_file()


def test_what_cannot_be_written_is_one_sentence(two: Path) -> None:
    with pytest.raises(WordworthError, match="--format is 'pdf'; it can be html, md, latex"):
        write_report([two], form="pdf")
    with pytest.raises(WordworthError, match="is a folder; name the file"):
        write_report([two], two)

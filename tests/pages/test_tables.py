"""Tables as data, and as Markdown and LaTeX: what of a number is shown where, and what the caption says."""

import re
import shutil
import subprocess
from math import comb
from pathlib import Path
from typing import Any

import pytest

from made_runs import finish, random_infer, random_predict, random_vast, record
from wordworth.errors import WordworthError
from wordworth.pages.page import page, write_report
from wordworth.pages.tables import Column, columns, tables
from wordworth.pages.writers import escape_latex, latex, markdown
from wordworth.results.runs import Runs, read_runs
from wordworth.results.table import Table, format_exact_p

WEAT = {"experiment": "weat", "language": "english", "measure": "weat"}
ODD = "~^\\ {x} $y$ #1 50% & <q> `b` |d| [z] * a_b"
DOCUMENT = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}\input{tables.tex}\end{document}"


@pytest.mark.parametrize(
    ("p", "partitions", "written"),
    [
        (0.0, comb(12, 6), "< 1/924"),  # none of the partitions gives more
        (1 / 924, 924, ".0011"),
        (1 / 12_870, 12_870, "7.8e-5"),
        (0.2, None, ".20"),
        (1.0, 924, "1.0"),
        (0.0, None, "< e-300"),  # of a test that counts none
    ],
)
def test_p_is_never_0(p: float, partitions: int | None, written: str) -> None:
    assert format_exact_p(p, partitions, lambda mantissa, exponent: f"{mantissa}e{exponent}") == written


def similarity_table(counts: dict[tuple[str, str], int]) -> Table:
    """Similarity, by data set and model, over so many pairs."""
    run = record("valnorm")
    for (dataset, model), n in counts.items():
        ends = {"value": 0.5, "low": 0.4, "high": 0.6, "n": n}
        run.score(
            experiment="similarity", language="english", model=model, dataset=dataset, measure="similarity", **ends
        )
    made = finish(run, settings={"resamples": 1000})
    return next(table for table in tables(read_runs([made])) if table.id == "intrinsic")


def test_n_stands_once_where_it_is_the_same() -> None:
    both = [Column(0, "value"), Column(0, "interval"), Column(1, "value"), Column(1, "interval")]
    alike = similarity_table({("men", "a"): 90, ("men", "b"): 90})
    assert columns(alike) == both
    assert "Data: men, n = 90." in alike.caption
    rows = similarity_table({("men", "a"): 90, ("men", "b"): 90, ("rw", "a"): 70, ("rw", "b"): 70})
    assert columns(rows) == [*both, Column(None, "n")]
    assert "Data: men and rw. n is the number of items." in rows.caption
    unlike = similarity_table({("men", "a"): 90, ("men", "b"): 70})
    assert columns(unlike) == [*both[:2], Column(0, "n"), *both[2:], Column(1, "n")]
    assert "Brackets: 95 % intervals (bootstrap, 1,000 resamples)." in unlike.caption


def test_the_best_is_told_with_its_test() -> None:
    run = record("valnorm")
    for model, noise in (("a", 0.0), ("b", 9.0)):
        place = {"experiment": "similarity", "language": "english", "dataset": "men", "model": model}
        rated = [float(at) for at in range(40)]
        values = [at + noise * ((-1) ** int(at)) for at in rated]
        run.score(**place, measure="similarity", value=0.9 - noise / 10, n=40)
        run.item("word_pairs", **place, first=[f"w{at}" for at in range(40)], second="x", rating=rated, value=values)
    board = tables(read_runs([finish(run)]))[0]
    assert [cell.is_best for row in board.rows for cell in row.cells if cell] == [True, False]
    assert "Bold: the best model of each measure, and those that are not significantly worse" in board.caption
    assert "(Williams’ t; p < .05 after Holm’s correction over the pairs)" in board.caption


@pytest.fixture
def cautious() -> Runs:
    """Numbers of few items, and of few words of a lexicon."""
    run = record("weat", {"a": {}, "b": {}})
    for model in ("a", "b"):
        for dataset, n in (("weat1", 50), ("weat9", 8)):
            run.score(**WEAT, dataset=dataset, model=model, value=-0.7, p=0.2, low=-1.0, high=-0.32, n=n)
    valence = {"experiment": "valence", "dataset": "bellezza", "measure": "valence"}
    run.score(**valence, model="a", value=0.5, n=150, coverage=0.46)
    run.score(**valence, model="b", value=0.7, n=399)
    return read_runs([finish(run)])


def test_a_number_with_cautions_is_marked(cautious: Runs, tmp_path: Path) -> None:
    text = markdown(cautious)
    assert (
        r"| weat9: mental, physical disease | −.70† \[−1.00, −.32\] | .20 | −.70† \[−1.00, −.32\] | .20 | 8 |" in text
    )
    assert r"| weat1: flowers, insects | −.70 \[−1.00, −.32\] | .20 |" in text
    assert "† fewer than 20 items (weat9" in text
    assert "| --- | ---: | ---: | ---: | ---: | ---: |" in text  # columns of numbers
    assert "| a | .50† | 150 |" in text  # the leaderboard
    table = latex(cautious)
    number = r"$-$.70$^\dagger$ & {\footnotesize{[}$-$1.00, $-$.32]} & .20"
    assert rf"weat9: mental, physical disease & {number} & {number} & 8 \\" in table
    assert r"$^\dagger$ fewer than 20 items (weat9" in table
    html = page(cautious, tmp_path)
    assert "† fewer than 20 items (weat9" in html
    assert '<abbr title="less than 80% of the data">†</abbr>' in html


@pytest.fixture
def odd() -> Runs:
    """Runs of several studies, with a name that LaTeX would stumble over."""
    run = record("weat", {"a": {}, ODD: {}})
    for at, model in enumerate(("a", ODD)):
        run.score(**WEAT, dataset="weat1", model=model, value=at - 0.5, p=1e-7 * (at + 1), n=20)
    run.notice("failed", f"it did not converge, at all: {ODD}", model=ODD, layer=8)
    return read_runs(
        [random_vast(["tiny", ODD], layers=3, tests=2), random_predict("tiny"), random_infer("x_5%"), finish(run)]
    )


def test_labels_captions_and_rules_of_latex(odd: Runs) -> None:
    text = latex(odd)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\caption[") == text.count(r"\end{table*}")
    assert {"tab:leaderboard", "tab:weat", "tab:published"} <= set(labels)
    for rule in ("toprule", "midrule", "bottomrule"):
        assert text.count(f"\\{rule}\n") == len(labels)
    assert r"$1.0\times 10^{-7}$" in text
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert ODD not in body
    assert escape_latex(ODD) in body


def test_latex_compiles(odd: Runs, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("there is no pdflatex here")
    (tmp_path / "tables.tex").write_text(latex(odd), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=1200)
    assert told.returncode == 0, told.stdout.decode(errors="replace")[-3000:]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    run = record("valnorm")
    for model, value in (("a_b", 0.812), ("50% & <more>", -0.05)):
        row = {"dataset": "bellezza", "measure": "valence", "value": value, "low": value, "high": value}
        run.score(experiment="valence", model=model, language="english", **row, n=399)
    folder = finish(run).save(tmp_path / "run").folder
    assert folder is not None
    return folder


def test_a_report_is_written_next_to_the_run(two: Path, tmp_path: Path) -> None:
    for form, name in (("html", "report.html"), ("md", "report.md"), ("latex", "report.tex")):
        assert write_report([two], form=form) == two / name
    text = write_report([two], tmp_path / "x.md", "md", tables=["intrinsic"]).read_text(encoding="utf-8")
    assert "## Intrinsic tasks" in text
    assert "Leaderboard" not in text
    made = random_predict("tiny")
    assert write_report([made], tmp_path / "y.md", "md").is_file()  # a run in memory


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
    with pytest.raises(WordworthError, match="is a folder"):
        write_report([two], two, "latex")

"""The tables in LaTeX: every name escaped, a label and the rules of booktabs for each."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from made_runs import MadeRun, random_infer, random_predict, random_vast
from wordworth.pages.latex import escape_latex, latex
from wordworth.pages.runs import Runs, read_runs

ODD = "~^\\ {x} $y$ #1 50% & <q> `b` |d| [z] * a_b"
DOCUMENT = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}\input{tables.tex}\end{document}"


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Runs of several studies, with a name that LaTeX would stumble over."""
    folder = tmp_path / "runs"
    random_vast(["tiny", ODD], layers=3, tests=2).write(folder / "vast")
    random_predict("tiny").write(folder / "predict")
    failed = [{"reason": "it did not converge, at all: " + ODD, "model": ODD, "layer": 8}]
    random_infer("nli_50%").write(folder / "infer", failed=failed)
    run = MadeRun("weat", settings={"permutations": 100})
    for at, model in enumerate(("a", ODD)):
        told = {"dataset": "weat1", "measure": "weat", "value": at - 0.5, "p": 1e-7 * (at + 1), "n": 20, "flags": "n=8"}
        run.score(experiment="weat", language="english", model=model, **told)
    run.write(folder / "weat")
    return read_runs([folder])


def test_escapes() -> None:
    assert escape_latex("−.5 ρ → d_1 & 50%") == r"$-$.5 $\rho$ $\to$ d\_1 \& 50\%"
    assert escape_latex("\\end{document}") == r"\textbackslash{}end\{document\}"
    assert escape_latex("a\nb\x1b") == r"a\textbackslash{}nb\textbackslash{}x1b"


def test_labels_captions_and_rules(runs: Runs) -> None:
    text = latex(runs)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\caption[") == text.count(r"\end{table*}")
    assert {"tab:leaderboard", "tab:weat", "tab:published", "tab:failed"} <= set(labels)
    for rule in ("toprule", "midrule", "bottomrule"):
        assert text.count(f"\\{rule}\n") == len(labels)
    assert r"$1.0\times 10^{-7}$" in text
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert ODD not in body
    assert escape_latex(ODD) in body


def test_it_compiles(runs: Runs, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("there is no pdflatex here")
    (tmp_path / "tables.tex").write_text(latex(runs), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert told.returncode == 0, told.stdout.decode(errors="replace")[-3000:]

"""The tables in LaTeX: plain ASCII that pdfLaTeX sets, in one column and in two, within the page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from made_runs import MadeRun, debiased, random_infer, random_predict, random_vast
from wordworth.report.latex import latex
from wordworth.report.letters import latex_text
from wordworth.report.runs import Runs, read_runs

DOCUMENT = r"""\documentclass[%s]{article}
\usepackage{array,booktabs,graphicx}
\begin{document}
\listoftables
\input{tables.tex}
\end{document}
"""
NAMES = [
    "plain", "glove_6b-50d", "50% & <more>", "~^\\ {x} $y$ #1 \"q\" `b` |d| [z] *",
    "naïve café Łódź ğış Ångström ő ç ạ", "Привет Київ", "αβγω ΑΩΣ", "词向量 한국어 ไทย العربية हिन्दी", "a--b — c – d…",
    "ρ τ ↑ → ⇒ − · × ≤ ₁ ² ½ ‖x‖ ∪ † “q” ‘r’",
    "ﬁ Ａ 👩‍🔬", "new\nline\x1b\u202e", "",
]  # fmt: skip


def compiled(text: str, folder: Path, options: str = "10pt", document: str = "") -> str:
    """The log of pdfLaTeX; skipped where there is none."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("there is no pdflatex here")
    (folder / "tables.tex").write_text(text, encoding="utf-8")
    (folder / "paper.tex").write_text(document or DOCUMENT % options, encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(2):  # labels are known the second time
        told = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
        assert told.returncode == 0, told.stdout.decode(errors="replace")[-3000:]
    return (folder / "paper.log").read_text(encoding="latin-1")


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """A run of each study, two models each, with names that LaTeX would stumble over."""
    odd = NAMES[3]
    folder = tmp_path / "runs"
    random_vast(["tiny", odd], layers=30).write(folder / "vast")
    random_predict("tiny").write(folder / "predict")
    random_infer("nli_50%").write(folder / "infer")
    debiased("glove", {"original": 1.2, "projection": 0.3}, {"original": 0.8, "projection": 0.7}).write(
        folder / "debias"
    )
    run = MadeRun("valnorm", settings={"resamples": 1000, "permutations": 100, "p_count": "strict"})
    for at, model in enumerate(NAMES[:-1]):
        for dataset in ("bellezza", "warriner", "ws-353"):
            told = {"dataset": dataset, "value": -0.5 + at / 20, "low": -0.6, "high": 0.9, "n": 10 + at, "flags": "n=8"}
            measure = "similarity" if dataset == "ws-353" else "valence"
            run.score(experiment=measure, language="english", model=model, measure=measure, **told)
        told = {"experiment": "weat", "dataset": "weat1", "measure": "weat", "value": 1.0, "p": 1e-7 * at, "n": 20}
        run.score(**told, language="english", model=model)
    run.write(folder / "valnorm", failed=[{"reason": "it did not converge, at all: " + odd, "model": odd, "layer": 8}])
    return read_runs([folder])


@pytest.mark.parametrize("options", ["10pt", "twocolumn"])
def test_every_table_compiles_within_the_page(runs: Runs, tmp_path: Path, options: str) -> None:
    log = compiled(latex(runs), tmp_path, options)
    assert "Overfull" not in log, re.findall(r"Overfull.*", log)
    assert "Float too large" not in log
    assert "multiply defined" not in log
    assert "Missing character" not in log


def test_the_document_of_the_docs_compiles(runs: Runs, tmp_path: Path) -> None:
    """With a reference to a table that is there."""
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    (document,) = re.findall(r"```latex\n(.*?)```", page, re.DOTALL)
    log = compiled(latex(runs), tmp_path, document=document)
    assert "undefined" not in log


def test_it_is_ascii_but_for_comments(runs: Runs) -> None:
    text = latex(runs)
    assert all(line.isascii() for line in text.splitlines() if not line.startswith("%"))
    assert "(U+8BCD)(U+5411)(U+91CF)" in text
    assert "% (U+…): characters that pdfLaTeX has no letter for" in text
    assert "name models in Latin letters" in text


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_set(name: str, tmp_path: Path) -> None:
    text = latex_text(name)
    assert text.isascii()
    body = rf"\begin{{tabular}}{{l}} x \\ {text} \\ y\end{{tabular}}"
    compiled(rf"\begin{{table}}\caption[{{{text}}}]{{{text}}}{body}\end{{table}}", tmp_path)


def test_letters() -> None:
    assert latex_text("−.5 · ρ → d") == r"$-$.5 $\cdot$ $\rho$ $\to$ d"
    assert latex_text("Łódź, ï") == r"\L{}\'{o}d\'{z}, \"{\i{}}"
    assert latex_text("Київ") == "Kiyiv"
    assert latex_text("a--b – c") == r"a-{}-b \textendash{} c"


def test_labels_captions_and_rules(runs: Runs) -> None:
    text = latex(runs)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\caption[")
    assert {"tab:leaderboard", "tab:intrinsic", "tab:weat", "tab:failed"} <= set(labels)
    for rule in ("toprule", "midrule", "bottomrule"):
        assert text.count(f"\\{rule}\n") == len(labels)
    assert r"\hline" not in text
    assert "95\\,\\%" in text or "95 \\%" in text


def test_what_is_too_long_or_wide_goes_on(tmp_path: Path) -> None:
    run = MadeRun("valnorm")
    for at in range(90):
        for model in ("one", "two", "three", "four", "five", "six", "seven"):
            told = {
                "dataset": f"lexicon-of-a-long-name-{at}",
                "measure": "valence",
                "value": 0.5,
                "low": 0.1,
                "high": 0.9,
            }
            run.score(experiment="valence", model=model, language="english", **told, n=at)
    text = latex(read_runs([run.write(tmp_path / "run")]))
    assert "(part 3 of 6)" in text
    assert r"\label{tab:intrinsic-valence-part3}" in text
    log = compiled(text, tmp_path)
    assert "Overfull" not in log
    assert "Float too large" not in log

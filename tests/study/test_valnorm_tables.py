"""ValNorm's tables of languages."""

import pytest

from wordworth.results.findings import Findings
from wordworth.results.table import Cell
from wordworth.results.vocabulary import Caution
from wordworth.study.valnorm.study import BELLEZZA, compare_languages, compare_raters


@pytest.fixture
def findings() -> Findings:
    return Findings("valnorm")


def add(findings: Findings, language: str, measure: str, dataset: str, value: float, n: int) -> None:
    where = {"model": "m", "language": language, "experiment": measure, "measure": measure}
    findings.score(**where, dataset=dataset, value=value, n=n)


def test_languages_side_by_side(findings: Findings) -> None:
    add(findings, "english", "valence", "bellezza", 0.8, 399)
    add(findings, "english", "valence", "anew", 0.7, 1029)
    add(findings, "english", "valence", "warriner", 0.6, 13915)
    add(findings, "english", "weat", "weat1", 1.5, 50)
    assert compare_languages(findings.scores) is None
    add(findings, "polish", "weat", "weat1", 1.0, 16)
    findings.score(experiment="weat", dataset="weat1", measure="weat", variant="variance", value=0.125, n=2)
    table = compare_languages(findings.scores)
    assert table is not None
    assert table.heads == (BELLEZZA, "valence", "weat1")
    english, polish, variance = table.rows
    assert (english.names, polish.names) == (("english", "m"), ("polish", "m"))
    assert english.cells == (Cell(0.8, n=399), Cell(0.6, n=13915), Cell(1.5, n=50))  # of several lexica the largest
    assert polish.cells == (None, None, Cell(1.0, n=16, cautions=(Caution.FEW_ITEMS,)))
    assert variance.cells[2].value == 0.125


def test_people_across_languages(findings: Findings) -> None:
    agreement = {("bellezza", "german"): 0.95, ("bellezza", "polish"): 0.94, ("german", "polish"): 0.92}
    for (first, second), rho in agreement.items():
        row = {"experiment": "raters", "measure": "raters", "value": rho, "n": 300}
        findings.score(**row, dataset=first, subset=second)
    table = compare_raters(findings.scores)
    assert table is not None
    assert table.heads == ("bellezza", "german", "polish")
    assert table.rows[1].cells == (Cell(0.95), None, Cell(0.92))

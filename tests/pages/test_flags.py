"""A number that is to be read with care is marked in a report: on the page, in Markdown and in LaTeX."""

from pathlib import Path

import pytest

from made_runs import MadeRun
from wordworth.pages.latex import latex
from wordworth.pages.markdown import markdown
from wordworth.pages.page import page
from wordworth.pages.runs import Runs, read_runs


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    run = MadeRun("weat")
    for model in ("a", "b"):
        for dataset, flags in (("weat1", None), ("weat9", "n=8")):
            told = {"dataset": dataset, "measure": "weat", "value": -0.7, "p": 0.2, "low": -1.0, "high": -0.32}
            run.score(experiment="weat", model=model, language="english", **told, n=8 if flags else 50, flags=flags)
    run.score(experiment="valence", model="a", dataset="bellezza", measure="valence", value=0.5, n=150,
              flags="coverage 46%")  # fmt: skip
    run.score(experiment="valence", model="b", dataset="bellezza", measure="valence", value=0.7, n=399)
    return read_runs([run.write(tmp_path / "run")])


def test_in_print(runs: Runs) -> None:
    text = markdown(runs)
    weat9 = r"| weat9: mental, physical disease | −.70† \[−1.00, −.32\] | .20 | −.70† \[−1.00, −.32\] | .20 | 8 |"
    assert weat9 in text
    assert r"| weat1: flowers, insects | −.70 \[−1.00, −.32\] | .20 |" in text
    assert "† to be read with care: n=8 (weat9" in text
    assert "| --- | ---: | ---: | ---: | ---: | ---: |" in text  # columns of numbers
    table = latex(runs)
    interval = r"{\footnotesize[$-$1.00, $-$.32]}"
    number = rf"$-$.70$^\dagger$ & {interval} & .20"
    assert rf"weat9: mental, physical disease & {number} & {number} & 8 \\" in table
    assert r"$^\dagger$ to be read with care: n=8 (weat9" in table
    assert "| a | .50† | 150 |" in text  # the leaderboard
    assert "| b | .70 | 399 |" in text


def test_on_the_page(runs: Runs, tmp_path: Path) -> None:
    text = page(runs, tmp_path)
    assert "† to be read with care: n=8 (weat9" in text
    assert '<abbr title="coverage 46%">†</abbr>' in text

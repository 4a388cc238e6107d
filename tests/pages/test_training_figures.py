"""Curves by step: drawn where a training was measured after several steps; the other figures show its last step."""

from pathlib import Path

import pytest
import vl_convert

from made_runs import MadeRun
from wordworth.pages import write_report
from wordworth.pages.answers import plain_answers
from wordworth.pages.figures import Figure, draw_svg, figures_of
from wordworth.pages.runs import ended, read_runs
from wordworth.results.vocabulary import at_step, step_of

STEPS = (0, 10, 1000)
IDS = ["valence-steps", "weat-steps", "accuracy-steps"]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A folder with a run a step, as the callback leaves it, with made-up numbers."""
    for step in STEPS:
        run = MadeRun("vast")
        model = at_step("tiny", step)
        run.model(model, family="causal", layers=4)
        ends = {"low": -0.1, "high": 0.5, "n": 40, "language": "english", "model": model}
        for layer in (0, 2, 4):
            told = {"setting": "bleached", "layer": layer, "value": step / 2000 + layer / 10, **ends}
            run.score(experiment="contextualization", dataset="bellezza", measure="valence", **told)
            run.score(experiment="bias", dataset="weat6", measure="weat", **told)
            run.score(experiment="bias", dataset="weat6", measure="weat", pcs=0, **told)
        run.write(tmp_path / "runs" / f"vast-step{step}")
        said = MadeRun("predict")
        said.model(model, family="causal", layers=4)
        for at, band in enumerate(("high", "low")):
            told = {"dataset": "text", "setting": band, "value": step / 2000 / (at + 1), **ends}
            said.score(experiment="coverage", measure="top-1", **told)
        said.write(tmp_path / "runs" / f"predict-step{step}")
    return tmp_path / "runs"


def _figures(folder: Path) -> dict[str, Figure]:
    return {one.id: one for chapter in figures_of(read_runs([folder]).scores).values() for one in chapter}


def test_every_step_is_drawn_in_its_order(trained: Path) -> None:
    found = _figures(trained)
    for figure in (found[one] for one in IDS):
        steps = [step_of(label) for label in figure.rows["model"].unique(maintain_order=True)]
        assert steps == [("tiny", step) for step in STEPS]
        vl_convert.vegalite_to_vega(figure.spec)
        drawn = draw_svg(figure)
        assert all(f">{step:,}<" in drawn for step in STEPS)
    assert len(found["valence-steps"].rows) == 9
    assert found["weat-steps"].rows["pcs"].null_count() == 9
    assert len(found["accuracy-steps"].rows) == 6


def test_other_figures_show_the_last_step(trained: Path) -> None:
    found = _figures(trained)
    for name in ("valence-layers", "weat-layers", "coverage"):
        assert set(found[name].rows["model"]) == {"tiny@step1000"}


def test_one_step_is_no_curve(trained: Path) -> None:
    assert not {*IDS} & _figures(trained / "vast-step10").keys()


def test_answers_and_the_title_are_of_the_last_step(trained: Path) -> None:
    runs = read_runs([trained])
    said = " ".join(sentence for some in plain_answers(runs).values() for sentence in some)
    assert "tiny@step1000 reads valence best" in said
    assert "tiny@step10 " not in said
    assert ended(runs).models == ["tiny@step1000"]


def test_page_has_the_curves(trained: Path) -> None:
    page = write_report([trained], None, "html").read_text(encoding="utf-8")
    assert "While it was trained" in page
    assert all(f'id="{one}"' in page for one in IDS)


@pytest.mark.parametrize("label", ["tiny", "tiny@step", "tiny@step5x", "@step5", "tiny@10%"])
def test_labels_of_other_models(label: str) -> None:
    assert step_of(label) is None

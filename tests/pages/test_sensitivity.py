"""Specification curves and what is said of them, from a run whose variants are known."""

from pathlib import Path

import polars as pl
import pytest

from made_runs import MadeRun
from wordworth.pages.answers import plain_answers
from wordworth.pages.behaviour_answers import single_words
from wordworth.pages.figures import draw_svg, figures_of
from wordworth.pages.figures.specification import BINS, FOUND
from wordworth.pages.runs import Runs, read_runs

WHERE = {"experiment": "sensitivity", "model": "tiny", "language": "english"}
PLACES = ["as they are · one-sided", "as they are · two-sided", "centred · one-sided", "centred · two-sided"]
WORDS = [("all words", "all words"), ("one target out", "rose"), ("one attribute out", "joy")]


def _run(folder: Path, dataset: str, values: dict[str, list[float]]) -> Path:
    """Variants: words × places; d as given by words, p .01 above .5 and .3 below; without joy d is not significant."""
    run = MadeRun("weat")
    run.model("tiny", words=100)
    rows = [(group, item, place, d) for group, item in WORDS for place, d in zip(PLACES, values[item], strict=True)]
    p = [0.01 if abs(d) > 0.5 else 0.3 for *_, d in rows]
    groups, items, places, d = map(list, zip(*rows, strict=True))
    run.item(**WHERE, dataset=dataset, item=items, group=groups, place=places, value=d, p=p)
    flipped = sum(one > 0.05 for one in p) / len(p)
    for measure, value in (("significant", 1 - flipped), ("same-sign", 1.0), ("flipped", flipped)):
        run.score(**WHERE, dataset=dataset, measure=f"sensitivity:{measure}", value=value, n=len(d))
    run.score(**WHERE, dataset=dataset, measure="sensitivity:median", value=0.8, low=min(d), high=max(d), n=len(d))
    for setting, share in (("words: all words", 0.0), ("words: one attribute out", 1.0), ("sides: two-sided", 1 / 3)):
        run.score(**WHERE, dataset=dataset, setting=setting, measure="sensitivity:flipped", value=share, n=4)
    return run.write(folder)


@pytest.fixture
def unsure(tmp_path: Path) -> Runs:
    values = {"all words": [0.9, 0.9, 1.0, 1.1], "rose": [0.8, 0.8, 0.7, 0.7], "joy": [0.2, 0.2, 0.1, 0.3]}
    return read_runs([_run(tmp_path / "run", "weat1", values)])


def test_the_curve_and_its_dashboard(unsure: Runs) -> None:
    figures = {figure.id: figure for chapter in figures_of(unsure.scores, unsure).values() for figure in chapter}
    figure = figures["specification-tests-0-0"]
    assert figure.own is not None
    curve = figure.own.filter(pl.col("part") == "curve")
    assert curve["value"].to_list() == [0.1, 0.2, 0.2, 0.3, 0.7, 0.7, 0.8, 0.8, 0.9, 0.9, 1.0, 1.1]
    assert curve["found"].to_list() == [FOUND[2]] * 4 + [FOUND[0]] * 8
    assert (curve["x"][0], curve["x"][-1]) == (0, 1)
    assert curve["variant"][0] == "joy (one attribute out) · centred · one-sided"
    strips = figure.own.filter(pl.col("part") == "strip", pl.col("option") == "one attribute out")
    assert strips["end"].max() == pytest.approx(1 / 3, abs=1 / BINS)  # these are the lowest third
    assert set(strips["density"]) == {3.0}
    shares = dict(figure.own.filter(pl.col("part") == "flipped").select("option", "share").iter_rows())
    assert shares == {"all words": 0.0, "one attribute out": 1.0, "two-sided": pytest.approx(1 / 3)}
    assert figure.own.filter(pl.col("part") == "base")["value"].to_list() == [0.9]
    drawn = draw_svg(figure)
    for text in ("tiny", "1 flowers, insects", "one attribute out", "33%"):
        assert text in drawn
    assert "specification-tests-0-0" not in [
        one.id for chapter in figures_of(unsure.scores).values() for one in chapter
    ]


def test_what_is_said(unsure: Runs, tmp_path: Path) -> None:
    (sentence,) = plain_answers(unsure)["How far does that depend on choices?"]
    assert sentence == (
        "tiny comes to the same conclusion in 95 % or more of the variants of 0 of 1 association tests. Least sure: "
        "flowers with pleasant, insects with unpleasant (33 % of 12 variants flip it, d .10 to 1.10; most of all one "
        "attribute out 100 % and two-sided 33 %; without joy alone it flips)."
    )
    assert single_words(unsure.each[0], "tiny", "weat1") == ["joy"]
    sure = read_runs([_run(tmp_path / "sure", "mine", dict.fromkeys(["all words", "rose", "joy"], [0.9] * 4))])
    (sentence,) = plain_answers(sure)["How far does that depend on choices?"]
    assert sentence.endswith("in 95 % or more of the variants of 1 of 1 association tests.")

"""Specification curves from a run whose variants are known."""

from itertools import product

import polars as pl
import pytest
from tools.results_tables import single_words
from tools.svg import draw_svg

from made_runs import finish, record
from wordworth.pages.figures import figures_of
from wordworth.pages.figures.specification import CONCLUSIONS, variants_of
from wordworth.results.runs import Runs, read_runs

PLACES = list(product(("as they are", "centred"), ("one-sided", "two-sided")))
WORDS = (("all words", "all words"), ("one target out", "rose"), ("one attribute out", "joy"))


def runs_of(dataset: str, values: dict[str, list[float]]) -> Runs:
    """Variants: words × places; d as given by words, p .01 above .5 and .3 below; without joy d is not significant."""
    run = record("weat", {"tiny": {"words": 100}})
    where = {"experiment": "sensitivity", "model": "tiny", "language": "english", "dataset": dataset}
    rows = [(kind, word, *place, d) for kind, word in WORDS for place, d in zip(PLACES, values[word], strict=True)]
    words, without, vectors, sides, d = map(list, zip(*rows, strict=True))
    p = [0.01 if abs(one) > 0.5 else 0.3 for one in d]
    choices = {"words": words, "without": without, "vectors": vectors, "sides": sides, "sigma": "sample σ"}
    run.item("variants", **where, **choices, value=d, p=p)
    flipped = sum(one > 0.05 for one in p) / len(p)
    for variant, value in (("significant", 1 - flipped), ("same-sign", 1.0), ("flipped", flipped)):
        run.score(**where, measure="sensitivity", variant=variant, value=value, n=len(d))
    run.score(**where, measure="sensitivity", variant="median", value=0.8, low=min(d), high=max(d), n=len(d))
    run.score(**where, subset="words: all words", measure="sensitivity", variant="flipped", value=0.0, n=4)
    return read_runs([finish(run)])


@pytest.fixture
def uncertain() -> Runs:
    values = {"all words": [0.9, 0.9, 1.0, 1.1], "rose": [0.8, 0.8, 0.7, 0.7], "joy": [0.2, 0.2, 0.1, 0.3]}
    return runs_of("weat1", values)


def test_the_curve_and_its_dashboard(uncertain: Runs) -> None:
    figures = {one.id: one for chapter in figures_of(uncertain.scores, uncertain).values() for one in chapter}
    own = figures["specification-tests-0-0"].plot.data
    curve = own.filter(pl.col("part") == "curve")
    assert curve["value"].to_list() == [0.1, 0.2, 0.2, 0.3, 0.7, 0.7, 0.8, 0.8, 0.9, 0.9, 1.0, 1.1]
    assert curve["conclusion"].to_list() == [CONCLUSIONS[2]] * 4 + [CONCLUSIONS[0]] * 8
    assert (curve["x"][0], curve["x"][-1]) == (0, 1)
    marks = own.filter(pl.col("part") == "mark", pl.col("option") == "one attribute out")
    assert marks["x"].to_list() == [at / 11 for at in range(4)]  # these are the lowest third
    shares = dict(own.filter(pl.col("part") == "share").select("option", "share").iter_rows())
    third = pytest.approx(1 / 3)
    assert shares == {"all words": 0, "one target out": 0, "one attribute out": 1, "as they are": third,
                      "centred": third, "one-sided": third, "two-sided": third, "sample σ": third}  # fmt: skip
    assert own.filter(pl.col("part") == "base")["value"].to_list() == [0.9]
    drawn = draw_svg(figures["specification-tests-0-0"])
    assert all(text in drawn for text in ("tiny", "1 flowers, insects", "one attribute out", "33%"))


def test_words_that_decide(uncertain: Runs) -> None:
    assert single_words(variants_of(uncertain.each[0], "tiny", "weat1")) == ["joy"]

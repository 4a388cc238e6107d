"""VAST's controls: what an untrained network, shuffled ratings and a lexicon without its poles give."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from vast_runs import rows
from wordworth.catalog.read.word_sets import polar_words
from wordworth.encode import LanguageModel
from wordworth.encode.named import randomize_weights
from wordworth.results.run import Run
from wordworth.study import study
from wordworth.study.vast import STUDY

QUICK = {"resamples": 200, "permutations": 200}
SEED = 7
"""Not the one that the tiny model was made with, or the control would be the model itself."""
ASKED = {"lexica": ["bellezza"], "experiments": ["contextualization"], "contexts": ["bleached"], "corpus": "none"}
ASKED |= {"seed": SEED}

vast = study("vast")


def of_words(run: Run, layer: int) -> pl.DataFrame:
    """Effect size and rating of Bellezza's words."""
    return rows(run, "rated_words", experiment="contextualization", layer=layer)


def test_controls_run_as_a_matter_of_course(tiny: LanguageModel) -> None:
    found = vast([tiny], **ASKED, **QUICK)
    control = rows(found, experiment="control")
    assert set(control.select("control", "variant").rows()) == {
        ("untrained", None),
        ("untrained", "above-control"),
        ("shuffled", None),
        ("shuffled", "above-control"),
        ("poles-out", None),
    }
    assert set(control["context"]) == {"bleached"}
    assert set(control["layer"]) == {0, 1, 2}
    assert control.select("low", "high").null_count().row(0) == (0, 0)
    assert rows(vast([tiny], controls=["none"], **ASKED, **QUICK), experiment="control").is_empty()
    assert STUDY.quick["controls"] == ("shuffled", "poles-out")  # a second network is for a whole audit


def test_the_untrained_network_is_measured_as_any_other(tiny: LanguageModel) -> None:
    found, blank = (
        vast([tiny], **ASKED, **QUICK),
        vast([randomize_weights(tiny, SEED)], controls=["none"], **ASKED, **QUICK),
    )
    for layer in range(3):
        own = rows(found, experiment="contextualization", variant=None, layer=layer)["value"].item()
        expected = rows(blank, experiment="contextualization", variant=None, layer=layer).row(0, named=True)
        control = rows(found, control="untrained", variant=None, layer=layer).row(0, named=True)
        assert [control[key] for key in ("value", "low", "high", "n")] == pytest.approx(
            [expected[key] for key in ("value", "low", "high", "n")], abs=1e-9
        )
        above = rows(found, control="untrained", variant="above-control", layer=layer).row(0, named=True)
        assert above["value"] == pytest.approx(own - expected["value"], abs=1e-9)
        assert above["low"] < above["value"] < above["high"]


def test_above_the_control_is_resampled_in_pairs(tiny: LanguageModel) -> None:
    """A plain bootstrap over words gives the same interval, but for chance."""
    asked = ASKED | {"resamples": 2_000}
    found, blank = vast([tiny], **asked), vast([randomize_weights(tiny, SEED)], controls=["none"], **asked)
    ours, theirs = of_words(found, 2), of_words(blank, 2)
    assert ours["word"].to_list() == theirs["word"].to_list()
    x, y, people = (one.to_numpy() for one in (ours["value"], theirs["value"], ours["rating"]))
    rng, plain = np.random.default_rng(5), []
    for _ in range(2_000):
        at = rng.integers(len(x), size=len(x))
        plain.append(np.corrcoef(x[at], people[at])[0, 1] - np.corrcoef(y[at], people[at])[0, 1])
    above = rows(found, control="untrained", variant="above-control", layer=2).row(0, named=True)
    assert (above["low"], above["high"]) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.02)


def test_polar_words_are_taken_out_of_the_lexicon(tiny: LanguageModel) -> None:
    found, polar = vast([tiny], **ASKED, **QUICK), polar_words()
    words = of_words(found, 1).filter(~pl.col("word").is_in([*polar.pleasant, *polar.unpleasant]))
    score = rows(found, control="poles-out", layer=1).row(0, named=True)
    assert score["n"] == len(words) == 399 - 48
    assert score["value"] == pytest.approx(np.corrcoef(words["value"], words["rating"])[0, 1], abs=1e-9)
    assert [notice.count for notice in found.notices if notice.control == "poles-out"] == [48]


def test_a_control_that_cannot_be_computed_costs_only_itself(tiny: LanguageModel, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("word,rating\nlove,5\nagony,1\nrain,3\nsun,4\n")  # two words that are no poles
    found = vast([tiny], **ASKED | {"lexica": [own]}, **QUICK)
    assert rows(found, experiment="contextualization", variant=None, layer=1)["n"].item() == 4
    (failed,) = [notice for notice in found.notices if notice.kind == "failed"]
    assert (failed.control, failed.context, failed.dataset) == ("poles-out", "bleached", "own")
    assert "at least 3 items" in failed.reason


def test_only_the_first_lexicon_is_encoded_again(tiny: LanguageModel, data: Path) -> None:
    found = vast([tiny], **ASKED | {"lexica": ["bellezza", "anew"]}, **QUICK)
    by_control = rows(found, experiment="control").group_by("control").agg(pl.col("dataset").unique().sort())
    lexica = dict(by_control.iter_rows())
    both = ["anew", "bellezza"]
    assert lexica == {"untrained": ["bellezza"], "shuffled": both, "poles-out": both}
    (notice,) = [notice for notice in found.notices if notice.control == "untrained"]
    assert "random weights, seed 7" in notice.reason

"""What is read off the scores, on numbers small enough to check by eye."""

import polars as pl
import pytest

from made_runs import MadeRun
from wordworth.pages.insights import (
    above_chance,
    associations,
    best_components,
    best_layers,
    partings,
    recoveries,
)
from wordworth.pages.runs import numbered

# Layers 0 to 4. Bleached is best in layer 2; the settings are closest in layer 2 and apart from layer 3 on.
BLEACHED = (0.50, 0.60, 0.80, 0.75, 0.40)
ALIGNED = (0.50, 0.62, 0.81, 0.80, 0.70)
MISALIGNED = (0.50, 0.55, 0.79, 0.60, 0.10)


@pytest.fixture
def scores() -> pl.DataFrame:
    run = MadeRun("vast")
    where = {"model": "tiny", "language": "english", "dataset": "bellezza", "measure": "valence"}
    for setting, values in (("aligned", ALIGNED), ("bleached", BLEACHED), ("misaligned", MISALIGNED)):
        for layer, value in enumerate(values):
            run.score(experiment="contextualization", **where, setting=setting, layer=layer, value=value, n=399)
    for layer, values in ((2, (0.8, 0.82, 0.7)), (4, (0.40, 0.55, 0.72))):
        for pcs, value in zip((None, 0, 1), values, strict=True):
            run.score(experiment="isolation", **where, setting="bleached", layer=layer, pcs=pcs, value=value)
    for layer in range(5):
        for pcs in (None, 0, 1):
            effect = layer + (0 if pcs is None else pcs + 1) / 10
            told = {"dataset": "weat6", "measure": "weat", "layer": layer, "pcs": pcs, "value": effect, "p": 0.01}
            run.score(experiment="bias", **{**where, **told}, n=16)
    return numbered(run.scores)


def test_the_best_layer_is_that_of_the_bleached_setting(scores: pl.DataFrame) -> None:
    (best,) = best_layers(scores)
    assert (best.setting, best.layer, best.top, best.value, best.n) == ("bleached", 2, 4, 0.80, 399)


def test_settings_part_where_they_stay_apart(scores: pl.DataFrame) -> None:
    (parting,) = partings(scores)
    assert parting.closest == 2  # layer 0, where all are equal, is without context
    assert parting.within == pytest.approx(0.02)
    assert parting.parted == 3  # .20 apart, and .60 in the top
    assert parting.at_top == pytest.approx(0.60)


def test_nullifying_is_read_in_the_top_layer(scores: pl.DataFrame) -> None:
    (recovery,) = recoveries(scores)
    assert (recovery.layer, recovery.raw, recovery.nullified, recovery.pcs) == (4, 0.40, 0.72, 1)
    assert best_components(scores) == {"tiny": 1}


def test_associations_are_read_in_the_layer_of_the_best_valence_as_it_is(scores: pl.DataFrame) -> None:
    (row,) = associations(scores).iter_rows(named=True)
    assert (row["layer"], row["pcs"], row["value"], row["picked"]) == (2, None, 2.0, True)


def test_associations_without_valence_are_those_of_the_top_layer(scores: pl.DataFrame) -> None:
    (row,) = associations(scores.filter(pl.col("experiment") == "bias")).iter_rows(named=True)
    assert (row["layer"], row["pcs"], row["value"], row["picked"]) == (4, None, 4.0, False)
    # The same where the best layer was not tested.
    (row,) = associations(scores.filter((pl.col("layer") > 2) | (pl.col("experiment") != "bias"))).iter_rows(named=True)
    assert (row["layer"], row["picked"]) == (4, False)


def test_what_is_above_chance() -> None:
    assert above_chance(None) is None
    assert above_chance({"value": 0.2, "low": None, "p": None}) is None
    assert above_chance({"value": 0.2, "low": 0.1, "p": None}) is True
    assert above_chance({"value": 0.2, "low": -0.1, "p": None}) is False
    assert above_chance({"value": 0.2, "low": 0.1, "p": 0.06}) is False
    assert above_chance({"value": -0.2, "low": None, "p": 0.01}) is False


def test_a_static_test_of_two_runs_counts_once() -> None:
    run = MadeRun("weat")
    for value in (1.0, 2.0):
        run.score(experiment="weat", model="m", language="english", dataset="weat6", measure="weat", value=value)
    assert associations(numbered(run.scores)).get_column("value").to_list() == [2.0]

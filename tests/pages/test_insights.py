"""What is read off the scores, on numbers small enough to check by eye."""

from dataclasses import replace

import polars as pl
import pytest

from made_runs import finish, record
from wordworth.pages.figures.behaviour import nullified_tests, recoveries
from wordworth.pages.profile import profile
from wordworth.results.main_scores import IS_ABOVE, associations, best_layers
from wordworth.results.runs import read_runs

# Layers 0 to 4. Bleached is best in layer 2; the contexts are closest in layer 2 and apart from layer 3 on.
VALUES = {
    "aligned": (0.50, 0.62, 0.81, 0.80, 0.70),
    "bleached": (0.50, 0.60, 0.80, 0.75, 0.40),
    "misaligned": (0.50, 0.55, 0.79, 0.60, 0.10),
}


@pytest.fixture
def scores() -> pl.DataFrame:
    run = record("vast", "tiny")
    where = {"model": "tiny", "language": "english", "dataset": "bellezza", "measure": "valence"}
    for context, values in VALUES.items():
        for layer, value in enumerate(values):
            run.score(experiment="contextualization", **where, context=context, layer=layer, value=value, n=399)
    for layer, values in ((2, (0.8, 0.82, 0.7)), (4, (0.40, 0.55, 0.72))):
        for count, value in zip((None, 0, 1), values, strict=True):
            slot = {"context": "bleached", "layer": layer, "components": count}
            run.score(experiment="isolation", **where, **slot, value=value)
    for layer in range(5):
        for count in (None, 0, 1):
            effect = layer + (0 if count is None else count + 1) / 10
            row = {"dataset": "weat6", "measure": "weat", "layer": layer, "components": count, "value": effect}
            run.score(experiment="bias", **{**where, **row}, p=0.01, n=16)
    return read_runs([finish(run)]).scores


def test_the_best_layer_is_that_of_the_bleached_context(scores: pl.DataFrame) -> None:
    best = best_layers(scores).select("context", "layer", "top", "value", "n", "untrained", "is_above").rows()
    assert best == [("bleached", 2, 4, 0.80, 399, None, None)]


def test_how_far_contexts_are_apart(scores: pl.DataFrame) -> None:
    """In the top layer, 4, aligned has .70 and misaligned .10."""
    runs = read_runs([finish(record("vast", "tiny"))])
    row = next(one for one in profile(replace(runs, scores=scores)) if one.question.name == "Context")
    assert (row.score["layer"], row.score["value"]) == (4, pytest.approx(0.60))


def test_nullifying_is_read_in_the_top_layer(scores: pl.DataFrame) -> None:
    assert recoveries(scores).select("layer", "raw", "value", "components").rows() == [(4, 0.40, 0.72, 1)]


def test_tests_are_nullified_as_valence_recovers_most(scores: pl.DataFrame) -> None:
    """In the top layer: raw, and with the 1 component by which valence is best."""
    assert nullified_tests(scores).select("layer", "components", "value").rows() == [(4, None, 4.0), (4, 1, 4.2)]


def test_associations_are_read_in_the_layer_of_the_best_valence(scores: pl.DataFrame) -> None:
    columns = ["layer", "components", "value", "picked"]
    assert associations(scores).select(columns).rows() == [(2, None, 2.0, True)]
    alone = scores.filter(pl.col("experiment") == "bias")
    assert associations(alone).select(columns).rows() == [(4, None, 4.0, False)]  # the top layer
    untested = scores.filter((pl.col("layer") > 2) | (pl.col("experiment") != "bias"))
    assert associations(untested).select("layer", "picked").rows() == [(4, False)]


def test_what_is_above_chance() -> None:
    rows = [(0.2, None, None), (0.2, 0.1, None), (0.2, -0.1, None), (0.2, 0.1, 0.06), (-0.2, None, 0.01)]
    schema = {"value": pl.Float64, "low": pl.Float64, "p": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    assert table.select(IS_ABOVE).to_series().to_list() == [None, True, False, False, False]

"""The main numbers in the terminal: some of every experiment, never none, each where it is best."""

from typing import Any

import pytest

from made_runs import finish, random_infer, random_predict, random_vast, record
from wordworth.cli import display
from wordworth.pages.headlines import MAX_ROWS, headlines
from wordworth.pages.runs import read_runs
from wordworth.results.run import Run
from wordworth.results.table import Table


def show(run: Run) -> list[Table]:
    return list(headlines(read_runs([run])))


def show_scores(study: str, *scores: dict[str, Any]) -> Table:
    run = record(study, "m")
    for score in scores:
        run.score(**{"model": "m", "language": "english", "n": 50, **score})
    (table,) = show(finish(run))
    return table


def test_every_experiment_has_a_turn() -> None:
    run = random_vast(["tiny"])
    (table,) = show(run)
    assert len(table.rows) == MAX_ROWS
    quantities = {row.names[0] for row in table.rows}
    assert {"valence", "similarity", "weat"} <= quantities
    assert table.note.endswith("more in scores.csv")


def test_the_best_layer_of_the_plainest_context() -> None:
    place = {"experiment": "contextualization", "measure": "valence", "dataset": "bellezza", "pooling": "last"}
    scores = [
        {**place, "context": context, "layer": layer, "value": value, "low": 0.1, "high": 0.9}
        for context, values in (("aligned", (0.9, 0.95)), ("bleached", (0.7, 0.6)))
        for layer, value in enumerate(values)
    ]
    table = show_scores("vast", *scores)
    (row,) = table.rows
    assert row.names == ("valence", "bellezza", "layer 0, bleached, last")
    assert [(cell.value, cell.n, cell.p) for cell in row.cells if cell] == [(0.7, 50, None)]


def test_raw_and_without_components() -> None:
    place = {"experiment": "isolation", "measure": "valence", "dataset": "bellezza", "context": "bleached", "layer": 3}
    values = {None: 0.5, 0: 0.6, 1: 0.8, 2: 0.7}
    table = show_scores("vast", *({**place, "components": k, "value": value} for k, value in values.items()))
    assert [(row.names[2], row.cells[0].value) for row in table.rows if row.cells[0]] == [
        ("layer 3, bleached", 0.5),
        ("layer 3, top 1 nullified, bleached", 0.8),
    ]


@pytest.mark.parametrize(
    "score",
    [
        {"experiment": "tokenization", "measure": "valence", "dataset": "anew", "subset": "single", "layer": 2},
        {"experiment": "probes", "measure": "acceptability", "dataset": "cola", "subset": "last word", "layer": 2},
        {"experiment": "bias", "measure": "weat", "dataset": "weat6", "context": "bleached", "layer": 2},
        {"experiment": "validation", "measure": "similarity", "dataset": "men", "context": "bleached", "layer": 2},
        {"experiment": "languages", "measure": "valence", "language": "turkish", "dataset": "t", "layer": 2},
        {"experiment": "languages", "measure": "valence", "variant": "mean", "language": None, "layer": 2},
        {"experiment": "stability", "measure": "cosine", "dataset": "gendered"},
        {"experiment": "gender", "measure": "net-neutral", "dataset": "gender", "subset": "occupation=doctor"},
        {"experiment": "paraphrase", "measure": "hits", "dataset": "rare", "layer": 20},
        {"experiment": "agreement", "measure": "agreement", "dataset": "gender", "subset": "professions"},
        {"experiment": "sensitivity", "measure": "sensitivity", "variant": "flipped", "dataset": "weat6"},
        {"experiment": "raters", "measure": "raters", "dataset": "anew", "subset": "warriner", "model": None},
        {"experiment": "subspace", "measure": "dimensions", "dataset": "he − she"},
    ],
)
def test_no_experiment_leaves_the_terminal_empty(score: dict[str, Any]) -> None:
    study = "debias" if score["experiment"] == "subspace" else "vast"
    table = show_scores(study, {"value": 0.25, **score})
    assert [row.cells[0].value for row in table.rows if row.cells[0]] == [0.25]


def test_slices_and_other_experiments_are_shown_next_to_the_whole() -> None:
    place = {"experiment": "gender", "measure": "net-neutral", "dataset": "gender", "value": 0.5}
    slices = [{**place, "subset": f"occupation={number}"} for number in range(20)]
    stable = {"experiment": "stability", "measure": "cosine", "dataset": "gendered", "value": 0.8}
    table = show_scores("infer", stable, place, *slices)
    assert len(table.rows) == MAX_ROWS
    assert {row.names[0] for row in table.rows} == {"net-neutral", "cosine"}
    assert table.note == "and 10 more in scores.csv"


def test_before_and_after() -> None:
    run = record("debias", "m")
    for version, value in (("original", 0.4), ("projection", 0.5), ("random", 0.3)):
        place = {"model": "m", "experiment": "weat", "dataset": "weat6", "measure": "weat", "n": 16}
        run.score(**place, version=version, value=value)
        run.score(**place, version="random", draw=1, value=9.0)
    (table,) = show(finish(run))
    assert table.heads == ("original", "projection", "random")
    assert [cell.value for cell in table.rows[0].cells if cell] == [0.4, 0.5, 0.3]


@pytest.mark.parametrize("run", [random_vast(["tiny"]), random_predict("tiny"), random_infer("nli")])
def test_it_fits_eighty_columns(run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display.out, "_width", 80)
    for table in show(run):
        display.print_table(table)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert max(map(len, lines)) <= 80


def test_a_run_without_numbers_has_no_table() -> None:
    assert show(finish(record("weat", "m"))) == []


def test_the_reasons_for_care_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    weat9 = {"experiment": "weat", "measure": "weat", "dataset": "weat9", "value": 0.25, "low": -1.0, "high": 0.3}
    display.print_table(show_scores("weat", {**weat9, "n": 8}))
    assert "† fewer than 20 items (weat weat9)" in " ".join(capsys.readouterr().out.split())

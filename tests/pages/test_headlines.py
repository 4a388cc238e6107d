"""The main numbers in the terminal and in Python: the profile first, then other main scores, never none."""

from typing import Any

import pytest

from made_runs import finish, random_infer, random_predict, random_vast, record
from wordworth.cli import display
from wordworth.pages.headlines import MAX_HEADLINES, headlines, name_missing
from wordworth.pages.profile import profile
from wordworth.results.run import Run
from wordworth.results.runs import read_runs
from wordworth.results.table import Table


def show(run: Run) -> list[Table]:
    return list(headlines(read_runs([run])))


def show_scores(study: str, *scores: dict[str, Any]) -> Table:
    run = record(study, "m")
    for score in scores:
        run.score(**{"model": "m", "language": "english", "n": 50, **score})
    (table,) = show(finish(run))
    return table


def test_the_questions_of_the_profile_come_first_with_their_verdicts() -> None:
    run = random_vast(["tiny"])
    (table,) = show(run)
    answers = profile(read_runs([run]))
    assert len(table.rows) == MAX_HEADLINES
    shown = [(row.names[0], row.cells[0].value) for row in table.rows if row.cells[0]]
    assert shown[: len(answers)] == [(one.question.name, one.score["value"]) for one in answers]
    assert all(one.verdict in row.remark for one, row in zip(answers, table.rows[: len(answers)], strict=True))
    assert {row.names[0] for row in table.rows[len(answers) :]} <= {"similarity", "weat", "anisotropy"}
    assert table.note.endswith("more in scores.csv")


@pytest.mark.parametrize("run", [random_vast(["tiny", "other"]), random_predict("tiny"), random_infer("nli")])
def test_a_number_is_shown_once(run: Run) -> None:
    for table in show(run):
        names = [row.names for row in table.rows]
        assert len(names) == len(set(names)) <= MAX_HEADLINES


def test_a_run_in_python_shows_what_the_terminal_shows() -> None:
    run = random_vast(["tiny", "other"])
    assert run.tables == show(run)
    assert [table.title.partition(",")[0] for table in run.tables] == ["tiny", "other"]


def test_the_best_layer_of_the_plainest_context() -> None:
    place = {"experiment": "contextualization", "measure": "valence", "dataset": "bellezza", "pooling": "last"}
    scores = [
        {**place, "context": context, "layer": layer, "value": value, "low": 0.1, "high": 0.9}
        for context, values in (("aligned", (0.9, 0.95)), ("bleached", (0.7, 0.6)))
        for layer, value in enumerate(values)
    ]
    table = show_scores("vast", *scores)
    row = table.rows[0]
    assert row.names == ("Valence", "bellezza")
    assert table.title == "m, layer 0, bleached, last"
    assert [(cell.value, cell.n, cell.p) for cell in row.cells if cell] == [(0.7, 50, None)]


def test_p_says_how_many_sides_it_has() -> None:
    place = {"experiment": "weat", "measure": "weat", "dataset": "weat6", "value": 1.0, "p": 0.01}
    assert "one-sided" in show_scores("weat", {**place, "sides": "one"}).note
    assert "two-sided" in show_scores("weat", {**place, "sides": "two"}).note
    assert "-sided" not in show_scores("weat", {**place, "p": None}).note


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


def test_slices_fill_the_room_and_the_others_are_counted() -> None:
    place = {"experiment": "gender", "measure": "net-neutral", "dataset": "gender", "value": 0.5}
    slices = [{**place, "subset": f"occupation={number}"} for number in range(20)]
    stable = {"experiment": "stability", "measure": "cosine", "dataset": "gendered", "value": 0.8}
    table = show_scores("infer", stable, place, *slices)
    assert [row.names for row in table.rows[:3]] == [
        ("Gender inference", "gender"),
        ("cosine", "gendered"),
        ("net-neutral", "gender, occupation = 0"),
    ]
    assert len(table.rows) == MAX_HEADLINES
    assert table.note == "12 more in scores.csv"


def test_before_and_after() -> None:
    run = record("debias", "m")
    for version, value in (("original", 0.4), ("projection", 0.5), ("random", 0.3)):
        place = {"model": "m", "experiment": "weat", "dataset": "weat6", "measure": "weat", "n": 16}
        run.score(**place, version=version, value=value)
        run.score(**place, version="random", draw=1, value=9.0)
    table = show(finish(run))[-1]
    assert table.heads == ("original", "projection", "random")
    assert [cell.value for cell in table.rows[0].cells if cell] == [0.4, 0.5, 0.3]


RUNS = [random_vast(["tiny", "a-model-with-a-long-name"]), random_predict("tiny"), random_infer("nli")]


@pytest.mark.parametrize("run", RUNS, ids=[run.study for run in RUNS])
def test_a_run_fits_eighty_columns(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert display.stdout_console.width == 80  # not a terminal
    display.print_run(run)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == lines[-1] == str(run.folder)
    words = {word for line in lines for word in line.split()}
    for table in show(run):
        assert {word for row in table.rows for text in (*row.names, row.remark) for word in text.split()} <= words


def test_a_run_without_numbers_has_no_table() -> None:
    assert show(finish(record("weat", "m"))) == []


def test_only_unusual_numbers_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """WEAT 9 with 8 of its 12 target words; WEAT 6 with all 16."""
    weat9 = {"experiment": "weat", "measure": "weat", "dataset": "weat9", "value": 0.25, "low": -1.0, "high": 0.3}
    display.print_table(show_scores("weat", {**weat9, "n": 8}, {**weat9, "dataset": "weat6", "n": 16}))
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("†") == 2
    assert ".25† [−1.00, .30] 8 †" in out
    assert "(weat9)" in out


def test_missing_words_of_lexica_and_tests_are_named() -> None:
    run = record("weat", "m")
    place = {"model": "m", "experiment": "weat"}
    run.item("association_words", **place, dataset="weat1", word=["gladiola"], skipped="not in vocabulary")
    run.item("association_words", **place, dataset="weat1", word=["rose"], value=0.5)
    run.item("rated_words", **place, dataset="anew", word=["aloof", "gladiola"], skipped="not in vocabulary")
    run.item("word_pairs", **place, dataset="men", first=["zebu"], second=["yak"], skipped="not in vocabulary")
    ((model, data, words),) = name_missing(read_runs([finish(run)]))
    assert (model, set(data), set(words)) == ("m", {"anew", "weat1"}, {"aloof", "gladiola"})

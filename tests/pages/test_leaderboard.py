"""The leaderboard shows what fits, lets the rest be chosen, and has no empty row or column."""

from pathlib import Path

from made_runs import MadeRun
from wordworth.pages.leaderboard import MOST, Leaderboard, leaderboard
from wordworth.pages.page import _environment
from wordworth.pages.runs import read_runs


def board_markup(board: Leaderboard) -> str:
    return str(_environment().get_template("macros.html.j2").module.leaderboard(board))  # type: ignore[attr-defined]


def _board(folder: Path, lexica: int, pairs: int) -> Leaderboard:
    run = MadeRun("valnorm", measures={"valence": {"better": "higher"}})
    for at, model in enumerate(("a", "b", "c")):
        run.model(model, words=5)
        where = {"model": model, "language": "english"}
        for number in range(lexica if at else lexica - 1):  # the first model has all but the last lexicon
            run.score(experiment="valence", **where, dataset=f"lexicon{number}", measure="valence", value=0.5 + at / 10)
        for number in range(pairs if model == "a" else 0):
            run.score(experiment="similarity", **where, dataset=f"pairs{number}", measure="similarity", value=0.3)
    nothing = {"experiment": "valence", "dataset": "empty", "measure": "valence", "value": float("nan")}
    run.score(model="nobody", language="english", **nothing)
    return leaderboard(read_runs([run.write(folder)]))


def test_nothing_empty_is_in_it(tmp_path: Path) -> None:
    board = _board(tmp_path / "run", 2, 1)
    assert board.models == ["a", "b", "c"]
    assert [column.title for column in board.columns] == ["valence lexicon0", "valence lexicon1", "similarity pairs0"]
    assert board.shown == board.columns
    assert "details" not in board_markup(board)  # nothing to choose


def test_of_many_columns_one_of_each_measure_is_shown(tmp_path: Path) -> None:
    """That which most models have, the first of them: lexicon0, which all three have."""
    board = _board(tmp_path / "run", 6, 6)
    assert len(board.columns) == 12 > MOST
    assert [column.title for column in board.shown] == ["valence lexicon0", "similarity pairs0"]
    text = board_markup(board)
    assert text.count("<input") == 12
    assert text.count("checked") == 2
    assert text.count("<th hidden") + text.count(" hidden>") == 10 * 4  # a heading and three rows each
    assert "2 of 12" in text

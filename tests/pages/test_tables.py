"""Tables for papers as data: what of a number is shown where, what p is, what the caption says."""

from math import comb
from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun, random_infer, random_predict, random_vast
from wordworth.pages.captions import WHAT, Chance, chance
from wordworth.pages.runs import Runs, read_runs
from wordworth.pages.tables import Column, Table, columns, tables

WEAT = {"experiment": "weat", "language": "english", "dataset": "weat9", "measure": "weat"}


def _power(mantissa: str, exponent: int) -> str:
    return f"{mantissa}e{exponent}"


def _tested(folder: Path, p: float, **settings: Any) -> Runs:
    """One association test of 6 and 6 words."""
    run = MadeRun("weat", settings={"permutations": 10_000, "sides": "one", **settings})
    run.score(**WEAT, model="a", value=0.9, p=p, n=12)
    place = {name: value for name, value in WEAT.items() if name != "measure"}
    for side in "XY":
        run.item(**place, model="a", item=[f"{side}{at}" for at in range(6)], group=f"{side}: some", value=[0.1] * 6)
    run.item(**place, model="a", item=["X7"], group="X: some", left_out="not in vocabulary")
    return read_runs([run.write(folder)])


@pytest.mark.parametrize(
    ("p", "settings", "found", "written", "said"),
    [
        (0.0, {"p_count": "strict"}, Chance(0.0, comb(12, 6)), "< 1/924", "none of N partitions gives more."),
        (1 / 10_001, {}, Chance(1 / 10_001, 10_000), "< 1/10,000", "none of N partitions gives as much."),
        (1 / 924, {}, Chance(1 / 924), ".0011", "p: one-sided permutation test over all partitions of the targets"),
        (1 / 12_870, {}, Chance(1 / 12_870), "7.8e-5", "or 10,000 random ones"),
        (0.2, {}, Chance(0.2), ".20", "p: one-sided"),
        (1.0, {}, Chance(1.0), "1.0", "p: one-sided"),
    ],
)
def test_p_is_never_0(
    tmp_path: Path, p: float, settings: dict[str, Any], found: Chance, written: str, said: str
) -> None:
    runs = _tested(tmp_path / "run", p, **settings)
    (score,) = runs.scores.to_dicts()
    got = chance(runs, score)
    assert got == found
    assert got is not None
    assert got.written(_power) == written
    (table,) = tables(runs)
    assert said in table.caption


def _similar(folder: Path, counts: dict[tuple[str, str], int], **more: Any) -> Table:
    """Similarity, by data set and model, over so many pairs."""
    run = MadeRun("valnorm", settings={"resamples": 1000}, **more)
    for (dataset, model), n in counts.items():
        told = {"dataset": dataset, "measure": "similarity", "value": 0.5, "low": 0.4, "high": 0.6, "n": n}
        run.score(experiment="similarity", language="english", model=model, **told)
    return next(table for table in tables(read_runs([run.write(folder)])) if table.id == "intrinsic")


def test_n_stands_once_where_it_is_the_same(tmp_path: Path) -> None:
    both = [Column(0, "value"), Column(0, "interval"), Column(1, "value"), Column(1, "interval")]
    alike = _similar(tmp_path / "a", {("men", "a"): 9, ("men", "b"): 9})
    assert columns(alike) == both
    assert "Data: men, n = 9." in alike.caption
    rows = _similar(tmp_path / "b", {("men", "a"): 9, ("men", "b"): 9, ("rw", "a"): 7, ("rw", "b"): 7})
    assert columns(rows) == [*both, Column(None, "n")]
    assert "Data: men and rw. n is the number of items." in rows.caption
    unlike = _similar(tmp_path / "c", {("men", "a"): 9, ("men", "b"): 7})
    assert columns(unlike) == [*both[:2], Column(0, "n"), *both[2:], Column(1, "n")]
    assert "Brackets: 95 % intervals (bootstrap, 1,000 resamples)." in unlike.caption


def test_few_rows_of_many_numbers_are_turned(tmp_path: Path) -> None:
    """Two models and six measures: the models stand side by side."""
    run = MadeRun("valnorm")
    for model in ("a", "b"):
        for at in range(6):
            told = {"dataset": f"data{at}", "measure": "valence", "value": at + (model == "b") / 2, "n": 9}
            run.score(experiment="valence", language="english", model=model, **told)
    board = tables(read_runs([run.write(tmp_path / "run")]))[0]
    assert (board.id, board.names, board.heads) == ("leaderboard", ("measure",), ("a", "b"))
    assert [row.names for row in board.rows] == [(f"valence data{at}",) for at in range(6)]
    assert [[cell and cell.value for cell in row.cells] for row in board.rows][2] == [2.0, 2.5]


def test_a_caption_speaks_of_a_table(audit: Path, tmp_path: Path) -> None:
    """Not of lines, colours and hovering: those are the figure's."""
    random_vast(["one", "two"]).write(tmp_path / "more" / "vast")
    random_infer("three").write(tmp_path / "more" / "infer")
    random_predict("four").write(tmp_path / "more" / "predict")
    for table in tables(read_runs([audit, tmp_path / "more"])):
        assert table.caption.startswith(WHAT.get(table.id, ""))
        for word in ("hover", "colour", "band is", "bands are", "thin line", "bars are"):
            assert word not in table.caption.lower()


def test_the_best_is_told_with_its_test(tmp_path: Path) -> None:
    run = MadeRun("valnorm", measures={"similarity": {"better": "higher"}})
    for model, noise in (("a", 0.0), ("b", 9.0)):
        place = {"experiment": "similarity", "language": "english", "dataset": "men", "model": model}
        rated = [float(at) for at in range(40)]
        values = [at + noise * ((-1) ** int(at)) for at in rated]
        run.score(**place, measure="similarity", value=0.9 - noise / 10, n=40)
        run.item(**place, item=[f"w{at} x" for at in range(40)], reference=rated, value=values)
    board, table = tables(read_runs([run.write(tmp_path / "run")]))
    for one in (board, table):
        cells = [cell for row in one.rows for cell in row.cells]
        assert [cell.best for cell in cells if cell] == [True, False]
        assert "Bold: the best model of each measure, and those that are not significantly worse" in one.caption
        assert "(Williams’ t; p < .05 after Holm’s correction over the models)" in one.caption

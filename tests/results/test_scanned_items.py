"""Items that lie on disk: the same table as if they were held."""

from pathlib import Path

import polars as pl

from wordworth.results import Findings, read_run

ROWS = {"item": ["a", "b", "c"], "value": [1.0, None, 3.0], "left_out": [None, "gone", None]}
WHERE = {"experiment": "prediction", "model": "m"}


def both(folder: Path) -> tuple[Findings, Findings]:
    pl.DataFrame(ROWS).write_parquet(folder / "rows.parquet")
    held, scanned = Findings("predict"), Findings("predict")
    held.item(**WHERE, **ROWS)
    scanned.scanned_items(pl.scan_parquet(folder / "rows.parquet"), **WHERE)
    return held, scanned


def test_they_are_those_that_are_held(tmp_path: Path) -> None:
    held, scanned = both(tmp_path)
    assert scanned.items.equals(held.items)
    assert scanned.left_out == held.left_out == {"gone": 1}
    saved = [one.save(tmp_path / name).items.collect() for one, name in ((held, "held"), (scanned, "scanned"))]
    assert saved[0].equals(saved[1])
    assert read_run(tmp_path / "scanned").items.collect().equals(held.items)


def test_they_are_added_with_columns_and_chosen_from(tmp_path: Path) -> None:
    whole = Findings("audit")
    for one in both(tmp_path):
        whole.add(one, setting=None, language="dutch")
    assert whole.items["study"].to_list() == ["audit"] * 6
    assert whole.items["language"].to_list() == ["dutch"] * 6
    assert whole.left_out == {"gone": 2}
    some = whole.where(lambda row: True, pl.col("item") == "b")
    assert some.items["item"].to_list() == ["b", "b"]
    assert some.left_out == {"gone": 2}

"""Items that lie on disk: the same table as if they were held, and memory that does not grow with them."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from wordworth.run import Findings, read_run

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


def test_what_is_shown_is_what_is_held(tmp_path: Path) -> None:
    held, scanned = both(tmp_path)
    assert scanned.held_items.is_empty()
    assert scanned.held_items.schema == held.items.schema
    assert held.held_items.equals(held.items)


def test_a_column_that_items_lack_is_refused() -> None:
    with pytest.raises(TypeError, match="no column wrong"):
        Findings("predict").scanned_items(pl.LazyFrame({"wrong": [1]}))


PEAK = """
import sys
from pathlib import Path
import polars as pl
from wordworth.run import Findings

folder, files = Path(sys.argv[1]), int(sys.argv[2])
words = pl.Series([f"word{n % 997}" for n in range(50_000)], dtype=pl.Categorical)
for at in range(files):
    pl.DataFrame({"item": words, "found_as": words}).write_parquet(folder / f"{at:03}.parquet")
findings = Findings("predict")
findings.scanned_items(pl.scan_parquet(sorted(folder.glob("*.parquet"))), experiment="prediction", model="m")
assert findings.save(folder / "run").items.select(pl.len()).collect().item() == files * 50_000
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_memory_does_not_grow_with_them(tmp_path: Path) -> None:
    """Held, an item of these two columns takes 43 bytes; scanned, 7 to 9."""
    peaks, sizes = [], (4, 32)
    for files in sizes:
        folder = tmp_path / str(files)
        folder.mkdir()
        ran = subprocess.run(
            [sys.executable, "-c", PEAK, str(folder), str(files)], capture_output=True, text=True, check=True
        )
        peaks.append(int(ran.stdout) * 1024)
    assert (peaks[1] - peaks[0]) / ((sizes[1] - sizes[0]) * 50_000) < 20

"""What the cache holds, and removing of it."""

import hashlib
import json
import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wordworth.cli.cache import cache_app
from wordworth.engine import cache, housekeeping
from wordworth.errors import WordworthError
from wordworth.files import SCRATCH, cache_dir, hold_lock

DAY = 86400.0


def make_entry(kind: str, name: str, size: int, age: float = 0.0) -> Path:
    """An entry of so many bytes (beside its checksum) that was used so many seconds ago."""
    folder = cache.entry(kind, name, lambda into: (into / "data").write_bytes(b"x" * size))  # type: ignore[arg-type]
    os.utime(folder, (time.time() - age,) * 2)
    return folder


def make_fetched(content: bytes, age: float = 0.0) -> Path:
    key = hashlib.sha256(content).hexdigest()
    folder = cache.slot("files", key, {"words.txt": key}).get(lambda into: (into / "words.txt").write_bytes(content))
    os.utime(folder, (time.time() - age,) * 2)
    return folder


def test_totals_by_kind() -> None:
    make_entry("vectors", "a", 5000, age=3 * DAY)
    make_entry("vectors", "b", 1000)
    make_entry("counts", "c", 10)
    vectors, counts = housekeeping.totals(housekeeping.entries())
    assert (vectors.kind, vectors.entries) == ("vectors", 2)
    assert 6000 < vectors.bytes < 6300  # with two lists of checksums
    assert 2.9 * DAY < vectors.newest - vectors.oldest < 3.1 * DAY
    assert counts.kind == "counts"
    assert housekeeping.entries(["counts"])[0].bytes == counts.bytes
    with pytest.raises(WordworthError, match=r"did you mean vectors\?"):
        housekeeping.entries(["vector"])


def test_use_makes_young() -> None:
    folder = make_entry("vectors", "a", 10, age=9 * DAY)
    kept_again = cache.entry("vectors", "a", lambda _: None)
    assert kept_again == folder
    assert time.time() - housekeeping.entries()[0].used < DAY
    growing = cache.slot("vectors", "b").part("00000")
    growing.get(lambda into: (into / "data").write_text("x"))
    os.utime(growing.path.parent, (1, 1))
    assert all(time.time() - entry.used < DAY for entry in housekeeping.entries())


def test_prune_by_age() -> None:
    old, new = make_entry("vectors", "a", 10, age=31 * DAY), make_entry("vectors", "b", 10, age=29 * DAY)
    other = make_entry("counts", "c", 10, age=99 * DAY)
    removed = housekeeping.prune(older=30 * DAY, kinds=["vectors"])
    assert [entry.path for entry in removed] == [old]
    assert new.exists()
    assert other.exists()
    with pytest.raises(WordworthError, match="say what to remove: --older DAYS, or --max-size GB"):
        housekeeping.prune()


def test_prune_by_size_removes_the_oldest_and_downloads_last() -> None:
    data = make_fetched(b"y" * 4000, age=90 * DAY)
    old, new = make_entry("vectors", "a", 4000, age=2 * DAY), make_entry("vectors", "b", 4000, age=DAY)
    removed = housekeeping.prune(max_bytes=9000)
    assert [entry.path for entry in removed] == [old]
    assert [entry.path for entry in housekeeping.prune(max_bytes=0)] == [new, data]


def test_recent_and_locked_entries_stay() -> None:
    used, made = make_entry("vectors", "a", 10, age=3000), make_entry("vectors", "b", 10, age=4000)
    with hold_lock(made):
        assert housekeeping.prune(max_bytes=0) == []
    assert [entry.path for entry in housekeeping.prune(max_bytes=0)] == [made]
    assert used.exists()


def test_clear_spares_downloads_unless_requested() -> None:
    data, vectors, counts = make_fetched(b"words"), make_entry("vectors", "a", 10), make_entry("counts", "b", 10)
    assert [entry.path for entry in housekeeping.clear(["counts"])] == [counts]
    assert [entry.path for entry in housekeeping.clear()] == [vectors]
    assert [entry.path for entry in housekeeping.clear(fetched=True)] == [data]


def test_stale_temporary_folders_are_removed() -> None:
    folder = make_entry("conversions", "a", 10)
    for name, age in (("old", 2 * DAY), ("new", DAY / 2)):
        left = folder.parent / f".{name}{SCRATCH}"
        left.mkdir()
        (left / "model.safetensors").write_bytes(b"x" * 5000)
        for path in (left / "model.safetensors", left):
            os.utime(path, (time.time() - age,) * 2)
    housekeeping.prune(older=DAY)
    assert [path.name for path in folder.parent.glob(f".*{SCRATCH}")] == [f".new{SCRATCH}"]


def test_the_command() -> None:
    make_entry("vectors", "a", 2_500_000, age=3 * DAY + 60)
    make_entry("counts", "b", 10)
    run = CliRunner().invoke
    table = json.loads(run(cache_app, ["--json"]).output)
    assert table["folder"] == str(cache_dir())
    assert [row["kind"] for row in table["kinds"]] == ["vectors", "counts"]
    assert "removed: 1 of vectors, 2.5 MB" in run(cache_app, ["prune", "--older", "2"]).output
    assert "1 of counts" in run(cache_app, ["clear", "--kind", "counts"]).output
    assert run(cache_app, ["clear", "--kind", "counts"]).output == "removed: none\n"
    assert run(cache_app, ["prune", "--older", "x"]).exit_code == 2

import json
from pathlib import Path

import polars as pl
import pytest

from wordworth.errors import WordworthError
from wordworth.results import Findings, read_run, schema, write_run

SCORES = pl.DataFrame([{"model": "a", "value": 0.5}], schema=schema.SCORES)
ITEMS = pl.DataFrame([{"item": "null", "value": 0.1}, {"item": "x", "value": None}], schema=schema.ITEMS)


def manifest() -> dict[str, object]:
    return Findings("valnorm").manifest()


def test_round_trip(tmp_path: Path) -> None:
    write_run(tmp_path / "run", manifest(), SCORES, ITEMS)
    run = read_run(tmp_path / "run")
    assert run.scores.equals(SCORES)
    assert run.items.collect().equals(ITEMS)
    assert run.manifest["versions"]["numpy"]
    assert run.manifest["hardware"]["cores"] >= 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == ["run"]  # no scratch is left


def test_a_run_is_replaced_only_when_told(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write_run(folder, manifest(), SCORES, ITEMS)
    with pytest.raises(WordworthError, match=r"run holds a run already; .* replace it with --overwrite"):
        write_run(folder, manifest(), SCORES, ITEMS)
    write_run(folder, manifest(), SCORES.with_columns(value=1.0), ITEMS, overwrite=True)
    assert read_run(folder).scores["value"].to_list() == [1.0]


def test_other_peoples_files_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(WordworthError, match=r"mine holds thesis\.txt, which no run wrote"):
        write_run(tmp_path / "mine", manifest(), SCORES, ITEMS, overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(json, "dumps", broken)
    with pytest.raises(KeyboardInterrupt):
        write_run(tmp_path / "run", manifest(), SCORES, ITEMS)
    assert not (tmp_path / "run").exists()


def test_another_process_at_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both once ended well, and the folder held one of the two runs."""
    write_csv = pl.DataFrame.write_csv

    def while_another_writes(frame: pl.DataFrame, *given: object, **named: object) -> None:
        monkeypatch.setattr(pl.DataFrame, "write_csv", write_csv)
        write_run(tmp_path / "run", manifest(), SCORES.with_columns(value=1.0), ITEMS)
        write_csv(frame, *given, **named)

    monkeypatch.setattr(pl.DataFrame, "write_csv", while_another_writes)
    with pytest.raises(WordworthError, match=r"another process wrote .*run meanwhile, which is kept"):
        write_run(tmp_path / "run", manifest(), SCORES, ITEMS)
    assert read_run(tmp_path / "run").scores["value"].to_list() == [1.0]

"""What a run's folder may hold is read; whatever else it holds is one sentence that says where."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from wordworth.errors import WordworthError
from wordworth.results import FailedStudy, Outcome, PlannedStudy, read_manifest, read_outcome, read_run, write_outcome
from wordworth.results.schema import ITEMS, SCORES

MANIFEST: dict[str, Any] = {
    "study": "valnorm",
    "command": ["wordworth", "run", "valnorm"],
    "settings": {"seed": 0},
    "seed": 0,
    "models": [{"name": "a", "layers": 2, "steps": []}],
    "data": [{"name": "bellezza", "sha256": "0"}],
    "left_out": {"not in vocabulary": 1},
    "notes": [],
    "started": "2026-01-02T03:04:05+00:00",
    "seconds": 1,
    "versions": {"wordworth": "1"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run by hand, with what every run says."""
    made = tmp_path / "run[1]"  # no pattern
    made.mkdir()
    pl.DataFrame([{"model": "a", "layer": 1, "value": 0.5}], schema=SCORES).write_csv(made / "scores.csv")
    items = [{"item": f"word{at}", "value": at / 7} for at in range(500)]
    pl.DataFrame(items, schema=ITEMS).write_parquet(made / "items.parquet")
    _write(made, MANIFEST)
    return made


def _write(folder: Path, manifest: Any) -> None:
    (folder / "run.json").write_text(json.dumps(manifest))


def _sums(folder: Path) -> dict[str, str]:
    files = ("scores.csv", "items.parquet")
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files}


def test_columns_have_their_types_and_blanks_are_null(folder: Path) -> None:
    run = read_run(folder)
    assert dict(run.scores.schema) == SCORES
    assert run.scores.row(0, named=True) == dict.fromkeys(SCORES) | {"model": "a", "layer": 1, "value": 0.5}
    assert dict(run.items.collect_schema()) == ITEMS


def test_what_a_run_need_not_say_is_blank(folder: Path) -> None:
    run = read_run(folder)
    assert (run.manifest["method"], run.manifest["failed"], run.manifest["may_differ"]) == ("", [], [])
    assert run.manifest["data"][0]["licence"] == ""
    assert run.manifest["models"][0] | {"steps": []} == run.manifest["models"][0]  # what no type declares is kept


WRONG: dict[str, tuple[Any, str]] = {
    "no table": ([1], r"run\.json is not as a run writes it \(.*\); run the study again"),
    "no study": ({key: MANIFEST[key] for key in MANIFEST if key != "study"}, "study: Field required"),
    "seed as truth": (MANIFEST | {"seed": True}, "seed: .*valid integer"),
    "a model": (MANIFEST | {"models": [{"name": "a"}, "b"]}, "models: 1: "),
    "no name": (MANIFEST | {"models": [{"layers": 2}]}, "models: 0: name: Field required"),
    "data": (MANIFEST | {"data": [{"name": "a", "rows": "1"}]}, "data: 0: rows: .*valid integer"),
    "left out": (MANIFEST | {"left_out": {"x" * 900: "y"}}, "left_out: x+: .*valid integer"),
    "half a character": (MANIFEST | {"notes": ["\ud800"]}, "not as a run writes it"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_manifest_of_other_types_is_one_sentence(folder: Path, name: str) -> None:
    manifest, reason = WRONG[name]
    _write(folder, manifest)
    _refused(folder, reason)


TEXTS = {
    "half": b'{"half": ',
    "empty": b"",
    "not text": b"\xff\xfe\x00",
    "deep": b"[" * 200_000,
    "digits": b'{"seed": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_manifest_that_is_no_json_is_one_sentence(folder: Path, name: str) -> None:
    (folder / "run.json").write_bytes(TEXTS[name])
    _refused(folder, "run it again|run the study again")


def _refused(folder: Path, reason: str) -> None:
    with pytest.raises(WordworthError, match=reason) as raised:
        read_run(folder)
    assert len(str(raised.value)) < 500
    assert "\n" not in str(raised.value)


def test_what_is_no_run(tmp_path: Path, folder: Path) -> None:
    _refused(tmp_path, r"is not a run: it has no run\.json, scores\.csv, items\.parquet")
    (folder / "scores.csv").unlink()
    _refused(folder, r"is not a run: it has no scores\.csv")
    assert read_manifest(folder)["study"] == "valnorm"  # which looks at nothing else


@pytest.mark.parametrize(("name", "place"), [("scores.csv", -10), ("items.parquet", 100), ("items.parquet", -1)])
def test_a_changed_digit_is_refused(folder: Path, name: str, place: int) -> None:
    _write(folder, MANIFEST | {"files": _sums(folder)})
    assert read_run(folder)
    held = bytearray((folder / name).read_bytes())
    held[place] ^= 1
    (folder / name).write_bytes(held)
    _refused(folder, rf"{name} was changed after the run was written")


def _foot(held: bytes) -> bytes:
    return held[:-40] + bytes(32) + held[-8:]


@pytest.mark.parametrize("damage", [_foot, lambda _: b"no table", lambda held: held[: len(held) // 2]])
def test_damaged_items_are_one_sentence_before_they_are_used(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / "items.parquet"
    path.write_bytes(damage(path.read_bytes()))
    _refused(folder, r"run\[1\] holds a run that cannot be read back \(.+\); run it again")


def test_columns_of_other_names_or_types_are_one_sentence(folder: Path) -> None:
    items, scores = (
        pl.read_parquet(folder / "items.parquet", glob=False),
        pl.read_csv(folder / "scores.csv", glob=False),
    )
    items.with_columns(value=pl.lit("many")).write_parquet(folder / "items.parquet")
    _refused(folder, r"items\.parquet has String in column value, not Float64")
    items.drop("item").write_parquet(folder / "items.parquet")
    _refused(folder, r"items\.parquet has no column item")
    scores.drop("measure").write_csv(folder / "scores.csv")
    _refused(folder, r"scores\.csv has no column measure; was it written by wordworth\?")
    scores.with_columns(value=pl.lit("many")).write_csv(folder / "scores.csv")
    _refused(folder, r"cannot be read back \(.*many")
    (folder / "scores.csv").write_bytes(b"")
    _refused(folder, r"run\[1\] holds a run that cannot be read back")


def test_the_outcome_of_an_audit_is_read_back(tmp_path: Path) -> None:
    failed: FailedStudy = {"study": "weat", "models": ["a", "b"], "reason": "the words are gone"}
    planned: PlannedStudy = {"study": "vast", "models": ["a"]}
    outcome = Outcome((failed,), ("static was not run on c: it is Chinese.",), ("static reads less.",), (planned,))
    write_outcome(tmp_path / "audit", outcome)
    assert read_outcome(tmp_path / "audit") == outcome
    write_outcome(tmp_path / "audit", Outcome())
    assert not (tmp_path / "audit" / "audit.json").exists()
    assert read_outcome(tmp_path / "audit") == Outcome()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"failed": [{"study": 1}], "left_out": []}', '{"failed": "\\ud800"}'])
def test_another_outcome_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "audit.json").write_text(text, encoding="utf-8")
    with pytest.raises(WordworthError, match="not as an audit writes it"):
        read_outcome(tmp_path)

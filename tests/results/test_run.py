"""A run: written in one step, read back and checked, stale or not; whatever else its folder holds is an error."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from wordworth.catalog.models import fingerprint
from wordworth.catalog.resolve import resolve
from wordworth.errors import WordworthError
from wordworth.results import run as run_module
from wordworth.results.columns import SCORES, item_schema
from wordworth.results.findings import Findings
from wordworth.results.run import (
    AuditRecord,
    PlannedStudy,
    Run,
    read_audit,
    read_finished,
    read_manifest,
    read_run,
    surroundings,
    why_stale,
)
from wordworth.results.vocabulary import Notice


def make_run(value: float = 0.5, **about: Any) -> Run:
    findings = Findings("valnorm")
    findings.add_model("a", {"layers": 2, "steps": []})
    findings.score(model="a", layer=1, measure="valence", value=value, n=10)
    findings.score(model="a", layer=2, measure="valence", value=value, n=100)
    words = [f"word{at}" for at in range(500)]
    findings.item("rated_words", model="a", word=words, value=[at / 7 for at in range(500)])
    return findings.to_run(command=["wordworth"], **about)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_run().save(tmp_path / "run[1]")  # no pattern
    return tmp_path / "run[1]"


def test_round_trip(folder: Path) -> None:
    written, run = make_run(), read_run(folder)
    assert run.scores.equals(written.scores)
    assert dict(run.scores.schema) == SCORES
    assert run.item_table("rated_words").collect().equals(written.item_table("rated_words").collect())
    assert run.item_table("word_pairs").collect().is_empty()
    assert run.facts_of("a").steps == []  # a fact that no type declares
    assert run.versions["numpy"]
    assert run.hardware["cores"] >= 1
    assert sorted(path.name for path in folder.parent.iterdir() if path.name != "cache") == ["run[1]"]


def test_a_run_is_replaced_only_on_request(folder: Path) -> None:
    with pytest.raises(WordworthError, match=r"holds a run already; .* --overwrite"):
        make_run().save(folder)
    make_run(1.0).save(folder, overwrite=True)
    assert read_run(folder).scores["value"].to_list() == [1.0, 1.0]


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "model_dump_json", interrupt)
    with pytest.raises(KeyboardInterrupt):
        make_run().save(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_another_process_at_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both once ended well, and the folder held one of the two runs."""
    write_csv = pl.DataFrame.write_csv

    def while_another_writes(frame: pl.DataFrame, *given: object, **named: object) -> None:
        monkeypatch.setattr(pl.DataFrame, "write_csv", write_csv)
        make_run(1.0).save(tmp_path / "run")
        write_csv(frame, *given, **named)

    monkeypatch.setattr(pl.DataFrame, "write_csv", while_another_writes)
    with pytest.raises(WordworthError, match="another process"):
        make_run().save(tmp_path / "run")
    assert read_run(tmp_path / "run").scores["value"].to_list() == [1.0, 1.0]


def _expect_refusal(folder: Path, reason: str) -> None:
    with pytest.raises(WordworthError, match=reason) as raised:
        read_run(folder)
    assert len(str(raised.value)) < 500
    assert "\n" not in str(raised.value)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "seed as truth": ({"seed": True}, "seed: .*valid integer"),
    "a model": ({"models": [{"name": "a"}, "b"]}, "models.2: "),
    "skipped": ({"skipped": {"x" * 900: "y"}}, "skipped.x+: .*valid integer"),
    "notice": ({"notices": [{"kind": "lost", "reason": "x"}]}, "notices.1.kind"),
    "half a character": ({"method": "\ud800"}, "run it again|run the study again"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_manifest_of_other_types_is_one_sentence(folder: Path, name: str) -> None:
    change, reason = WRONG[name]
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change))
    _expect_refusal(folder, reason)


TEXTS = {
    "no table": b"[1]",
    "not text": b"\xff\xfe\x00",
    "deep": b"[" * 200_000,
    "digits": b'{"seed": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_manifest_that_is_no_json_is_one_sentence(folder: Path, name: str) -> None:
    (folder / "run.json").write_bytes(TEXTS[name])
    _expect_refusal(folder, "run the study again")


def test_a_folder_that_is_no_run(tmp_path: Path, folder: Path) -> None:
    _expect_refusal(tmp_path, r"is not a run: it has no run\.json")
    (folder / "scores.csv").unlink()
    _expect_refusal(folder, r"is not a run: it has no scores\.csv")
    assert read_manifest(folder).study == "valnorm"  # which reads nothing else


ITEMS = "items/rated_words.parquet"


@pytest.mark.parametrize(("name", "place"), [("scores.csv", -10), (ITEMS, 100), (ITEMS, -1)])
def test_a_changed_byte_is_refused(folder: Path, name: str, place: int) -> None:
    content = bytearray((folder / name).read_bytes())
    content[place] ^= 1
    (folder / name).write_bytes(content)
    _expect_refusal(folder, rf"{name} was changed after the run was written")


def _accept_changes(folder: Path) -> None:
    """Write the checksums of the files as they are."""
    manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    manifest["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in manifest["files"]}
    (folder / "run.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "damage",
    [lambda held: held[:-40] + bytes(32) + held[-8:], lambda _: b"no table", lambda held: held[: len(held) // 2]],
)
def test_damaged_items_are_one_sentence_before_they_are_used(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / ITEMS
    path.write_bytes(damage(path.read_bytes()))
    _accept_changes(folder)
    _expect_refusal(folder, r"run\[1\] holds a run that cannot be read back \(.+\); run the study again")


def test_columns_of_other_names_or_types_are_one_sentence(folder: Path) -> None:
    items, scores = (pl.read_parquet(folder / ITEMS, glob=False), pl.read_csv(folder / "scores.csv", glob=False))
    assert dict(items.schema) == item_schema("rated_words")
    for frame in (items.with_columns(value=pl.lit("many")), items.drop("word")):
        frame.write_parquet(folder / ITEMS)
        _accept_changes(folder)
        _expect_refusal(folder, "other columns")
    items.write_parquet(folder / ITEMS)
    for text, reason in (
        (scores.drop("measure").write_csv(), r"cannot be read back \(.*measure"),
        (scores.with_columns(value=pl.lit("many")).write_csv(), r"cannot be read back \(.*many"),
        ("", r"cannot be read back"),
    ):
        (folder / "scores.csv").write_text(text)
        _accept_changes(folder)
        _expect_refusal(folder, reason)


def test_the_record_of_an_audit_is_read_back(tmp_path: Path) -> None:
    failed = Notice(kind="failed", study="weat", reason="the words are gone")
    record = AuditRecord(planned=[PlannedStudy(study="vast", folder="vast", models=["a"])], notices=[failed])
    record.save(tmp_path / "audit")
    assert read_audit(tmp_path / "audit") == record
    assert read_audit(tmp_path) == AuditRecord()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"planned": [{"study": 1}]}', '{"notices": "\\ud800"}'])
def test_another_record_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "audit.json").write_text(text, encoding="utf-8")
    with pytest.raises(WordworthError, match="is damaged; delete it"):
        read_audit(tmp_path)


def save_run(folder: Path, names: list[str], settings: dict[str, object]) -> None:
    make_run(named=names, settings=settings, fingerprints=fingerprints(names)).save(folder)


def fingerprints(names: list[str]) -> dict[str, str]:
    return {name: fingerprint(resolve(name)) for name in names}


def stale(folder: Path, names: list[str], settings: dict[str, object]) -> str:
    return why_stale(read_run(folder), names, settings, fingerprints(names))


def test_the_same_models_and_settings(tmp_path: Path) -> None:
    save_run(tmp_path / "run", ["glove-6b-50d"], {"seed": 0})
    same = [["glove-6b-50d"], {"seed": 0}, fingerprints(["glove-6b-50d"])]
    assert read_finished(tmp_path / "nothing", *same, overwrite=False) is None
    assert read_finished(tmp_path / "run", *same, overwrite=False) is not None
    assert stale(tmp_path / "run", ["glove-6b-50d"], {"seed": 0}) == ""
    assert stale(tmp_path / "run", ["glove-6b-50d"], {"seed": 1}) == "its seed was 0 and is now 1"
    assert "its models was" in str(stale(tmp_path / "run", ["smollm2-135m"], {"seed": 0}))


@pytest.mark.parametrize("package", ["wordworth", "polars"])
def test_another_package_version_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    save_run(tmp_path / "run", ["glove-6b-50d"], {})
    versions, hardware = surroundings()
    monkeypatch.setattr(run_module, "surroundings", lambda: ({**versions, package: "99"}, hardware))
    assert f"made with {package} {versions[package]}" in str(stale(tmp_path / "run", ["glove-6b-50d"], {}))


def test_a_model_replaced_by_an_older_file_is_another_model(tmp_path: Path) -> None:
    model = tmp_path / "a=b" / "my.vec"
    model.parent.mkdir()
    model.write_text("tea 1 2\n")
    for number, name in enumerate((str(model), f"mine={model}")):
        folder = tmp_path / f"run{number}"
        save_run(folder, [name], {})
        assert stale(folder, [name], {}) == ""
        before = model.read_text()
        model.write_text("tea 2 1\n")
        os.utime(model, (1, 1))  # as `cp -p` of an old file would leave it
        assert stale(folder, [name], {}) == f"{name} has changed since"
        model.write_text(before)

"""A run in progress can be seen from outside, and is gone from there when it ends."""

import errno
import json
from pathlib import Path

import pytest

from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.run import watch
from wordworth.run.watch import Doing, _sole_writer, progress_file, read_progress, watched


def test_a_run_in_progress_is_told_beside_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "EVERY", 0.01)
    folder = tmp_path / "runs" / "mine"
    with watched(folder, "vast", ["gpt2"]):
        path = progress_file(folder)
        first = read_progress(path)
        assert first is not None
        assert (first.study, first.models, first.what) == ("vast", ("gpt2",), "")
        with progress("gpt2: encoding", 8) as advance:
            advance(2)
            advance(3)
            told = _until(path, 5)
        assert (told.what, told.done, told.total) == ("gpt2: encoding", 5, 8)
        assert told.alive()
        assert not told.alive(now=told.updated + 60)  # a run that was killed gives no more signs
    assert not (tmp_path / "runs").exists()  # the study wrote nothing there


def _until(path: Path, done: float) -> Doing:
    while True:
        told = read_progress(path)
        if told is not None and told.done == done:
            return told


def test_a_run_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), watched(tmp_path / "mine", "vast", []):
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir() if path.name != "cache"] == []


STARTED = {"study": "x", "models": [], "started": 1, "updated": 2}
WRONG = [{"other": 1}, {"updated": "x"}, {"models": [1]}, {"what": "\ud800"}, {"done": float("inf")}]


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[" * 100_000, *(json.dumps(STARTED | one) for one in WRONG)])
def test_what_is_no_progress_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.progress"
    assert read_progress(path) is None
    path.write_text(text)
    assert read_progress(path) is None


def test_a_full_disk_leaves_no_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is made, and nothing can be written into it."""

    def full(path: Path, *_: object, **__: object) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(WordworthError, match="no space left in"), watched(tmp_path / "mine", "vast", []):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs a folder that takes no files")
def test_a_folder_that_takes_no_files_is_not_said_to_be_in_use() -> None:
    with (
        pytest.raises(WordworthError, match="/proc takes no new files; choose another folder"),
        _sole_writer(Path("/proc/none")),
    ):
        pass

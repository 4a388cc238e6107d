"""What a process uses is not removed by another."""

import multiprocessing
import os
import signal
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wordworth.cli.cache import cache_app
from wordworth.engine import cache, housekeeping, in_use
from wordworth.files import cache_dir

FORK = multiprocessing.get_context("fork")


def _hold(ready: Event, ended: Event) -> None:
    """Another process that has found an entry sound and not read it yet."""
    in_use._folders.clear()  # as a process that was not forked
    in_use._marked.clear()
    made = cache.entry("vectors", "x", lambda folder: (folder / "a").write_text("a"))
    ready.set()
    ended.wait(60)
    os._exit(0 if (made / "a").read_text() == "a" else 1)


@pytest.fixture
def other() -> tuple[multiprocessing.process.BaseProcess, Event]:
    ready, ended = FORK.Event(), FORK.Event()
    process = FORK.Process(target=_hold, args=(ready, ended))
    process.start()
    assert ready.wait(60)
    return process, ended


def test_what_another_process_uses_stays(other: tuple[multiprocessing.process.BaseProcess, Event]) -> None:
    """It was removed between its check and its reading, and the run ended with a traceback."""
    process, ended = other
    mine = cache.entry("vectors", "y", lambda folder: (folder / "b").write_text("b"))
    assert [entry.path for entry in housekeeping.clear()] == [mine]  # what this process uses itself may go
    assert housekeeping.prune(max_bytes=0) == []
    assert len(housekeeping.used_by_others()) == 1
    told = CliRunner().invoke(cache_app, ["clear"])
    assert "used by another process, and left: 1" in told.output
    ended.set()
    process.join()
    assert process.exitcode == 0


def test_damage_is_removed_even_so(other: tuple[multiprocessing.process.BaseProcess, Event]) -> None:
    process, ended = other
    path = cache.kind_folder("vectors") / cache.key_of("x")
    (path / "a").write_text("b")
    assert [entry.path for entry in housekeeping.verify()] == [path]
    process.kill()
    process.join()
    assert not ended.is_set()


def test_what_a_killed_process_used_may_go(other: tuple[multiprocessing.process.BaseProcess, Event]) -> None:
    process, _ = other
    assert process.pid
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len(housekeeping.clear()) == 1
    hidden = [path.name for path in cache_dir().iterdir() if path.name.startswith(".")]
    assert hidden == []


def test_a_cache_that_cannot_be_written_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cache.entry("vectors", "x", lambda folder: (folder / "a").write_text("a"))
    in_use._folders.clear()
    in_use._marked.clear()

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr("wordworth.files.tempfile.mkdtemp", refused)
    assert cache.slot("vectors", "x").sound()

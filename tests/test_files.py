import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest
from filelock import FileLock
from safetensors import SafetensorError

from wordworth.errors import WordworthError
from wordworth.files import (
    OLD,
    SCRATCH,
    abandoned,
    cache_dir,
    locked,
    measured_sum,
    remove_stale_lock,
    replacing,
    sha256_of,
    space_checked,
    sweep,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "a.txt"
    with replacing(target) as made:
        made.write_text("old")
        assert not target.exists()
    with replacing(target) as made:
        made.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(target.parent) == ["a.txt"]


def _half(target: Path, error: BaseException) -> None:
    with replacing(target) as made:
        made.write_text("half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    folder = tmp_path / "here"
    with pytest.raises(error):
        _half(folder / "a.txt", error())
    assert names(folder) == []
    (folder / "a.txt").write_text("old")
    with pytest.raises(error):
        _half(folder / "a.txt", error())
    assert names(folder) == ["a.txt"]
    assert (folder / "a.txt").read_text() == "old"


def _overtaken(target: Path) -> None:
    with replacing(target) as made:
        made.mkdir()
        (made / "mine").touch()
        target.mkdir()
        (target / "theirs").touch()


def test_a_folder_that_another_process_made_first_is_kept_and_reported(tmp_path: Path) -> None:
    target = tmp_path / "here" / "data"
    with pytest.raises(WordworthError, match=r"another process wrote .*data meanwhile, which is kept; choose another"):
        _overtaken(target)
    assert names(target) == ["theirs"]
    assert names(target.parent) == ["data"]


WRITE = """
for _ in range(30):
    with replacing(target) as made:
        made.write_text(sys.argv[2] * 100_000)
"""
COUNT = """
for _ in range(20):
    with locked(target):
        count = int(target.read_text())
        time.sleep(0.001)  # long enough that an unlocked count would be lost
        target.write_text(str(count + 1))
"""


def process(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    """Another Python that runs the code with a target."""
    head = "import sys, time\nfrom pathlib import Path\nfrom wordworth.files import locked, replacing\n"
    code = f"{head}target = Path(sys.argv[1])\n{code}"
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])


def test_two_processes_never_mix(tmp_path: Path) -> None:
    target = tmp_path / "here" / "a.txt"
    writers = [process(WRITE, target, letter) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if target.exists():
            seen.add(target.read_text())
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen | {target.read_text()} <= {"a" * 100_000, "b" * 100_000}
    assert names(target.parent) == ["a.txt"]


def test_only_one_process_is_inside_a_lock(tmp_path: Path) -> None:
    target = tmp_path / "count"
    target.write_text("0")
    counters = [process(COUNT, target) for _ in range(3)]
    assert [counter.wait() for counter in counters] == [0, 0, 0]
    assert target.read_text() == "60"


def test_a_lock_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), locked(tmp_path / "new" / "a"):
        raise ValueError("inside")
    with locked(tmp_path / "new" / "a"):
        pass


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk(tmp_path: Path, number: int) -> None:
    with pytest.raises(WordworthError, match=r"no space left in .*here; free some, or choose another folder"):
        _half(tmp_path / "here" / "a", OSError(number, os.strerror(number)))
    assert names(tmp_path / "here") == []


def test_a_full_disk_inside_libraries_that_raise_no_os_error(tmp_path: Path) -> None:
    """As safetensors 0.8 and polars 2.1 raise them on a full disk."""
    full = "No space left on device (os error 28)"
    for error in (
        SafetensorError(f"Error while serializing: I/O error: {full}"),
        pl.exceptions.ComputeError(f"parquet: File out of specification: underlying IO error: {full}"),
        OSError(full),
    ):
        with pytest.raises(WordworthError, match="no space left in"):
            _half(tmp_path / "here" / "a", error)
    with pytest.raises(pl.exceptions.ComputeError, match="other"):
        _half(tmp_path / "here" / "a", pl.exceptions.ComputeError("other"))
    assert names(tmp_path / "here") == []


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_folder_that_cannot_be_written(tmp_path: Path, number: int) -> None:
    with (
        pytest.raises(WordworthError, match=r"here cannot be written; choose another folder \(the cache follows"),
        space_checked(tmp_path / "here"),
    ):
        raise OSError(number, os.strerror(number), str(tmp_path / "here" / "a"))


def test_a_file_elsewhere_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """While a cache is written another file is read: that one is to be told, not the cache."""
    with (
        pytest.raises(WordworthError, match=r"vectors\.txt cannot be opened \(Permission denied\); check its rights"),
        space_checked(tmp_path / "here"),
    ):
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "vectors.txt"))


def test_a_file_in_the_way_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WordworthError, match="cannot be written"), replacing(tmp_path / "file" / "x" / "a"):
        pass
    with pytest.raises(WordworthError, match="cannot be written"), locked(tmp_path / "file" / "a"):
        pass


def test_other_errors_pass_through(tmp_path: Path) -> None:
    with pytest.raises(InterruptedError), space_checked(tmp_path):
        raise InterruptedError(errno.EINTR, "interrupted")


KILLED = """
import os, signal
with replacing(target) as made:
    made.mkdir()
    (made / "new").write_text("new" * 1000)
    if target.exists():
        target.replace(made.with_name("old"))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    target = tmp_path / "here" / "run"
    assert process(KILLED, target).wait() == -signal.SIGKILL
    assert [path.name.endswith(SCRATCH) for path in target.parent.iterdir()] == [True]
    with replacing(target.with_name("other")) as made:
        made.write_text("x")
    assert names(target.parent) == ["other"]


def test_a_writer_killed_between_old_and_new_is_undone(tmp_path: Path) -> None:
    target = tmp_path / "here" / "run"
    target.mkdir(parents=True)
    (target / "kept").touch()
    assert process(KILLED, target).wait() == -signal.SIGKILL
    assert not target.exists()
    assert sweep(target.parent) == 3000
    assert names(target) == ["kept"]
    assert names(target.parent) == ["run"]


def test_a_link_that_looks_like_a_scratch_folder_is_not_followed(tmp_path: Path) -> None:
    """In a folder that all may write to, another user could have put it there."""
    mine, shared = tmp_path / "mine", tmp_path / "shared"
    mine.mkdir()
    shared.mkdir()
    (mine / "in-use").write_text("years of work")
    (shared / f".x.1{SCRATCH}").symlink_to(mine)
    assert sweep(shared) == 0
    assert (mine / "in-use").read_text() == "years of work"


def test_a_scratch_folder_of_another_user_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f".x.1{SCRATCH}").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    assert abandoned(tmp_path) == []
    monkeypatch.undo()
    assert len(abandoned(tmp_path)) == 1


def test_a_scratch_folder_that_cannot_be_marked_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the folder can still be made, and the lock in it cannot."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileLock, "_acquire", full)
    with pytest.raises(WordworthError, match="no space left in"), replacing(tmp_path / "a"):
        pass
    assert names(tmp_path) == []


def test_what_is_being_written_is_not_swept(tmp_path: Path) -> None:
    with replacing(tmp_path / "a") as made:
        made.write_text("whole")
        assert abandoned(tmp_path) == []
        assert sweep(tmp_path) == 0
    assert (tmp_path / "a").read_text() == "whole"


def test_a_folder_that_is_not_marked_yet_is_swept_and_its_writer_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was killed before it could mark its folder once left it for an hour."""
    make = tempfile.mkdtemp

    def swept_at_once(*given: object, **named: object) -> str:
        monkeypatch.setattr(tempfile, "mkdtemp", make)
        folder = make(*given, **named)
        sweep(tmp_path)
        assert not Path(folder).exists()
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", swept_at_once)
    with replacing(tmp_path / "a") as made:
        made.write_text("whole")
        assert abandoned(tmp_path) == []
    assert (tmp_path / "a").read_text() == "whole"
    assert names(tmp_path) == ["a"]


def test_a_break_between_the_two_renames_brings_the_old_folder_back(tmp_path: Path) -> None:
    """Ctrl-C there once removed the old run with the new one."""
    target = tmp_path / "run"
    target.mkdir()
    (target / "old").write_text("years of work")

    def broken_off() -> None:
        with replacing(target) as part:
            part.mkdir()
            target.replace(part.with_name(OLD))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert (target / "old").read_text() == "years of work"
    assert names(tmp_path) == ["run"]


def test_a_stale_lock_is_removed_and_a_held_one_stays(tmp_path: Path) -> None:
    (tmp_path / ".a.lock").touch()
    remove_stale_lock(tmp_path / "a")
    assert names(tmp_path) == []
    with locked(tmp_path / "a"):
        remove_stale_lock(tmp_path / "a")
        assert names(tmp_path) == [".a.lock"]


def test_a_sum_is_measured_again_when_the_file_changed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert measured_sum(path) == sha256_of(path)
    path.write_bytes(b"abcd")
    assert measured_sum(path) == sha256_of(path)


def test_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "mine"))
    assert cache_dir() == tmp_path / "mine"
    monkeypatch.delenv("WORDWORTH_CACHE")
    assert cache_dir().name == "wordworth"


@pytest.mark.parametrize("place", ["file", "file/x", "loop/x", "x" * 300, "~no-such-user/x", "/proc/nothing/x"])
def test_a_cache_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """A loop of links, a name that is too long and a system's folder once ended in a traceback."""
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    monkeypatch.setenv("WORDWORTH_CACHE", place if place[0] in "~/" else str(tmp_path / place))
    with pytest.raises(WordworthError, match=r"WORDWORTH_CACHE"), replacing(cache_dir() / "counts" / "a"):
        pass
    with pytest.raises(WordworthError, match=r"WORDWORTH_CACHE"), locked(cache_dir() / "counts" / "a"):
        pass


def test_sha256(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")  # FIPS 180-2, example 1
    assert sha256_of(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

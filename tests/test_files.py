"""Files are there whole or not at all; a full disk, or one that cannot be written, is one sentence."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from safetensors import SafetensorError

from wordworth import files
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, checksum_of_input, hold_lock, replacing, sha256_of, space_checked


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "a.txt"
    for old, new in (("", "old"), ("old", "new")):
        with replacing(target) as made:
            made.write_text(new)
            assert (target.read_text() if target.exists() else "") == old
    assert target.read_text() == "new"
    assert names(target.parent) == ["a.txt"]


def _half(target: Path, error: BaseException) -> None:
    with replacing(target) as made:
        made.write_text("half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "a.txt").write_text("old")
    for name in ("a.txt", "b.txt"):
        with pytest.raises(error):
            _half(folder / name, error())
    assert names(folder) == ["a.txt"]
    assert (folder / "a.txt").read_text() == "old"


def _overtaken(target: Path) -> None:
    with replacing(target) as made:
        made.mkdir()
        (made / "mine").touch()
        target.mkdir()
        (target / "theirs").touch()


def test_a_folder_of_another_process_stays_and_is_reported(tmp_path: Path) -> None:
    target = tmp_path / "here" / "data"
    with pytest.raises(WordworthError, match=r"another process has written .*data"):
        _overtaken(target)
    assert names(target) == ["theirs"]
    assert names(target.parent) == ["data"]


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_is_replaced_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool) -> None:
    if not can_exchange:  # a file system that cannot swap two folders in one step
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
    target = tmp_path / "here" / "run"
    for text in ("old", "new"):
        with replacing(target, overwrite=True) as made:
            made.mkdir()
            (made / text).touch()
    assert names(target) == ["new"]
    assert names(target.parent) == ["run"]


COUNT = """
for _ in range(20):
    with hold_lock(target):
        count = int(target.read_text())
        time.sleep(0.001)  # long enough that an unlocked count would be lost
        target.write_text(str(count + 1))
"""


def process(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    """Start another Python that runs the code with a target."""
    head = "import sys, time\nfrom pathlib import Path\nfrom wordworth.files import hold_lock, replacing\n"
    code = f"{head}target = Path(sys.argv[1])\n{code}"
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])


def test_only_one_process_is_inside_a_lock_which_stays(tmp_path: Path) -> None:
    target = tmp_path / "count"
    target.write_text("0")
    counters = [process(COUNT, target) for _ in range(3)]
    assert [counter.wait() for counter in counters] == [0, 0, 0]
    assert target.read_text() == "60"
    assert names(tmp_path) == [".count.lock", "count"]


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
        OSError("No space left on device (os error 28)"),
        # As safetensors 0.8 and polars 2.1 raise them on a full disk.
        SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
        pl.exceptions.ComputeError("parquet: underlying IO error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(WordworthError, match=r"no space left in .*here"):
        _half(tmp_path / "here" / "a", error)
    assert names(tmp_path / "here") == []


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_folder_that_cannot_be_written(tmp_path: Path, number: int) -> None:
    with pytest.raises(WordworthError, match="here cannot be written"), space_checked(tmp_path / "here"):
        raise OSError(number, os.strerror(number), str(tmp_path / "here" / "a"))
    with pytest.raises(OSError, match="vectors"), space_checked(tmp_path / "here"):  # one that is read meanwhile
        raise OSError(number, os.strerror(number), str(tmp_path / "vectors.txt"))


@pytest.mark.parametrize("place", ["file", "file/x", "loop/x", "x" * 300])
def test_a_cache_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / place))
    for opened in (replacing, hold_lock):
        with pytest.raises(WordworthError, match="WORDWORTH_CACHE"), opened(cache_dir() / "counts" / "a"):
            pass


def test_sums(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for content, start in ((b"abc", "ba7816bf8f01cfea"), (b"abcd", "88d4266fd4e6338d")):  # abc: FIPS 180-2, example 1
        path.write_bytes(content)
        assert checksum_of_input(path) == sha256_of(path)
        assert sha256_of(path).startswith(start)

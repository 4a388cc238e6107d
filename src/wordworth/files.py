"""Files that are never half there: atomic writes, locks between processes, checksums, and the cache folder."""

import errno
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from wordworth.errors import WordworthError

CHUNK = 1 << 20
SCRATCH = ".wordworth-part"
"""How the name of a folder ends in which something is written that is not whole yet."""
OLD = "old"
"""What a writer of folders calls the one that it moves aside, into its scratch folder, before the new one comes."""
_IN_USE = "in-use"
_UNMARKED = 3600.0
"""Seconds after which a scratch folder without the mark of its writer counts as abandoned."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)

_sums: dict[Path, tuple[tuple[int, int, int], str]] = {}
_swept: set[Path] = set()


def cache_dir() -> Path:
    """`$WORDWORTH_CACHE`, else the platform's cache folder for wordworth."""
    chosen = os.environ.get("WORDWORTH_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("wordworth")


@contextmanager
def space_checked(folder: Path) -> Iterator[None]:
    """Turns “disk full” and “not allowed” while writing under `folder` into an error that says what to do.

    A file elsewhere that may not be opened, as one that is read meanwhile, is named itself.
    """
    try:
        yield
    except OSError as error:
        number = error.errno or _os_error(error)
        if number in _FULL:
            raise _no_space(folder) from error
        if number in _REFUSED:
            if isinstance(error.filename, str) and _elsewhere(Path(error.filename).absolute(), folder.absolute()):
                message = f"{error.filename} cannot be opened ({error.strerror}); check its rights"
                raise WordworthError(message) from error
            raise WordworthError(
                f"{folder} cannot be written; choose another folder (the cache follows WORDWORTH_CACHE)"
            ) from error
        raise
    except _writers_errors() as error:
        if _os_error(error) in _FULL:
            raise _no_space(folder) from error
        raise


def _no_space(folder: Path) -> WordworthError:
    return WordworthError(
        f"no space left in {folder}; free some, or choose another folder (the cache follows WORDWORTH_CACHE)"
    )


def _writers_errors() -> tuple[type[BaseException], ...]:
    """What safetensors and polars raise where writing fails, which is not an OSError; only if they are loaded."""
    named = (("safetensors", "SafetensorError"), ("polars.exceptions", "PolarsError"))
    return tuple(getattr(sys.modules[module], name) for module, name in named if module in sys.modules)


def _os_error(error: BaseException) -> int:
    """The number in “(os error 28)”, by which libraries written in Rust name the system's error; 0 for none."""
    number = str(error).rpartition("(os error ")[2].partition(")")[0]
    return int(number) if number.isdecimal() else 0


def _elsewhere(path: Path, folder: Path) -> bool:
    """Whether a path is neither in the folder nor on the way to it."""
    return not path.is_relative_to(folder) and not folder.is_relative_to(path)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to (file or folder) that becomes `target` in one step at the end, and vanishes on any error.

    A reader sees the whole of the old thing or the whole of the new one. What a killed writer left is removed by the
    next one in the same folder. A folder that another process put there meanwhile is not replaced.
    """
    with scratch(target) as folder, space_checked(target.parent):
        part = folder / target.name
        yield part
        if part.is_file():
            with part.open("rb") as written:
                os.fsync(written.fileno())
        try:
            part.replace(target)
        except OSError as error:
            if not (part.is_dir() and error.errno in (errno.ENOTEMPTY, errno.EEXIST)):
                raise
            raise WordworthError(
                f"another process wrote {target} meanwhile, which is kept; choose another folder"
            ) from error


@contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target`, removed at the end; if this process is killed, by the next that writes there."""
    parent = target.parent
    with space_checked(parent):
        parent.mkdir(parents=True, exist_ok=True)
        if parent not in _swept:
            sweep(parent)
            _swept.add(parent)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=SCRATCH, dir=parent))
    try:
        with FileLock(folder / _IN_USE):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def abandoned(folder: Path) -> list[Path]:
    """The scratch folders in `folder` whose writer was killed: nobody holds their lock."""
    return [path for path in folder.glob(f".*{SCRATCH}") if path.is_dir() and not _in_use(path)]


def _in_use(folder: Path) -> bool:
    mark = folder / _IN_USE
    with suppress(FileNotFoundError):  # its writer has ended just now
        if not mark.exists():  # made just now, or killed before it was marked
            return time.time() - folder.stat().st_mtime < _UNMARKED
        try:
            with FileLock(mark, timeout=0):
                return False
        except Timeout:
            return True
    return False


def sweep(folder: Path) -> int:
    """Removes what killed writers left in `folder`, and gives the bytes that this freed.

    A writer that was killed after it had moved the old thing aside, and before the new one took its place, is undone.
    """
    freed = 0
    for left in abandoned(folder):
        old = left / OLD
        target = folder / left.name.removesuffix(SCRATCH)[1:].rpartition(".")[0]
        if old.exists() and not target.exists():
            old.replace(target)
        freed += size_of(left)
        shutil.rmtree(left, ignore_errors=True)
    return freed


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())


@contextmanager
def locked(target: Path, *, wait: bool = True) -> Iterator[None]:
    """Only one process at a time is inside for a given target; the others wait, or get filelock's `Timeout`."""
    path = target.with_name(f".{target.name}.lock")
    lock = FileLock(path, timeout=-1 if wait else 0)
    with space_checked(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):  # a waiting process sees that the file it waits on is gone, and takes a new one
            path.unlink()
        lock.release()


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def measured_sum(path: Path) -> str:
    """The checksum of a file, measured once a process, and again when its size, time or inode changed."""
    stat = path.stat()
    state = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    known = _sums.get(path)
    if known is None or known[0] != state:
        known = _sums[path] = state, sha256_of(path)
    return known[1]


def remember_sum(path: Path, checksum: str) -> None:
    """The checksum of a file that was measured under another name, before it was moved here."""
    stat = path.stat()
    _sums[path] = (stat.st_size, stat.st_mtime_ns, stat.st_ino), checksum


def forget_sums() -> None:
    """Every file is measured again when it is next asked for."""
    _sums.clear()

"""Files that are never half there: atomic writes, locks between processes, checksums, and the cache folder."""

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

from wordworth.errors import WordworthError

CHUNK = 1 << 20


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
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WordworthError(
                f"no space left in {folder}; free some, or choose another folder (the cache follows WORDWORTH_CACHE)"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            if isinstance(error.filename, str) and _elsewhere(Path(error.filename).absolute(), folder.absolute()):
                told = f"{error.filename} cannot be opened ({error.strerror}); check its rights"
                raise WordworthError(told) from error
            raise WordworthError(
                f"{folder} cannot be written; choose another folder (the cache follows WORDWORTH_CACHE)"
            ) from error
        raise


def _elsewhere(path: Path, folder: Path) -> bool:
    """Whether a path is neither in the folder nor on the way to it."""
    return not path.is_relative_to(folder) and not folder.is_relative_to(path)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to (file or folder) that becomes `target` in one step at the end, and vanishes on any error.

    A reader sees the whole of the old thing or the whole of the new one, and a kill leaves nothing to be trusted later.
    A folder that is already there is kept when the new one cannot take its place (another process was first).
    """
    with space_checked(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    part = scratch / target.name
    try:
        with space_checked(target.parent):
            yield part
            if part.is_file():
                with part.open("rb") as written:
                    os.fsync(written.fileno())
            try:
                part.replace(target)
            except OSError as error:
                if not (part.is_dir() and error.errno in (errno.ENOTEMPTY, errno.EEXIST)):
                    raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Only one process at a time is inside for a given target; the others wait."""
    path = target.with_name(f".{target.name}.lock")
    lock = FileLock(path)
    with space_checked(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

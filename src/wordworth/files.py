"""Write files atomically, lock between processes, compute checksums, and open compressed files."""

import bz2
import errno
import gzip
import hashlib
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from filelock import FileLock
from platformdirs import user_cache_path

from wordworth.errors import DISK_LIMITS, WordworthError

CHUNK = 1 << 20
SCRATCH = ".wordworth-part"
"""The suffix of temporary folders."""
SPARSE_BYTES = 1 << 30
"""The size from which a sparse file that is nearly empty is refused."""
_REFUSED_ERRORS = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG, errno.EBUSY,
)  # fmt: skip


DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""Errors of cut or damaged files while they are read."""
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}


FILE_SUFFIXES = {".gz", ".bz2", ".xz", ".zip"}
FILE_SUFFIXES |= {".txt", ".vec", ".bin", ".npz", ".npy", ".safetensors", ".kv", ".model", ".gguf"}


def plain_name(path: Path) -> str:
    """Return the default name of a file of vectors in tables: its name without the suffixes of formats."""
    name = path.name
    while Path(name).suffix in FILE_SUFFIXES:
        name = Path(name).stem
    return name.removesuffix("-w") if path.name.endswith("-w.npy") else name


def compression(path: Path) -> str:
    """Return `gzip`, `bzip2`, `xz`, `zip` or nothing, by the first bytes of a file."""
    with path.open("rb") as stream:
        start = stream.read(6)
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


def decompress(path: Path) -> BinaryIO:
    """Open a file, decompressed if it is gzip, bzip2 or xz. Reading a damaged file raises one of `DAMAGE`."""
    kind = compression(path)
    if kind == "gzip":
        return cast(BinaryIO, gzip.open(path))
    if kind == "bzip2":
        return cast(BinaryIO, bz2.open(path))
    return cast(BinaryIO, lzma.open(path)) if kind == "xz" else path.open("rb")


def cache_dir() -> Path:
    """Return `$WORDWORTH_CACHE`, else the platform's cache folder for wordworth."""
    folder = os.environ.get("WORDWORTH_CACHE")
    return Path(folder).expanduser() if folder else user_cache_path("wordworth")


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents."""
    folder.expanduser()  # raises for ~ and a name that is not a user's
    with space_checked(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def space_checked(folder: Path) -> Iterator[None]:
    """Turn “disk full” and “not allowed” while writing under `folder` into a `WordworthError`."""
    advice = "choose another folder (the cache follows WORDWORTH_CACHE)"
    try:
        yield
    except _writing_errors() as error:
        # Libraries in Rust name the system's error by its number: “(os error 28)”.
        os_error = re.search(r"\(os error (\d+)\)", str(error))
        number = getattr(error, "errno", None) or (int(os_error[1]) if os_error else 0)
        if "transport error" in str(error):  # polars, if the end of a parquet file cannot be written
            number = errno.ENOSPC
        if number == errno.EFBIG:
            raise WordworthError(
                f"files in {folder} may not become that large; raise the limit (ulimit -f), or {advice}"
            ) from error
        if number in DISK_LIMITS:
            raise WordworthError(f"no space left in {folder}; free some, or {advice}") from error
        if number in _REFUSED_ERRORS and not _is_elsewhere(getattr(error, "filename", None), folder):
            raise WordworthError(f"{folder} cannot be written; {advice}") from error
        raise


def _writing_errors() -> tuple[type[BaseException], ...]:
    """Return the errors of failed writing: OSError, and those of safetensors and polars if they are loaded."""
    library_errors = (("safetensors", "SafetensorError"), ("polars.exceptions", "PolarsError"))
    return OSError, *(getattr(sys.modules[module], name) for module, name in library_errors if module in sys.modules)


def _is_elsewhere(name: str | None, folder: Path) -> bool:
    """Return whether a file is neither in the folder nor one of its parents."""
    path, folder = Path(name or folder).absolute(), folder.absolute()
    return not path.is_relative_to(folder) and not folder.is_relative_to(path)


@contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """Yield a hidden temporary folder next to `target` that is removed at the end."""
    parent = target.parent
    make_folder(parent)
    with space_checked(parent):
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=SCRATCH, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write a file or folder to; rename it to `target` at the end, or remove it on an error.

    A reader sees the complete old or new content, whenever the writer is killed. An existing file is replaced, a
    folder that is not empty only with `overwrite`.
    """
    with scratch(target) as folder, space_checked(target.parent):
        new_path = folder / target.name
        yield new_path
        if new_path.is_file():
            with new_path.open("rb") as stream:
                os.fsync(stream.fileno())
        if overwrite and new_path.is_dir() and target.is_dir():
            if _exchange(new_path, target):
                return
            target.replace(folder / "old")  # on a system that cannot swap in one step
        try:
            new_path.replace(target)
        except OSError as error:
            if not (new_path.is_dir() and error.errno in (errno.ENOTEMPTY, errno.EEXIST)):
                raise
            raise WordworthError(
                f"another process has written {target} in the meantime; choose another folder"
            ) from error


def _exchange(first: Path, second: Path) -> bool:
    """Swap two folders in one step, and return whether the system can do that (Linux: RENAME_EXCHANGE)."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    working_folder, exchange = -100, 2
    return rename is not None and not rename(
        working_folder, os.fsencode(first.absolute()), working_folder, os.fsencode(second.absolute()), exchange
    )


@contextmanager
def hold_lock(target: Path, *, wait: bool = True) -> Iterator[None]:
    """Lock a target for one process at a time; the others wait, or get filelock's `Timeout`.

    The lock file stays: unlinking one that another process waits for would admit two.
    """
    path = target.with_name(f".{target.name}.lock")
    make_folder(path.parent)
    lock = FileLock(path, timeout=-1 if wait else 0, thread_local=False)  # another thread may write, and release it
    with space_checked(path.parent):
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def refuse_unwritable(path: Path) -> None:
    """Raise, before anything is computed, if the folder of an output cannot be written or made."""
    path.expanduser()  # raises for ~ and a name that is not a user's
    place = next(parent for parent in (path.absolute(), *path.absolute().parents) if parent.exists())
    if not place.is_dir() and place != path.absolute():
        raise WordworthError(f"{place} is a file, not a folder; choose another output with -o")
    if not os.access(place if place.is_dir() else place.parent, os.W_OK | os.X_OK):
        raise WordworthError(f"{place} cannot be written; choose another output with -o")


def refuse_existing(path: Path) -> None:
    """Raise if an output exists."""
    if path.exists():
        raise WordworthError(f"{path} exists already; choose another with -o, or replace it with --overwrite")


def refuse_special(path: Path) -> None:
    """Raise for a pipe, a device or a huge sparse file, also inside a folder: reading it would not end."""
    members = [*path.glob("[!.]*"), *path.glob("[!.]*/[!.]*")] if path.is_dir() else []
    for member in (path, *members):
        try:
            state = member.stat()
        except (OSError, ValueError):  # a missing file is reported where it is needed
            continue
        if not stat.S_ISREG(state.st_mode) and not stat.S_ISDIR(state.st_mode):
            raise WordworthError(f"{member} is a pipe or a device; give a regular file")
        if state.st_size > SPARSE_BYTES and state.st_blocks * 512 * 100 < state.st_size:
            size = f"{state.st_size / 1e9:,.0f} GB"
            raise WordworthError(f"{member} is {size} and nearly empty (a sparse file); fetch or copy it again")


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(member.stat().st_size for member in path.rglob("*") if member.is_file())


def sha256_of(path: Path) -> str:
    """Return the checksum of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksum_of_input(path: Path) -> str:
    """Return the checksum of an input; recompute it only if the size, time or inode of the file changed."""
    refuse_special(path)
    state = path.stat()
    return _cached_checksum(path, state.st_size, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=4096)
def _cached_checksum(path: Path, *_state: int) -> str:
    return sha256_of(path)

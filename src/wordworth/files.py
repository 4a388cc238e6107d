"""Files that are never half there: temporary names, locks between processes, checksums; and files that are packed."""

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
"""How the name of a temporary folder ends."""
SPARSE_BYTES = 1 << 30
"""From this size on, a file that is nearly all holes is refused."""
_REFUSED_ERRORS = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG, errno.EBUSY,
)  # fmt: skip


DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What cut or damaged files raise while they are read."""
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}


FILE_SUFFIXES = {".gz", ".bz2", ".xz", ".zip"}
FILE_SUFFIXES |= {".txt", ".vec", ".bin", ".npz", ".npy", ".safetensors", ".kv", ".model", ".gguf"}


def plain_name(path: Path) -> str:
    """Return what tables call a file of vectors unless a label is given: its name without what shows its format."""
    name = path.name
    while Path(name).suffix in FILE_SUFFIXES:
        name = Path(name).stem
    return name.removesuffix("-w") if path.name.endswith("-w.npy") else name


def compression(path: Path) -> str:
    """Return `gzip`, `bzip2`, `xz`, `zip` or nothing, by the first bytes, whatever the file is called."""
    with path.open("rb") as stream:
        start = stream.read(6)
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


def decompress(path: Path) -> BinaryIO:
    """Open a file, unpacked where it is gzip, bzip2 or xz. Reading what is damaged raises one of `DAMAGE`."""
    kind = compression(path)
    if kind == "gzip":
        return cast(BinaryIO, gzip.open(path))
    if kind == "bzip2":
        return cast(BinaryIO, bz2.open(path))
    return cast(BinaryIO, lzma.open(path)) if kind == "xz" else path.open("rb")


def cache_dir() -> Path:
    """Return `$WORDWORTH_CACHE`, else the platform's cache folder for wordworth."""
    chosen = os.environ.get("WORDWORTH_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("wordworth")


def make_folder(folder: Path) -> None:
    """Make a folder and its parents where they are missing."""
    folder.expanduser()  # raises where it begins with ~ and no user's name
    with space_checked(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def space_checked(folder: Path) -> Iterator[None]:
    """Turn “disk full” and “not allowed” while writing under `folder` into an error that says what to do."""
    advice = "choose another folder (the cache follows WORDWORTH_CACHE)"
    try:
        yield
    except _writing_errors() as error:
        # Libraries in Rust name the system's error by its number: “(os error 28)”.
        found = re.search(r"\(os error (\d+)\)", str(error))
        number = getattr(error, "errno", None) or (int(found[1]) if found else 0)
        if "transport error" in str(error):  # polars, where the last bytes of a parquet file cannot be written
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
    """Return what is raised where writing fails: OSError, and what safetensors and polars raise if they are loaded."""
    named = (("safetensors", "SafetensorError"), ("polars.exceptions", "PolarsError"))
    return OSError, *(getattr(sys.modules[module], name) for module, name in named if module in sys.modules)


def _is_elsewhere(name: str | None, folder: Path) -> bool:
    """Return whether a file, such as one that is read meanwhile, is neither in the folder nor on the way to it."""
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
    """Yield a path to write a file or folder to that becomes `target` at the end, and is removed on any error.

    A reader sees the whole of the old thing or the whole of the new one, whenever the writer is killed. A file is
    replaced; a folder that is not empty only with `overwrite`.
    """
    with scratch(target) as folder, space_checked(target.parent):
        part = folder / target.name
        yield part
        if part.is_file():
            with part.open("rb") as written:
                os.fsync(written.fileno())
        if overwrite and part.is_dir() and target.is_dir():
            if _exchange(part, target):
                return
            target.replace(folder / "old")  # a system that cannot do both in one step
        try:
            part.replace(target)
        except OSError as error:
            if not (part.is_dir() and error.errno in (errno.ENOTEMPTY, errno.EEXIST)):
                raise
            raise WordworthError(
                f"another process wrote {target} meanwhile, which is kept; choose another folder"
            ) from error


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step, and return whether the system can do that (Linux: RENAME_EXCHANGE)."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    working_folder, exchange = -100, 2
    return rename is not None and not rename(
        working_folder, os.fsencode(one.absolute()), working_folder, os.fsencode(other.absolute()), exchange
    )


@contextmanager
def hold_lock(target: Path, *, wait: bool = True) -> Iterator[None]:
    """Let one process at a time inside for a given target; the others wait, or get filelock's `Timeout`.

    The lock file stays: to unlink one that another process waits for would let two inside.
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
    """Refuse, before anything is computed, an output whose folder cannot be written or made."""
    path.expanduser()  # raises where it begins with ~ and no user's name
    place = next(one for one in (path.absolute(), *path.absolute().parents) if one.exists())
    if not place.is_dir() and place != path.absolute():
        raise WordworthError(f"{place} is a file, not a folder; choose another output with -o")
    if not os.access(place if place.is_dir() else place.parent, os.W_OK | os.X_OK):
        raise WordworthError(f"{place} cannot be written; choose another output with -o")


def refuse_existing(path: Path) -> None:
    """Refuse an output that exists."""
    if path.exists():
        raise WordworthError(f"{path} is there already; choose another with -o, or replace it with --overwrite")


def refuse_special(path: Path) -> None:
    """Refuse a pipe, a device, and a file of holes, also inside a folder that is read as one: no end would be read."""
    inside = [*path.glob("[!.]*"), *path.glob("[!.]*/[!.]*")] if path.is_dir() else []
    for one in (path, *inside):
        try:
            state = one.stat()
        except (OSError, ValueError):  # what is not there is reported where it is needed
            continue
        if not stat.S_ISREG(state.st_mode) and not stat.S_ISDIR(state.st_mode):
            raise WordworthError(f"{one} is a pipe or a device; give a file in its place")
        if state.st_size > SPARSE_BYTES and state.st_blocks * 512 * 100 < state.st_size:
            size = f"{state.st_size / 1e9:,.0f} GB"
            raise WordworthError(f"{one} is {size} of holes with hardly anything in them; fetch or copy it again")


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())


def sha256_of(path: Path) -> str:
    """Return the checksum of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def measured_sum(path: Path) -> str:
    """Return the checksum of an input, which may be large: measured again only if its size, time or inode changed."""
    refuse_special(path)
    found = path.stat()
    return _sum_in_state(path, found.st_size, found.st_mtime_ns, found.st_ino)


@lru_cache(maxsize=4096)
def _sum_in_state(path: Path, *_state: int) -> str:
    return sha256_of(path)

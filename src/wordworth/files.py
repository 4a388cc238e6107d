"""Files that are never half there: atomic writes, locks between processes, checksums, and the cache folder."""

import errno
import hashlib
import os
import shutil
import stat
import sys
import tempfile
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
_FULL = (errno.ENOSPC, errno.EDQUOT)
_REFUSED = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG, errno.EBUSY,
)  # fmt: skip

_sums: dict[Path, tuple[tuple[int, int, int], str]] = {}
_swept: set[Path] = set()


def cache_dir() -> Path:
    """`$WORDWORTH_CACHE`, else the platform's cache folder for wordworth."""
    chosen = os.environ.get("WORDWORTH_CACHE")
    if not chosen:
        return user_cache_path("wordworth")
    try:
        folder = Path(chosen).expanduser()
        folder.exists()
    except (OSError, RuntimeError) as error:  # a name that is too long; a user that is not there
        raise WordworthError(f"WORDWORTH_CACHE is {chosen[:80]!r}, which can be no folder ({error})") from error
    return folder


def make_folder(folder: Path) -> None:
    """Makes a folder, and those that it lies in, where it is not there."""
    with space_checked(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileNotFoundError as error:  # on file systems that hold what the system puts there, and no more
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(folder)) from error


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
    """A hidden folder beside `target`, removed at the end; if this process is killed, by the next that works there."""
    parent = target.parent
    make_folder(parent)
    with space_checked(parent):
        sweep_once(parent)
        folder, lock = _marked_folder(target)
    try:
        yield folder
    finally:
        _end(folder)
        lock.release()


def _marked_folder(target: Path) -> tuple[Path, FileLock]:
    """A new scratch folder, and the lock by which others see that its writer is alive."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=SCRATCH, dir=target.parent))
        lock = FileLock(folder / _IN_USE)
        try:
            lock.acquire()
        except FileNotFoundError:  # another process took it for abandoned before it was marked
            continue
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return folder, lock


def _end(folder: Path) -> None:
    """Removes a scratch folder; what was moved aside into it comes back where nothing took its place."""
    old, target = folder / OLD, folder.parent / folder.name.removesuffix(SCRATCH)[1:].rpartition(".")[0]
    if old.exists() and not target.exists():
        old.replace(target)
    shutil.rmtree(folder, ignore_errors=True)


def abandoned(folder: Path) -> list[Path]:
    """The scratch folders in `folder` whose writer was killed: nobody holds their lock."""
    left = []
    for path in folder.glob(f".*{SCRATCH}"):
        with _unheld(path) as free:
            if free:
                left.append(path)
    return left


@contextmanager
def _unheld(folder: Path) -> Iterator[bool]:
    """Whether nobody holds a scratch folder of this user; while inside, nobody can take it."""
    if not _own(folder):  # in a folder that all may write to, another's could lead the lock anywhere
        yield False
        return
    lock = FileLock(folder / _IN_USE, timeout=0)
    try:
        lock.acquire()
    except (Timeout, OSError):  # its writer is at work, or has ended just now; or the folder is not ours to change
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _own(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:  # its writer has ended just now
        return False
    return stat.S_ISDIR(found.st_mode) and (sys.platform == "win32" or found.st_uid == os.getuid())


def sweep(folder: Path) -> int:
    """Removes what killed writers left in `folder`, and gives the bytes that this freed.

    A writer that was killed after it had moved the old thing aside, and before the new one took its place, is undone.
    """
    freed = 0
    for left in folder.glob(f".*{SCRATCH}"):
        with _unheld(left) as free:
            if free:
                freed += size_of(left)
                _end(left)
    return freed


def sweep_for(path: Path) -> None:
    """Removes what a process left that was killed while it wrote `path`: beside it, in it, and its marks in the cache.

    Called before an output is refused too: that command does nothing else that would remove them.
    """
    for place in (path.absolute().parent, path.absolute(), cache_dir()):
        if place.is_dir():
            sweep(place)


def refuse_unwritable(path: Path) -> None:
    """Refuses, before anything is computed, an output whose folder cannot be written, or cannot be made."""
    place = next(one for one in (path.absolute(), *path.absolute().parents) if one.exists())
    if not place.is_dir() and place != path.absolute():
        raise WordworthError(f"{place} is a file, not a folder; choose another output with -o")
    if not os.access(place if place.is_dir() else place.parent, os.W_OK | os.X_OK):
        raise WordworthError(f"{place} cannot be written; choose another output with -o")


def refuse_existing(path: Path, remedy: str) -> None:
    """Refuses an output that is there already."""
    if path.exists():
        sweep_for(path)
        raise WordworthError(f"{path} is there already; {remedy}")


def sweep_once(folder: Path) -> None:
    """Sweeps a folder when this process first works in it."""
    if folder not in _swept:
        sweep(folder)
        _swept.add(folder)


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())


@contextmanager
def locked(target: Path, *, wait: bool = True) -> Iterator[None]:
    """Only one process at a time is inside for a given target; the others wait, or get filelock's `Timeout`."""
    path = _lock_file(target)
    lock = FileLock(path, timeout=-1 if wait else 0)
    make_folder(path.parent)
    with space_checked(path.parent):
        lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):  # a waiting process sees that the file it waits on is gone, and takes a new one
            path.unlink()
        lock.release()


def is_locked(target: Path) -> bool:
    """Whether a process is inside for a target, or was killed there."""
    return _lock_file(target).exists()


def remove_stale_lock(target: Path) -> None:
    """Removes the lock of a process that was killed inside, where nobody is about to take it again."""
    if is_locked(target):
        with suppress(Timeout, OSError), locked(target, wait=False):
            pass


def _lock_file(target: Path) -> Path:
    return target.with_name(f".{target.name}.lock")


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def measured_sum(path: Path) -> str:
    """The checksum of a file, measured once a process, and again when its size, time or inode changed."""
    found = path.stat()
    state = (found.st_size, found.st_mtime_ns, found.st_ino)
    known = _sums.get(path)
    if known is None or known[0] != state:
        known = _sums[path] = state, sha256_of(path)
    return known[1]


def remember_sum(path: Path, checksum: str) -> None:
    """The checksum of a file that was measured under another name, before it was moved here."""
    found = path.stat()
    _sums[path] = (found.st_size, found.st_mtime_ns, found.st_ino), checksum


def forget_sums() -> None:
    """Every file is measured again when it is next asked for."""
    _sums.clear()

"""A file as a stream of bytes: decompressed by its content, hashed as it passes."""

import bz2
import gzip
import hashlib
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from wordworth.errors import Foreign, WordworthError, listed
from wordworth.files import CHUNK, sha256_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SAMPLE = 1 << 18
"""Bytes of the (decompressed) beginning that a format is recognised by."""

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}


def _decompressed(raw: BinaryIO, kind: str) -> BinaryIO:
    if kind == "gzip":
        return cast(BinaryIO, gzip.open(raw))
    if kind == "bzip2":
        return cast(BinaryIO, bz2.open(raw))
    return cast(BinaryIO, lzma.open(raw)) if kind == "xz" else raw


class _Hashed(io.RawIOBase):
    """Reads a file and hashes every byte that passes."""

    def __init__(self, raw: io.FileIO) -> None:
        self._raw = raw
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        count = self._raw.readinto(buffer)
        if count:
            self._digest.update(memoryview(buffer).cast("B")[:count])
        return count or 0

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def compression(path: Path) -> str:
    """`gzip`, `bzip2`, `xz`, `zip` or nothing, by the first bytes, whatever the file is called."""
    with path.open("rb") as stream:
        start = stream.read(6)
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


def only_member(path: Path) -> zipfile.ZipInfo:
    """The one file in a zip archive."""
    with _damage(path), zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        names = listed((member.filename for member in members), 5)
        raise WordworthError(
            f"{path} is a zip archive of {len(members)} files{f' ({names})' if names else ''} where one is expected; "
            "unpack it and give the path of the one to read"
        )
    if members[0].flag_bits & 1:
        raise WordworthError(f"{path} is encrypted; unpack it and give the path of the file inside")
    return members[0]


def inner_name(path: Path) -> str:
    """The name of the file without `.gz`, `.bz2` or `.xz`, or that of the zip's member."""
    kind = compression(path)
    if kind == "zip":
        with _whole(path):
            return Path(only_member(path).filename).name
    return path.stem if kind else path.name


def _damage(path: Path) -> Foreign:
    """For what zipfile raises of an index that points anywhere."""
    return Foreign(f"{path} is cut short or damaged", "fetch or copy the file again")


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turns what the decompressors raise for a cut or damaged file into an error that says what to do."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile) as error:
        raise WordworthError(f"{path} is cut short or damaged ({error}); fetch or copy the file again") from error
    except NotImplementedError as error:
        raise WordworthError(f"{path} cannot be decompressed here ({error}); unpack it first") from error
    except OSError as error:
        if error.errno is not None:
            raise
        # bz2 reports damage as an OSError without a number.
        raise WordworthError(f"{path} is cut short or damaged ({error}); fetch or copy the file again") from error


@contextmanager
def opened(path: Path, digests: list[str] | None = None) -> Iterator[BinaryIO]:
    """The decompressed stream. On leaving, the sha256 of the file as it lies on disk is added to `digests`."""
    kind = compression(path)
    with _whole(path):
        if kind == "zip":
            inside = only_member(path)
            with zipfile.ZipFile(path) as archive:
                with _damage(path):
                    member = archive.open(inside)
                with member:
                    yield cast(BinaryIO, member)
            if digests is not None:
                digests.append(sha256_of(path))  # a zip is read from its end: no single pass sees it whole
            return
        with io.FileIO(path) as raw:
            hashed = _Hashed(raw)
            buffered = io.BufferedReader(hashed, CHUNK)
            yield _decompressed(buffered, kind)
            if digests is not None:
                while buffered.read(CHUNK):
                    pass
                digests.append(hashed.hexdigest())


def sample(path: Path) -> bytes:
    """The beginning of the decompressed file; all of it when it is shorter than `SAMPLE`."""
    with opened(path) as stream:
        return stream.read(SAMPLE)


def sha256_of_all(paths: Iterable[Path]) -> str:
    """The checksum of several files read one after another, as of `cat FILE…`."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            while piece := stream.read(CHUNK):
                digest.update(piece)
    return digest.hexdigest()

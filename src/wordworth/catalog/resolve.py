"""One rule for what a user names, whatever kind of thing it is: taken apart here, without network and quickly.

    NAME                              of the catalog; it comes before a file of that name
    PATH                              a file or folder; PATH#FIELD is a field of a file of text
    https://host/file[#sha256=…]      a file on the web
    hf://owner/name/file[@revision]   a file on the hub (hf://datasets/owner/name/… of a data set)
    NAME, OWNER/NAME[@revision]       a model of the hub

`LABEL=` before any of them says what tables call it. A path that is there and holds `=` itself stays whole.

A study resolves what it is given once, before anything else (`study/names.py`). From then on the `Origin` travels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from wordworth.catalog.fetch.hub import from_hub, hub_file, hub_model
from wordworth.catalog.fetch.web import from_web, public_address, web_file
from wordworth.catalog.registry import Entry, Source, entry, knows
from wordworth.errors import WordworthError
from wordworth.files import FILE_SUFFIXES, checksum_of_input, plain_name, refuse_special

Place = Literal["catalog", "path", "web", "hub file", "hub"]
"""`hub` is a model by its name on the hub."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set of the catalog or a user's own; each kind adds its rows."""

    name: str
    """What tables call it."""
    language: str = field(default="english", kw_only=True)
    source: str = field(default="", kw_only=True)
    """Where it comes from; never with an address's query, where a token may stand."""
    sha256: str = field(default="", kw_only=True)
    licence: str = field(default="", kw_only=True)
    reference: str = field(default="", kw_only=True)
    columns: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """Which column of a user's own table each part was read from: word → `Lemma`, say."""

    @property
    def facts(self) -> dict[str, Any]:
        """Return only these fields, to make another data set of."""
        return {one.name: getattr(self, one.name) for one in fields(DataSet)}


@dataclass(frozen=True, eq=False, repr=False)
class Origin(DataSet):
    """What a name stands for: how tables call it, and what will be recorded of it.

    `path`, and for the catalog `sha256` and `source`, are there once it is `located`. Language, licence and reference
    are the catalog's, the language blank for what has several.
    """

    named: str
    """What was named, with its label."""
    label: str
    """What tables are to call it; blank where that is not said."""
    target: str
    """What was named, without the label."""
    kind: str
    """The kind of the catalog that it is one of; blank for a file of no kind."""
    place: Place
    entry: Entry | None = None
    path: Path | None = None
    origin: Source | None = None
    """Of the catalog's sources the one that its data lies at."""
    text_field: str = ""
    """Of `PATH#FIELD`."""
    language: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        """Return the name as it may be recorded or shown."""
        return public_name(self.named)

    def __repr__(self) -> str:
        return f"Origin({str(self)!r}, {self.kind!r}, {self.place!r})"

    @property
    def where(self) -> Path:
        """Return where it lies, once it is located."""
        if self.path is None:
            raise WordworthError(f"there is no file {self.target}; check the path")
        return self.path

    @property
    def is_gguf(self) -> bool:
        """Return whether it is a GGUF file of the hub: a language model in one file."""
        return self.place == "hub file" and hub_file(self.target).path.endswith(".gguf")


NameLike = str | Path | Origin
"""A name, path or address as it was given, or what it was resolved to."""


def find(named: NameLike, kind: str = "models") -> Origin:
    """Return what was resolved before as it is, and what a name or path stands for.

    A name of the catalog, as the code gives it, has nothing to take apart.
    """
    if isinstance(named, Origin):
        return named
    return of_entry(entry(named, kind)) if isinstance(named, str) and knows(named, kind) else resolve(named, kind)


def resolve(named: str | Path, kind: str = "models") -> Origin:
    """Return what a name of that kind stands for. A `Path` is always the path of a file or folder."""
    label, target = split_label(named)
    is_text = isinstance(named, str)
    if is_text and kind and knows(target, kind):
        return replace(of_entry(entry(target, kind), label), named=str(named))
    if target.startswith(("https://", "http://")):
        file = web_file(target)
        if kind == "models" and file.name.lower().endswith(".gguf"):
            raise WordworthError(
                f"{file.public} is a GGUF file at an address, from where none is loaded; fetch it and give its path, "
                "or name it on the hub as hf://owner/name/file.gguf"
            )
        name = label or _plain(Path(file.name), kind)
        return Origin(name, str(named), label, target, kind, "web", source=file.public)
    text_field = ""
    if is_text and kind in ("", "corpora") and not _exists(Path(target).expanduser()):
        target, _, text_field = target.partition("#")
    facts: dict[str, Any] = {"label": label, "target": target, "kind": kind, "text_field": text_field}
    if target.startswith("hf://"):
        name = label or _plain(Path(hub_file(target).path), kind)
        return Origin(name, str(named), **facts, place="hub file", source=target)
    try:
        path = Path(target).expanduser()
        is_there = path.exists()
    except (OSError, RuntimeError) as error:  # RuntimeError: the home folder of nobody
        reason = getattr(error, "strerror", None) or error
        raise WordworthError(f"{target[:80]} cannot be looked up ({reason}); check the path") from error
    refuse_special(path)
    if is_text and not is_there:
        if kind == "models" and hub_model(target) and path.suffix not in FILE_SUFFIXES:
            return Origin(label or target, str(named), **facts, place="hub", source=target)
        if kind not in ("", "models") and len(path.parts) == 1 and not path.suffix:
            entry(target, kind)  # no such file, and it reads like a name: the error gives the nearest names
    name = label or _plain(path, kind)
    return Origin(name, str(named), **facts, place="path", path=path, source=str(path))


def of_entry(known: Entry, label: str = "") -> Origin:
    """Return an entry of the catalog as what its name stands for."""
    return Origin(
        label or known.name,
        named=known.name,
        label=label,
        target=known.name,
        kind=known.kind,
        place="catalog",
        entry=known,
        language="" if known.language == "several" else known.language,
        licence=known.licence,
        reference=str(known.reference),
    )


def locate_files(resolved: Origin) -> Origin:
    """Return the same with its files on this machine, fetched where they are not."""
    if resolved.place == "web":
        return replace(resolved, path=from_web(resolved.target))
    if resolved.place == "hub file":
        return replace(resolved, path=from_hub(resolved.target))
    if resolved.entry is None:
        return resolved
    if "hub" in resolved.entry.details:
        address = resolved.entry.details["hub"]
        return replace(resolved, path=from_hub(address), source=address)
    from wordworth.catalog.fetch.sources import locate

    data = locate(resolved.entry.name, resolved.entry.sources)
    return replace(resolved, path=data.path, sha256=data.sha256, source=data.source.place, origin=data.source)


def located_data(named: NameLike, kind: str, language: str = "english") -> Origin:
    """Return a data set on this machine with its checksum. `language` is that of the user's own."""
    data = locate_files(find(named, kind))
    path = data.where
    if not _exists(path):
        raise WordworthError(f"there is no file {path}; give the path of a file, or a name from `wordworth ls {kind}`")
    sha256 = data.sha256 or (checksum_of_input(path) if path.is_file() else "")
    return replace(data, sha256=sha256, language=data.language or language)


def split_label(named: str | Path) -> tuple[str, str]:
    """Take `LABEL=target` apart; the label is blank where there is none."""
    text = str(named)
    label, equals, target = text.partition("=")
    if isinstance(named, Path) or not equals or "/" in label or _exists(Path(text).expanduser()):
        return "", text
    if not label or not target:
        raise WordworthError(f"{text!r} has no {'label' if target else 'target'}; write LABEL=PATH or LABEL=NAME")
    return label, target


def public_name(named: str) -> str:
    """Return a name as it may be recorded or shown: that of an address without its query, where a token may stand."""
    label, target = split_label(named)
    if not target.startswith(("https://", "http://")):
        return named
    public = public_address(target)
    return f"{label}={public}" if label else public


def _plain(path: Path, kind: str) -> str:
    """Return what tables call a file without a label: its name without what shows its format."""
    if kind == "corpora" or path.is_dir():
        return path.name
    if kind != "models":
        return path.stem
    return plain_name(path)


def _exists(path: Path) -> bool:
    """Return whether there is a file or folder; a name that no file can have is none."""
    try:
        return path.exists()
    except OSError:
        return False

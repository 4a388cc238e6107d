"""Resolve a user's name, path or address by one rule for all kinds, quickly and without the network.

    NAME                              of the catalog; it comes before a file of that name
    PATH                              a file or folder; PATH#FIELD is a field of a file of text
    https://host/file[#sha256=…]      a file on the web
    hf://owner/name/file[@revision]   a file on the hub (hf://datasets/owner/name/… of a data set)
    NAME, OWNER/NAME[@revision]       a model of the hub

`LABEL=` before any of them sets its name in tables. An existing path that contains `=` is a path.

A study resolves all its names first (`study/names.py`), and then passes the `Origin` on.
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
    """The name in tables."""
    language: str = field(default="english", kw_only=True)
    source: str = field(default="", kw_only=True)
    """The source; an address without its query, which may contain a token."""
    sha256: str = field(default="", kw_only=True)
    licence: str = field(default="", kw_only=True)
    reference: str = field(default="", kw_only=True)
    columns: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """The column of the user's table for each part, such as word → `Lemma`."""

    @property
    def facts(self) -> dict[str, Any]:
        """Return only these fields, to make another data set."""
        return {dataset_field.name: getattr(self, dataset_field.name) for dataset_field in fields(DataSet)}


@dataclass(frozen=True, eq=False, repr=False)
class Origin(DataSet):
    """The origin of a model or data set: its name in tables, and the facts that a run records.

    `locate_files` sets `path`, and for the catalog `sha256` and `source`. Language, licence and reference are those of
    the catalog; the language is blank if there are several.
    """

    named: str
    """The user's name, with its label."""
    label: str
    """The label for tables; blank if none was given."""
    target: str
    """The user's name, without the label."""
    kind: str
    """The kind in the catalog; blank for a file of no kind."""
    place: Place
    entry: Entry | None = None
    path: Path | None = None
    origin: Source | None = None
    """The source in the catalog that its data came from."""
    text_field: str = ""
    """The field of `PATH#FIELD`."""
    language: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        """Return the name for records and display."""
        return public_name(self.named)

    def __repr__(self) -> str:
        return f"Origin({str(self)!r}, {self.kind!r}, {self.place!r})"

    @property
    def where(self) -> Path:
        """Return the path, after `locate_files`."""
        if self.path is None:
            raise WordworthError(f"there is no file {self.target}; check the path")
        return self.path

    @property
    def is_gguf(self) -> bool:
        """Return whether it is a GGUF file on the hub: a language model in one file."""
        return self.place == "hub file" and hub_file(self.target).path.endswith(".gguf")


NameLike = str | Path | Origin
"""A name, path or address of the user, or its origin."""


def find(name_or_path: NameLike, kind: str = "models") -> Origin:
    """Return the origin of a name or path; an origin is returned unchanged.

    A plain name of the catalog is looked up directly, without parsing.
    """
    if isinstance(name_or_path, Origin):
        return name_or_path
    if isinstance(name_or_path, str) and knows(name_or_path, kind):
        return of_entry(entry(name_or_path, kind))
    return resolve(name_or_path, kind)


def resolve(name_or_path: str | Path, kind: str = "models") -> Origin:
    """Return the origin of a name of that kind. A `Path` is always the path of a file or folder."""
    label, target = split_label(name_or_path)
    is_text = isinstance(name_or_path, str)
    if is_text and kind and knows(target, kind):
        return replace(of_entry(entry(target, kind), label), named=str(name_or_path))
    if target.startswith(("https://", "http://")):
        file = web_file(target)
        if kind == "models" and file.name.lower().endswith(".gguf"):
            raise WordworthError(
                f"{file.public} is a GGUF file on the web, which cannot be loaded; fetch it and give its path, "
                "or name it on the hub as hf://owner/name/file.gguf"
            )
        name = label or _plain(Path(file.name), kind)
        return Origin(name, str(name_or_path), label, target, kind, "web", source=file.public)
    text_field = ""
    if is_text and kind in ("", "corpora") and not _exists(Path(target).expanduser()):
        target, _, text_field = target.partition("#")
    facts: dict[str, Any] = {"label": label, "target": target, "kind": kind, "text_field": text_field}
    if target.startswith("hf://"):
        name = label or _plain(Path(hub_file(target).path), kind)
        return Origin(name, str(name_or_path), **facts, place="hub file", source=target)
    try:
        path = Path(target).expanduser()
        is_there = path.exists()
    except (OSError, RuntimeError) as error:  # RuntimeError: the home folder of an unknown user
        reason = getattr(error, "strerror", None) or error
        raise WordworthError(f"{target[:80]} cannot be looked up ({reason}); check the path") from error
    refuse_special(path)
    if is_text and not is_there:
        if kind == "models" and hub_model(target) and path.suffix not in FILE_SUFFIXES:
            return Origin(label or target, str(name_or_path), **facts, place="hub", source=target)
        if kind not in ("", "models") and len(path.parts) == 1 and not path.suffix:
            entry(target, kind)  # no such file, but it looks like a name: raise with the nearest names
    name = label or _plain(path, kind)
    return Origin(name, str(name_or_path), **facts, place="path", path=path, source=str(path))


def of_entry(entry: Entry, label: str = "") -> Origin:
    """Return the origin of an entry of the catalog."""
    return Origin(
        label or entry.name,
        named=entry.name,
        label=label,
        target=entry.name,
        kind=entry.kind,
        place="catalog",
        entry=entry,
        language="" if entry.language == "several" else entry.language,
        licence=entry.licence,
        reference=str(entry.reference),
    )


def locate_files(origin: Origin) -> Origin:
    """Return the same with its files on this machine, fetched if necessary."""
    if origin.place == "web":
        return replace(origin, path=from_web(origin.target))
    if origin.place == "hub file":
        return replace(origin, path=from_hub(origin.target))
    if origin.entry is None:
        return origin
    if "hub" in origin.entry.details:
        address = origin.entry.details["hub"]
        return replace(origin, path=from_hub(address), source=address)
    from wordworth.catalog.fetch.sources import locate

    data = locate(origin.entry.name, origin.entry.sources)
    return replace(origin, path=data.path, sha256=data.sha256, source=data.source.place, origin=data.source)


def located_data(name_or_path: NameLike, kind: str, language: str = "english") -> Origin:
    """Return a data set on this machine with its checksum. `language` is that of a user's own data."""
    data = locate_files(find(name_or_path, kind))
    path = data.where
    if not _exists(path):
        raise WordworthError(f"there is no file {path}; give the path of a file, or a name from `wordworth ls {kind}`")
    sha256 = data.sha256 or (checksum_of_input(path) if path.is_file() else "")
    return replace(data, sha256=sha256, language=data.language or language)


def split_label(name_or_path: str | Path) -> tuple[str, str]:
    """Split `LABEL=target`; the label is blank if there is none."""
    text = str(name_or_path)
    label, equals, target = text.partition("=")
    if isinstance(name_or_path, Path) or not equals or "/" in label or _exists(Path(text).expanduser()):
        return "", text
    if not label or not target:
        raise WordworthError(f"{text!r} has no {'label' if target else 'target'}; write LABEL=PATH or LABEL=NAME")
    return label, target


def public_name(name: str) -> str:
    """Return a name for records and display: an address without its query, which may contain a token."""
    label, target = split_label(name)
    if not target.startswith(("https://", "http://")):
        return name
    public = public_address(target)
    return f"{label}={public}" if label else public


def _plain(path: Path, kind: str) -> str:
    """Return the name in tables of a file without a label: its name without the suffix of its format."""
    if kind == "corpora" or path.is_dir():
        return path.name
    if kind != "models":
        return path.stem
    return plain_name(path)


def _exists(path: Path) -> bool:
    """Return whether a file or folder exists; false for a name that no file can have."""
    try:
        return path.exists()
    except OSError:
        return False

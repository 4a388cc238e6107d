"""A run's folder read back and checked once: whatever is wrong with it is one sentence, said here and nowhere else."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Required, TypedDict, cast, get_args, get_origin, get_type_hints, is_typeddict

import polars as pl

from wordworth.errors import WordworthError
from wordworth.files import sha256_of
from wordworth.run.folder import FILES
from wordworth.run.schema import ITEMS, SCORES
from wordworth.run.spreadsheet import from_text

LATER = ("flags", "place", "rank", "entailment", "contradiction")
"""Columns of the scores and items that older runs lack."""
LARGEST = 64 << 20
"""Bytes of a `run.json`; no run writes more."""
HEADER = 1 << 13
"""Bytes of the first line of a `scores.csv`, at most."""
QUOTED = 120
"""Characters of a file, or of another program's message, that a sentence repeats."""


class Model(TypedDict, total=False):
    """A model as the run used it; a manifest may say more of it."""

    name: Required[str]
    source: str
    sha256: str
    weights: str
    language: str
    family: str
    words: int
    layers: int
    dimensions: int
    precision: str
    device: str


class DataSet(TypedDict, total=False):
    """A data set as the run used it."""

    name: Required[str]
    source: str
    sha256: str
    licence: str
    reference: str
    rows: int
    columns: dict[str, str]


class DeclaredMeasure(TypedDict, total=False):
    """What a measure of the run computes, and which end is the better one: higher, lower, zero, or blank."""

    formula: str
    better: str


class FailedPart(TypedDict, total=False):
    """A part of the run that failed without costing the rest."""

    reason: Required[str]
    model: str | None
    experiment: str | None
    dataset: str | None
    layer: int | None
    measure: str | None


class _Always(TypedDict):
    """What every run has written since the first."""

    study: str
    command: list[str]
    settings: dict[str, Any]
    seed: int
    models: list[Model]
    data: list[DataSet]
    left_out: dict[str, int]
    notes: list[str]
    started: str
    seconds: float
    versions: dict[str, str]


class RunManifest(_Always, total=False):
    """`run.json` as it is read: every key is there and of its type; those that an older run lacks are blank."""

    named: list[str]
    """The models as they were named."""
    fingerprints: dict[str, str]
    """Name → sha256 over the content of each model and data set that was named, as it was when the run began."""
    hardware: dict[str, Any]
    references: dict[str, str]
    """Key → BibTeX."""
    papers: list[str]
    """Keys of the papers whose method the study is."""
    method: str
    """How the study measures, in words."""
    measures: dict[str, DeclaredMeasure]
    may_differ: list[str]
    """Settings in which two runs may differ and still be compared."""
    failed: list[FailedPart]
    warnings: list[str]
    """Those of the notes that a reader should see at once."""
    steps: dict[str, int]
    """Of models in training: name → the steps after which it was measured."""
    damaged: dict[str, int]
    """Kind of cache entry → how many were damaged and computed again."""
    files: dict[str, str]
    """Name → sha256 of the run's other files."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run read back."""

    folder: Path
    manifest: RunManifest
    scores: pl.DataFrame
    """The columns of `run.schema.SCORES`, typed."""
    items: pl.LazyFrame
    """The columns of `run.schema.ITEMS`. Lazy, since items can be millions."""


def read_run(folder: Path) -> Run:
    """A run's folder: its manifest, its scores, and its items."""
    manifest = read_manifest(folder)
    lacking = [name for name in FILES if not (folder / name).is_file()]
    if lacking:
        raise WordworthError(f"{_short(folder)} is not a run: it has no {', '.join(lacking)}")
    for name, sha256 in manifest["files"].items():
        if name in FILES and sha256_of(folder / name) != sha256:
            raise WordworthError(f"{_short(folder / name)} was changed after the run was written; run the study again")
    try:
        return Run(folder, manifest, _scores(folder / "scores.csv"), _items(folder / "items.parquet", manifest))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _unreadable(folder, error) from error


def read_manifest(folder: Path, largest: int = LARGEST) -> RunManifest:
    """The manifest alone, for those who list runs: the scores and items are not looked at."""
    path = folder / "run.json"
    if not path.is_file():
        lacking = [name for name in FILES if not (folder / name).is_file()]
        raise WordworthError(f"{_short(folder)} is not a run: it has no {', '.join(lacking)}")
    try:
        if path.stat().st_size > largest:
            raise WordworthError(f"{_short(path)} is larger than a run writes it ({largest:,} bytes); run it again")
        table = json.loads(path.read_text(encoding="utf-8"))
        json.dumps(table, ensure_ascii=False).encode()  # half a surrogate pair could not be written to a report
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(folder, error) from error
    if isinstance(table, dict) and "options" in table:  # what runs called their settings at first
        table.setdefault("settings", table["options"])
    problem = misfit(table, RunManifest)
    if problem:
        raise WordworthError(f"{_short(path)} is not as a run writes it ({problem}); run the study again")
    return cast(RunManifest, _completed(table, RunManifest))


def misfit(value: Any, kind: Any) -> str:
    """Why a value out of JSON is not of a type, as “models: 2: layers: text, not a whole number”; blank where it is."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if kind is Any:
        return ""
    if origin is UnionType:  # of a type, or nothing
        return "" if value is None else misfit(value, inner[0])
    expected = dict if is_typeddict(kind) else origin
    accepted: Any = (int, float) if expected is float else expected
    if not isinstance(value, accepted) or isinstance(value, bool):
        return f"{_NAMES[type(value)]}, not {_NAMES[expected]}"
    parts: Iterable[tuple[Any, Any, Any]] = ()
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        for name in hints:
            if name in kind.__required_keys__ and name not in value:
                return f"{name} is missing"
        parts = ((name, value[name], hint) for name, hint in hints.items() if name in value)
    elif expected is list:
        parts = ((place, entry, inner[0]) for place, entry in enumerate(value, 1))
    elif expected is dict:
        parts = ((name, entry, inner[1]) for name, entry in value.items())
    problems = ((name, misfit(entry, hint)) for name, entry, hint in parts)
    return next((f"{_short(name)}: {problem}" for name, problem in problems if problem), "")


_NAMES: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "a table"}
_NAMES |= {bool: "true or false", type(None): "nothing"}


def _completed(value: Any, kind: Any) -> Any:
    """A value that fits its type, with what it may lack blank."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        blank = {name: None if get_origin(hint) is UnionType else (get_origin(hint) or hint)()
                 for name, hint in hints.items() if name in kind.__optional_keys__}  # fmt: skip
        return blank | {name: _completed(entry, hints.get(name, Any)) for name, entry in value.items()}
    if origin is list:
        return [_completed(entry, inner[0]) for entry in value]
    return {name: _completed(entry, inner[1]) for name, entry in value.items()} if origin is dict else value


def _scores(path: Path) -> pl.DataFrame:
    with path.open("rb") as stream:
        start = stream.read(HEADER)
    header, ended, _ = start.lstrip().partition(b"\n")
    if (
        not ended and len(start) == HEADER
    ) or b'"' in header:  # of a million columns, each would take a thousand bytes before it is refused
        raise WordworthError(f"{_short(path)} does not begin with the columns of a run; was it written by wordworth?")
    text = pl.read_csv(path, infer_schema=False, glob=False)
    _refuse_lacking(path, [name for name in SCORES if name not in LATER], text.columns)
    text = text.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in SCORES if name not in text.columns)
    typed = text.select(pl.col(name).cast(kind, strict=False) for name, kind in SCORES.items())
    for name in SCORES:
        wrong = (typed.get_column(name).is_null() & text.get_column(name).is_not_null()).arg_true()
        if len(wrong):
            cell = _short(repr(text.get_column(name)[wrong[0]]))
            raise WordworthError(
                f"{_short(path)} has a cell that is no number ({cell}, column {name}, row {wrong[0] + 1}); "
                "run the study again"
            )
    return from_text(typed)


def _items(path: Path, manifest: RunManifest) -> pl.LazyFrame:
    items = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    schema = items.collect_schema()
    _refuse_lacking(path, [name for name in ITEMS if name not in LATER], schema.names())
    for name, kind in schema.items():
        if name in ITEMS and kind != ITEMS[name]:
            raise WordworthError(f"{_short(path)} has {kind} in column {name}, not {ITEMS[name]}; run the study again")
    if path.name not in manifest["files"]:  # nothing vouches for its pages: they are read now, not where they are used
        items.select(pl.all().hash().max()).collect(engine="streaming")
    lacking = [pl.lit(None, dtype=ITEMS[name]).alias(name) for name in LATER if name in ITEMS and name not in schema]
    return items.with_columns(lacking).select(list(ITEMS))


def _refuse_lacking(path: Path, wanted: Iterable[str], columns: Iterable[str]) -> None:
    lacking = [name for name in wanted if name not in set(columns)]
    if lacking:
        raise WordworthError(f"{_short(path)} has no column {lacking[0]}; was it written by wordworth?")


def _unreadable(folder: Path, error: BaseException) -> WordworthError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return WordworthError(f"{_short(folder)} holds a run that cannot be read back ({_short(reason)}); run it again")


def _short(text: object) -> str:
    """The end of a long path, and the beginning of anything else that is long."""
    written = str(text)
    if len(written) <= QUOTED:
        return written
    return f"…{written[-QUOTED:]}" if isinstance(text, Path) else f"{written[:QUOTED]}…"

"""A run's folder read back and checked once: whatever is wrong with it is one sentence, said here and nowhere else."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import ValidationError

from wordworth.errors import WordworthError
from wordworth.files import sha256_of
from wordworth.results.folder import FILES
from wordworth.results.manifest import PACKAGES, Manifest, first_problem, surroundings
from wordworth.results.schema import ITEMS, SCORES, from_text

HEADER_BYTES = 1 << 13
"""The first line of a `scores.csv` is shorter."""
MAX_QUOTED = 120
"""Characters of a file, or of another program's message, that a sentence repeats."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run read back."""

    folder: Path
    manifest: dict[str, Any]
    """The keys of `run.manifest.Manifest`, with what a run need not say blank."""
    scores: pl.DataFrame
    """The columns of `run.schema.SCORES`, typed."""
    items: pl.LazyFrame
    """The columns of `run.schema.ITEMS`. Lazy, since items can be millions."""


def read_run(folder: Path) -> Run:
    """Read a run's folder: its manifest, its scores, and its items."""
    manifest = read_manifest(folder)
    _refuse_without(folder)
    for name, sha256 in manifest["files"].items():
        if name in FILES and sha256_of(folder / name) != sha256:
            raise WordworthError(f"{_short(folder / name)} was changed after the run was written; run the study again")
    try:
        return Run(folder, manifest, _scores(folder / "scores.csv"), _items(folder / "items.parquet"))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _unreadable(folder, error) from error


def _refuse_without(folder: Path) -> None:
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise WordworthError(f"{_short(folder)} is not a run: it has no {', '.join(missing)}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest only, for those who list runs: the scores and items are not looked at."""
    path = folder / "run.json"
    if not path.is_file():
        _refuse_without(folder)
    try:
        return Manifest.model_validate_json(path.read_bytes()).model_dump()
    except OSError as error:
        raise _unreadable(folder, error) from error
    except ValidationError as error:
        problem = f"{_short(path)} is not as a run writes it ({_short(first_problem(error))}); run the study again"
        raise WordworthError(problem) from error


def _scores(path: Path) -> pl.DataFrame:
    with path.open("rb") as stream:  # a line of a million columns would take memory before it is refused
        start = stream.read(HEADER_BYTES)
    header, ended, _ = start.lstrip().partition(b"\n")
    if (not ended and len(start) == HEADER_BYTES) or b'"' in header:
        raise WordworthError(f"{_short(path)} does not begin with the columns of a run; was it written by wordworth?")
    text = pl.read_csv(path, infer_schema=False, glob=False)
    _refuse_missing(path, SCORES, text.columns)
    return from_text(text.select(pl.col(name).cast(kind) for name, kind in SCORES.items()))


def _items(path: Path) -> pl.LazyFrame:
    items = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    schema = items.collect_schema()
    _refuse_missing(path, ITEMS, schema.names())
    for name, kind in schema.items():
        if name in ITEMS and kind != ITEMS[name]:
            raise WordworthError(f"{_short(path)} has {kind} in column {name}, not {ITEMS[name]}; run the study again")
    return items.select(list(ITEMS))


def _refuse_missing(path: Path, wanted: Iterable[str], columns: Iterable[str]) -> None:
    missing = [name for name in wanted if name not in set(columns)]
    if missing:
        raise WordworthError(f"{_short(path)} has no column {missing[0]}; was it written by wordworth?")


def _unreadable(folder: Path, error: BaseException | str) -> WordworthError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return WordworthError(f"{_short(folder)} holds a run that cannot be read back ({_short(reason)}); run it again")


def _short(text: object) -> str:
    """Return the end of a long path, and the beginning of anything else that is long."""
    written = str(text)
    if len(written) <= MAX_QUOTED:
        return written
    return f"…{written[-MAX_QUOTED:]}" if isinstance(text, Path) else f"{written[:MAX_QUOTED]}…"


def why_not_the_same(
    folder: Path, named: list[str], settings: dict[str, Any], fingerprints: dict[str, str]
) -> str | None:
    """Return why the run in a folder is not the one that these models and settings would make; None where it is.

    `fingerprints` are those of all that it would read: files with another content than they had make another run, and
    so do other versions of the packages that compute. Blank where there is no run.
    """
    if not all((folder / name).is_file() for name in FILES):
        return ""
    try:
        manifest = read_run(folder).manifest
    except WordworthError as error:  # whoever wants it replaced may have it replaced
        return str(error)
    wanted, had = json.loads(json.dumps({**settings, "models": named})), dict(manifest["settings"])
    had["models"] = manifest["named"]
    for name in sorted(wanted.keys() | had.keys()):
        if wanted.get(name) != had.get(name):
            before, now = (_short(json.dumps(one.get(name), ensure_ascii=False)) for one in (had, wanted))
            return f"its {name} was {before} and is now {now}"
    versions = surroundings()[0]
    for package in PACKAGES:
        version = manifest["versions"].get(package)
        if version != versions.get(package):
            return f"it was made with {package} {version}" if version else f"it was made without {package}"
    for name in sorted(fingerprints.keys() | manifest["fingerprints"].keys()):
        if manifest["fingerprints"].get(name) != fingerprints.get(name):
            return f"{name} has changed since"
    return None

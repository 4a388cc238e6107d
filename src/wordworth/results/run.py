"""Define `Run`, which a study returns and which is saved, read, compared, checked and reported."""

import json
import os
import platform
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wordworth.embedding import Embedding
from wordworth.embedding import save as save_vectors
from wordworth.embedding.writing import SUFFIXES as VECTOR_SUFFIXES
from wordworth.errors import WordworthError, first_problem
from wordworth.files import refuse_special, refuse_unwritable, replacing, sha256_of
from wordworth.measure.declaration import Better
from wordworth.results.columns import ITEM_TABLES, SCORES, as_text, from_text, item_schema
from wordworth.results.display import DisplayedRun
from wordworth.results.vocabulary import Caution, Notice

PACKAGES = (
    "wordworth", "numpy", "scipy", "polars", "safetensors", "gensim", "opencc", "tokenizers", "torch", "transformers",
)  # fmt: skip
MANIFEST, SCORES_FILE, ITEMS_FOLDER = "run.json", "scores.csv", "items"
REPORTS = ("report.html", "report.md", "report.tex")
ROWS_PER_GROUP = 1 << 16
"""Rows of a group in a parquet file of items."""
MAX_HEADER_BYTES = 1 << 13
"""The largest first line of a `scores.csv`."""
MAX_QUOTED = 120
"""Characters of a setting, or of another program's message, that a message repeats."""


class _Table(BaseModel):
    """Validate a table of JSON that may have undeclared keys."""

    model_config = ConfigDict(extra="allow", strict=True)


class ModelFacts(_Table):
    """Describe a model as the run used it; keys that do not apply are blank."""

    name: str
    step: int | None = None
    """The training step of a checkpoint."""
    source: str = ""
    sha256: str = ""
    weights: str = ""
    language: str = ""
    family: str = ""
    words: int = 0
    layers: int = 0
    dimensions: int = 0
    precision: str = ""
    device: str = ""
    corpus: str = ""
    """The text that several vectors were trained on, of which this has so many percent, or one decade."""
    percent: float | None = None
    decade: int | None = None


class DataFacts(_Table):
    """Describe a data set as the run used it."""

    name: str
    source: str = ""
    sha256: str = ""
    licence: str = ""
    reference: str = ""
    rows: int = 0
    columns: dict[str, str] = Field(default_factory=dict)


class MeasureFacts(_Table):
    """Describe a measure of the run: what it computes, and what is better: higher, lower, zero, or blank."""

    name: str
    variant: str | None = None
    formula: str = ""
    better: Better = ""


class Run(DisplayedRun, BaseModel):
    """Hold one run of a study: `run.json` with its scores and items."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    study: str
    """The name of the study: valnorm, weat, …"""
    command: list[str]
    """The command line, or `python` for a call."""
    named: list[str] = Field(default_factory=list)
    """The models as the user named them."""
    fingerprints: dict[str, str] = Field(default_factory=dict)
    """Name → sha256 over the content of each model and data set that was named, when the run began."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """The value of every setting, given or default."""
    may_differ: list[str] = Field(default_factory=list)
    """Settings in which two runs may differ and still be compared."""
    method: str = ""
    """How the study measures, in words."""
    papers: list[str] = Field(default_factory=list)
    """Keys of the papers whose method it is."""
    references: dict[str, str] = Field(default_factory=dict)
    """Key → BibTeX of everything the run is based on."""
    seed: int = 0
    models: list[ModelFacts] = Field(default_factory=list)
    data: list[DataFacts] = Field(default_factory=list)
    measures: list[MeasureFacts] = Field(default_factory=list)
    notices: list[Notice] = Field(default_factory=list)
    """What failed, was skipped, reduced or substituted, cautions, and other facts."""
    skipped: dict[str, int] = Field(default_factory=dict)
    """How many items were not used, by reason; each one is in its item table."""
    started: datetime = Field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0
    versions: dict[str, str] = Field(default_factory=dict)
    """Python and the packages that numbers may depend on."""
    hardware: dict[str, Any] = Field(default_factory=dict)
    damaged: dict[str, int] = Field(default_factory=dict)
    """Cache entries that were damaged and recomputed, by kind."""
    files: dict[str, str] = Field(default_factory=dict)
    """sha256 of the run's other files."""

    folder: Path | None = Field(default=None, exclude=True)
    """Where the run is saved; None in memory."""
    scores: pl.DataFrame = Field(default_factory=lambda: pl.DataFrame(schema=SCORES), exclude=True)
    """The columns of `results.columns.SCORES`."""
    items: dict[str, pl.LazyFrame] = Field(default_factory=dict, exclude=True)
    """Item table → its rows. Lazy, since they can be millions."""
    product: Any = Field(default=None, exclude=True)
    """What the study made, where it makes one: an embedding, or a network."""

    def __getstate__(self) -> dict[Any, Any]:
        """Return what a worker sends: the rows of the items, since their plans may read files of its machine."""
        state = super().__getstate__()
        items = {table: rows.collect() for table, rows in self.items.items()}
        return {**state, "__dict__": {**state["__dict__"], "items": items}}

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        self.items = {table: rows.lazy() for table, rows in self.items.items()}

    @property
    def label(self) -> str:
        """Return the name of the run in messages."""
        return str(self.folder) if self.folder else f"the run of {self.study}"

    def item_table(self, table: str) -> pl.LazyFrame:
        """Return an item table; empty where the run has none."""
        return self.items.get(table, pl.LazyFrame(schema=item_schema(table)))

    def facts_of(self, model: str) -> ModelFacts:
        """Return what the run says about a model."""
        return next((facts for facts in self.models if facts.name == model), ModelFacts(name=model))

    def save(self, folder: str | Path | None = None, *, overwrite: bool = False) -> Self:
        """Write the run's folder, all of it or nothing, and return the run with its new folder.

        A folder with the suffix of a file of vectors, such as out.npz, gets the vectors that `debias` made instead.
        """
        if isinstance(self.product, Embedding) and folder is not None and Path(folder).suffix in VECTOR_SUFFIXES:
            save_vectors(self.product, folder)
            return self
        place = default_folder(self.study) if folder is None else Path(folder)
        refuse_taken(place, overwrite=overwrite)
        with replacing(place, overwrite=overwrite) as temporary:
            (temporary / ITEMS_FOLDER).mkdir(parents=True)
            as_text(self.scores).write_csv(temporary / SCORES_FILE)
            for table, rows in self.items.items():
                path = temporary / ITEMS_FOLDER / f"{table}.parquet"
                rows.sink_parquet(path, compression="zstd", row_group_size=ROWS_PER_GROUP)
            self.files = {str(path.relative_to(temporary)): sha256_of(path) for path in sorted(temporary.rglob("*.*"))}
            (temporary / MANIFEST).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
        self.folder = place
        self.items = {table: _scan(place, table) for table in self.items}
        return self


def default_folder(study: str) -> Path:
    """Return `runs/STUDY-DATE-TIME` in the working folder, with a number if that is taken."""
    stem = Path("runs") / f"{study}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder, number = stem, 1
    while folder.exists():
        number += 1
        folder = stem.with_name(f"{stem.name}-{number}")
    return folder


def refuse_taken(folder: Path, *, overwrite: bool) -> None:
    """Raise, before anything is computed, for a folder that a run must not replace."""
    if folder.exists() and not folder.is_dir():
        raise WordworthError(f"{folder} is a file, not a folder; choose another output with -o")
    refuse_unwritable(folder)
    if os.path.ismount(folder):  # a run arrives by renaming, and a mount point cannot be renamed
        raise WordworthError(f"{folder} is a mount point, which a run cannot replace; choose a folder in it with -o")
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    extras = sorted(names - {MANIFEST, SCORES_FILE, ITEMS_FOLDER, *REPORTS})
    if extras:
        raise WordworthError(f"{folder} has {extras[0]}, which is not a file of a run; choose another folder with -o")
    if names and not overwrite:
        raise WordworthError(f"{folder} holds a run already; choose another with -o, or replace it with --overwrite")


def surroundings() -> tuple[dict[str, str], dict[str, Any]]:
    """Return the versions and the hardware of this process."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    hardware: dict[str, Any] = {
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }
    if sys.platform != "win32":
        hardware["memory_bytes"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return versions, hardware


def read_run(folder: str | Path) -> Run:
    """Read a run's folder, and check its files against their checksums."""
    place = Path(folder)
    run = read_manifest(place)
    if not (place / SCORES_FILE).is_file():
        raise WordworthError(f"{place} is not a run: it has no {SCORES_FILE}; name a folder that `wordworth run` wrote")
    for name, sha256 in run.files.items():
        path = place / name
        is_inside = path.resolve().is_relative_to(place.resolve())
        if not is_inside or not path.is_file() or sha256_of(path) != sha256:
            raise WordworthError(f"{path} was changed after the run was written; run the study again")
    try:
        run.scores = _read_scores(place / SCORES_FILE)
        run.items = {
            table: _scan(place, table) for table in ITEM_TABLES if (place / ITEMS_FOLDER / f"{table}.parquet").is_file()
        }
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _unreadable(place, str(error)) from error
    return run


def read_manifest(folder: Path) -> Run:
    """Read `run.json` only, to list runs: the scores and items are empty."""
    path = folder / MANIFEST
    if not path.is_file():
        raise WordworthError(f"{folder} is not a run: it has no {MANIFEST}; name a folder that `wordworth run` wrote")
    refuse_special(folder)
    try:
        run = Run.model_validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise _unreadable(folder, str(error)) from error
    except ValidationError as error:
        raise _unreadable(folder, first_problem(error)) from error
    run.folder = folder
    return run


def _read_scores(path: Path) -> pl.DataFrame:
    with path.open("rb") as stream:  # a line of a million columns would take much memory
        beginning = stream.read(MAX_HEADER_BYTES).lstrip()
    header, newline, _ = beginning.partition(b"\n")
    if not newline or b'"' in header:
        raise _unreadable(path.parent, f"{SCORES_FILE} does not begin with the columns of a run")
    text = pl.read_csv(path, infer_schema=False, glob=False)
    scores = from_text(text.select(list(SCORES)))
    unknown_cautions = set(scores.get_column("cautions").explode().drop_nulls()) - set(Caution)
    if unknown_cautions or scores.select("measure", "value").null_count().sum_horizontal().item():
        raise WordworthError(f"{path} has a score without a measure or value, or an unknown caution; run it again")
    return scores


def _scan(folder: Path, table: str) -> pl.LazyFrame:
    path = folder / ITEMS_FOLDER / f"{table}.parquet"
    frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    if dict(frame.collect_schema()) != item_schema(table):
        raise WordworthError(f"{path} has other columns than this version writes; run the study again")
    return frame


def _unreadable(folder: Path, problem: str) -> WordworthError:
    reason = _shorten((problem.splitlines() or [""])[0])
    return WordworthError(f"{folder} holds a run that cannot be read back ({reason}); run the study again")


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"


def why_stale(run: Run, model_names: list[str], settings: dict[str, Any], fingerprints: dict[str, str]) -> str:
    """Return why these models and settings would make another run; blank if they would make this one.

    Changed inputs (`fingerprints`) and other versions of the packages that compute make another run.
    """
    new_settings = json.loads(json.dumps({**settings, "models": model_names}))
    old_settings = {**run.settings, "models": run.named}
    for name in sorted(new_settings.keys() | old_settings.keys()):
        if new_settings.get(name) != old_settings.get(name):
            values = [table.get(name) for table in (old_settings, new_settings)]
            old, new = (_shorten(json.dumps(value, ensure_ascii=False)) for value in values)
            return f"its {name} was {old} and is now {new}"
    versions = surroundings()[0]
    for package in PACKAGES:
        if run.versions.get(package) != versions.get(package):
            version = run.versions.get(package)
            return f"it was made with {package} {version}" if version else f"it was made without {package}"
    for name in sorted(fingerprints.keys() | run.fingerprints.keys()):
        if run.fingerprints.get(name) != fingerprints.get(name):
            return f"{name} has changed since"
    return ""


def read_finished(
    folder: Path, model_names: list[str], settings: dict[str, Any], fingerprints: dict[str, str], *, overwrite: bool
) -> Run | None:
    """Return the run of a folder if it is this one; raise for another run, unless it may be replaced."""
    reason = ""
    if (folder / MANIFEST).is_file():
        try:
            run = read_run(folder)
        except WordworthError as error:  # the user may replace it
            reason = str(error)
        else:
            if not (reason := why_stale(run, model_names, settings, fingerprints)):
                return run
    if reason and not overwrite:
        raise WordworthError(
            f"{folder} holds another run ({reason}); choose another folder with -o, or replace it with --overwrite"
        )
    refuse_taken(folder, overwrite=overwrite)
    return None


def find_runs(places: Sequence[Path]) -> list[Path]:
    """Return the folders of runs: these, and for the folder of an audit the runs inside it."""
    folders: dict[Path, Path] = {}
    for place in places:
        if not place.is_dir():
            raise WordworthError(f"{place} is not a folder; name one that `wordworth run` or `wordworth audit` wrote")
        run_folders = runs_in(place)
        if not run_folders:
            raise WordworthError(f"{place} has no run (no {MANIFEST} in it or in its folders); run a study first")
        for folder in run_folders:
            folders.setdefault(folder.resolve(), folder)
    return list(folders.values())


def runs_in(place: Path) -> list[Path]:
    """Return the folder itself where it is a run's, or the folders of runs in it."""
    if (place / MANIFEST).is_file():
        return [place]
    return sorted((path.parent for path in place.glob(f"*/{MANIFEST}")), key=_by_number)


def _by_number(folder: Path) -> list[str | int]:
    """Sort `vast-step20` before `vast-step100`."""
    return [int(piece) if piece.isdecimal() else piece for piece in re.split(r"(\d{1,18})", folder.name)]


AUDIT_FILE = "audit.json"


class PlannedStudy(BaseModel):
    """Describe a study of an audit and its models; `folder` is the name of its folder."""

    study: str
    folder: str
    models: list[str]


class AuditRecord(BaseModel):
    """Record which studies an audit planned, and its notices: `audit.json` next to its runs."""

    planned: list[PlannedStudy] = Field(default_factory=list)
    notices: list[Notice] = Field(default_factory=list)

    def save(self, folder: Path) -> None:
        """Write the record."""
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / AUDIT_FILE) as temporary:
            temporary.write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_audit(folder: Path) -> AuditRecord:
    """Return the record of an audit's folder; blank where there is none."""
    path = folder / AUDIT_FILE
    if not path.is_file():
        return AuditRecord()
    try:
        return AuditRecord.model_validate_json(path.read_bytes(), strict=True)
    except (OSError, ValidationError) as error:
        raise WordworthError(f"{path} is damaged; delete it, or run the audit again") from error

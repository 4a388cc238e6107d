"""A run's folder, written in one step: either all of it is there or none."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from filelock import Timeout

from wordworth.errors import WordworthError
from wordworth.files import locked, refuse_unwritable, replacing, sha256_of, temporary_folder
from wordworth.run.manifest import Manifest
from wordworth.run.spreadsheet import as_text

FILES = ("run.json", "scores.csv", "items.parquet")
ROWS = 1 << 16
"""Items that are written together."""
REPORTS = ("report.html", "report.md", "report.tex")


def default_folder(study: str) -> Path:
    """`runs/STUDY-DATE-TIME` in the working folder, with a number behind it if that is taken."""
    stem = Path("runs") / f"{study}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder, number = stem, 1
    while folder.exists():
        number += 1
        folder = stem.with_name(f"{stem.name}-{number}")
    return folder


def reserve(folder: Path, *, overwrite: bool) -> None:
    """Refuses, before anything is computed, a folder that a run must not replace."""
    if folder.exists() and not folder.is_dir():
        raise WordworthError(f"{folder} is a file, not a folder; choose another output with -o")
    refuse_unwritable(folder)
    if os.path.ismount(folder):  # a run comes by renaming, and a mount point cannot be renamed
        raise WordworthError(f"{folder} is a mount point, which a run cannot replace; choose a folder in it with -o")
    held = {path.name for path in folder.iterdir()} if folder.exists() else set()
    strangers = sorted(held - {*FILES, *REPORTS})
    if strangers:
        raise WordworthError(f"{folder} holds {strangers[0]}, which no run wrote; choose another folder with -o")
    if held and not overwrite:
        raise WordworthError(f"{folder} holds a run already; choose another with -o, or replace it with --overwrite")


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Refuse, before anything is computed, a folder that another process of this machine is writing a run to."""
    key = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:16]
    try:
        with locked(temporary_folder() / f"wordworth-{key}", wait=False):
            yield
    except Timeout:
        raise WordworthError(
            f"another process is writing a run to {folder}; wait for it, or choose another folder with -o"
        ) from None


def write_run(
    folder: Path,
    manifest: Manifest,
    scores: pl.DataFrame,
    items: pl.DataFrame | pl.LazyFrame,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a run's three files, with their checksums in the manifest; items that lie on disk a part at a time."""
    reserve(folder, overwrite=overwrite)
    with replacing(folder, overwrite=overwrite) as part:
        part.mkdir()
        as_text(scores).write_csv(part / "scores.csv")
        items.lazy().sink_parquet(part / "items.parquet", compression="zstd", row_group_size=ROWS)
        sums = {name: sha256_of(part / name) for name in ("scores.csv", "items.parquet")}
        text = json.dumps(replace(manifest, files=sums).as_table(), indent=1, ensure_ascii=False)
        (part / "run.json").write_text(text + "\n", encoding="utf-8")

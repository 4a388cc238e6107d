"""A run's folder, written in one step (all of it is there or none), and where runs are."""

import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError
from wordworth.files import refuse_unwritable, replacing, sha256_of
from wordworth.results.manifest import in_order
from wordworth.results.schema import as_text

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


def write_run(
    folder: Path,
    manifest: dict[str, Any],
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
        text = json.dumps(in_order(manifest | {"files": sums}), indent=1, ensure_ascii=False)
        (part / "run.json").write_text(text + "\n", encoding="utf-8")


def run_folders(places: Sequence[Path]) -> list[Path]:
    """The folders of runs: these, and for an audit's folder the runs inside it."""
    folders: dict[Path, Path] = {}
    for place in places:
        if not place.is_dir():
            raise WordworthError(f"{place} is not a folder; name one that `wordworth run` or `wordworth audit` left")
        inside = runs_in(place)
        if not inside:
            raise WordworthError(f"{place} holds no run (no run.json in it or in a folder in it); run a study first")
        for folder in inside:
            folders.setdefault(folder.resolve(), folder)
    return list(folders.values())


def runs_in(place: Path) -> list[Path]:
    """The folder itself where it is a run's, else the folders of runs in it."""
    if (place / "run.json").is_file():
        return [place]
    return sorted((path.parent for path in place.glob("*/run.json")), key=_counted)


def _counted(folder: Path) -> list[str | int]:
    """`vast-step20` comes before `vast-step100`; every other part is text, so that like stands against like."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d{1,18})", folder.name)]

"""Where runs are: a folder of one, or an audit's folder with several in it."""

import re
from collections.abc import Sequence
from pathlib import Path

from wordworth.errors import WordworthError


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

"""Whether a folder holds the very run that is asked for, so that it need not be run again."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wordworth.run.folder import FILES


def why_not_the_same(folder: Path, named: list[str], settings: dict[str, Any], version: str) -> str | None:
    """Why the run in a folder is another than one of these models and settings would be; None where it is the same.

    A model of the user's that was written after the run began is another model. Blank where there is no run.
    """
    if not all((folder / name).is_file() for name in FILES):
        return ""
    manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    wanted, had = json.loads(json.dumps({**settings, "models": named})), dict(manifest.get("settings", {}))
    had["models"] = manifest.get("named")
    for name in sorted(wanted.keys() | had.keys()):
        if wanted.get(name) != had.get(name):
            return f"its {name} was {_short(had.get(name))} and is now {_short(wanted.get(name))}"
    before = manifest["versions"].get("wordworth")
    if before != version:
        return f"it was made with wordworth {before}"
    began = datetime.fromisoformat(manifest["started"])
    for model in named:
        path = Path(model if Path(model).exists() else model.partition("=")[2]).expanduser()
        newest = max(map(_written, _files(path)), default=began)
        if newest > began:
            return f"{model} has changed since"
    return None


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else []


def _written(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 60 else f"{text[:57]}…"

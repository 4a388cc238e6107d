"""Whether a folder holds the very run that is asked for, so that it need not be run again."""

import hashlib
import json
from pathlib import Path
from typing import Any

from wordworth.errors import WordworthError
from wordworth.files import measured_sum
from wordworth.run.folder import FILES
from wordworth.run.reading import read_run, restore


def why_not_the_same(folder: Path, named: list[str], settings: dict[str, Any], version: str) -> str | None:
    """Why the run in a folder is another than one of these models and settings would be; None where it is the same.

    A model of the user's whose files have another content than they had is another model. Blank where there is no run.
    """
    restore(folder)
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
            return f"its {name} was {_short(had.get(name))} and is now {_short(wanted.get(name))}"
    before = manifest["versions"].get("wordworth")
    if before != version:
        return f"it was made with wordworth {before}"
    for model, fingerprint in fingerprints(named).items():
        if manifest["fingerprints"].get(model) != fingerprint:
            return f"{model} has changed since"
    return None


def fingerprints(named: list[str]) -> dict[str, str]:
    """The sha256 over the files of those models that are named by a path."""
    paths = {model: Path(model if Path(model).exists() else model.partition("=")[2]).expanduser() for model in named}
    return {model: _fingerprint(path) for model, path in paths.items() if path.parts and path.exists()}


def _fingerprint(path: Path) -> str:
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    listing = "".join(f"{measured_sum(one)} {one.relative_to(path.parent)}\n" for one in files)
    return hashlib.sha256(listing.encode()).hexdigest()


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 60 else f"{text[:57]}…"

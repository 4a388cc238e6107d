"""Whether a folder holds the very run that is asked for, so that it need not be run again."""

import json
from pathlib import Path
from typing import Any

from wordworth.errors import WordworthError
from wordworth.run.folder import FILES
from wordworth.run.manifest import PACKAGES, surroundings
from wordworth.run.reading import read_run


def why_not_the_same(
    folder: Path, named: list[str], settings: dict[str, Any], fingerprints: dict[str, str]
) -> str | None:
    """Why the run in a folder is another than one of these models and settings would be; None where it is the same.

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
            return f"its {name} was {_short(had.get(name))} and is now {_short(wanted.get(name))}"
    versions = surroundings()[0]
    for package in PACKAGES:
        before = manifest["versions"].get(package)
        if before != versions.get(package):
            return f"it was made with {package} {before}" if before else f"it was made without {package}"
    for name in sorted(fingerprints.keys() | manifest["fingerprints"].keys()):
        if manifest["fingerprints"].get(name) != fingerprints.get(name):
            return f"{name} has changed since"
    return None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 60 else f"{text[:57]}…"

"""Runs made of a few items, to be compared."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun
from wordworth.results import Run, read_run

MakeRun = Callable[..., Run]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Writes a run of the study with these items (and scores), and reads it back."""

    def make(
        name: str,
        study: str,
        models: Sequence[str | dict[str, Any]],
        items: Sequence[dict[str, Any]],
        *,
        scores: Sequence[dict[str, Any]] = (),
        data: dict[str, str] | None = None,
        **manifest: Any,
    ) -> Run:
        run = MadeRun(study, **manifest)
        for facts in models:
            run.model(**({"name": facts} if isinstance(facts, str) else facts))
        run.manifest["data"] = [{"name": key, "sha256": value} for key, value in (data or {}).items()]
        run.manifest["settings"] = {"models": list(map(str, models)), **run.manifest["settings"]}
        for columns in items:
            run.item(**columns)
            run.score(**{key: columns.get(key) for key in ("experiment", "model", "dataset", "setting")}, value=0.0)
        for row in scores:
            run.score(**row)
        return read_run(run.write(tmp_path / "runs" / name))

    return make

"""Runs made of a few items, to be compared."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from wordworth.run import Manifest, Run, read_run, surroundings, write_run
from wordworth.study.findings import Findings

MakeRun = Callable[..., Run]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Writes a run of the study with the items (and scores) given, and reads it back."""

    def make(
        name: str,
        study: str,
        models: Sequence[str | dict[str, Any]],
        items: Sequence[dict[str, Any]],
        *,
        scores: Sequence[dict[str, Any]] = (),
        options: dict[str, Any] | None = None,
        data: dict[str, str] | None = None,
        seed: int = 0,
    ) -> Run:
        findings = Findings(study)
        for one in items:
            findings.item(**one)
        for one in items:
            findings.score(**{key: one.get(key) for key in ("experiment", "model", "dataset", "setting")}, value=0.0)
        for one in scores:
            findings.score(**one)
        told = [{"name": one} if isinstance(one, str) else one for one in models]
        versions, hardware = surroundings()
        manifest = Manifest(
            study=study,
            command=["wordworth"],
            options={"models": [one["name"] for one in told], "seed": seed, **(options or {})},
            seed=seed,
            models=told,
            data=[{"name": key, "sha256": value} for key, value in (data or {}).items()],
            left_out={},
            notes=[],
            started="2026-01-01T00:00:00+00:00",
            seconds=1.0,
            versions=versions,
            hardware=hardware,
        )
        folder = tmp_path / "runs" / name
        write_run(folder, manifest, findings.scores, findings.items)
        return read_run(folder)

    return make

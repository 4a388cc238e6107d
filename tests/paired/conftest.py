"""Runs made of a few items, to be compared."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from wordworth.results.columns import PLACE
from wordworth.results.findings import Findings
from wordworth.results.run import Run
from wordworth.results.vocabulary import EXPERIMENT_TITLES

MakeRun = Callable[..., Run]


@pytest.fixture
def make_run() -> MakeRun:
    """Return a function that makes a run of these items, with a score for each of their measures."""

    def make(
        study: str,
        models: Sequence[str | dict[str, Any]],
        items: Sequence[dict[str, Any]],
        *,
        scores: Sequence[dict[str, Any]] = (),
        data: dict[str, str] | None = None,
        **about: Any,
    ) -> Run:
        findings = Findings(study, EXPERIMENT_TITLES)
        for facts in models:
            one = {"name": facts} if isinstance(facts, str) else facts
            findings.add_model(one["name"], one)
        findings.data = {name: {"name": name, "sha256": value} for name, value in (data or {}).items()}
        for given in items:
            columns = dict(given)
            table = columns.pop("table")
            measures = columns.pop("measures")
            place = {name: columns[name] for name in PLACE if name in columns}
            for measure in measures:
                findings.score(**place, **({"measure": measure} if isinstance(measure, str) else measure), value=0.0)
            findings.item(table, **columns)
        for row in scores:
            findings.score(**row)
        return findings.to_run(command=["wordworth"], **about)

    return make

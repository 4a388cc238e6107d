"""Findings on several versions of one embedding, apart by their setting."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import polars as pl

from wordworth.run import ORIGINAL, RANDOM, Findings

KEYS = ("experiment", "model", "language", "dataset", "layer", "measure")


def add_version(findings: Findings, version: Findings, setting: str) -> None:
    """Adds what was found on one version. What does not change with the vectors is kept of the original alone."""
    if setting != ORIGINAL:
        version = version.where(lambda row: row["measure"] != "coverage", pl.col("left_out").is_null())
    findings.add(version, setting=setting)


def add_controls(findings: Findings, controls: Sequence[Findings]) -> None:
    """The values under each random direction, without the intervals that one draw has, and their means."""
    together: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for number, control in enumerate(controls, start=1):
        for row in control.scores.iter_rows(named=True):
            if row["measure"] != "coverage":
                unused = ("study", "low", "high", "p")
                plain = {key: value for key, value in row.items() if value is not None and key not in unused}
                findings.score(**plain | {"setting": f"{RANDOM}:{number}"})
                together.setdefault(tuple(row[key] for key in KEYS), []).append(plain)
    for rows in together.values():
        findings.score(**rows[0] | {"setting": RANDOM, "value": fmean(row["value"] for row in rows)})

"""Rows of several versions of one embedding, told apart by their setting."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from wordworth.study.findings import Findings

ORIGINAL = "original"
RANDOM = "random"
"""The mean over random directions; each is `random:1` and so on."""
KEYS = ("experiment", "model", "language", "dataset", "measure")


def absorb(findings: Findings, found: Findings, setting: str, *, items: bool = True) -> None:
    """Adds what was found on one version. What does not change with the vectors is kept of the original alone."""
    for row in found.scores.iter_rows(named=True):
        if setting == ORIGINAL or row["measure"] != "coverage":
            findings.score(**_filled(row) | {"setting": setting})
    if items and len(found.items):
        table = found.items.drop("study", "setting").to_dict(as_series=False)
        if setting != ORIGINAL:  # a word that is not there is left out once
            kept = [at for at, reason in enumerate(table["left_out"]) if reason is None]
            table = {name: [column[at] for at in kept] for name, column in table.items()}
        findings.item(**table, setting=setting)
    for sentence in found.warnings if setting == ORIGINAL else ():
        findings.warn(sentence)
    for sentence in found.notes if setting == ORIGINAL else ():
        findings.note(sentence)
    for key, told in found.data.items():
        findings.data.setdefault(key, told)


def absorb_controls(findings: Findings, controls: Sequence[Findings]) -> None:
    """The values under each random direction, without the intervals that one draw has, and their means."""
    together: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for number, found in enumerate(controls, start=1):
        for row in found.scores.iter_rows(named=True):
            if row["measure"] != "coverage":
                plain = {key: value for key, value in _filled(row).items() if key not in ("low", "high", "p")}
                findings.score(**plain | {"setting": f"{RANDOM}:{number}"})
                together.setdefault(tuple(row[key] for key in KEYS), []).append(plain)
    for rows in together.values():
        mean = fmean(row["value"] for row in rows)
        findings.score(**rows[0] | {"setting": RANDOM, "value": mean})


def _filled(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None and key != "study"}

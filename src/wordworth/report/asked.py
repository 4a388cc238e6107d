"""Which tables, and which numbers in them: what `--table` and `--columns` ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from wordworth.errors import WordworthError, nearest
from wordworth.report.runs import Runs

Part = Literal["value", "interval", "p", "n"]
PARTS: tuple[Part, ...] = ("value", "interval", "p", "n")
"""What of a number a table can show."""
KINDS = ("measure", "dataset", "model", "setting")
"""Columns of the scores by whose names numbers can be asked for."""


@dataclass(frozen=True)
class Asked:
    """What was asked for; what is blank is everything."""

    tables: tuple[str, ...] = ()
    parts: tuple[Part, ...] = PARTS
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """One of `KINDS` → names of it."""

    def keeps(self, score: Mapping[str, Any]) -> bool:
        """Whether a number is of one of the names asked for, in each kind of which any was."""
        own = {**score, "measure": family(score["measure"])}
        return all(score[kind] in names or own[kind] in names for kind, names in self.names.items())


def family(measure: str) -> str:
    """`similarity` of `similarity:best`."""
    return measure.partition(":")[0]


def asked(runs: Runs, tables: Sequence[str] = (), columns: Sequence[str] = ()) -> Asked:
    """What the options ask for; a name that nothing here has is an error that says which is near."""
    known: dict[str, set[str]] = {kind: set(runs.scores.get_column(kind).drop_nulls().unique()) for kind in KINDS}
    known["measure"] |= set(map(family, known["measure"]))
    names: dict[str, set[str]] = {}
    for name in columns:
        kind = next((kind for kind in KINDS if name in known[kind]), "")
        if kind:
            names.setdefault(kind, set()).add(name)
        elif name not in PARTS:
            every = sorted({*PARTS, *(one for kind in KINDS for one in known[kind])})
            hint = nearest(name, every) or f"; it takes {', '.join(PARTS)}, measures, data sets, models and settings"
            raise WordworthError(f"--columns has no {name!r}{hint}")
    parts = tuple(part for part in PARTS if part in columns) or PARTS
    return Asked(tuple(tables), parts, {kind: frozenset(found) for kind, found in names.items()})

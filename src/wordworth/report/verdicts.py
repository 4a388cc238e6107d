"""Whether a paper's inferences came out again: reproduced, not reproduced, or undecided."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.report.conditions import RETRAINED
from wordworth.report.naming import number
from wordworth.report.published import Published, citation, comparisons, published
from wordworth.report.runs import Runs
from wordworth.report.sentences import Sentence
from wordworth.run import ORIGINAL

REPRODUCED, NOT, UNDECIDED = "reproduced", "not reproduced", "undecided"
MEASURE, CHANGE = "net-neutral", "net-neutral:change"


def verdict(paper: float, low: float, high: float, *, change: bool = False) -> str:
    """What our 95 % interval says of a paper's number.

    A level is reproduced where it lies in our interval, and else it is not. A change is reproduced where ours has its
    sign beyond doubt; it is not where ours has the other sign beyond doubt, or is surely another one; else it is open.
    """
    inside = low <= paper <= high
    if not change:
        return REPRODUCED if inside else NOT
    if low > 0 or high < 0:
        return REPRODUCED if (low > 0) == (paper > 0) else NOT
    return UNDECIDED if inside else NOT


def reproduced(runs: Runs) -> Iterator[Sentence]:
    """A sentence a model and probe where networks trained anew lie beside it: how neutral it is, and what they change.

    A network trained anew is held against the paper's change by its own change.
    """
    changes = {
        (row["model"], row["dataset"], row["setting"]): row
        for row in runs.scores.filter(pl.col("measure") == CHANGE).iter_rows(named=True)
    }
    levels: dict[tuple[str, str], str] = {}
    anew: dict[tuple[str, str], list[str]] = {}
    for one in comparisons(runs):
        ours, theirs = one.ours, one.published
        if theirs.measure != MEASURE or theirs.value is None or one.unlike:
            continue
        key = ours["model"], ours["dataset"]
        changed = changes.get((*key, ours["setting"]))
        if theirs.setting == ORIGINAL and ours["low"] is not None:
            found = verdict(theirs.value, ours["low"], ours["high"])
            levels[key] = f"is {_interval(ours)}, there {number(theirs.value)} ({theirs.model}): {found}"
        elif theirs.setting.partition(":")[0] == RETRAINED and changed and changed["low"] is not None:
            risen = theirs.value - _original(theirs)
            found = verdict(risen, changed["low"], changed["high"], change=True)
            told = f"{ours['setting']} changes it by {_interval(changed, signed=True)}"
            anew.setdefault(key, []).append(f"{told}, there {number(risen, signed=True)}: {found}")
    for (model, dataset), parts in anew.items():
        told = "; ".join(filter(None, [levels.get((model, dataset)), *parts]))
        text = f"On {dataset}, beside {citation('dev2020')}, net neutral {told}."
        yield Sentence(text, "neutrality", model, 0.0, whole=True)


def _original(theirs: Published) -> float:
    """The paper's number before anything was taken out."""
    like = (theirs.paper, theirs.model, theirs.dataset, theirs.measure, ORIGINAL)
    own = (one for one in published() if (one.paper, one.model, one.dataset, one.measure, one.setting) == like)
    return next(own).value or 0.0


def _interval(row: dict[str, Any], *, signed: bool = False) -> str:
    value, low, high = (number(row[key], signed=signed) for key in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"

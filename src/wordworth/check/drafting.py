"""A first file of rules, out of a run: each score with an interval is held where it is."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any

import polars as pl

from wordworth.check.checking import Held
from wordworth.check.rules import COLUMNS
from wordworth.errors import WordworthError, listed
from wordworth.measure import named
from wordworth.run.main_scores import main_scores
from wordworth.run.numbers import format_precise
from wordworth.run.vocabulary import HARMLESS
from wordworth.visible import visible

SLACK = 0.05
"""The share of an interval's length that lies between its end and the limit, at least."""
NARROWEST = 0.01
"""Steps that limits are rounded to, away from the interval."""
GROUPED = tuple(column for column in COLUMNS if column != "layer")
TOLD_BY = ("setting", "experiment", "study", "language", "pooling", "pcs", "model")
"""Columns that a rule names where measure and data set do not say which score is meant; the model last, so that the
same rules serve for the next one."""
HEAD = """\
# Rules for `wordworth check`, drafted from {runs}.
# Each limit lies a little beyond the interval that was measured: a guard against getting worse, not a judgement of
# what is good. Edit the limits to what you want to hold.
#
# A rule names a score by its columns (study, experiment, model, language, dataset, setting, pooling, layer, pcs,
# measure) and gives a limit, or no_worse_than = "runs/baseline". It passes or fails where the 95 % interval is clear of
# the limit, and is undecided where it is not.
"""


def draft(runs: Held, settings: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of a file of rules that the runs pass; `settings` are those that a model would be run with, by study."""
    scores = pl.concat([run.scores for run in runs.runs])
    known = pl.col("low").is_finite() & pl.col("high").is_finite()
    held = main_scores(scores).filter(known, ~pl.col("dataset").fill_null("").is_in(HARMLESS))
    if held.is_empty():
        raise WordworthError(f"{runs.named} has no score with an interval and a better side; write the rules by hand")
    lines = [HEAD.format(runs=visible(listed((run.folder.name for run in runs.runs), 3)))]
    for study, chosen in settings.items():
        lines += [f"[run.{_key(study)}]", *(f"{_key(name)} = {_value(value)}" for name, value in chosen.items()), ""]
    taken: set[str] = set()
    explained: set[str] = set()
    for _, group in held.group_by(GROUPED, maintain_order=True):
        measure = named(group.item(0, "measure"))
        if measure.name not in explained:
            lines += [f"# {measure}: {visible(measure.formula)}", ""]
        explained.add(measure.name)
        lines += [*_rule(group, scores, taken), ""]
    return "\n".join(lines)


def _rule(group: pl.DataFrame, scores: pl.DataFrame, taken: set[str]) -> Iterator[str]:
    row = group.row(0, named=True)
    better = named(row["measure"]).better
    where = _where(row, scores, len(group))
    several = len(group) > 1
    best = several and better == "higher"
    if best:
        row = group.row(int(group.get_column("value").arg_max() or 0), named=True)
    ends = [row] if best else group.to_dicts()
    low, high = min(one["low"] for one in ends), max(one["high"] for one in ends)
    yield f"[rules.{_key(_name(where, taken))}]"
    measured = f"{format_precise(row['value'])} [{format_precise(row['low'])}, {format_precise(row['high'])}]"
    layers = (
        f", the best of {len(group)} layers" if best else f", in the first of {len(group)} layers" if several else ""
    )
    count = f", n = {row['n']:,}" if row["n"] is not None else ""
    yield f"# Measured on {visible(row['model'] or 'all models')}: {measured}{layers}{count}; {_BETTER[better]}."
    for column, value in where.items():
        yield f"{column} = {_value('' if value is None else value)}"
    if several:
        yield f'take = "{"best" if best else "all"}"'
    yield f'limit = "{_limit(better, low, high)}"'


_BETTER = {"higher": "higher is better", "lower": "lower is better", "zero": "nearer to 0 is better"}


def _where(row: Mapping[str, Any], scores: pl.DataFrame, wanted: int) -> dict[str, Any]:
    """The columns that name these scores and no others."""
    where = {column: row[column] for column in ("measure", "dataset") if row[column] is not None}

    def found() -> pl.DataFrame:
        return scores.filter(pl.col(column).eq_missing(pl.lit(value)) for column, value in where.items())

    for column in TOLD_BY:
        if len(rows := found()) > wanted and rows.get_column(column).n_unique() > 1:
            where[column] = row[column]
    return {column: where[column] for column in COLUMNS if column in where}


def _name(where: Mapping[str, Any], taken: set[str]) -> str:
    """A name of a rule: its data set, with as much more as tells it from those before."""
    parts = [where.get("dataset"), where.get("measure"), *(where.get(column) for column in TOLD_BY)]
    words = list(dict.fromkeys(str(part) for part in parts if part is not None))
    stem = next(
        (text for at in range(1, len(words) + 1) if (text := " ".join(words[:at])) not in taken), " ".join(words)
    )
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem} {number}"
    taken.add(name)
    return name


def _limit(better: str, low: float, high: float) -> str:
    slack = SLACK * (high - low)
    if better == "higher":
        return f">= {_step(floor, low - slack)}"
    if better == "lower":
        return f"<= {_step(ceil, high + slack)}"
    return f"|value| <= {_step(ceil, max(abs(low), abs(high)) + slack)}"


def _step(rounding: Any, value: float) -> str:
    """Two decimals, or two figures of what is smaller; large numbers keep theirs."""
    step = NARROWEST
    while 0 < abs(value) < 10 * step and step > 1e-12:
        step /= 10
    return f"{rounding(value / step) * step:.12g}"


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _value(text)


def _value(value: Any) -> str:
    """A value as TOML writes it: the strings of JSON, with DEL spelled out."""
    if isinstance(value, Mapping):
        raise WordworthError(f"a table cannot be written as a setting ({str(value)[:60]})")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

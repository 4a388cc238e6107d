"""What a reader must know before the numbers: what failed, was not run, was covered too little, or needs care."""

from collections.abc import Iterable, Iterator
from math import floor
from typing import Any

import polars as pl

from wordworth.results.runs import Runs
from wordworth.results.table import format_list, format_percent
from wordworth.results.vocabulary import MIN_COVERAGE, Caution, Notice, NoticeKind

MAX_CAUTIONS = 5  # sentences per heading that are shown at once; the rest is counted, and can be unfolded
COVERAGE_HEADING = f"Data sets with less than {format_percent(MIN_COVERAGE)} coverage"
QUICK = "A quick audit uses smaller samples; for numbers to publish, run it without --quick."
PLACES = ("model", "experiment", "control", "dataset", "context", "language", "measure")
NOWHERE: dict[str, None] = dict.fromkeys([*PLACES, "layer"])
FAILED_HEADER = ["run", "model", "experiment", "dataset", "layer", "measure", "reason"]
"""Headings of the table of parts that failed."""


def missing(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences on what is missing, most serious first; empty where nothing is."""
    failed, skipped = _of_kind(runs, "failed"), _of_kind(runs, "skipped")
    every = {"What failed": failed, "What was not run": skipped, COVERAGE_HEADING: list(_describe_low_coverage(runs))}
    return {heading: sentences for heading, sentences in every.items() if sentences}


def remarks(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences on what should be known although nothing is missing."""
    is_quick = any(run.command[1:2] == ["audit"] and "--quick" in run.command for run in runs.each)
    reduced = [*([QUICK] if is_quick else []), *_of_kind(runs, "reduced")]
    cautions, replaced = _of_kind(runs, "caution"), _of_kind(runs, "substituted")
    every = {"Read with care": cautions, "Replaced": replaced, "Smaller samples": reduced}
    return {heading: sentences for heading, sentences in every.items() if sentences}


def nothing_missing(runs: Runs) -> str:
    """Return the sentence for runs in which nothing is missing, with the lowest coverage that was measured."""
    is_coverage = pl.col("measure") == "coverage"
    least: Any = runs.scores.select(pl.when(is_coverage).then("value").otherwise("coverage").min()).item()
    covered = "" if least is None else f" Where coverage was measured, it is at least {floor(100 * least + 1e-9)} %."
    return f"Everything that was asked for ran.{covered}"


def plain_missing(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences, for a terminal or Markdown; also where nothing is missing."""
    every = (missing(runs) or {"What is missing": [nothing_missing(runs)]}) | remarks(runs)
    rest = {heading: len(sentences) - MAX_CAUTIONS for heading, sentences in every.items()}
    return {
        heading: [*sentences[:MAX_CAUTIONS], *([f"And {rest[heading]:,} more."] if rest[heading] > 0 else [])]
        for heading, sentences in every.items()
    }


def failed_rows(runs: Runs) -> list[list[str]]:
    """Return a row per part that failed without stopping the rest."""
    parts = [(runs.name_of(run), one) for run in runs.each for one in run.notices if one.kind == "failed"]
    values = ((name, one.model, one.experiment, one.dataset, one.layer, one.measure, one.reason) for name, one in parts)
    return [["" if value is None else str(value) for value in row] for row in values]


def sentences_of(notices: Iterable[Notice]) -> Iterator[str]:
    """Yield one sentence for all notices of a study that have the same reason and count."""
    alike: dict[tuple[Any, ...], list[Notice]] = {}
    for notice in notices:
        alike.setdefault((notice.study, notice.reason, notice.count, notice.total), []).append(notice)
    for (study, *_), some in alike.items():
        text = str(some[0])
        if len(some) > 1:
            text = f"{_places(some)} ({len(some):,} parts): {some[0].model_copy(update=NOWHERE)!s}"
        yield f"{study}: {text}" if study else text


def _of_kind(runs: Runs, kind: NoticeKind) -> list[str]:
    return list(sentences_of(runs.notices_of(kind)))


def _places(notices: list[Notice]) -> str:
    """Return the models, data sets and layers of several notices: “tiny, weat3 and weat4, layers 5 and 6”."""
    named = [list(dict.fromkeys(str(getattr(one, name)) for one in notices if getattr(one, name))) for name in PLACES]
    layers = sorted({one.layer for one in notices if one.layer is not None})
    words = [format_list(names, 4) for names in named if names]
    words += [f"layer{'s' * (len(layers) > 1)} {format_list([*map(str, layers)])}"] if layers else []
    return ", ".join(words)


def _describe_low_coverage(runs: Runs) -> Iterator[str]:
    """Yield a sentence per model: the data sets of which it has too little, least first."""
    low = pl.col("cautions").list.contains(Caution.LOW_COVERAGE.value) & pl.col("coverage").is_not_null()
    is_measured = (pl.col("measure") == "coverage") & (pl.col("value") < MIN_COVERAGE)
    share = pl.when(is_measured).then("value").otherwise("coverage").alias("share")
    rows = runs.scores.filter(low | is_measured).select("model", "dataset", "context", share).sort("share")
    for (model,), some in rows.unique(["model", "dataset"], keep="first", maintain_order=True).group_by(
        ["model"], maintain_order=True
    ):
        sets = [
            f"{floor(100 * row['share'] + 1e-9)} % of {row['dataset']}"
            + (f" in {row['context']} sentences" if row["context"] else "")
            for row in some.iter_rows(named=True)
        ]
        yield f"{model} has {format_list(sets)}."

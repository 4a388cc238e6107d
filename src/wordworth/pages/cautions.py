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
NOTHING_MISSING = "Everything that was asked for ran."


def missing(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences on what is missing, most serious first; empty where nothing is."""
    headings = {"What failed": _of_kind(runs, "failed"), "What was not run": _of_kind(runs, "skipped")}
    headings[COVERAGE_HEADING] = list(_describe_low_coverage(runs))
    return {heading: sentences for heading, sentences in headings.items() if sentences}


def remarks(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences on what should be known although nothing is missing."""
    is_quick = any(run.command[1:2] == ["audit"] and "--quick" in run.command for run in runs.each)
    reductions = [*([QUICK] if is_quick else []), *_of_kind(runs, "reduced")]
    cautions, substitutions = _of_kind(runs, "caution"), _of_kind(runs, "substituted")
    headings = {"Read with care": cautions, "Replaced": substitutions, "Smaller samples": reductions}
    return {heading: sentences for heading, sentences in headings.items() if sentences}


def plain_missing(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences, for a terminal or Markdown; also where nothing is missing."""
    headings = (missing(runs) or {"What is missing": [NOTHING_MISSING]}) | remarks(runs)
    surplus = {heading: len(sentences) - MAX_CAUTIONS for heading, sentences in headings.items()}
    return {
        heading: [*sentences[:MAX_CAUTIONS], *([f"And {surplus[heading]:,} more."] if surplus[heading] > 0 else [])]
        for heading, sentences in headings.items()
    }


def sentences_of(notices: Iterable[Notice]) -> Iterator[str]:
    """Yield one sentence for all notices of a study that have the same reason and count."""
    groups: dict[tuple[Any, ...], list[Notice]] = {}
    for notice in notices:
        groups.setdefault((notice.study, notice.reason, notice.count, notice.total), []).append(notice)
    for (study, *_), group in groups.items():
        text = str(group[0])
        if len(group) > 1:
            text = f"{_places(group)} ({len(group):,} parts): {group[0].model_copy(update=NOWHERE)!s}"
        yield f"{study}: {text}" if study else text


def _of_kind(runs: Runs, kind: NoticeKind) -> list[str]:
    return list(sentences_of(runs.notices_of(kind)))


def _places(notices: list[Notice]) -> str:
    """Return the models, data sets and layers of several notices: “tiny, weat3 and weat4, layers 5 and 6”."""
    words = []
    for name in PLACES:
        values = dict.fromkeys(str(getattr(notice, name)) for notice in notices if getattr(notice, name))
        words += [format_list(list(values), 4)] if values else []
    layers = sorted({notice.layer for notice in notices if notice.layer is not None})
    words += [f"layer{'s' * (len(layers) > 1)} {format_list([*map(str, layers)])}"] if layers else []
    return ", ".join(words)


def _describe_low_coverage(runs: Runs) -> Iterator[str]:
    """Yield a sentence per model: the data sets of which it has too little, least first."""
    low = pl.col("cautions").list.contains(Caution.LOW_COVERAGE.value) & pl.col("coverage").is_not_null()
    is_measured = (pl.col("measure") == "coverage") & (pl.col("value") < MIN_COVERAGE)
    share = pl.when(is_measured).then("value").otherwise("coverage").alias("share")
    rows = runs.scores.filter(low | is_measured).select("model", "dataset", "context", share).sort("share")
    for (model,), datasets in rows.unique(["model", "dataset"], keep="first", maintain_order=True).group_by(
        ["model"], maintain_order=True
    ):
        sets = []
        for row in datasets.iter_rows(named=True):
            context = f" in {row['context']} sentences" if row["context"] else ""
            sets.append(f"{floor(100 * row['share'] + 1e-9)} % of {row['dataset']}{context}")
        yield f"{model} has {format_list(sets)}."

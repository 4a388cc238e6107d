"""The sentences at the top of a report: what failed, was not run or has low coverage, then the answers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import floor
from typing import Any

import polars as pl

from wordworth.pages import behaviour_answers as behaviour
from wordworth.pages import meaning_answers as meaning
from wordworth.pages.runs import Runs, Sentence, keep_last_steps
from wordworth.results.table import format_list, format_percent
from wordworth.results.vocabulary import MIN_COVERAGE, Caution, Notice, NoticeKind

MAX_SEPARATE = 4  # up to this many models have a sentence each; of more, only the first and the last


def answers(runs: Runs) -> dict[str, list[Sentence]]:
    """Answer the questions that these runs can answer; of a model in training, for its last step."""
    last = keep_last_steps(runs)
    every = {
        question: [sentence for write in writers for sentence in _select(list(write(last)))]
        for question, writers in QUESTIONS.items()
    }
    return {question: sentences for question, sentences in every.items() if sentences}


def plain_answers(runs: Runs) -> dict[str, list[str]]:
    """Return question → sentences, as a terminal shows them: what is missing first, then the answers."""
    return plain_missing(runs) | {question: list(map(str, some)) for question, some in answers(runs).items()}


def _select(sentences: list[Sentence]) -> list[Sentence]:
    """Return all, or of many models the highest and the lowest."""
    models = {sentence.model for sentence in sentences if sentence.model}
    if len(models) <= MAX_SEPARATE:
        return sentences
    ordered = sorted(sentences, key=lambda sentence: sentence.order, reverse=True)
    ends = zip((ordered[0], ordered[-1]), ordered[0].ends, strict=True)
    return [replace(sentence, lead=f"{name} of {len(models)} models") for sentence, name in ends]


def _skipped(runs: Runs) -> Iterator[Sentence]:
    counts = sorted(runs.skipped.items(), key=lambda pair: -pair[1])
    reasons = format_list([f"{count:,} {reason}" for reason, count in counts], most=3)
    text = f"Items without a number: {reasons}." if counts else "Every item has a number."
    yield Sentence(text, "skipped", "", 0.0, whole=True)


QUESTIONS: dict[str, tuple[Callable[[Runs], Iterator[Sentence]], ...]] = {
    "Does it know what words mean?": (meaning.in_layers, meaning.of_vectors),
    "How much does valence depend on the context?": (meaning.context,),
    "Does nullifying components raise valence in the top layer?": (meaning.nullified,),
    "Whom does it stereotype?": (meaning.stereotypes,),
    "How far does that depend on choices?": (behaviour.sensitivity,),
    "Which words does it never predict?": (behaviour.never_predicted,),
    "What does it infer that does not follow?": (behaviour.inferred,),
    "What does debiasing change?": (behaviour.debiased,),
    "Which items were skipped?": (_skipped,),
}


MAX_SENTENCES = 5  # sentences per heading that are shown at once; the rest is counted, and can be unfolded
COVERAGE_HEADING = f"Data sets with less than {format_percent(MIN_COVERAGE)} coverage"
QUICK = "A quick audit uses smaller samples; for numbers to publish, run it without --quick."
PLACES = ("model", "experiment", "control", "dataset", "context", "language", "measure")
NOWHERE: dict[str, None] = dict.fromkeys([*PLACES, "layer"])
FAILED_HEADER = ["run", "model", "experiment", "dataset", "layer", "measure", "reason"]
"""Headings of the table of parts that failed."""


def missing(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences on what is missing, most serious first; empty where nothing is."""
    failed, skipped = _of_kind(runs, "failed"), _of_kind(runs, "skipped")
    every = {"What failed": failed, "What was not run": skipped, COVERAGE_HEADING: list(_uncovered(runs))}
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
    rest = {heading: len(sentences) - MAX_SENTENCES for heading, sentences in every.items()}
    return {
        heading: [*sentences[:MAX_SENTENCES], *([f"And {rest[heading]:,} more."] if rest[heading] > 0 else [])]
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


def _uncovered(runs: Runs) -> Iterator[str]:
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

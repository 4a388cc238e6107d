"""The runs that a report is made of, as one table of scores."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError
from wordworth.results import Outcome, Run, read_outcome, read_run, run_folders
from wordworth.results.numbers import format_list
from wordworth.results.vocabulary import BEFORE_STEP

BROKEN_OFF = "the audit was broken off, and the same command goes on with it."
ALL = "all models"
"""The model of a number over several, such as a variance over languages."""
AS_IT_IS = pl.col("study") != "debias"
"""What was measured on a model as it is: `debias` measures vectors that something was taken out of."""

STEP = pl.col("model").str.extract(rf"{BEFORE_STEP}(\d{{1,15}})$").cast(pl.Int64)
"""The steps in `NAME@step500`; blank for a model that was not measured in training."""
TRAINED = pl.col("model").str.split(BEFORE_STEP).list.first()
"""NAME."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs, and their scores under labels that tell their models apart."""

    each: tuple[Run, ...]
    """Their items have the labels too."""
    scores: pl.DataFrame
    """The columns of `scores.csv`, `row` (a place in this table) and `model_at` (a place among the models)."""
    facts: dict[str, dict[str, Any]]
    """Label → what the manifests say of the model; what one run does not say of it, another may."""
    outcome: Outcome = field(default_factory=Outcome)
    """What the audits could not do, and what they asked less of."""

    @property
    def models(self) -> list[str]:
        """The labels: a model's name, and the run's folder where it stands in two."""
        return [name for name in self.scores.get_column("model").unique(maintain_order=True) if name != ALL]

    @property
    def left_out(self) -> dict[str, int]:
        """Reason → items of all runs that were left out for it."""
        return sum((Counter(run.manifest["left_out"]) for run in self.each), Counter[str]())

    def better(self, measure: str) -> str:
        """Which end of a measure is the better one, as the runs declare it: higher, lower, zero, or blank."""
        declared = (run.manifest["measures"].get(measure, {}).get("better", "") for run in self.each)
        return next(filter(None, declared), "")

    def run_of(self, score: Mapping[str, Any]) -> Run:
        """Return the run that a score is of."""
        mine = (run for run in self.each if run.manifest["study"] == score["study"])
        return next(run for run in mine if score["model"] in run.scores.get_column("model"))


def read_runs(places: Sequence[Path]) -> Runs:
    """Reads the folders of runs and audits."""
    if not places:
        raise WordworthError("name a run's folder, such as runs/vast-…; `wordworth run` prints where it left one")
    runs = tuple(read_run(folder) for folder in run_folders(places))
    named = []
    facts: dict[str, dict[str, Any]] = {}
    for run, names in zip(runs, _labels(runs), strict=True):
        label = pl.col("model").replace(names)
        named.append(replace(run, scores=run.scores.with_columns(label), items=run.items.with_columns(label)))
        for model in run.manifest["models"]:
            known = facts.setdefault(names.get(model["name"], model["name"]), {})
            known |= {key: value for key, value in model.items() if value and key not in known}
    return Runs(tuple(named), numbered(pl.concat(run.scores for run in named)), facts, _outcome(places))


def _outcome(places: Sequence[Path]) -> Outcome:
    """What the audits in these folders could not do, all together."""
    every = [read_outcome(place) for place in places]
    failed = {json.dumps(one, sort_keys=True): one for outcome in every for one in outcome.failed}
    left_out = dict.fromkeys(sentence for outcome in every for sentence in outcome.left_out)
    for place, outcome in zip(places, every, strict=True):
        unrun = [one for one in outcome.planned if not (place / one["study"] / "run.json").is_file()]
        left_out |= {f"{one['study']} was not run on {format_list(one['models'])}: {BROKEN_OFF}": None for one in unrun}
    smaller = dict.fromkeys(sentence for outcome in every for sentence in outcome.smaller)
    return Outcome(tuple(failed.values()), tuple(left_out), tuple(smaller))


def numbered(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores with `row` and `model_at`, and a name for the model of numbers over all of them."""
    named = scores.with_columns(pl.col("model").fill_null(ALL)).with_row_index("row")
    places = {label: at for at, label in enumerate(named.get_column("model").unique(maintain_order=True).to_list())}
    return named.with_columns(model_at=pl.col("model").replace_strict(places, return_dtype=pl.Int64))


def at_the_end(scores: pl.DataFrame) -> pl.DataFrame:
    """The scores, of each training only those after its last step: what is not about steps is about the model."""
    return scores.filter(STEP.is_null() | (STEP.max().over(TRAINED, "study") == STEP))


def ended(runs: Runs) -> Runs:
    """The same of whole runs."""
    scores = at_the_end(runs.scores)
    if len(scores) == len(runs.scores):
        return runs
    each = []
    for run in runs.each:
        shown = scores.filter(pl.col("study") == run.manifest["study"]).get_column("model").unique().to_list()
        last = pl.col("model").is_null() | pl.col("model").is_in(shown)
        each.append(replace(run, scores=run.scores.filter(last), items=run.items.filter(last)))
    return replace(runs, each=tuple(each), scores=scores)


def _labels(runs: Sequence[Run]) -> list[dict[str, str]]:
    """For each run, model → label. Two runs of one study on one model are told apart by their folders."""
    studied = [set(run.scores.select("study", "model").drop_nulls().iter_rows()) for run in runs]
    counts = Counter(pair for pairs in studied for pair in pairs)
    return [
        {model: f"{model} ({_place(run, runs)})" for study, model in pairs if counts[study, model] > 1}
        for run, pairs in zip(runs, studied, strict=True)
    ]


def _place(run: Run, runs: Sequence[Run]) -> str:
    """A run's folder, with its parent where that alone tells it from others."""
    folder = run.folder.resolve()
    same = [other for other in runs if other.folder.resolve().name == folder.name]
    return folder.name if len(same) == 1 else f"{folder.parent.name}/{folder.name}"

"""The runs of a report, their scores in one table, and scores, tests and sentences as a reader sees them."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError
from wordworth.measure import find_measure, label
from wordworth.results.columns import SCORES, describe_score, model_label
from wordworth.results.run import MANIFEST, Run, find_runs, read_audit, read_run
from wordworth.results.table import Cell, format_cell
from wordworth.results.vocabulary import CAUTION_TEXTS, ORIGINAL, Caution, Notice

AUDIT_INTERRUPTED = "the audit was interrupted; the same command continues it"
TESTS = tomllib.loads((files("wordworth.results") / "data" / "tests.toml").read_text(encoding="utf-8"))
"""Association test → its number, subject and meaning."""
TEST_LABELS = {name: f"{test['number']} {test['subject']}" for name, test in TESTS.items()}  # on an axis
TEST_NAMES = {
    name: f"{test['meaning']} ({test['edition']})" if "edition" in test else test["meaning"]
    for name, test in TESTS.items()
}
"""Test → what a positive effect associates, and with which list of words."""
Labels = dict[str, str]  # model with its training step → its label in the report
OWN_LABEL = pl.coalesce(pl.format("{}@step{}", "model", "step"), "model")
OVERALL = "all models"  # the model of a number over several, such as a variance over languages
AS_IT_IS = pl.col("study") != "debias"  # scores of a model as it is: `debias` measures changed vectors
IS_ORIGINAL = pl.col("version").is_null() | (pl.col("version") == ORIGINAL)
IS_PLAIN = IS_ORIGINAL & pl.all_horizontal(
    pl.col(name).is_null() for name in ("variant", "subset", "control", "draw", "components")
)
"""Scores of a measure itself, on whole data and untouched vectors."""
IS_LAST_STEP = pl.col("step").is_null() | (pl.col("step") == pl.col("step").max().over("name", "study"))
DERIVED_COLUMNS = ("row", "run", "name", "model_at", "quantity", "care", "corpus", "percent", "decade")
"""Columns that `scores.csv` does not have: the place in the table, of the run and of the model; the model's own name;
the measure with its variant and parameters; the cautions in words; the text a model was trained on, and how much of it,
or which decade."""
FACTS: dict[str, Any] = {"corpus": pl.String, "percent": pl.Float64, "decade": pl.Int64}
"""The derived columns that are facts of the model."""
Score = Mapping[str, Any]  # a row of the scores


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs, and their scores under labels that tell their models apart."""

    each: tuple[Run, ...]
    """Their models have the labels too."""
    scores: pl.DataFrame
    """The columns of `scores.csv`, and `DERIVED`."""
    facts: dict[str, dict[str, Any]]
    """Label → what the runs say of the model."""
    notices: tuple[Notice, ...] = ()
    """What the audits could not do, or reduced."""

    @property
    def models(self) -> list[str]:
        """Return the labels: a model's name, with its training step, and the run's folder where two runs have it."""
        return [name for name in self.scores.get_column("model").unique(maintain_order=True) if name != OVERALL]

    @property
    def skipped(self) -> dict[str, int]:
        """Return reason → items of all runs that were not used."""
        return sum((Counter(run.skipped) for run in self.each), Counter[str]())

    def run_of(self, score: Score) -> Run:
        """Return the run of a score."""
        return self.each[score["run"]]

    def name_of(self, run: Run) -> str:
        """Return a run's folder, with its parent where two have the same name; its study where it is in memory."""
        if run.folder is None:
            return run.study
        folder = run.folder.resolve()
        namesakes = [peer for peer in self.each if peer.folder and peer.folder.resolve().name == folder.name]
        return folder.name if len(namesakes) == 1 else f"{folder.parent.name}/{folder.name}"

    def notices_of(self, *kinds: str) -> list[Notice]:
        """Return the notices of these kinds, of audits and of runs, each with its study."""
        run_notices = (notice.model_copy(update={"study": run.study}) for run in self.each for notice in run.notices)
        return [notice for notice in dict.fromkeys([*self.notices, *run_notices]) if notice.kind in kinds]


def better_of(score: Score) -> str:
    """Return which end of a score's measure is better: higher, lower, zero, or blank."""
    return find_measure(score["measure"], score["variant"]).better


def read_runs(runs_or_folders: Sequence[Run | str | Path]) -> Runs:
    """Gather runs in memory, and those in folders of runs and audits."""
    if not runs_or_folders:
        raise WordworthError("name a run's folder, such as runs/vast-…; `wordworth run` prints where it left one")
    folders = [Path(source) for source in runs_or_folders if not isinstance(source, Run)]
    runs = [source for source in runs_or_folders if isinstance(source, Run)]
    runs += [read_run(folder) for folder in find_runs(folders)]
    notices = tuple(notice for folder in folders for notice in _audit_notices(folder))
    unlabelled = Runs(tuple(runs), pl.DataFrame(), {}, notices)
    labels = _labels(unlabelled)
    each = tuple(_relabel(run, names) for run, names in zip(runs, labels, strict=True))
    facts: dict[str, dict[str, Any]] = {}
    for run, names in zip(runs, labels, strict=True):
        for model in run.models:
            name = model_label(model.name, model.step)
            model_facts = facts.setdefault(names.get(name, name), {})
            model_facts |= {key: value for key, value in model.model_dump().items() if value and key not in model_facts}
    return replace(unlabelled, each=each, scores=_combine(each, facts), facts=facts)


def _audit_notices(folder: Path) -> Iterator[Notice]:
    record = read_audit(folder)
    yield from record.notices
    failed_studies = {notice.study for notice in record.notices if notice.kind == "failed"}
    for plan in record.planned:
        if plan.study not in failed_studies and not (folder / plan.folder / MANIFEST).is_file():
            for model in plan.models:
                yield Notice(kind="skipped", study=plan.study, model=model, reason=AUDIT_INTERRUPTED)


def _labels(runs: Runs) -> list[Labels]:
    """Return the labels of each run. Its folder tells two runs of one study on one model apart."""
    models = [run.scores.select(OWN_LABEL).to_series().drop_nulls().unique().to_list() for run in runs.each]
    counts = Counter((run.study, name) for run, names in zip(runs.each, models, strict=True) for name in names)
    return [
        {name: f"{name} ({runs.name_of(run)})" for name in names if counts[run.study, name] > 1}
        for run, names in zip(runs.each, models, strict=True)
    ]


def _relabel(run: Run, labels: Labels) -> Run:
    label_of = OWN_LABEL.replace(labels).alias("model")
    items = {table: rows.with_columns(label_of) for table, rows in run.items.items()}
    scores = run.scores.with_columns(pl.col("model").alias("name"), label_of)
    return run.model_copy(update={"scores": scores, "items": items})


def _combine(runs: Sequence[Run], facts: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """Return the scores of all runs with the derived columns."""
    frames = [run.scores.with_columns(run=pl.lit(at, dtype=pl.Int64)) for at, run in enumerate(runs)]
    scores = pl.concat(frames).with_columns(pl.col("model").fill_null(OVERALL)).with_row_index("row")
    names = scores.get_column("model").unique(maintain_order=True).to_list()
    models = pl.DataFrame(
        [(name, at, *map(facts.get(name, {}).get, FACTS)) for at, name in enumerate(names)],
        schema={"model": pl.String, "model_at": pl.Int64} | FACTS,
        orient="row",
    )
    measures = scores.select("measure", "variant", "k", "threshold").rows()
    cautions = scores.get_column("cautions").to_list()
    care = ["; ".join(CAUTION_TEXTS[Caution(one)] for one in values or ()) or None for values in cautions]
    return scores.join(models, on="model", how="left", maintain_order="left").with_columns(
        pl.col("row").cast(pl.Int64),
        pl.Series("quantity", [_name_quantity(*row) for row in measures], pl.String),
        pl.Series("care", care, pl.String),
    )


def _name_quantity(measure: str, variant: str | None, *parameters: Any) -> str:
    """Return a measure with its parameters; a difference from a control is no correlation, and says so."""
    return f"Δρ {measure} (above control)" if variant == "above-control" else label(measure, variant, *parameters)


def keep_last_steps(runs: Runs) -> Runs:
    """Return the runs with only the last step of each training."""
    scores = runs.scores.filter(IS_LAST_STEP)
    if len(scores) == len(runs.scores):
        return runs
    each = []
    for at, run in enumerate(runs.each):
        model_names = scores.filter(pl.col("run") == at).get_column("model").unique().to_list()
        last = pl.col("model").is_null() | pl.col("model").is_in(model_names)
        items = {table: rows.filter(last) for table, rows in run.items.items()}
        each.append(run.model_copy(update={"scores": run.scores.filter(last), "items": items}))
    return replace(runs, each=tuple(each), scores=scores)


def describe(score: Score) -> str:
    """Return a score in words: “tiny valence bellezza bleached layer 3”."""
    return describe_score({name: score[name] for name in SCORES if name != "step"})  # the label has the step


def describe_place(score: Score) -> str:
    """Describe where on its data set a score was measured: “turkish, layer 3, bleached, last”."""
    numbered_columns = {"layer": "layer {}", "components": "top {} nullified"}
    phrases = [text.format(score[name]) for name, text in numbered_columns.items() if score[name] is not None]
    language = "" if score["language"] == "english" else score["language"]
    subset = (score["subset"] or "").replace("=", " = ")  # so that it wraps there
    names = (score["context"], score["version"], score["pooling"])
    return ", ".join(filter(None, [subset, language, *phrases, *names]))


def show_value(score: Score) -> str:
    """Return a score's value, with a mark where it has cautions."""
    return format_cell(Cell(score["value"], cautions=score["cautions"] or ()))


def with_interval(score: Score) -> str:
    """Return a score's value, its mark, and its interval where it has one."""
    return format_cell(replace(Cell.of_score(score), n=None, p=None))

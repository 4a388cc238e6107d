"""The runs that a report is made of, read into one table of scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError
from wordworth.run import Run, read_run

NUMBERS: dict[str, type[pl.DataType]] = {"layer": pl.Int64, "pcs": pl.Int64, "n": pl.Int64}
NUMBERS |= dict.fromkeys(("value", "low", "high", "p"), pl.Float64)
NAMES = ("study", "experiment", "model", "language", "dataset", "setting", "pooling", "measure")
COLUMNS = (*NAMES[:-1], "layer", "pcs", "measure", "value", "low", "high", "p", "n")
LATER = {"place": pl.String, "rank": pl.Int64, "entailment": pl.Float64, "contradiction": pl.Float64}
ALL = "all models"
"""The model of a number over several, such as a variance over languages."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """Runs, and their scores under labels that tell their models apart."""

    runs: tuple[Run, ...]
    scores: pl.DataFrame
    """The columns of `scores.csv`, `run` (a place in `runs`), `row` (in this table) and `model_at` (in `models`)."""
    labels: dict[tuple[int, str], str]
    """(run, model) → what the report calls it: the model's name, and the run's folder where it stands in two."""

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(self.labels.values()))

    def facts(self) -> dict[str, dict[str, Any]]:
        """What the manifests say of each model; what one run says of it, others complete."""
        told: dict[str, dict[str, Any]] = {}
        for number, run in enumerate(self.runs):
            for model in run.manifest["models"]:
                label = self.labels.get((number, model["name"]), model["name"])
                told[label] = {**model, **told.get(label, {})}
        return told


def run_folders(given: Sequence[Path]) -> list[Path]:
    """The folders of runs: those given, and for an audit's folder the runs inside it."""
    found: list[Path] = []
    for folder in given:
        if not folder.is_dir():
            raise WordworthError(f"{folder} is not a folder; name one that `wordworth run` or `wordworth audit` left")
        inside = [folder] if (folder / "run.json").is_file() else sorted(p.parent for p in folder.glob("*/run.json"))
        if not inside:
            raise WordworthError(f"{folder} holds no run (no run.json in it or in a folder in it); run a study first")
        found += [one for one in inside if one.resolve() not in {other.resolve() for other in found}]
    return found


def gather(given: Sequence[Path]) -> Gathered:
    """Reads runs and audits."""
    if not given:
        raise WordworthError("name a run's folder, such as runs/vast-…; `wordworth run` prints where it left one")
    runs = tuple(_complete(read_run(folder)) for folder in run_folders(given))
    tables = [_typed(run, number) for number, run in enumerate(runs)]
    every = pl.concat(tables)
    labels = _labels(runs, every)
    pairs = pl.DataFrame(
        {"run": [run for run, _ in labels], "model": [model for _, model in labels], "label": list(labels.values())},
        schema={"run": pl.Int64, "model": pl.String, "label": pl.String},
    )
    every = every.join(pairs, on=["run", "model"], how="left", maintain_order="left")
    return Gathered(runs, numbered(every.with_columns(model="label").drop("label")), labels)


def numbered(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores with `row` and `model_at`, and a name for the model of numbers over all of them."""
    named = scores.with_columns(pl.col("model").fill_null(ALL)).with_row_index("row")
    places = {label: at for at, label in enumerate(named.get_column("model").unique(maintain_order=True).to_list())}
    return named.with_columns(model_at=pl.col("model").replace_strict(places, return_dtype=pl.Int64))


def _complete(run: Run) -> Run:
    """A run of an earlier version has items of fewer columns; they are blank."""
    there = run.items.collect_schema().names()
    lacking = [pl.lit(None, dtype=kind).alias(name) for name, kind in LATER.items() if name not in there]
    return replace(run, items=run.items.with_columns(lacking))


def _typed(run: Run, number: int) -> pl.DataFrame:
    lacking = [name for name in COLUMNS if name not in run.scores.columns]
    if lacking:
        raise WordworthError(f"{run.folder / 'scores.csv'} has no column {lacking[0]}; was it written by wordworth?")
    kinds = {name: NUMBERS.get(name, pl.String) for name in COLUMNS}
    try:
        typed = run.scores.select(pl.col(name).cast(kind) for name, kind in kinds.items())
    except pl.exceptions.InvalidOperationError as error:
        reason = str(error).splitlines()[0]
        raise WordworthError(f"{run.folder / 'scores.csv'} has a cell that is no number ({reason})") from error
    return typed.with_columns(run=pl.lit(number, dtype=pl.Int64))


def _labels(runs: tuple[Run, ...], scores: pl.DataFrame) -> dict[tuple[int, str], str]:
    """Two runs of one study on one model are told apart by their folders."""
    there = scores.filter(pl.col("model").is_not_null()).select("run", "study", "model").unique(maintain_order=True)
    times = there.group_by("study", "model").len().filter(pl.col("len") > 1)
    twice = {(study, model) for study, model, _ in times.iter_rows()}
    labels: dict[tuple[int, str], str] = {}
    for run, study, model in there.iter_rows():
        if (study, model) in twice:
            labels[run, model] = f"{model} ({_place(runs, run)})"
        else:
            labels.setdefault((run, model), model)
    return labels


def _place(runs: tuple[Run, ...], number: int) -> str:
    """A run's folder, with its parent where that alone tells it from others."""
    folder = runs[number].folder.resolve()
    same = [run for run in runs if run.folder.resolve().name == folder.name]
    return folder.name if len(same) == 1 else f"{folder.parent.name}/{folder.name}"

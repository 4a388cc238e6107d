"""Choose the two sides of a comparison, and check that they can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, format_names, nearest
from wordworth.results.columns import model_label
from wordworth.results.run import ModelFacts, Run

MAX_VALUE = 80
"""Characters of a setting's value that a message repeats."""


@dataclass(frozen=True)
class Side:
    """Hold one side: a model of a run, or one version or context of it."""

    run: Run
    model: str
    step: int | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    """Column in which the sides differ (`version`, `context`) → its value on this side."""
    origin: str = ""
    """The run, if both sides would otherwise have the same label."""

    @property
    def label(self) -> str:
        """Return its name in tables and sentences."""
        name = model_label(self.model, self.step)
        name += f" ({', '.join(self.where.values())})" if self.where else ""
        return f"{name} [{self.origin}]" if self.origin else name

    @property
    def facts(self) -> ModelFacts:
        """Return what the run says about the model."""
        return self.run.facts_of(self.model)

    @property
    def selection(self) -> list[pl.Expr]:
        """Return the rows of scores and items that are of this side."""
        return [equals("model", self.model), equals("step", self.step), *(equals(*pair) for pair in self.where.items())]


def equals(column: str, value: Any) -> pl.Expr:
    """Return where a column has a value, or is blank for None."""
    return pl.col(column).eq_missing(pl.lit(value))


def models_of(run: Run) -> dict[str, tuple[str, int | None]]:
    """Return the models with scores, by label. A run may name other models, such as that of soft match."""
    rows = run.scores.select("model", "step").drop_nulls("model").unique(maintain_order=True).rows()
    return {model_label(name, step): (name, step) for name, step in rows}


def sides(
    runs: Sequence[Run], models: tuple[str, str] | None = None, **columns: tuple[str, str] | None
) -> tuple[Side, Side]:
    """Return the two sides: the named models, or the only ones.

    `columns` are the values on each side of a column in which they differ: `version=("projection", "original")`.
    """
    if not 1 <= len(runs) <= 2:
        raise WordworthError(f"give one run or two to compare, not {len(runs)}")
    pairs = {name: values for name, values in columns.items() if values is not None}
    names = models or _only_models(runs, can_be_one=bool(pairs))
    first, second = (
        _side(run, name, {column: values[i] for column, values in pairs.items()})
        for i, (run, name) in enumerate(zip((runs[0], runs[-1]), names, strict=True))
    )
    if first.label != second.label:
        return first, second
    if _is_one_run(first.run, second.run):
        raise WordworthError(f"{first.label} of {first.run.label} cannot be compared with itself; name another")
    origins = [side.run.folder.name if side.run.folder else f"run {i}" for i, side in enumerate((first, second), 1)]
    return replace(first, origin=origins[0]), replace(second, origin=origins[1])


def _side(run: Run, name: str, where: Mapping[str, str]) -> Side:
    models = models_of(run)
    _refuse_unknown(run, "model", name, [*models])
    for column, value in where.items():
        _refuse_unknown(run, column, value, run.scores.get_column(column).drop_nulls().unique().sort().to_list())
    return Side(run, *models[name], where=where)


def _refuse_unknown(run: Run, column: str, value: str, known_values: list[str]) -> None:
    if value not in known_values:
        hint = nearest(value, known_values) or f"; it has {format_names(known_values) or 'none'}"
        raise WordworthError(f"{run.label} has no {column} {value!r}{hint}")


def _is_one_run(first: Run, second: Run) -> bool:
    if first is second or first.folder is None or second.folder is None:
        return first is second
    return first.folder.resolve() == second.folder.resolve()


def is_before_and_after(first: Side, second: Side) -> bool:
    """Return whether both sides are one model of one run."""
    return _is_one_run(first.run, second.run) and (first.model, first.step) == (second.model, second.step)


def _only_models(runs: Sequence[Run], *, can_be_one: bool) -> tuple[str, str]:
    """Return the models to compare if none are named: one of each run, or both of one."""
    labels = [[*models_of(run)] for run in runs]
    if len(runs) == 1 and (len(labels[0]) == 2 or (can_be_one and len(labels[0]) == 1)):
        return labels[0][0], labels[0][-1]
    for run, names in zip(runs, labels, strict=True):
        count = f"{run.label} has {len(names)} models ({', '.join(names)})"
        if len(runs) == 1:
            raise WordworthError(f"{count}; say which two with --models A B")
        if len(names) != 1:
            raise WordworthError(f"{count}; say which with --models A B, A of the first run and B of the second")
    return labels[0][0], labels[1][0]


def refuse_unlike(first: Side, second: Side) -> None:
    """Raise for runs of different studies, seeds, settings or inputs."""
    first_run, second_run = first.run, second.run
    refusal = f"{first_run.label} and {second_run.label} cannot be compared"
    if first_run.study != second_run.study:
        raise WordworthError(f"{refusal}: their studies are {first_run.study} and {second_run.study}")
    if first_run.seed != second_run.seed:
        raise WordworthError(f"{refusal}: their random draws differ (seeds {first_run.seed} and {second_run.seed})")
    may_differ = {"models", *first_run.may_differ, *second_run.may_differ}
    for name in sorted((first_run.settings.keys() | second_run.settings.keys()) - may_differ):
        first_value, second_value = first_run.settings.get(name), second_run.settings.get(name)
        if first_value != second_value:
            values = f"{first_value!r:.{MAX_VALUE}} in one and {second_value!r:.{MAX_VALUE}} in the other"
            raise WordworthError(f"{refusal}: the setting {name} was {values}")
    names = {name for run in (first_run, second_run) for name in run.scores.get_column("dataset").drop_nulls().unique()}
    changed_inputs = changed_data(first_run, second_run) - names
    if changed_inputs:
        raise WordworthError(f"{refusal}: {min(changed_inputs)!r} is not the same data in both (their sha256 differ)")


def changed_data(first: Run, second: Run) -> set[str]:
    """Return the names under which two runs used different data."""
    checksums = [_checksums(run) for run in (first, second)]
    return {name for name in checksums[0].keys() & checksums[1].keys() if checksums[0][name] != checksums[1][name]}


def _checksums(run: Run) -> dict[str, set[str]]:
    checksums: dict[str, set[str]] = {}
    for data in run.data:
        if data.sha256:
            checksums.setdefault(data.name, set()).add(data.sha256)
    return checksums


def remarks(first: Side, second: Side) -> list[str]:
    """Return other possible reasons for a difference: versions of packages, and precision."""
    versions, other_versions = first.run.versions, second.run.versions
    packages = ("wordworth", "transformers", "torch")
    pairs = [(f"The runs were made with {name}", versions.get(name), other_versions.get(name)) for name in packages]
    pairs.append(("The models ran in", first.facts.precision, second.facts.precision))
    return [f"{text} {value} and {other}." for text, value, other in pairs if value and other and value != other]

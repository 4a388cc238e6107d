"""What is compared with what: two models of two runs, or of one; and whether they can be compared at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, nearest
from wordworth.results import Run


@dataclass(frozen=True)
class Side:
    """One of the two: a model in a run, or a model in one setting of a run."""

    run: Run
    model: str
    setting: str | None = None
    folder: str = ""
    """Named where the same model stands on both sides, from two runs."""

    @property
    def label(self) -> str:
        """What tables and sentences call it."""
        setting = f" ({self.setting})" if self.setting else ""
        return f"{self.model}{setting}" + (f" [{self.folder}]" if self.folder else "")


def models_of(run: Run) -> list[str]:
    """The models that have scores of their own; a manifest may name others that served, as for soft match."""
    return [str(name) for name in run.scores.get_column("model").drop_nulls().unique(maintain_order=True)]


def sides(
    runs: Sequence[Run], models: tuple[str, str] | None = None, settings: tuple[str, str] | None = None
) -> tuple[Side, Side]:
    """The two sides: the models named, or the only ones there are."""
    if not 1 <= len(runs) <= 2:
        raise WordworthError(f"give one run or two to compare, not {len(runs)}")
    if models is None:
        models = _only_models(runs, one_suffices=settings is not None)
    chosen = settings or (None, None)
    for run, model in zip((runs[0], runs[-1]), models, strict=True):
        if model not in (known := models_of(run)):
            hint = nearest(model, known) or f"; it has {', '.join(known)}"
            raise WordworthError(f"{run.folder} has no model {model!r}{hint}")
    first, second = Side(runs[0], models[0], chosen[0]), Side(runs[-1], models[1], chosen[1])
    if first.label != second.label:
        return first, second
    if first.run.folder.resolve() == second.run.folder.resolve():
        raise WordworthError(f"{first.label} of {first.run.folder} cannot be compared with itself; name another")
    named = [replace(side, folder=side.run.folder.name or str(side.run.folder)) for side in (first, second)]
    return named[0], named[1]


def _only_models(runs: Sequence[Run], *, one_suffices: bool) -> tuple[str, str]:
    """The models to compare where none are named: one of each run, or both of one."""
    known = [models_of(run) for run in runs]
    if len(runs) == 1 and (len(known[0]) == 2 or (one_suffices and len(known[0]) == 1)):
        return known[0][0], known[0][-1]
    for run, names in zip(runs, known, strict=True):
        has = f"{run.folder} has {len(names)} models ({', '.join(names)})"
        if len(runs) == 1:
            raise WordworthError(f"{has}; say which two with --models A B")
        if len(names) != 1:
            raise WordworthError(f"{has}; say which with --models A B, A of the first run and B of the second")
    return known[0][0], known[1][0]


def refuse_unlike(first: Side, second: Side) -> None:
    """Runs that asked different questions cannot be compared: an error says which and why."""
    one, other = first.run.manifest, second.run.manifest
    refusal = f"{first.run.folder} and {second.run.folder} cannot be compared"
    if one["study"] != other["study"]:
        raise WordworthError(f"{refusal}: they are of the studies {one['study']} and {other['study']}")
    if one["seed"] != other["seed"]:
        seeds = f"seeds {one['seed']} and {other['seed']}"
        raise WordworthError(f"{refusal}: what was drawn at random is not the same ({seeds})")
    ours, theirs = one["settings"], other["settings"]
    for name in sorted((ours.keys() | theirs.keys()) - {"models", *one["may_differ"], *other["may_differ"]}):
        if ours.get(name) != theirs.get(name):
            values = f"{_short(ours.get(name))} in one and {_short(theirs.get(name))} in the other"
            raise WordworthError(f"{refusal}: the setting {name} was {values}")
    differing = other_data(first, second) - _datasets(first) - _datasets(second)
    if differing:
        raise WordworthError(f"{refusal}: {min(differing)!r} is not the same data in both (their sha256 differ)")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:79]}…"


def other_data(first: Side, second: Side) -> set[str]:
    """Names under which the two runs used different data."""
    sums = [_checksums(side.run) for side in (first, second)]
    return {name for name in sums[0].keys() & sums[1].keys() if sums[0][name] != sums[1][name]}


def remarks(first: Side, second: Side) -> list[str]:
    """What may explain a difference other than the models."""
    versions = [side.run.manifest["versions"] for side in (first, second)]
    precisions = [described(side).get("precision") for side in (first, second)]
    differing = [
        (f"The runs were made with {package}", versions[0].get(package), versions[1].get(package))
        for package in ("wordworth", "transformers", "torch")
    ]
    differing.append(("The models ran in", precisions[0], precisions[1]))
    return [f"{what} {one} and {other}." for what, one, other in differing if one and other and one != other]


def described(side: Side) -> dict[str, Any]:
    """What the manifest says of the model."""
    return next((dict(model) for model in side.run.manifest["models"] if model["name"] == side.model), {})


def _checksums(run: Run) -> dict[str, set[str]]:
    sums: dict[str, set[str]] = {}
    for data in run.manifest["data"]:
        if data["sha256"]:
            sums.setdefault(data["name"], set()).add(data["sha256"])
    return sums


def _datasets(side: Side) -> set[str]:
    return {*side.run.scores.filter(pl.col("model") == side.model).get_column("dataset").drop_nulls()}

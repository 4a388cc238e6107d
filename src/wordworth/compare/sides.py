"""What is held against what: two models of two runs, or of one; and whether they can be compared at all."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, nearest
from wordworth.run.folder import Run

# Options that change no item's value: which models and tasks were run (only what both have is compared), how the
# intervals and p-values were come by, and where it ran. Any other option must be the same in both runs.
FREE = {"models", "lexica", "languages", "experiments", "settings", "pairs", "tests", "probes", "components", "shares"}
FREE |= {"near", "layers", "training", "slices", "by", "thresholds", "mitigate", "random", "against", "accuracy", "top"}
FREE |= {"resamples", "permutations", "method", "sides", "on_bad", "file_format", "device", "dtype", "shard"}


@dataclass(frozen=True)
class Side:
    """One of the two: a model in a run, or a model in one setting of a run."""

    run: Run
    model: str
    setting: str | None = None

    @property
    def label(self) -> str:
        return f"{self.model} ({self.setting})" if self.setting else self.model


def models_of(run: Run) -> list[str]:
    """The models that have scores of their own; a manifest may name others that served, as for soft match."""
    return [str(name) for name in run.scores.get_column("model").drop_nulls().unique(maintain_order=True)]


def sides(
    runs: list[Run], models: tuple[str, str] | None = None, settings: tuple[str, str] | None = None
) -> tuple[Side, Side]:
    """The two sides: the models named, or the only ones there are."""
    if not 1 <= len(runs) <= 2:
        raise WordworthError(f"give one run or two to compare, not {len(runs)}")
    pair = (runs[0], runs[-1])
    if models is None:
        models = _only_ones(pair, len(runs), same=settings is not None)
    for run, model in zip(pair, models, strict=True):
        if model not in models_of(run):
            known = models_of(run)
            told = nearest(model, known) or f"; it has {', '.join(known)}"
            raise WordworthError(f"{run.folder} has no model {model!r}{told}")
    chosen = settings or (None, None)
    first, second = (Side(run, model, one) for run, model, one in zip(pair, models, chosen, strict=True))
    if first == second:
        raise WordworthError(f"{first.label} of {first.run.folder} cannot be compared with itself; name another")
    if first.label == second.label:  # the same model run twice: the folders tell them apart
        names = [f"{side.label} [{side.run.folder.name or side.run.folder}]" for side in (first, second)]
        first, second = _Named(*_parts(first), names[0]), _Named(*_parts(second), names[1])
    return first, second


@dataclass(frozen=True)
class _Named(Side):
    name: str = ""

    @property
    def label(self) -> str:
        return self.name


def _parts(side: Side) -> tuple[Run, str, str | None]:
    return side.run, side.model, side.setting


def _only_ones(pair: tuple[Run, Run], count: int, *, same: bool) -> tuple[str, str]:
    """The models to compare where none are named: one of each run, or both of one."""
    if count == 1:
        known = models_of(pair[0])
        if same and len(known) == 1:
            return known[0], known[0]
        if len(known) != 2:
            raise WordworthError(
                f"{pair[0].folder} has {len(known)} models ({', '.join(known)}); say which two with --models A B"
            )
        return known[0], known[1]
    for run in pair:
        if len(models_of(run)) != 1:
            known = models_of(run)
            raise WordworthError(
                f"{run.folder} has {len(known)} models ({', '.join(known)}); say which with --models A B, "
                "A of the first run and B of the second"
            )
    return models_of(pair[0])[0], models_of(pair[1])[0]


def refuse_unlike(first: Side, second: Side) -> None:
    """Runs that asked different questions cannot be compared: an error says which and why."""
    one, other = first.run, second.run
    told = f"{one.folder} and {other.folder} cannot be compared"
    studies = one.manifest["study"], other.manifest["study"]
    if studies[0] != studies[1]:
        raise WordworthError(f"{told}: they are of the studies {studies[0]} and {studies[1]}")
    seeds = one.manifest["seed"], other.manifest["seed"]
    if seeds[0] != seeds[1]:
        raise WordworthError(f"{told}: what was drawn at random is not the same (seeds {seeds[0]} and {seeds[1]})")
    options = [_fixed(run) for run in (one, other)]
    for name in sorted(options[0].keys() | options[1].keys()):
        values = [option.get(name) for option in options]
        if values[0] != values[1]:
            raise WordworthError(f"{told}: the option {name} was {values[0]!r} in one and {values[1]!r} in the other")
    differing = other_data(first, second) - set(_datasets(first)) - set(_datasets(second))
    if differing:
        name = min(differing)
        raise WordworthError(f"{told}: {name!r} is not the same data in both (their sha256 differ)")


def other_data(first: Side, second: Side) -> set[str]:
    """Names under which the two runs used different data."""
    sums = [_checksums(side.run) for side in (first, second)]
    return {name for name in sums[0].keys() & sums[1].keys() if sums[0][name] != sums[1][name]}


def remarks(first: Side, second: Side) -> list[str]:
    """What may explain a difference other than the models."""
    told = []
    for what in ("wordworth", "transformers", "torch"):
        versions = [side.run.manifest["versions"].get(what) for side in (first, second)]
        if versions[0] != versions[1] and all(versions):
            told.append(f"The runs were made with {what} {versions[0]} and {versions[1]}.")
    precisions = [described(side).get("precision") for side in (first, second)]
    if precisions[0] != precisions[1] and all(precisions):
        told.append(f"The models ran in {precisions[0]} and {precisions[1]}.")
    return told


def _fixed(run: Run) -> dict[str, Any]:
    return {name: value for name, value in run.manifest["options"].items() if name not in FREE}


def described(side: Side) -> dict[str, Any]:
    """What the manifest says of the model."""
    return next(model for model in side.run.manifest["models"] if model["name"] == side.model)


def _checksums(run: Run) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for data in run.manifest["data"]:
        if data["sha256"]:
            found.setdefault(str(data["name"]), set()).add(str(data["sha256"]))
    return found


def _datasets(side: Side) -> list[str]:
    names = side.run.scores.filter(pl.col("model") == side.model).get_column("dataset").drop_nulls().unique().to_list()
    return [str(name) for name in names]

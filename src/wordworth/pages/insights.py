"""What the scores say: the best layer, where context takes over, what nullifying recovers, where tests are read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from wordworth.pages.runs import AS_IT_IS

LEVEL = 0.05
"""Of significance."""
APART = 0.1
"""Settings whose ρ differ by more than this have parted."""
ON_FIRST_LEXICON = pl.col("dataset") == pl.col("dataset").first().over("model")
NEAR_BEST = 0.97
"""The layer of closest agreement is sought where valence is at least this share of its highest mean."""


@dataclass(frozen=True)
class Best:
    """The layer in which valence is highest without a context's help."""

    model: str
    dataset: str
    setting: str
    layer: int
    top: int
    value: float
    low: float | None
    high: float | None
    n: int
    flags: str | None
    """Why it is to be read with care."""
    held_out: float | None
    """ρ over half of the words, in the layer that the other half picked; None in runs that have none."""
    untrained: float | None
    """ρ of the same network with random weights there; None in runs without that control."""
    learnt: bool | None
    """Whether ρ is higher than that by more than chance; None where it was not tested."""
    row: int
    """Its place in the scores."""


@dataclass(frozen=True)
class Parting:
    """Where the settings agree most closely, and where they have parted for good."""

    model: str
    dataset: str
    closest: int
    within: float
    parted: int | None
    """The first layer from which they stay more than `APART` from each other up to the top; None: they never part."""
    top: int
    at_top: float


@dataclass(frozen=True)
class Recovery:
    """Valence in the top layer raw, and at its highest with components nullified."""

    model: str
    dataset: str
    setting: str
    layer: int
    raw: float
    nullified: float
    pcs: int


def _contextual(scores: pl.DataFrame, measure: str = "valence") -> pl.DataFrame:
    valued = pl.col("value").is_not_nan() & pl.col("value").is_not_null()
    wanted = pl.col("experiment") == "contextualization", pl.col("measure") == measure
    return scores.filter(AS_IT_IS, *wanted, valued)


def plain_setting(rows: pl.DataFrame) -> str:
    """The setting that says least about a word: bleached where it is, else the first."""
    settings = rows.get_column("setting").unique(maintain_order=True).to_list()
    return "bleached" if "bleached" in settings else str(settings[0])


def best_layers(scores: pl.DataFrame) -> Iterator[Best]:
    """For each model and lexicon."""
    judged = _contextual(scores, "valence:held-out").select("model", "dataset", "setting", "value")
    held_out = {tuple(row[:3]): row[3] for row in judged.iter_rows()}
    untrained = {key: row["value"] for key, row in _untrained(scores, "valence:control").items()}
    above = _untrained(scores, "valence:above")
    for (model, dataset), rows in _contextual(scores).group_by(["model", "dataset"], maintain_order=True):
        setting = plain_setting(rows)
        mine = rows.filter(pl.col("setting") == setting).sort("value", descending=True, maintain_order=True)
        row = mine.row(0, named=True)
        interval = {key: row[key] for key in ("row", "layer", "value", "low", "high", "n", "flags")}
        top = rows.select(pl.col("layer").max()).item()
        interval["held_out"] = held_out.get((model, dataset, setting))
        control = (model, dataset, f"untrained:{setting}", row["layer"])
        interval["untrained"] = untrained.get(control)
        interval["learnt"] = above_chance(above.get(control))
        yield Best(str(model), str(dataset), setting, top=top, **interval)


def _untrained(scores: pl.DataFrame, measure: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of a measure of controls, by model, lexicon, setting and layer."""
    rows = scores.filter(AS_IT_IS, pl.col("measure") == measure).iter_rows(named=True)
    return {tuple(row[key] for key in ("model", "dataset", "setting", "layer")): row for row in rows}


def above_chance(row: Mapping[str, Any] | None) -> bool | None:
    """Whether a difference is above 0 by more than chance, by its p or else its interval; None: neither is there."""
    if row is None or (row["p"] is None and row["low"] is None):
        return None
    return bool(row["value"] > 0 and row["p"] < LEVEL) if row["p"] is not None else bool(row["low"] > 0)


def partings(scores: pl.DataFrame) -> Iterator[Parting]:
    """Yield one per model with several settings, on its first lexicon; layer 0, without context, is skipped."""
    first = _contextual(scores).filter(ON_FIRST_LEXICON)
    for (model, dataset), rows in first.group_by(["model", "dataset"], maintain_order=True):
        by_layer = (
            rows.filter(pl.col("layer") > 0)
            .group_by("layer")
            .agg((pl.col("value").max() - pl.col("value").min()).alias("apart"), pl.col("value").mean(), pl.len())
            .sort("layer")
        )
        if rows.get_column("setting").n_unique() < 2 or by_layer.is_empty():
            continue
        strong = by_layer.filter(pl.col("value") >= NEAR_BEST * pl.col("value").max())
        closest = strong.sort("apart", maintain_order=True).row(0, named=True)
        last_together = by_layer.filter(pl.col("apart") <= APART).select(pl.col("layer").max()).item()
        layers = by_layer.get_column("layer").to_list()
        after = [layer for layer in layers if last_together is None or layer > last_together]
        yield Parting(
            model=str(model),
            dataset=str(dataset),
            closest=closest["layer"],
            within=closest["apart"],
            parted=after[0] if after else None,
            top=layers[-1],
            at_top=by_layer.get_column("apart")[-1],
        )


def recoveries(scores: pl.DataFrame) -> Iterator[Recovery]:
    """Yield one per model, in the top layer and on its first lexicon."""
    mine = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == "valence")
    top = mine.filter(pl.col("layer") == pl.col("layer").max().over("model"), ON_FIRST_LEXICON)
    for (model, dataset), rows in top.group_by(["model", "dataset"], maintain_order=True):
        setting = plain_setting(rows)
        plain = rows.filter(pl.col("setting") == setting)
        raw = plain.filter(pl.col("pcs").is_null())
        after = plain.filter(pl.col("pcs").is_not_null()).sort("value", descending=True, maintain_order=True)
        if raw.is_empty() or after.is_empty():
            continue
        best = after.row(0, named=True)
        layer, value = best["layer"], raw.row(0, named=True)["value"]
        yield Recovery(str(model), str(dataset), setting, layer, value, best["value"], best["pcs"])


def best_components(scores: pl.DataFrame) -> dict[str, int]:
    """Return model → how many components bring most valence back in its top layer, for its first lexicon."""
    return {recovery.model: recovery.pcs for recovery in recoveries(scores)}


def reading_layers(scores: pl.DataFrame) -> dict[str, int]:
    """Return model → the layer in which association tests are read: that of the best valence on its first lexicon."""
    return {best.model: best.layer for best in reversed(list(best_layers(scores)))}


def associations(scores: pl.DataFrame) -> pl.DataFrame:
    """One effect size a model and test, of vectors as they are, nothing nullified.

    In a language model it is that of the layer in which valence is best, which is picked by other words than the
    tests have; where valence was not measured, of the top layer (`picked` says which).
    """
    rows = scores.filter(AS_IT_IS, pl.col("measure") == "weat", pl.col("pcs").is_null())
    # A test that stands in two runs of an audit (valnorm and weat) is one test.
    once = rows.unique(["model", "language", "dataset", "setting", "layer"], maintain_order=True, keep="last")
    chosen = reading_layers(scores)
    best = pl.col("model").replace_strict(chosen, default=None, return_dtype=pl.Int64)
    picked = (pl.col("layer") == best).fill_null(False).any().over("model")
    layer = pl.when(picked).then(best).otherwise(pl.col("layer").max().over("model"))
    return once.with_columns(picked=picked).filter(pl.col("layer").is_null() | (pl.col("layer") == layer))

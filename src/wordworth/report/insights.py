"""What the scores say: the best layer, where context takes over, what nullifying recovers."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from wordworth.report.naming import HARMLESS
from wordworth.report.runs import AS_IT_IS
from wordworth.statistics.holm import holm

APART = 0.1
"""Settings whose ρ differ by more than this have parted."""
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
    row: int
    """Its place in the scores."""


@dataclass(frozen=True)
class Parting:
    """Where the settings agree most closely, and where they have parted for good."""

    model: str
    dataset: str
    settings: tuple[str, ...]
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
    control = scores.filter(AS_IT_IS, pl.col("measure") == "valence:control")
    untrained = {
        tuple(row[:4]): row[4] for row in control.select("model", "dataset", "setting", "layer", "value").iter_rows()
    }
    for (model, dataset), rows in _contextual(scores).group_by(["model", "dataset"], maintain_order=True):
        setting = plain_setting(rows)
        mine = rows.filter(pl.col("setting") == setting).sort("value", descending=True, maintain_order=True)
        row = mine.row(0, named=True)
        interval = {key: row[key] for key in ("row", "layer", "value", "low", "high", "n", "flags")}
        top = rows.select(pl.col("layer").max()).item()
        interval["held_out"] = held_out.get((model, dataset, setting))
        interval["untrained"] = untrained.get((model, dataset, f"untrained:{setting}", row["layer"]))
        yield Best(str(model), str(dataset), setting, top=top, **interval)


def partings(scores: pl.DataFrame) -> Iterator[Parting]:
    """For each model and lexicon with more than one setting. Layer 0, which no context has reached, is left out."""
    for (model, dataset), rows in _contextual(scores).group_by(["model", "dataset"], maintain_order=True):
        settings = tuple(rows.get_column("setting").unique(maintain_order=True).to_list())
        by_layer = (
            rows.filter(pl.col("layer") > 0)
            .group_by("layer")
            .agg((pl.col("value").max() - pl.col("value").min()).alias("apart"), pl.col("value").mean(), pl.len())
            .sort("layer")
        )
        if len(settings) < 2 or by_layer.is_empty():
            continue
        strong = by_layer.filter(pl.col("value") >= NEAR_BEST * pl.col("value").max())
        closest = strong.sort("apart", maintain_order=True).row(0, named=True)
        last_together = by_layer.filter(pl.col("apart") <= APART).select(pl.col("layer").max()).item()
        layers = by_layer.get_column("layer").to_list()
        after = [layer for layer in layers if last_together is None or layer > last_together]
        yield Parting(
            model=str(model),
            dataset=str(dataset),
            settings=settings,
            closest=closest["layer"],
            within=closest["apart"],
            parted=after[0] if after else None,
            top=layers[-1],
            at_top=by_layer.get_column("apart")[-1],
        )


def recoveries(scores: pl.DataFrame) -> Iterator[Recovery]:
    """For each model and lexicon, in the top layer."""
    mine = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == "valence")
    top = mine.filter(pl.col("layer") == pl.col("layer").max().over("model"))
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
    """Model → how many components bring most valence back in its top layer, for its first lexicon."""
    components: dict[str, int] = {}
    for recovery in recoveries(scores):
        components.setdefault(recovery.model, recovery.pcs)
    return components


def associations(scores: pl.DataFrame) -> pl.DataFrame:
    """One effect size a model and test: of static vectors, or of the top layer with `best_components` nullified.

    `p_holm` is p corrected for all the model's tests of groups of people, in all layers; `tests` and `versions` say how
    many tests those are, and in how many layers and numbers of components (`nullified`: whether there are such).
    """
    rows = scores.filter(AS_IT_IS, pl.col("measure") == "weat")
    # A test that stands in two runs of an audit (valnorm and weat) is one test.
    once = rows.unique(["model", "language", "dataset", "setting", "layer", "pcs"], maintain_order=True, keep="last")
    rows = _corrected(once)
    static = rows.filter(pl.col("layer").is_null())
    layered = rows.filter(pl.col("layer") == pl.col("layer").max().over("model"))
    if layered.is_empty():
        return static
    chosen = best_components(scores)
    every = layered.get_column("model").unique(maintain_order=True).to_list()
    pcs = pl.col("model").replace_strict({model: chosen.get(model) for model in every}, return_dtype=pl.Int64)
    return pl.concat([static, layered.filter(pl.col("pcs").eq_missing(pcs))])


def _corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """Association tests with Holm's correction over all of a model's that are of groups of people and have a p."""
    tested = rows.filter(~pl.col("dataset").is_in(HARMLESS), pl.col("p").is_not_null())
    families = [
        mine.select(
            "row",
            p_holm=pl.Series(holm(mine.get_column("p").to_numpy()), dtype=pl.Float64),
            tests=pl.struct("language", "dataset").n_unique(),
            versions=pl.struct("setting", "layer", "pcs").n_unique(),
            nullified=pl.col("pcs").is_not_null().any(),
        )
        for (_,), mine in tested.group_by(["model"], maintain_order=True)
    ]
    if not families:
        none = {"tests": pl.lit(0), "versions": pl.lit(0), "nullified": pl.lit(False)}
        return rows.with_columns(p_holm=pl.lit(None, pl.Float64), **none)
    return rows.join(pl.concat(families), on="row", how="left", maintain_order="left")

"""Association tests: static, by layer, and before and after components are nullified."""

import json
from collections.abc import Iterator

import polars as pl

from wordworth.report.figures.figure import Figure, Spec, by_layer, dots, lines, series
from wordworth.report.insights import best_components
from wordworth.report.naming import SHORT


def stereotypes(scores: pl.DataFrame) -> Iterator[Figure]:
    """All that the scores have data for."""
    own = _named(scores.filter(pl.col("study") != "debias", pl.col("measure") == "weat"))
    figure = associations(own)
    if figure is not None:
        yield figure
    for made in (before_and_after(own, scores), associations_by_layer(own)):
        if made is not None:
            yield made


TEST: Spec = {"calculate": f"({json.dumps(SHORT)})[datum.dataset] || datum.dataset", "as": "test"}
"""A test's number with what it is about."""


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    """The same as `TEST`, the tests in the order of their numbers."""
    place = pl.col("dataset").str.extract(r"^weat(\d+)$").cast(pl.Int64)
    named = rows.with_columns(test=pl.col("dataset").replace(SHORT), place=place)
    return named.sort("place", "row", nulls_last=True).drop("place")


def associations(scores: pl.DataFrame) -> Figure | None:
    """WEAT on static embeddings."""
    rows = scores.filter(pl.col("layer").is_null())
    if rows.is_empty():
        return None
    # A test that stands in two runs of an audit (valnorm and weat) is shown once.
    rows = rows.unique(["model", "language", "dataset"], maintain_order=True, keep="last")
    spec = dots(rows, y=["test"], x="effect size d", colour=series(rows, "model"), transform=[TEST], zero=True)
    caption = (
        "Cohen’s d of the ten association tests: above 0 as the test’s name has it, .2 is small, .5 medium, .8 large. "
        "Hover for p, the share of partitions of the words that give as much."
    )
    return Figure("weat", "Association tests", caption, spec, rows, ("dataset",), ("model",), "Dot chart")


def before_and_after(rows: pl.DataFrame, scores: pl.DataFrame) -> Figure | None:
    """VAST's Figure 5: the top layer raw, and with the components nullified that recover most valence."""
    layered = rows.filter(pl.col("layer").is_not_null(), pl.col("layer") == pl.col("layer").max().over("model"))
    if layered.is_empty() or layered.get_column("pcs").is_null().all():
        return None
    chosen = best_components(scores)
    most = layered.group_by("model").agg(pl.col("pcs").max()).iter_rows()
    kept = {model: chosen.get(model, pcs) for model, pcs in most}
    wanted = pl.col("pcs").is_null() | (pl.col("pcs") == pl.col("model").replace_strict(kept, return_dtype=pl.Int64))
    shown = layered.filter(wanted)
    made = {"calculate": "isValid(datum.pcs) ? 'nullified' : 'raw'", "as": "version"}
    spec = dots(
        shown, y=["test"], x="effect size d, top layer", colour=series(shown, "version", values=["raw", "nullified"]),
        by=["model"], transform=[TEST, made], tooltip=["pcs"], zero=True,
    )  # fmt: skip
    told = "; ".join(f"{model}: {pcs}" for model, pcs in kept.items())
    caption = (
        "Bias that non-semantic directions hide: d in the top layer raw, and with as many components nullified as "
        f"bring most valence back ({told})."
    )
    title = "Association tests before and after nullifying"
    return Figure("weat-nullified", title, caption, spec, shown, ("model", "dataset"), ("pcs",), "Dot chart")


def associations_by_layer(scores: pl.DataFrame) -> Figure | None:
    """The ten tests through the layers."""
    rows = scores.filter(pl.col("layer").is_not_null(), pl.col("pcs").is_null())
    if rows.is_empty():
        return None
    spec = lines(
        rows,
        x=by_layer(),
        y="effect size d",
        colour=series(rows, "model"),
        by=["test"],
        transform=[TEST],
        tooltip=["p"],
        columns=4,
    )
    caption = "Cohen’s d in every layer, bleached, nothing nullified."
    title = "Association tests by layer"
    return Figure("weat-layers", title, caption, spec, rows, ("model", "layer"), ("dataset",))

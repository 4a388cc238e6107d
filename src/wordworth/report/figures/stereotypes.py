"""Association tests: static, by layer, and before and after components are nullified."""

import json

import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import LAYER, MEASURE, Figure, Spec, shows
from wordworth.report.insights import best_components
from wordworth.report.naming import SHORT

TEST: Spec = {"calculate": f"({json.dumps(SHORT)})[datum.dataset] || datum.dataset", "as": "test"}
"""A test's number with what it is about."""


def named_tests(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str], list[Spec]]:
    """Tests in the order of their numbers; the columns that name one, with its n; the transforms that make these."""
    place = pl.col("dataset").str.extract(r"^(?:vast-)?weat(\d+)$").cast(pl.Int64)
    rows = rows.with_columns(test=pl.col("dataset").replace(SHORT), place=place)
    rows = rows.sort("place", "row", nulls_last=True).drop("place")
    name = ["test", *charts.varying(rows, ["language"])]
    rows, counts = charts.counted(rows, name)
    return rows, [*name, "count"], [TEST, *counts]


@shows(MEASURE == "weat", LAYER.is_null())
def associations(rows: pl.DataFrame) -> Figure:
    """WEAT on static embeddings."""
    # A test that stands in two runs of an audit (valnorm and weat) is shown once.
    rows = rows.unique(["model", "language", "dataset"], maintain_order=True, keep="last")
    rows, test, naming = named_tests(rows)
    spec = charts.dots(rows, y=test, x="effect size d", colour="model", transform=naming, zero=True)
    intervals = "" if rows["low"].is_null().all() else " Bars are 95 % intervals, n the words of both targets."
    caption = (
        "Cohen’s d of each association test: above 0 as the test’s name has it, .2 is small, .5 medium, .8 large."
        f"{intervals} Hover for p, the share of partitions of the words that give as much."
    )
    down = ("dataset", *charts.varying(rows, ["language"]))
    return Figure("weat", "Association tests", caption, spec, rows, down, ("model",), "Dot chart")


@shows()
def before_and_after(scores: pl.DataFrame) -> Figure | None:
    """VAST's Figure 5: the top layer raw, and with the components nullified that recover most valence."""
    layered = scores.filter(MEASURE == "weat", LAYER.is_not_null()).filter(LAYER.max().over("model") == LAYER)
    if layered.get_column("pcs").is_null().all():
        return None
    chosen = best_components(scores)
    most = layered.group_by("model").agg(pl.col("pcs").max()).iter_rows()
    kept = {model: chosen.get(model, pcs) for model, pcs in most}
    wanted = pl.col("pcs").is_null() | (pl.col("pcs") == pl.col("model").replace_strict(kept, return_dtype=pl.Int64))
    shown, test, naming = named_tests(layered.filter(wanted))
    version = {"calculate": "isValid(datum.pcs) ? 'nullified' : 'raw'", "as": "version"}
    spec = charts.dots(
        shown,
        y=test,
        x="effect size d, top layer",
        colour=charts.series(shown, "version", values=["raw", "nullified"]),
        layout=charts.Layout(["model"], tooltip=["pcs"]),
        transform=[*naming, version],
        zero=True,
    )
    counts = "; ".join(f"{model}: {pcs}" for model, pcs in kept.items())
    caption = (
        "Bias that non-semantic directions hide: d in the top layer raw, and with as many components nullified as "
        f"bring most valence back ({counts})."
    )
    title = "Association tests before and after nullifying"
    return Figure("weat-nullified", title, caption, spec, shown, ("model", "dataset"), ("pcs",), "Dot chart")


@shows(MEASURE == "weat", LAYER.is_not_null(), pl.col("pcs").is_null())
def associations_by_layer(rows: pl.DataFrame) -> Figure:
    """The ten tests through the layers."""
    rows, test, naming = named_tests(rows)
    layout = charts.Layout(test, columns=4, tooltip=["p"])
    spec = charts.lines(rows, x=charts.by_layer(), y="effect size d", colour="model", layout=layout, transform=naming)
    caption = "Cohen’s d in every layer, bleached, nothing nullified."
    title = "Association tests by layer"
    return Figure("weat-layers", title, caption, spec, rows, ("model", "layer"), ("dataset",))


FIGURES = (associations, before_and_after, associations_by_layer)

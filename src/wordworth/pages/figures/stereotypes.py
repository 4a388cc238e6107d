"""Draw stereotypes: association tests, and the estimators of bias in vectors made from language models."""

from functools import partial

import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import EXPERIMENT, LAYER, MEASURE, Figure, Maker, shows
from wordworth.pages.figures.meaning import SEVERAL_STEPS, place_by_step
from wordworth.pages.insights import best_components
from wordworth.pages.naming import SHORT

ESTIMATORS = (
    *("direct-bias", "direct-bias:centred", "garg-euclidean", "garg-cosine", "manzini", "manzini:centroid"),
    *("ripa", "mac", "ect", "rnsb"),
)
"""In the order of a figure: the paper's with their variants, then the others."""


def _name_tests(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return tests in the order of their numbers, and the columns that name one, with its n."""
    place = pl.col("dataset").str.extract(r"^(?:vast-)?weat(\d+)$").cast(pl.Int64)
    rows = rows.with_columns(test=pl.col("dataset").replace(SHORT)).sort(place, "row", nulls_last=True)
    name = ["test", *charts.find_varying(rows, ["language"])]
    return charts.add_counts(rows, name), [*name, "count"]


@shows(MEASURE == "weat", LAYER.is_null())
def associations(rows: pl.DataFrame) -> Figure:
    """Draw WEAT on static embeddings."""
    # A test that is in two runs of an audit (valnorm and weat) is shown once.
    rows = rows.unique(["model", "language", "dataset"], maintain_order=True, keep="last")
    rows, test = _name_tests(rows)
    draw = partial(charts.draw_dots, rows, y=test, x="effect size d", colour="model", zero=True)
    intervals = "" if rows["low"].is_null().all() else " Bars are 95 % intervals, n the words of both targets."
    caption = (
        "Cohen’s d of each association test: above 0 as the test’s name has it, .2 is small, .5 medium, .8 large."
        f"{intervals} Hover for p, the share of partitions of the words that give as much."
    )
    down = ("dataset", *charts.find_varying(rows, ["language"]))
    return Figure("weat", "Association tests", caption, draw, rows, down, ("model",), "Dot chart")


@shows()
def before_and_after(scores: pl.DataFrame) -> Figure | None:
    """Draw VAST's Figure 5: the top layer raw, and with the components nullified that recover most valence."""
    layered = scores.filter(MEASURE == "weat", LAYER.is_not_null()).filter(LAYER.max().over("model") == LAYER)
    if layered.get_column("pcs").is_null().all():
        return None
    chosen = best_components(scores)
    most = layered.group_by("model").agg(pl.col("pcs").max()).iter_rows()
    kept = {model: chosen.get(model, pcs) for model, pcs in most}
    is_raw = pl.col("pcs").is_null()
    wanted = is_raw | (pl.col("pcs") == pl.col("model").replace_strict(kept, return_dtype=pl.Int64))
    rows, test = _name_tests(layered.filter(wanted))
    rows = rows.with_columns(version=pl.when(is_raw).then(pl.lit("raw")).otherwise(pl.lit("nullified")))
    colour = charts.make_series(rows, "version", values=["raw", "nullified"])
    x, layout = "effect size d, top layer", charts.Layout(["model"], tooltip=["pcs"])
    draw = partial(charts.draw_dots, rows, y=test, x=x, colour=colour, layout=layout, zero=True)
    counts = "; ".join(f"{model}: {pcs}" for model, pcs in kept.items())
    caption = (
        "Bias that non-semantic directions hide: d in the top layer raw, and with as many components nullified as "
        f"bring most valence back ({counts})."
    )
    title = "Association tests before and after nullifying"
    return Figure("weat-nullified", title, caption, draw, rows, ("model", "dataset"), ("pcs",), "Dot chart")


IN_LAYERS = (MEASURE == "weat") & LAYER.is_not_null() & pl.col("pcs").is_null()


@shows(IN_LAYERS)
def associations_by_layer(rows: pl.DataFrame) -> Figure:
    """Draw the ten tests through the layers."""
    rows, test = _name_tests(rows)
    x, layout = charts.place_by_layer(), charts.Layout(test, columns=4, tooltip=["p"])
    draw = partial(charts.draw_lines, rows, x=x, y="effect size d", colour="model", layout=layout)
    caption = "Cohen’s d in every layer, bleached, nothing nullified."
    title = "Association tests by layer"
    return Figure("weat-layers", title, caption, draw, rows, ("model", "layer"), ("dataset",))


@shows(SEVERAL_STEPS, IN_LAYERS)
def associations_by_step(rows: pl.DataFrame) -> Figure:
    """Draw the association tests while a model is trained, a panel per test."""
    rows, x = place_by_step(rows)
    rows, test = _name_tests(rows)
    layers = charts.make_series(rows, "layer", "layer", sorted(charts.list_distinct(rows, "layer")))
    layout = charts.Layout(("training", *test), tooltip=["p"])
    draw = partial(charts.draw_lines, rows, x=x, y="effect size d", colour=layers, layout=layout)
    caption = "Cohen’s d of each association test after so many steps, bleached. Bands are 95 % intervals."
    return Figure("weat-steps", "Association tests by step", caption, draw, rows, ("dataset", "model"), ("layer",))


PLACE = MEASURE.replace_strict({name: at for at, name in enumerate(ESTIMATORS)}, return_dtype=pl.Int64)


def _explain_reversed(rows: pl.DataFrame) -> str:
    """Say which estimators are not 0 where there is no bias."""
    names = [name for name in ("mac", "ect") if name in rows["measure"]]
    return f" Of {' and '.join(names)} 1 is no bias, of the others 0." if names else ""


@shows(EXPERIMENT == "bias", MEASURE.is_in(ESTIMATORS), LAYER.is_not_null())
def bias_by_layer(rows: pl.DataFrame) -> Figure:
    """Draw Bommasani et al.'s Figures 2 and 11 to 18."""
    rows = rows.with_columns(
        attribute=charts.split_part("dataset", "/", 0), targets=charts.split_part("dataset", "/", 1)
    )
    draw = partial(
        charts.draw_lines,
        rows.sort("model_at", PLACE, "targets", maintain_order=True),
        x=charts.place_by_layer(),
        y="bias",
        colour=charts.make_series(rows, "attribute"),
        layout=charts.Layout(("model", "measure", "targets"), columns=4, free="y"),
    )
    caption = (
        "Each estimator on its own scale: a line that rises in one panel and falls in another is one bias that two "
        f"definitions disagree about.{_explain_reversed(rows)} Bands are 95 % intervals over resampled words."
    )
    down = ("model", "dataset", "layer")
    return Figure("bias-layers", "Bias by layer and estimator", caption, draw, rows, down, ("measure",))


@shows(EXPERIMENT == "bias", MEASURE.is_in(ESTIMATORS), LAYER.is_null())
def bias_of_vectors(rows: pl.DataFrame) -> Figure:
    """Draw Bommasani et al.'s Tables 3 and 8, first rows: embeddings that have no layers."""
    layout = charts.Layout(["measure"], free="xy")
    rows = rows.sort(PLACE, maintain_order=True)
    draw = partial(charts.draw_dots, rows, y=["dataset"], x="bias", colour="model", layout=layout)
    care = _explain_reversed(rows)
    caption = f"Embeddings without layers, each estimator on its own scale.{care} Bars are 95 % intervals."
    title = "Bias of static embeddings by estimator"
    return Figure("bias", title, caption, draw, rows, ("dataset",), ("measure", "model"), "Dot chart")


@shows(MEASURE == "agreement")
def agreement(rows: pl.DataFrame) -> Figure:
    """Draw the disagreement that the paper sees by eye, as a number."""
    x = "mean rank correlation of layers"
    draw = partial(charts.draw_dots, rows, y=["dataset"], x=x, colour="model", zero=True)
    caption = (
        "Do estimators of the same bias order a model’s layers alike? 1: always, 0: no more than chance, below 0: they "
        "contradict each other. Bars are 95 % intervals over resampled word lists."
    )
    title = "Agreement of the estimators"
    return Figure("agreement", title, caption, draw, rows, ("dataset",), ("model",), "Dot chart")


TRAINING: tuple[Maker, ...] = (associations_by_step,)
FIGURES: tuple[Maker, ...] = (
    *(associations, before_and_after, associations_by_layer, bias_by_layer, bias_of_vectors, agreement),
)

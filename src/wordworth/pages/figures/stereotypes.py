"""Draw stereotypes: association tests, and the estimators of bias in vectors made from language models."""

from functools import partial

import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import EXPERIMENT, LAYER, MEASURE, VARIANT, Figure, Maker, shows
from wordworth.pages.figures.meaning import BANDS, BARS, SEVERAL_STEPS, place_by_step
from wordworth.pages.insights import best_components
from wordworth.pages.naming import SHORT, TESTS
from wordworth.pages.runs import WEAT

ESTIMATORS = (
    "direct-bias", "direct-bias (centred)", "garg-euclidean", "garg-cosine", "manzini", "manzini (centroid)", "ripa",
    "mac", "ect", "rnsb",
)  # fmt: skip
"""In the order of a figure: the paper's with their variants, then the others."""
IS_ESTIMATE = (EXPERIMENT == "bias") & pl.col("quantity").is_in(ESTIMATORS)
IS_TEST = (MEASURE == WEAT) & VARIANT.is_null()


def _name_tests(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return tests in the order of their numbers, and the columns that name one, with its n."""
    numbers = {name: test.number for name, test in TESTS.items()}
    number = pl.col("dataset").replace_strict(numbers, default=None, return_dtype=pl.Int64)
    rows = rows.with_columns(test=pl.col("dataset").replace(SHORT)).sort(number, "row", nulls_last=True)
    name = ["test", *charts.find_varying(rows, ["language"])]
    return charts.add_counts(rows, name), [*name, "count"]


@shows(IS_TEST, LAYER.is_null())
def associations(rows: pl.DataFrame) -> Figure:
    """Draw WEAT on static embeddings."""
    # A test that is in two runs of an audit (valnorm and weat) is shown once.
    rows = rows.unique(["model", "language", "dataset"], maintain_order=True, keep="last")
    rows, test = _name_tests(rows)
    draw = partial(charts.draw_dots, rows, y=test, x="effect size d", colour="model", zero=True)
    intervals = "" if rows["low"].is_null().all() else f" {BARS} n is the words of both targets."
    caption = (
        "Cohen’s d of each association test: above 0 in the direction of the test’s name, .2 is small, .5 medium, "
        ".8 large."
    )
    drawing = f"Hover for p, the share of partitions of the words that give as much.{intervals}"
    down = ("dataset", *charts.find_varying(rows, ["language"]))
    return Figure("weat", "Association tests", caption, draw, rows, down, ("model",), "Dot chart", drawing)


@shows()
def before_and_after(scores: pl.DataFrame) -> Figure | None:
    """Draw VAST's Figure 5: the top layer raw, and with the components nullified that recover most valence."""
    layered = scores.filter(IS_TEST, LAYER.is_not_null()).filter(LAYER.max().over("model") == LAYER)
    if layered.get_column("components").is_null().all():
        return None
    chosen = best_components(scores)
    most = layered.group_by("model").agg(pl.col("components").max()).iter_rows()
    kept = {model: chosen.get(model, count) for model, count in most}
    is_raw = pl.col("components").is_null()
    wanted = is_raw | (pl.col("components") == pl.col("model").replace_strict(kept, return_dtype=pl.Int64))
    rows, test = _name_tests(layered.filter(wanted))
    rows = rows.with_columns(vectors=pl.when(is_raw).then(pl.lit("raw")).otherwise(pl.lit("nullified")))
    colour = charts.make_series(rows, "vectors", values=["raw", "nullified"])
    x, layout = "effect size d, top layer", charts.Layout(["model"], tooltip=["components"])
    draw = partial(charts.draw_dots, rows, y=test, x=x, colour=colour, layout=layout, zero=True)
    counts = "; ".join(f"{model}: {count}" for model, count in kept.items())
    caption = (
        "Bias that non-semantic directions hide: Cohen’s d in the top layer raw, and with the number of components "
        f"nullified that recovers most valence ({counts})."
    )
    title, down = "Association tests before and after nullifying", ("model", "dataset")
    return Figure("weat-nullified", title, caption, draw, rows, down, ("components",), "Dot chart")


IN_LAYERS = IS_TEST & LAYER.is_not_null() & pl.col("components").is_null()


@shows(IN_LAYERS)
def associations_by_layer(rows: pl.DataFrame) -> Figure:
    """Draw the ten tests through the layers."""
    rows, test = _name_tests(rows)
    x, layout = charts.place_by_layer(), charts.Layout(test, columns=4, tooltip=["p"])
    draw = partial(charts.draw_lines, rows, x=x, y="effect size d", colour="model", layout=layout)
    caption = "Cohen’s d of each association test in every layer, bleached, nothing nullified."
    title = "Association tests by layer"
    return Figure("weat-layers", title, caption, draw, rows, ("model", "layer"), ("dataset",))


@shows(SEVERAL_STEPS, IN_LAYERS)
def associations_by_step(rows: pl.DataFrame) -> Figure:
    """Draw the association tests while a model is trained, a panel per test."""
    rows, x = place_by_step(rows)
    rows, test = _name_tests(rows)
    layers = charts.make_series(rows, "layer", "layer", sorted(charts.list_distinct(rows, "layer")))
    layout = charts.Layout(("name", *test), tooltip=["p"])
    draw = partial(charts.draw_lines, rows, x=x, y="effect size d", colour=layers, layout=layout)
    caption = "Cohen’s d of each association test by training step, bleached."
    down = ("dataset", "model")
    return Figure("weat-steps", "Association tests by step", caption, draw, rows, down, ("layer",), drawing=BANDS)


PLACE = pl.col("quantity").replace_strict({name: at for at, name in enumerate(ESTIMATORS)}, return_dtype=pl.Int64)
SCALES = "The bias of a list of words by an attribute, under several estimators, each on its own scale."


def _explain_reversed(rows: pl.DataFrame) -> str:
    """Say which estimators are not 0 where there is no bias."""
    names = [name for name in ("mac", "ect") if name in rows["measure"]]
    return f" For {' and '.join(names)}, 1 is no bias; for the others 0." if names else ""


@shows(IS_ESTIMATE, LAYER.is_not_null())
def bias_by_layer(rows: pl.DataFrame) -> Figure:
    """Draw Bommasani et al.'s Figures 2 and 11 to 18."""
    draw = partial(
        charts.draw_lines,
        rows.sort("model_at", PLACE, "subset", maintain_order=True),
        x=charts.place_by_layer(),
        y="bias",
        colour=charts.make_series(rows, "dataset"),
        layout=charts.Layout(("model", "quantity", "subset"), columns=4, free="y"),
    )
    drawing = (
        f"A line that rises in one panel and falls in another is one bias that two definitions disagree about. {BANDS}"
    )
    title, down = "Bias by layer and estimator", ("model", "dataset", "subset", "layer")
    caption = f"{SCALES}{_explain_reversed(rows)}"
    return Figure("bias-layers", title, caption, draw, rows, down, ("quantity",), drawing=drawing)


@shows(IS_ESTIMATE, LAYER.is_null())
def bias_of_vectors(rows: pl.DataFrame) -> Figure:
    """Draw Bommasani et al.'s Tables 3 and 8, first rows: embeddings that have no layers."""
    layout = charts.Layout(["quantity"], free="xy")
    rows = rows.sort(PLACE, maintain_order=True)
    draw = partial(charts.draw_dots, rows, y=["dataset", "subset"], x="bias", colour="model", layout=layout)
    title, down, across = "Bias of static embeddings by estimator", ("dataset", "subset"), ("quantity", "model")
    caption = f"{SCALES}{_explain_reversed(rows)}"
    return Figure("bias", title, caption, draw, rows, down, across, "Dot chart", BARS)


@shows(MEASURE == "agreement", VARIANT.is_null())
def agreement(rows: pl.DataFrame) -> Figure:
    """Draw the disagreement that the paper sees by eye, as a number."""
    x = "mean rank correlation of layers"
    draw = partial(charts.draw_dots, rows, y=["dataset", "subset"], x=x, colour="model", zero=True)
    caption = (
        "Do estimators of the same bias rank a model’s layers alike? 1: always, 0: no more than chance, below 0: they "
        "contradict each other."
    )
    drawing = f"{BARS} They are over resampled word lists."
    title, down = "Agreement of the estimators", ("dataset", "subset")
    return Figure("agreement", title, caption, draw, rows, down, ("model",), "Dot chart", drawing)


TRAINING: tuple[Maker, ...] = (associations_by_step,)
FIGURES: tuple[Maker, ...] = (
    *(associations, before_and_after, associations_by_layer, bias_by_layer, bias_of_vectors, agreement),
)

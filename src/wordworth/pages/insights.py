"""What the scores say: where contexts differ, what nullifying changes, and the variants of a number."""

from collections.abc import Iterator

import polars as pl

from wordworth.measure import VALENCE, WEAT
from wordworth.results.columns import SKIP
from wordworth.results.main_scores import ALPHA, IN_CONTEXT, IS_PLAINEST, ON_FIRST_LEXICON
from wordworth.results.run import Run
from wordworth.results.runs import AS_IT_IS, IS_PLAIN

IS_SENSITIVITY = pl.col("experiment") == "sensitivity"
CHOICES = ("words", "vectors", "association", "sigma", "correlation", "p_test", "sides")
"""The columns of a variant that hold its choices; those that are blank are no choice of its number."""


def contexts_apart(scores: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield a model and a row per layer, of models with several contexts, on their first lexicon.

    `apart` is how much ρ differs between contexts, `value` its mean. Layer 0, without context, is skipped.
    """
    first = scores.filter(AS_IT_IS, IN_CONTEXT, IS_PLAIN, pl.col("value").is_finite()).filter(ON_FIRST_LEXICON)
    for (model,), rows in first.group_by(["model"], maintain_order=True):
        apart = pl.col("value").max() - pl.col("value").min()
        layers = rows.filter(pl.col("layer") > 0).group_by("layer")
        by_layer = layers.agg(pl.col("dataset").first(), apart.alias("apart"), pl.col("value").mean()).sort("layer")
        if rows.get_column("context").n_unique() > 1 and len(by_layer):
            yield str(model), by_layer


def recoveries(scores: pl.DataFrame) -> pl.DataFrame:
    """Return for each model the number of nullified components that recovers most valence in its top layer.

    `raw` is valence with none, `value` with these, on the model's first lexicon.
    """
    isolated = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == VALENCE)
    top = isolated.filter(pl.col("layer") == pl.col("layer").max().over("model"), ON_FIRST_LEXICON).filter(IS_PLAINEST)
    raw = top.filter(pl.col("components").is_null()).select("model", raw="value")
    after = top.drop_nulls("components").sort("value", descending=True, maintain_order=True)
    best = after.unique("model", keep="first", maintain_order=True).sort("model_at")
    return best.join(raw, on="model", how="inner", maintain_order="left")


def nullified_tests(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the tests in the top layer raw, and with the components nullified that recover most valence."""
    is_test = (pl.col("measure") == WEAT) & pl.col("variant").is_null() & pl.col("layer").is_not_null()
    layered = scores.filter(is_test).filter(pl.col("layer").max().over("model") == pl.col("layer"))
    chosen = dict(recoveries(scores).select("model", "components").iter_rows())
    most = layered.drop_nulls("components").group_by("model").agg(pl.col("components").max()).iter_rows()
    counts = {model: chosen.get(model, count) for model, count in most}
    count = pl.col("model").replace_strict(counts, default=None, return_dtype=pl.Int64)
    return layered.filter(count.is_not_null(), pl.col("components").is_null() | (pl.col("components") == count))


def datasets_by_kind(run: Run, model: str) -> tuple[list[str], list[str]]:
    """Return the tests and the lexica of which a run tried variants; only tests choose a σ."""
    tried = run.item_table("variants").filter(pl.col("model") == model)
    by_test = tried.group_by("dataset", maintain_order=True).agg(pl.col("sigma").is_not_null().any()).collect()
    tests, lexica = ([name for name, is_test in by_test.iter_rows() if is_test is kind] for kind in (True, False))
    return tests, lexica


def variants_of(run: Run, model: str, dataset: str) -> pl.DataFrame:
    """Return the variants of one test in the last slot that it was tried in, the test as it is run first."""
    own = run.item_table("variants").filter(pl.col("model") == model, pl.col("dataset") == dataset)
    table = own.filter(pl.col(SKIP).is_null()).collect()
    last = table.row(-1, named=True)
    slot = table.filter(pl.col(name).eq_missing(pl.lit(last[name])) for name in ("layer", "components", "context"))
    concluded = pl.when(pl.col("p") < ALPHA).then(pl.col("value").sign()).otherwise(0.0)
    return slot.with_columns(is_flipped=concluded != concluded.first())


def choices_of(table: pl.DataFrame) -> list[str]:
    """Return the columns of the choices that these variants differ in, or could."""
    return [name for name in CHOICES if table.get_column(name).null_count() < len(table)]

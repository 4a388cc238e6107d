"""What the scores say: the best layer, where context takes over, what nullifying recovers, where tests are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from wordworth.pages.runs import AS_IT_IS, IS_PLAIN, VALENCE, WEAT, Score
from wordworth.results.columns import SKIPPED
from wordworth.results.run import Run

LEVEL = 0.05
"""Of significance."""
ON_FIRST_LEXICON = pl.col("dataset") == pl.col("dataset").first().over("model")
IN_CONTEXT = (pl.col("experiment") == "contextualization") & (pl.col("measure") == VALENCE)
TRIED = pl.col("experiment") == "sensitivity"
CHOICES = ("words", "vectors", "association", "sigma", "correlation", "p_test", "sides")
"""The columns of a variant that hold its choices; those that are blank are no choice of its number."""
UNTRAINED = (pl.col("control") == "untrained") & (pl.col("measure") == VALENCE)
"""Valence of the same network with random weights."""


@dataclass(frozen=True)
class Best:
    """The layer in which valence is highest in the plainest context."""

    score: Score
    top: int
    held_out: float | None
    """ρ over half of the words, in the layer that the other half picked; None in runs without it."""
    untrained: float | None
    """ρ of the same network with random weights there; None in runs without that control."""
    learnt: bool | None
    """Whether ρ is significantly higher than that; None where it was not tested."""

    @property
    def place(self) -> tuple[str, int | None]:
        """Its context and layer."""
        return self.score["context"], self.score["layer"]


@dataclass(frozen=True)
class Recovery:
    """Valence in the top layer raw, and at its highest with components nullified."""

    model: str
    dataset: str
    context: str
    raw: float
    nullified: float
    components: int


def _is_number(name: str = "value") -> pl.Expr:
    return pl.col(name).is_not_nan() & pl.col(name).is_not_null()


def plain_context(rows: pl.DataFrame) -> str:
    """Return the context that says least about a word: bleached if it was run, otherwise the first."""
    contexts = rows.get_column("context").unique(maintain_order=True).to_list()
    return "bleached" if "bleached" in contexts else str(contexts[0])


def best_layers(scores: pl.DataFrame) -> Iterator[Best]:
    """Yield the best layer for each model and lexicon."""
    known = scores.filter(AS_IT_IS, _is_number())
    held_out = _by_place(known.filter(IN_CONTEXT, pl.col("variant") == "held-out"), "model", "dataset", "context")
    place = ("model", "dataset", "context", "layer")
    untrained = _by_place(known.filter(UNTRAINED, pl.col("variant").is_null()), *place)
    above = _by_place(known.filter(UNTRAINED, pl.col("variant") == "above-control"), *place)
    for _, rows in known.filter(IN_CONTEXT, IS_PLAIN).group_by(["model", "dataset"], maintain_order=True):
        own = rows.filter(pl.col("context") == plain_context(rows))
        row = own.sort("value", descending=True, maintain_order=True).row(0, named=True)
        here = tuple(row[name] for name in place)
        yield Best(
            score=row,
            top=rows.select(pl.col("layer").max()).item(),
            held_out=held_out.get(here[:3], {}).get("value"),
            untrained=untrained.get(here, {}).get("value"),
            learnt=is_above(above.get(here)),
        )


def _by_place(rows: pl.DataFrame, *place: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(row[name] for name in place): row for row in rows.iter_rows(named=True)}


def is_above(row: Score | None) -> bool | None:
    """Return whether a difference is significantly above 0, by its p or its interval; None where it has neither."""
    if row is None or (row["p"] is None and row["low"] is None):
        return None
    return bool(row["value"] > 0 and row["p"] < LEVEL) if row["p"] is not None else bool(row["low"] > 0)


def contexts_apart(scores: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield a model and a row per layer, of models with several contexts, on their first lexicon.

    `apart` is how much ρ differs between contexts, `value` its mean. Layer 0, without context, is skipped.
    """
    first = scores.filter(AS_IT_IS, IN_CONTEXT, IS_PLAIN, _is_number()).filter(ON_FIRST_LEXICON)
    for (model,), rows in first.group_by(["model"], maintain_order=True):
        apart = pl.col("value").max() - pl.col("value").min()
        layers = rows.filter(pl.col("layer") > 0).group_by("layer")
        by_layer = layers.agg(pl.col("dataset").first(), apart.alias("apart"), pl.col("value").mean()).sort("layer")
        if rows.get_column("context").n_unique() > 1 and len(by_layer):
            yield str(model), by_layer


def recoveries(scores: pl.DataFrame) -> Iterator[Recovery]:
    """Yield one per model, in the top layer and on its first lexicon."""
    isolated = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == VALENCE)
    top = isolated.filter(pl.col("layer") == pl.col("layer").max().over("model"), ON_FIRST_LEXICON)
    for (model, dataset), rows in top.group_by(["model", "dataset"], maintain_order=True):
        context = plain_context(rows)
        plain = rows.filter(pl.col("context") == context)
        raw = plain.filter(pl.col("components").is_null())
        after = plain.drop_nulls("components").sort("value", descending=True, maintain_order=True)
        if len(raw) and len(after):
            best = after.row(0, named=True)
            yield Recovery(str(model), str(dataset), context, raw.item(0, "value"), best["value"], best["components"])


def best_components(scores: pl.DataFrame) -> dict[str, int]:
    """Return model → how many nullified components recover most valence in its top layer, for its first lexicon."""
    return {recovery.model: recovery.components for recovery in recoveries(scores)}


def reading_layers(scores: pl.DataFrame) -> dict[str, int]:
    """Return model → the layer in which association tests are read: that of the best valence on its first lexicon."""
    return {best.score["model"]: best.score["layer"] for best in reversed(list(best_layers(scores)))}


def associations(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one effect size per model and test, of untouched vectors.

    In a language model it is that of the layer in which valence is best, which is picked on other words than the
    tests have; where valence was not measured, of the top layer (`picked` says which).
    """
    rows = scores.filter(AS_IT_IS, pl.col("measure") == WEAT, IS_PLAIN)
    # A test that is in two runs of an audit (valnorm and weat) is one test.
    once = rows.unique(["model", "language", "dataset", "context", "layer"], maintain_order=True, keep="last")
    best = pl.col("model").replace_strict(reading_layers(scores), default=None, return_dtype=pl.Int64)
    picked = (pl.col("layer") == best).fill_null(value=False).any().over("model")
    layer = pl.when(picked).then(best).otherwise(pl.col("layer").max().over("model"))
    return once.with_columns(picked=picked).filter(pl.col("layer").is_null() | (pl.col("layer") == layer))


def datasets_by_kind(run: Run, model: str) -> tuple[list[str], list[str]]:
    """Return the tests and the lexica of which a run tried variants; only tests choose a σ."""
    tried = run.item_table("variants").filter(pl.col("model") == model)
    by_test = tried.group_by("dataset", maintain_order=True).agg(pl.col("sigma").is_not_null().any()).collect()
    tests, lexica = ([name for name, is_test in by_test.iter_rows() if is_test is kind] for kind in (True, False))
    return tests, lexica


def variants_of(run: Run, model: str, dataset: str) -> pl.DataFrame:
    """Return the variants of one test in the last slot that it was tried in, the test as it is run first."""
    own = run.item_table("variants").filter(pl.col("model") == model, pl.col("dataset") == dataset)
    table = own.filter(pl.col(SKIPPED).is_null()).collect()
    last = table.row(-1, named=True)
    slot = table.filter(pl.col(name).eq_missing(pl.lit(last[name])) for name in ("layer", "components", "context"))
    concluded = pl.when(pl.col("p") < LEVEL).then(pl.col("value").sign()).otherwise(0.0)
    return slot.with_columns(is_flipped=concluded != concluded.first())


def choices_of(table: pl.DataFrame) -> list[str]:
    """Return the columns of the choices that these variants differ in, or could."""
    return [name for name in CHOICES if table.get_column(name).null_count() < len(table)]

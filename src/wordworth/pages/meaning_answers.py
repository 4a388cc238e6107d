"""Answers from geometry: what vectors know of words, how far it depends on the context, whom they stereotype."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE
from wordworth.pages.insights import (
    IS_ABOVE,
    IS_DIFFERENCE,
    LEVEL,
    associations,
    best_layers,
    contexts_apart,
    recoveries,
)
from wordworth.pages.published import Quantity, Standing, kind_of, standing
from wordworth.pages.runs import (
    AS_IT_IS,
    FULL,
    IS_PLAIN,
    TESTS,
    Runs,
    Score,
    Sentence,
    show_value,
    with_interval,
)
from wordworth.results.table import format_list, format_number
from wordworth.results.vocabulary import HARMLESS, Caution
from wordworth.statistics.effect_size import holm

STRONGEST = 3
MAX_APART = 0.1  # contexts whose ρ differ by more than this are said to differ
NEAR_BEST = 0.97  # the layer of closest agreement is one where valence is at least this share of its highest mean
MAX_PARTITIONS = 10_000  # p by Monte Carlo is no finer than one in so many; an exact p is taken to be no finer either


def in_layers(runs: Runs) -> Iterator[Sentence]:
    """Describe the best layer of a language model for valence, next to an untrained network and published models."""
    for (model,), rows in best_layers(runs.scores).group_by(["model"], maintain_order=True):
        first, *others = rows.to_dicts()
        where = f" best in layer {first['layer']} of {first['top']}" if first["top"] else ""  # sentence encoders: one
        words = "" if first["n"] is None else f" of {first['n']:,} words"
        text = (
            f"reads valence{where}: ρ = {with_interval(first)} with people’s ratings{words} "
            f"({first['dataset']}, {first['context']}){_at_its_best(runs, first)}{_untrained(first)}."
        )
        more = [f"{show_value(one)} on {one['dataset']} (layer {one['layer']})" for one in others]
        if first["held_out"] is not None:
            more.insert(0, f"{format_number(first['held_out'])} on words that were not used to pick the layer")
        text += f" It has {format_list(more)}." if more else ""
        yield Sentence(text, "valence-layers", str(model), first["value"])


def _untrained(best: Score) -> str:
    if best["untrained"] is None:
        return ""
    ending = ", not significantly less" if best["is_above"] is False else ""
    return f"; the same network untrained has {format_number(best['untrained'])}{ending}"


def _at_its_best(runs: Runs, best: Score) -> str:
    """Describe the best layer with its best number of components nullified, next to published models at their best."""
    rows = runs.scores.filter(
        *(pl.col(name) == best[name] for name in ("model", "dataset", "context", "layer", "measure")),
        pl.col("experiment").is_in(["contextualization", "isolation"]),
        pl.col("variant").is_null(),
    )
    row = rows.sort("value", descending=True, nulls_last=True, maintain_order=True).row(0, named=True)
    place = _standing(runs, row, is_best=True)
    if place is None:
        return ""
    raw = row["components"] is None or row["value"] <= best["value"]
    what = "" if raw else f" and {format_number(row['value'])} with {_nullified(row['components'])},"
    return f",{what} {replace(place, whose=f'{place.whose} at best').describe(row['value'], row['low'], row['high'])}"


def _standing(runs: Runs, row: Score, *, is_best: bool = False) -> Standing | None:
    """Return where a score is among published ones; None if it is of few of the words that the papers had."""
    if Caution.LOW_COVERAGE in (row["cautions"] or ()):
        return None
    quantity = Quantity.of_score(row)._replace(pooling="")
    return standing(row["name"], kind_of(runs.facts.get(row["model"], {})), quantity, is_best=is_best)


def of_vectors(runs: Runs) -> Iterator[Sentence]:
    """Describe valence and word similarity of word vectors, next to shuffled ratings and published embeddings."""
    for measure, experiments, items, what in (
        (VALENCE, [VALENCE], "words", "the valence of words"),
        (SIMILARITY, [SIMILARITY, "quality"], "pairs", "how similar words are"),
    ):
        where = pl.col("experiment").is_in(experiments), pl.col("measure") == measure, pl.col("layer").is_null()
        rows = runs.scores.filter(AS_IT_IS, *where, IS_PLAIN)
        for (model,), own in rows.group_by(["model"], maintain_order=True):
            text, value = _rank(runs, own, items, f"agrees with people on {what} by")
            yield Sentence(text, "intrinsic", str(model), value)


def _rank(runs: Runs, own: pl.DataFrame, items: str, verb: str) -> tuple[str, float]:
    """Return a sentence and a value: a data set that papers have, with where it is among them; then the others."""
    rows = own.unique("dataset", keep="first", maintain_order=True).to_dicts()
    places = {row["dataset"]: _standing(runs, row) for row in rows}
    first = next((row for row in rows if places[row["dataset"]]), rows[0])
    place = places[first["dataset"]]
    n = f" ({first['n']:,} {items})" if first["n"] is not None else ""
    text = f"{verb} ρ = {with_interval(first)} on {first['dataset']}{n}"
    text += f", {place.describe(first['value'], first['low'], first['high'])}" if place else ""
    text += _shuffled(runs, first)
    others = [f"{show_value(row)} on {row['dataset']}" for row in rows if row is not first]
    return f"{text}." + (f" It has {format_list(others)}." if others else ""), first["value"]


def _shuffled(runs: Runs, row: Score) -> str:
    """Return what shuffled ratings give, where that control was run."""
    same = (pl.col(key) == row[key] for key in ("model", "dataset", "measure"))
    control = runs.scores.filter(*same, pl.col("control") == "shuffled")
    chance = control.filter(pl.col("variant").is_null())
    if chance.is_empty():
        return ""
    is_above = control.filter(*IS_DIFFERENCE).select(IS_ABOVE).to_series().to_list()
    unclear = ", not significantly less" if is_above == [False] else ""
    return f"; shuffled ratings give {format_number(chance.item(0, 'value'))}{unclear}"


def _nullified(count: int) -> str:
    return f"{count} component{'s' * (count != 1)} nullified" if count else "the mean subtracted"


def context(runs: Runs) -> Iterator[Sentence]:
    """Say in which layer that reads valence well ρ differs least between contexts, and where it differs more."""
    for model, layers in contexts_apart(runs.scores):
        strong = layers.filter(pl.col("value") >= NEAR_BEST * pl.col("value").max())
        closest = strong.sort("apart", maintain_order=True).row(0, named=True)
        last_together = layers.filter(pl.col("apart") <= MAX_APART).get_column("layer").max()
        after = layers if last_together is None else layers.filter(pl.col("layer") > last_together)
        top, at_top = layers.row(-1, named=True)["layer"], layers.row(-1, named=True)["apart"]
        text = (
            f"Of the layers that read valence best, layer {closest['layer']} depends least on the context (ρ differs "
            f"by {format_number(closest['apart'])} between contexts, {closest['dataset']}). "
        )
        if after.is_empty():
            most = layers.sort("apart", descending=True, maintain_order=True).row(0, named=True)
            text += f"ρ differs most in layer {most['layer']} of {top}, by {format_number(most['apart'])}"
        else:
            text += (
                f"From layer {after.item(0, 'layer')} of {top} on, ρ differs by more than {format_number(MAX_APART)}; "
                f"by {format_number(at_top)} in the top layer"
            )
        share = 1.0 if after.is_empty() else after.item(0, "layer") / top
        yield Sentence(f"{text}.", "valence-layers", model, share, whole=True, ends=("Latest", "Earliest"))


def nullified(runs: Runs) -> Iterator[Sentence]:
    """Say whether ρ in the top layer is higher with its best number of components nullified; it is not tested."""
    for row in recoveries(runs.scores).iter_rows(named=True):
        where = f"({row['dataset']}, {row['context']})"
        raw, after = format_number(row["raw"]), format_number(row["value"])
        gain = row["value"] - row["raw"]
        what = _nullified(row["components"])
        verdict = "Yes" if gain > 0 and raw != after else "No"
        text = f"{verdict}: in the top layer ρ for valence is {raw} as it is, and at best {after} with {what} {where}."
        yield Sentence(text, "isolation", row["model"], gain, whole=True, ends=("Most", "Least"))


def stereotypes(runs: Runs) -> Iterator[Sentence]:
    """List the stereotypes that are significant, the strongest first, and those that are reversed."""
    social = associations(runs.scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strongest_first = social.sort("model_at", -pl.col("value").abs(), maintain_order=True)
    for (model,), own in strongest_first.group_by(["model"], maintain_order=True):
        rows = own.to_dicts()
        layer, tested = rows[0]["layer"], [row for row in rows if row["p"] is not None]
        why = "which reads valence best" if rows[0]["picked"] else "the highest that was tested"
        where = "" if layer is None else f" in layer {layer}, {why}"
        untested = f"has no p for {_count(len(rows))}{where}, so none can be called significant."
        text = _significant(tested, where) if tested else untested
        order = own.select(pl.col("value").abs().mean()).item()
        figure = "weat" if layer is None else "weat-layers"
        yield Sentence(text, figure, str(model), order, ends=("Strongest", "Weakest"))


def _significant(rows: Sequence[Score], where: str) -> str:
    """Return the sentences for one model: what is significant in the direction of the tests, and what is reversed."""
    corrected = holm([two_sided(row) for row in rows])
    significant = [row for row, p in zip(rows, corrected, strict=True) if p < LEVEL]
    shown, reverse = ([row for row in significant if row["value"] * sign > 0] for sign in (1, -1))
    tests = f"{len(rows)} test{'s' * (len(rows) != 1)}"
    how = f"p < .05, two-sided, after Holm’s correction over {tests}{where}"
    text = f"shows {len(shown) or 'none'} of {_count(len(rows))} ({how}){f': {_strongest(shown)}' if shown else ''}."
    return text + (f" Against the stereotype: the reverse of {_strongest(reverse)}." if reverse else "")


def two_sided(row: Score) -> float:
    """Return p in both directions: an effect against the stereotype is looked for as well.

    The p of the other direction is 1 − p and what is counted in both: the observed partition, and as much again where
    partitions are drawn.
    """
    p: float = row["p"]
    if row["sides"] == "two":
        return p
    finest = 2 / min(MAX_PARTITIONS, row["partitions"] or MAX_PARTITIONS)
    return min(1.0, 2 * min(p, 1 - p + finest))


def _strongest(rows: Sequence[Score]) -> str:
    """Return the strongest, each group of people once; the others are counted."""
    by_meaning: dict[str, str] = {}
    for row in rows:
        dataset = row["dataset"]
        n = f", {row['n']} words" if row["n"] is not None else ""
        unsure = ", other words might reverse it" if row["low"] is not None and row["low"] <= 0 <= row["high"] else ""
        meaning = TESTS[dataset]["meaning"] if dataset in TESTS else dataset
        by_meaning.setdefault(meaning, f"{FULL.get(dataset, dataset)} (d = {with_interval(row)}{n}{unsure})")
    first = list(by_meaning.values())[:STRONGEST]
    rest = len(rows) - len(first)
    return "; ".join(first) + (f"; and {rest} more" if rest else "")


def _count(tests: int) -> str:
    return f"{tests} stereotype{'s' * (tests != 1)} tested"

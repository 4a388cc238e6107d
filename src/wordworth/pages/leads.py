"""The sentences that lead a section: what its figures show, in at most 20 words each."""

from collections.abc import Callable, Iterator

import polars as pl

from wordworth.measure import find_measure
from wordworth.measure.calibration import DETECTABLE, PERMUTATION_MEASURES
from wordworth.pages.cautions import plain_missing
from wordworth.pages.figures.behaviour import nullified_tests
from wordworth.pages.profile import find_significant, profile
from wordworth.results.columns import SKIP
from wordworth.results.main_scores import best_layers, choose_tests
from wordworth.results.runs import IS_PLAIN, TEST_NAMES, Runs, Score, keep_last_steps, with_interval
from wordworth.results.table import format_fixed, format_list, format_number
from wordworth.results.vocabulary import RANDOM

MAX_MODELS = 4  # models that have sentences of their own; of more, the tables and the leaderboard say it
MAX_LEAD_WORDS = 4
MIN_OCCURRENCES = 3  # a rarer word says little when it was never predicted
Lead = tuple[str, str]  # a model's label, and a sentence about it


def leads(runs: Runs) -> dict[str, dict[str, list[str]]]:
    """Return chapter → model → sentences; of a model in training, for its last step."""
    last = keep_last_steps(runs)
    chapters: dict[str, dict[str, list[str]]] = {}
    for chapter, writers in LEAD_CHAPTERS.items():
        by_model: dict[str, list[str]] = {}
        for model, sentence in (lead for write in writers for lead in write(last)):
            by_model.setdefault(model, []).append(sentence)
        chapters[chapter] = by_model if len(by_model) <= MAX_MODELS else {}
    return chapters


def _best_layer(runs: Runs) -> Iterator[Lead]:
    for (model,), rows in best_layers(runs.scores).group_by(["model"], maintain_order=True):
        first = rows.row(0, named=True)
        layer_phrase = f" is best in layer {first['layer']} of {first['top']}" if first["top"] else ""
        yield str(model), f"Valence{layer_phrase}: ρ = {with_interval(first)} on {first['dataset']}."
        if first["held_out"] is not None:
            yield str(model), f"On words not used to pick the layer, ρ is {format_number(first['held_out'])}."
        if first["untrained"] is not None:
            ending = ", not significantly less" if first["is_above"] is False else ""
            yield str(model), f"Untrained, the same network has ρ = {format_number(first['untrained'])}{ending}."


def _early_layers(runs: Runs) -> Iterator[Lead]:
    """Count the sets of word pairs on which a layer of the first quarter is best, of vectors pooled by the mean."""
    is_mean = pl.col("pooling").is_in(["mean/mean", "mean"]) & pl.col("sentences").is_null() & IS_PLAIN
    rows = runs.scores.filter(pl.col("experiment") == "quality", pl.col("layer").is_not_null(), is_mean)
    for (model, context), scores in rows.group_by(["model", "context"], maintain_order=True):
        layers = runs.facts.get(str(model), {}).get("layers") or 0
        if scores.get_column("layer").n_unique() <= layers:  # not all were measured
            continue
        by_value = scores.sort("value", descending=True, nulls_last=True, maintain_order=True)
        best = by_value.unique("dataset", keep="first")
        early = best.filter(pl.col("layer") <= layers // 4).height
        sets = f"{early} of {len(best)} sets of word pairs"
        yield str(model), f"In {context} text, one of layers 0–{layers // 4} of {layers} is best on {sets}."


def _nullified_tests(runs: Runs) -> Iterator[Lead]:
    """Count the tests whose d in the top layer is higher with components nullified; it is not tested."""
    for (model,), rows in nullified_tests(runs.scores).group_by(["model"], maintain_order=True):
        raw, nullified = (rows.filter(pl.col("components").is_null() == is_raw) for is_raw in (True, False))
        pairs = raw.join(nullified, on=["language", "dataset", "context"], suffix="_after", nulls_equal=True)
        if len(pairs):
            count = pairs.item(0, "components_after")
            higher = pairs.filter(pl.col("value_after") > pl.col("value")).height
            components = f"{count} component{'s' * (count != 1)}" if count else "the mean"
            tests = f"{higher} of {len(pairs)} association tests"
            yield str(model), f"Without {components}, d in the top layer is higher in {tests}."


def _stereotypes(runs: Runs) -> Iterator[Lead]:
    tests = choose_tests(runs.scores)
    significant = find_significant(tests)
    strongest = tests.sort("model_at", -pl.col("value").abs(), maintain_order=True)
    for (model,), rows in strongest.group_by(["model"], maintain_order=True):
        scores = rows.to_dicts()
        findings = [row for row in scores if significant.get((row["model"], row["dataset"])) and row["value"] > 0]
        layer = "" if scores[0]["layer"] is None else f" in layer {scores[0]['layer']}"
        if any(row["p"] is not None for row in scores):
            counts = f"{len(findings)} of {len(scores)} stereotypes"
            yield str(model), f"{counts} are significant{layer} (p < .05, Holm)."
        if findings:
            yield str(model), f"Strongest: {_meaning(findings[0])}, d = {with_interval(findings[0])}."
        for row in [row for row in scores if row["high"] is not None and row["high"] < 0][:1]:
            yield str(model), f"Reversed: {_meaning(row)}, d = {with_interval(row)}."


def tell_detectable(runs: Runs) -> Iterator[Lead]:
    """Say how large an effect each calibrated test could have missed; of one test also with lists of other sizes."""
    is_tested = (pl.col("measure") == DETECTABLE) & pl.col("variant").is_in(PERMUTATION_MEASURES)
    limits = runs.scores.filter(is_tested, pl.col("value").is_finite())
    for (model, name), rows in limits.group_by(["model", "variant"], maintain_order=True):
        own = rows.filter(pl.col("k").is_null()).to_dicts()
        if own:
            tests = format_list([f"{with_interval(row)} in {row['dataset']}" for row in own], 12)
            yield str(model), f"With power .8, {name} detects d ≥ {tests}, and can miss smaller effects."
        sizes = rows.drop_nulls("k")
        if len(sizes) and sizes.get_column("dataset").n_unique() == 1:
            words = format_list([str(k) for k in sizes.get_column("k")])
            values = format_list([format_number(value) for value in sizes.get_column("value")])
            yield str(model), f"With {words} words per set, {name} detects d ≥ {values}."


def _meaning(row: Score) -> str:
    return str(TEST_NAMES.get(row["dataset"], row["dataset"]))


def _never_predicted(runs: Runs) -> Iterator[Lead]:
    """Say how many words of the text were never among the guesses, and which of them are frequent."""
    for run in runs.each:
        is_used = (pl.col("experiment") == "prediction") & pl.col(SKIP).is_null()
        predictions = run.item_table("predictions").filter(is_used).group_by("model", "word")
        words = predictions.agg(pl.len().alias("times"), pl.col("rank").is_not_null().sum().alias("hits")).collect()
        top = run.settings.get("top") or "best"
        for (model,), model_words in words.group_by(["model"], maintain_order=True):
            never = model_words.filter(pl.col("hits") == 0)
            count = f"{len(never):,} of the text’s {len(model_words):,} different words"
            yield str(model), f"{count} are never among its {top} best guesses."
            often = never.filter(pl.col("times") >= MIN_OCCURRENCES).sort(["times", "word"], descending=[True, False])
            if len(often):
                example_rows = often.select("word", "times").head(MAX_LEAD_WORDS).iter_rows()
                examples = ", ".join(f"“{word}” ({times} times)" for word, times in example_rows)
                yield str(model), f"The most frequent of these: {examples}."


def _find_mitigation_leads(runs: Runs) -> Iterator[Lead]:
    """Say whether a mitigation makes inferences more neutral, next to random directions."""
    is_whole = pl.all_horizontal(pl.col(name).is_null() for name in ("subset", "control", "draw"))
    changes = runs.scores.filter(pl.col("measure") == "net-neutral", is_whole, pl.col("variant") == "change")
    for (model, dataset), rows in changes.group_by(["model", "dataset"], maintain_order=True):
        versions = {row["version"]: row for row in rows.iter_rows(named=True)}
        chance = f"; random directions by {_sign(versions[RANDOM]['value'])}" if RANDOM in versions else ""
        for version in versions.keys() - {RANDOM, None}:
            change = versions[version]
            interval = ""
            if change["low"] is not None:
                interval = f" [{_sign(change['low'])}, {_sign(change['high'])}], {_judge_change(change)}"
            text = f"On {dataset}, {version} changes neutral by {_sign(change['value'])}{interval}{chance}."
            yield str(model), text


def _judge_change(change: Score) -> str:
    if change["low"] <= 0 <= change["high"]:
        return "no clear difference"
    is_gain = (change["value"] > 0) == (find_measure(change["measure"]).better != "lower")
    return "better" if is_gain else "worse"


def _sign(value: float) -> str:
    """Return a change, with a third place where two would hide on which side of 0 it is."""
    return format_fixed(value, 2 if abs(value) >= 0.005 else 3, is_signed=True)


LEAD_CHAPTERS: dict[str, tuple[Callable[[Runs], Iterator[Lead]], ...]] = {
    "Word meaning": (_best_layer, _early_layers),
    "Stereotypes": (_stereotypes, _nullified_tests, tell_detectable),
    "Words it predicts": (_never_predicted,),
    "Inferences": (_find_mitigation_leads,),
}
"""Chapter → what writes its sentences."""


def plain_answers(runs: Runs) -> dict[str, list[str]]:
    """Return heading → sentences without a page: what is missing, the profile, then the leads of the sections."""
    rows = profile(keep_last_steps(runs))
    answers = [f"{row.question.name}: {row.subject}, {with_interval(row.score)}: {row.verdict}." for row in rows]
    sentences = {}
    for chapter, by_model in leads(runs).items():
        sentences[chapter] = [f"{model}: {sentence}" for model, texts in by_model.items() for sentence in texts]
    headings = plain_missing(runs) | {"Profile": answers} | sentences
    return {heading: texts for heading, texts in headings.items() if texts}

"""Answers from behaviour and from variants: words never predicted, wrong inferences, debiasing, sensitivity."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT, find_measure
from wordworth.pages.comparisons import networks_of
from wordworth.pages.figures.figure import CURVE_CHAPTERS, OF_TESTS, curve_id
from wordworth.pages.insights import TRIED, choices_of, datasets_by_kind, variants_of
from wordworth.pages.published import MIN_ACCURACY, standing
from wordworth.pages.runs import FULL, Runs, Score, Sentence, with_interval
from wordworth.results.columns import SKIPPED
from wordworth.results.run import Run
from wordworth.results.table import format_fixed, format_list, format_number, format_percent
from wordworth.results.vocabulary import HARMLESS, ORIGINAL, RANDOM

MAX_WORDS = 5
MIN_OCCURRENCES = 3  # a rarer word says little when it was never predicted
NEGLIGIBLE_LOSS = 0.02  # a loss of ρ up to this is none, where ρ has no interval
HOLDS = 0.95  # the share of variants from which a conclusion is said to hold
MAX_NAMED = 2  # tests and options that are named
ONE_OUT = ("one target out", "one attribute out")  # variants without one word


def never_predicted(runs: Runs) -> Iterator[Sentence]:
    """Say how many words of the text were never among the guesses, and which of them are frequent."""
    for run in runs.each:
        is_used = (pl.col("experiment") == "prediction") & pl.col(SKIPPED).is_null()
        predictions = run.item_table("predictions").filter(is_used).group_by("model", "word")
        words = predictions.agg(pl.len().alias("times"), pl.col("rank").is_not_null().sum().alias("hits")).collect()
        top = run.settings.get("top")
        guesses = f"its {top} best guesses" if top else "its best guesses"
        for (model,), own in words.group_by(["model"], maintain_order=True):
            never = own.filter(pl.col("hits") == 0)
            often = never.filter(pl.col("times") >= MIN_OCCURRENCES).sort(["times", "word"], descending=[True, False])
            text = f"never has {len(never):,} of the text’s {len(own):,} different words among {guesses}."
            if len(often):
                shown = often.select("word", "times").head(MAX_WORDS).iter_rows()
                text += f" The most frequent: {', '.join(f'“{word}” ({times} times)' for word, times in shown)}."
            yield Sentence(text, "prediction", str(model), len(never) / max(1, len(own)))


def inferred(runs: Runs) -> Iterator[Sentence]:
    """Say how neutral each probe is, next to published models, and whether a mitigation makes it better or worse."""
    is_whole = pl.all_horizontal(pl.col(name).is_null() for name in ("subset", "control", "draw"))
    rows = runs.scores.filter(pl.col("measure") == "net-neutral", is_whole)
    is_plain = pl.col("variant").is_null()
    is_accuracy = (pl.col("measure") == "accuracy") & is_whole & is_plain & (pl.col("version") == ORIGINAL)
    accuracies = dict(runs.scores.filter(is_accuracy).group_by("model").agg(pl.col("value").max()).iter_rows())
    networks = networks_of(runs)
    for (model, dataset), own in rows.filter(is_plain).group_by(["model", "dataset"], maintain_order=True):
        versions = {row["version"]: row for row in own.iter_rows(named=True)}
        before = versions.get(ORIGINAL, own.row(0, named=True))
        pairs = f" ({before['n']:,} pairs)" if before["n"] is not None else ""
        accuracy = accuracies.get(model)
        is_near_chance = accuracy is not None and accuracy < MIN_ACCURACY
        place = None if is_near_chance else standing(before["name"], None, networks.quantity(before))
        stands = f", {place.describe(before['value'], before['low'], before['high'])}" if place else ""
        first = "gives neutral, the only right answer, a mean probability of"
        text = f"{first} {with_interval(before)} on {dataset}{pairs}{stands}."
        changes = rows.filter(pl.col("variant") == "change", pl.col("model") == model, pl.col("dataset") == dataset)
        tested = {row["version"]: row for row in changes.iter_rows(named=True)}
        changed = [row for name, row in versions.items() if name not in (None, ORIGINAL, RANDOM)]
        effects = "; ".join(_mitigated(row, versions, tested, before) for row in changed)
        text += f" {effects[0].upper()}{effects[1:]}." if effects else ""
        if is_near_chance:
            text += f" Its accuracy, {format_number(accuracy)}, is near chance, so it is compared with no paper."
        yield Sentence(text, "neutrality", str(model), -before["value"])


def _mitigated(row: Score, versions: Mapping[str, Score], tested: Mapping[str, Score], before: Score) -> str:
    """Return “projection makes it worse: .23 (−.08 [−.15, −.00]; random directions: −.00)”; untested, “gives .23”."""
    change: Mapping[str, Any] = tested.get(row["version"]) or {"value": row["value"] - before["value"], "low": None}
    gain = change["value"] if find_measure(row["measure"]).better != "lower" else -change["value"]
    verdict, interval = "gives", ""
    if change["low"] is not None:
        interval = f" [{_signed(change['low'])}, {_signed(change['high'])}]"
        verdict = "makes it better:" if gain > 0 else "makes it worse:"
        verdict = "makes no clear difference:" if change["low"] <= 0 <= change["high"] else verdict
    chance = tested[RANDOM]["value"] if RANDOM in tested else None
    if chance is None and RANDOM in versions:
        chance = versions[RANDOM]["value"] - before["value"]
    control = f"; random directions: {_signed(chance)}" if chance is not None else ""
    return f"{row['version']} {verdict} {format_number(row['value'])} ({_signed(change['value'])}{interval}{control})"


def _signed(value: float) -> str:
    """Return a change, with a third place where two would hide on which side of 0 it is."""
    return format_fixed(value, 2 if abs(value) >= 0.005 else 3, signed=True)


def debiased(runs: Runs) -> Iterator[Sentence]:
    """Say what became of the stereotypes and of the meaning."""
    is_mean = pl.col("draw").is_null() & pl.col("variant").is_null()
    own = runs.scores.filter(pl.col("study") == "debias", pl.col("version").is_not_null(), is_mean)
    social = own.filter(pl.col("measure") == WEAT, ~pl.col("dataset").is_in(HARMLESS))
    for (model,), rows in own.group_by(["model"], maintain_order=True):
        biased = social.filter(pl.col("model") == model)
        effects = dict(biased.group_by("version").agg(pl.col("value").abs().mean()).iter_rows())
        meaning = rows.filter(pl.col("measure").is_in([VALENCE, SIMILARITY]))
        for version in rows.get_column("version").unique(maintain_order=True).to_list():
            if version in effects and version not in (ORIGINAL, RANDOM):
                bias = _remaining_bias(version, effects, biased.get_column("dataset").n_unique())
                text, ends = f"{bias}.{_remaining_meaning(version, meaning)}", ("Most left", "Least left")
                yield Sentence(text, "debias", str(model), effects[version], whole=True, ends=ends)


def _remaining_bias(version: str, effects: Mapping[str, float], tests: int) -> str:
    """Say how strong stereotypes are after and before, and what random directions leave."""
    before, after, chance = effects.get(ORIGINAL), effects[version], effects.get(RANDOM)
    count = f"{tests} social association test{'s' * (tests != 1)}"
    text = f"{version} leaves a mean |d| of {format_number(after)} over {count}"
    if before is not None:
        text += f", from {format_number(before)}"
    return text + (f" (random directions leave {format_number(chance)})" if chance is not None else "")


def _remaining_meaning(version: str, meaning: pl.DataFrame) -> str:
    """Say whether the vectors still know what they knew of words."""
    harmed, unharmed = list[str](), list[str]()
    for (dataset,), rows in meaning.group_by(["dataset"], maintain_order=True):
        at = {row["version"]: row for row in rows.iter_rows(named=True)}
        if ORIGINAL in at and version in at:
            before, after = at[ORIGINAL], at[version]["value"]
            limit = before["low"] if before["low"] is not None else before["value"] - NEGLIGIBLE_LOSS
            text = f"{dataset} {format_number(before['value'])} → {format_number(after)}"
            (harmed if after < limit else unharmed).append(text)
    if harmed:
        return f" It costs meaning: {format_list([*harmed, *unharmed], 4)}."
    return f" It keeps meaning: {format_list(unharmed, 4)}." if unharmed else ""


def sensitivity(runs: Runs) -> Iterator[Sentence]:
    """Name for each model the tests whose conclusion holds, and those that are least certain, with what flips them."""
    for at, run in enumerate(runs.each):
        scores = run.scores.filter(TRIED)
        for number, (model,) in enumerate(scores.select("model").unique(maintain_order=True).iter_rows()):
            for title, datasets in zip(CURVE_CHAPTERS, datasets_by_kind(run, model), strict=True):
                is_whole = pl.col("subset").is_null() & pl.col("dataset").is_in(datasets)
                rows = scores.filter(pl.col("model") == model, is_whole)
                if len(rows):
                    text, order = _certainty(run, rows, is_test=title == OF_TESTS)
                    ends = ("Most certain", "Least certain")
                    yield Sentence(text, curve_id(title, at, number), str(model), order, ends=ends)


def _certainty(run: Run, rows: pl.DataFrame, *, is_test: bool) -> tuple[str, float]:
    by_dataset: dict[str, dict[str, Score]] = {}
    for row in rows.iter_rows(named=True):
        by_dataset.setdefault(row["dataset"], {})[row["variant"]] = row
    flipped = {dataset: variants["flipped"]["value"] for dataset, variants in by_dataset.items()}
    uncertain = sorted((name for name in flipped if flipped[name] > 1 - HOLDS), key=lambda name: -flipped[name])
    order = 1 - sum(flipped.values()) / len(flipped)
    counted = f"{len(flipped) - len(uncertain)} of {len(flipped)} {'association tests' if is_test else 'lexica'}"
    first = f"reaches the same conclusion in {format_percent(HOLDS)} or more of the variants of {counted}"
    if not uncertain:
        return f"{first}.", order
    described = [_describe_flips(run, by_dataset[name], "d" if is_test else "ρ") for name in uncertain[:MAX_NAMED]]
    return f"{first}. Least certain: {'; '.join(described)}.", order


def _describe_flips(run: Run, variants: Mapping[str, Score], symbol: str) -> str:
    """Say how many variants of a test flip, with which options most, and without which single words."""
    row, median = variants["flipped"], variants["median"]
    table = variants_of(run, row["model"], row["dataset"])
    shares = pl.concat(
        table.group_by(pl.col(choice).alias("option"), maintain_order=True).agg(pl.col("is_flipped").mean())
        for choice in choices_of(table)
    ).sort("is_flipped", descending=True, maintain_order=True)
    options = [f"{option} {format_percent(share)}" for option, share in shares.head(MAX_NAMED).iter_rows()]
    words = single_words(table)
    alone = f"; without {format_list(words, 3)} alone it flips" if words else ""
    share = f"{format_percent(row['value'])} of {row['n']:,} variants flip it"
    ends = f"{format_number(median['low'])} to {format_number(median['high'])}"
    name = FULL.get(row["dataset"], row["dataset"])
    return f"{name} ({share}, {symbol} {ends}; most of all {format_list(options)}{alone})"


def single_words(table: pl.DataFrame) -> list[str]:
    """Return the words without any one of which the conclusion is another, all other choices as they are."""
    others = [name for name in choices_of(table) if name != "words"]
    alike = table.filter(pl.col(name) == table.item(0, name) for name in others)
    flips = alike.filter(pl.col("words").is_in(ONE_OUT), pl.col("is_flipped"))
    return [str(word) for word in flips.get_column("without").unique(maintain_order=True)]

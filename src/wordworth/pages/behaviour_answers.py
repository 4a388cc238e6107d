"""Answers from behaviour and from variants: words never predicted, wrong inferences, debiasing, sensitivity."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.pages.comparisons import networks_of
from wordworth.pages.figures.figure import CURVE_CHAPTERS, LEVEL, OF_SIDES, OF_TESTS, OPTION, TRIED, curve_id
from wordworth.pages.naming import TESTS, Sentence, with_interval
from wordworth.pages.published import standing
from wordworth.pages.runs import Runs
from wordworth.results import ORIGINAL, RANDOM, Run
from wordworth.results.numbers import format_fixed, format_list, format_number, format_percent
from wordworth.results.vocabulary import HARMLESS

NEVER = 5
LEAST_TIMES = 3
"""A rarer word says little when it was never predicted."""
KEPT = 0.02
"""A loss of ρ up to this is none, where ρ has no interval."""
HOLDS = 0.95
"""The share of variants from which a conclusion is said to hold."""
NAMED = 2
"""Tests and options that are named."""


def never_said(runs: Runs) -> Iterator[Sentence]:
    """Say how many words of the text were never among the guesses, and which of them are frequent."""
    for run in runs.each:
        words = (
            run.items.filter(pl.col("experiment") == "prediction", pl.col("left_out").is_null())
            .group_by("model", "item")
            .agg(pl.len().alias("times"), pl.col("rank").is_not_null().sum().alias("hits"))
            .collect()
        )
        top = run.manifest["settings"].get("top")
        guesses = f"its {top} best guesses" if top else "its best guesses"
        for (model,), mine in words.group_by(["model"], maintain_order=True):
            never = mine.filter(pl.col("hits") == 0)
            often = never.filter(pl.col("times") >= LEAST_TIMES).sort(["times", "item"], descending=[True, False])
            text = f"never has {len(never):,} of the text’s {len(mine):,} different words among {guesses}."
            if len(often):
                shown = often.select("item", "times").head(NEVER).iter_rows()
                text += f" The most frequent: {', '.join(f'“{word}” ({times} times)' for word, times in shown)}."
            yield Sentence(text, "prediction", str(model), len(never) / max(1, len(mine)))


def least_neutral(run: Run) -> pl.LazyFrame:
    """Pairs of sentences, before anything was taken out."""
    first = pl.col("setting").is_null() | (pl.col("setting") == ORIGINAL)
    return run.items.filter(
        pl.col("item").str.contains("⇒", literal=True), pl.col("value").is_not_null(), first
    ).unique(["model", "item"], maintain_order=True)


def inferred(runs: Runs) -> Iterator[Sentence]:
    """How neutral each probe is, where that stands, and whether a mitigation makes it better or worse."""
    whole = ~pl.col("dataset").fill_null("").str.contains("/", literal=True)
    rows = runs.scores.filter(pl.col("measure") == "net-neutral", whole)
    changes = runs.scores.filter(pl.col("measure") == "net-neutral:change", whole)
    trained = networks_of(runs)
    for (model, dataset), mine in rows.group_by(["model", "dataset"], maintain_order=True):
        settings = {row["setting"]: row for row in mine.iter_rows(named=True)}
        before = settings.get(ORIGINAL, mine.row(0, named=True))
        pairs = f" ({before['n']:,} pairs)" if before["n"] is not None else ""
        like = trained.setting({"model": model, "setting": ORIGINAL})
        place = standing(str(model), None, measure="net-neutral", dataset=str(dataset), setting=like)
        stands = f", {place.said(before['value'], before['low'], before['high'])}" if place else ""
        first = "gives neutral, the only right answer, a mean probability of"
        text = f"{first} {with_interval(before)} on {dataset}{pairs}{stands}."
        own = changes.filter(pl.col("model") == model, pl.col("dataset") == dataset)
        tested = {row["setting"]: row for row in own.iter_rows(named=True)}
        said = [
            _mitigated(name, runs.better("net-neutral"), settings, tested, before)
            for name in settings
            if name and name != ORIGINAL and name.partition(":")[0] != RANDOM
        ]
        joined = "; ".join(said)
        text += f" {joined[0].upper()}{joined[1:]}." if said else ""
        yield Sentence(text, "neutrality", str(model), -before["value"])


def _mitigated(name: str, better: str, settings: dict[str, Any], tested: dict[str, Any], before: dict[str, Any]) -> str:
    """“projection makes it worse: .23, by −.08 [−.15, −.00] (random directions: −.00)”."""
    change = tested.get(name) or {"value": settings[name]["value"] - before["value"], "low": None, "high": None}
    gain = change["value"] if better != "lower" else -change["value"]
    verdict = "makes it better" if gain > 0 else "makes it worse" if gain < 0 else "changes nothing"
    interval = ""
    if change["low"] is not None:
        interval = f" [{_signed(change['low'])}, {_signed(change['high'])}]"
        verdict = "makes no clear difference" if change["low"] <= 0 <= change["high"] else verdict
    chance = tested.get(RANDOM, {}).get("value")
    if chance is None and RANDOM in settings:
        chance = settings[RANDOM]["value"] - before["value"]
    control = f"; random directions: {_signed(chance)}" if chance is not None else ""
    return f"{name} {verdict}: {format_number(settings[name]['value'])} ({_signed(change['value'])}{interval}{control})"


def _signed(value: float) -> str:
    """Return a change, with a third place where two would hide on which side of 0 it is."""
    return format_fixed(value, 2 if abs(value) >= 0.005 else 3, signed=True)


def debiased(runs: Runs) -> Iterator[Sentence]:
    """What became of the stereotypes, and what of the meaning: for better or for worse."""
    own = runs.scores.filter(pl.col("study") == "debias", pl.col("setting").is_not_null())
    social = own.filter(pl.col("measure") == "weat", ~pl.col("dataset").is_in(HARMLESS))
    for (model,), mine in own.group_by(["model"], maintain_order=True):
        biased = social.filter(pl.col("model") == model)
        effects = dict(biased.group_by("setting").agg(pl.col("value").abs().mean()).iter_rows())
        meaning = mine.filter(pl.col("measure").is_in(["valence", "similarity"]))
        for method in mine.get_column("setting").unique(maintain_order=True).to_list():
            if method == ORIGINAL or method.partition(":")[0] == RANDOM or method not in effects:
                continue
            text = f"{_less(method, effects, biased.get_column('dataset').n_unique())}.{_kept(method, meaning)}"
            yield Sentence(text, "debias", str(model), effects[method], whole=True, ends=("Most left", "Least left"))


def _less(method: str, effects: dict[str, float], tests: int) -> str:
    """Whether stereotypes are weaker, and than what random directions leave."""
    before, after, chance = effects.get(ORIGINAL), effects[method], effects.get(RANDOM)
    text = (
        f"{method} leaves a mean |d| of {format_number(after)} over {tests} social association test{'s' * (tests != 1)}"
    )
    if before is not None:
        verdict = "better" if after < before else "worse" if after > before else "no change"
        text += f", from {format_number(before)}: {verdict}"
    if chance is not None:
        text += f" (random directions leave {format_number(chance)})"
    return text


def _kept(method: str, meaning: pl.DataFrame) -> str:
    """Whether what the vectors know of words is still there."""
    kept: list[str] = []
    lost: list[str] = []
    for (dataset,), rows in meaning.group_by(["dataset"], maintain_order=True):
        at = {row["setting"]: row for row in rows.iter_rows(named=True)}
        if ORIGINAL in at and method in at:
            before, after = at[ORIGINAL], at[method]["value"]
            limit = before["low"] if before["low"] is not None else before["value"] - KEPT
            said = f"{dataset} {format_number(before['value'])} → {format_number(after)}"
            (lost if after < limit else kept).append(said)
    if lost:
        return f" It costs meaning: {format_list([*lost, *kept], 4)}."
    return f" It keeps meaning: {format_list(kept, 4)}." if kept else ""


def sensitivity(runs: Runs) -> Iterator[Sentence]:
    """For each model, the tests whose conclusion holds, and those that are least sure, with what flips them."""
    for at, run in enumerate(runs.each):
        scores = run.scores.filter(TRIED)
        for number_, (model,) in enumerate(scores.select("model").unique(maintain_order=True).iter_rows()):
            mine = scores.filter(pl.col("model") == model)
            tests = mine.filter(OF_SIDES).get_column("dataset").unique().to_list()
            for title in CURVE_CHAPTERS:
                kind = pl.col("dataset").is_in(tests)
                rows = mine.filter(kind if title == OF_TESTS else ~kind)
                if len(rows):
                    text, held = _said(run, rows, "d" if title == OF_TESTS else "ρ")
                    yield Sentence(text, curve_id(title, at, number_), str(model), held, ends=("Surest", "Least sure"))


def _said(run: Run, rows: pl.DataFrame, symbol: str) -> tuple[str, float]:
    whole = {
        str(dataset): {row["measure"].removeprefix("sensitivity:"): row for row in part.iter_rows(named=True)}
        for (dataset,), part in rows.filter(~OPTION).group_by(["dataset"], maintain_order=True)
    }
    flipped = {dataset: told["flipped"]["value"] for dataset, told in whole.items()}
    held = [dataset for dataset, share in flipped.items() if share <= 1 - HOLDS]
    surety = 1 - sum(flipped.values()) / len(flipped)
    many = "association tests" if symbol == "d" else "lexica"
    counted = f"{len(held)} of {len(whole)} {many}"
    first = f"comes to the same conclusion in {format_percent(HOLDS)} or more of the variants of {counted}"
    if len(held) == len(whole):
        return f"{first}.", surety
    unsure = sorted((name for name in whole if name not in held), key=lambda name: -flipped[name])[:NAMED]
    told = [_unsure(run, rows.filter(pl.col("dataset") == name), whole[name], symbol) for name in unsure]
    return f"{first}. Least sure: {'; '.join(told)}.", surety


def _unsure(run: Run, rows: pl.DataFrame, told: dict[str, Any], symbol: str) -> str:
    """One test: how many variants flip, with which options most, and which single words."""
    row = told["flipped"]
    options = rows.filter(OPTION).sort("value", descending=True, maintain_order=True).head(NAMED)
    named = [
        f"{one['setting'].partition(': ')[2]} {format_percent(one['value'])}" for one in options.iter_rows(named=True)
    ]
    words = single_words(run, row["model"], row["dataset"])
    alone = f"; without {format_list(words, 3)} alone it flips" if words else ""
    name = TESTS.get(row["dataset"], row["dataset"])
    share = f"{format_percent(row['value'])} of {row['n']:,} variants flip it"
    ends = f"{format_number(told['median']['low'])} to {format_number(told['median']['high'])}"
    return f"{name} ({share}, {symbol} {ends}; most of all {format_list(named)}{alone})"


def single_words(run: Run, model: str, dataset: str) -> list[str]:
    """The words without any one of which the conclusion is another, all other choices as they are."""
    mine = run.items.filter(TRIED, pl.col("model") == model, pl.col("dataset") == dataset, pl.col("left_out").is_null())
    table = mine.select("item", "group", "place", "value", "p").collect()
    concluded = pl.when(pl.col("p") < LEVEL).then(pl.col("value").sign()).otherwise(0.0)
    alike = table.filter(pl.col("place") == table.item(0, "place")).with_columns(concluded=concluded)
    single = alike.filter(pl.col("group").is_in(["one target out", "one attribute out"]))
    flips = single.filter(pl.col("concluded") != alike.item(0, "concluded"))
    return [str(word) for word in flips.get_column("item").unique(maintain_order=True)]

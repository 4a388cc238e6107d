"""Answers from behaviour: words that are never predicted, inferences that do not follow."""

from collections.abc import Iterator

import polars as pl

from wordworth.report.naming import HARMLESS, listed, number, percent
from wordworth.report.runs import AS_IT_IS, Runs
from wordworth.report.sentences import Sentence
from wordworth.run import Run

NEVER = 8
LEAST_TIMES = 3
"""A rarer word says little when it was never predicted."""


def never_said(runs: Runs) -> Iterator[Sentence]:
    """Accuracy by band, and frequent words that were never among the guesses."""
    bands = runs.scores.filter(pl.col("experiment") == "coverage", pl.col("measure") == "T1")
    for (model,), mine in bands.group_by(["model"], maintain_order=True):
        shares = [f"{percent(row['value'])} of the {row['setting']} band" for row in mine.iter_rows(named=True)]
        text = f"has as its first guess, at least once, {listed(shares)}, counted in different words."
        yield Sentence(text, "coverage", str(model), mine.select(pl.col("value").mean()).item())
    for run in runs.each:
        words = (
            run.items.filter(pl.col("experiment") == "prediction", pl.col("left_out").is_null())
            .group_by("model", "item")
            .agg(pl.len().alias("times"), pl.col("rank").is_not_null().sum().alias("hits"))
            .collect()
        )
        for (model,), mine in words.group_by(["model"], maintain_order=True):
            never = mine.filter(pl.col("hits") == 0)
            often = never.filter(pl.col("times") >= LEAST_TIMES).sort(["times", "item"], descending=[True, False])
            text = f"never predicted {len(never):,} of {len(mine):,} different words of the text."
            if len(often):
                shown = often.select("item", "times").head(NEVER).iter_rows()
                text += f" The most frequent: {', '.join(f'“{word}” ({times} times)' for word, times in shown)}."
            yield Sentence(text, "prediction", str(model), len(never) / max(1, len(mine)))


def least_neutral(run: Run) -> pl.LazyFrame:
    """Pairs of sentences, before anything was taken out."""
    first = pl.col("setting").is_null() | (pl.col("setting") == "original")
    return run.items.filter(
        pl.col("item").str.contains("⇒", literal=True), pl.col("value").is_not_null(), first
    ).unique(["model", "item"], maintain_order=True)


def debiased(runs: Runs) -> Iterator[Sentence]:
    """What became of the bias, and what of the meaning."""
    own = runs.scores.filter(pl.col("study") == "debias", pl.col("setting").is_not_null())
    social = own.filter(pl.col("measure") == "weat", ~pl.col("dataset").is_in(HARMLESS))
    for (model,), mine in own.group_by(["model"], maintain_order=True):
        effects = dict(
            social.filter(pl.col("model") == model).group_by("setting").agg(pl.col("value").abs().mean()).iter_rows()
        )
        meaning = mine.filter(pl.col("measure").is_in(["valence", "similarity"]))
        for method in mine.get_column("setting").unique(maintain_order=True).to_list():
            if method == "original" or method.startswith("random") or method not in effects:
                continue
            before, after = number(effects.get("original")), number(effects[method])
            text = f"With {method} the mean |d| of social association tests goes from {before} to {after}"
            if "random" in effects:
                text += f" (random directions: {number(effects['random'])})"
            kept = []
            for (dataset,), rows in meaning.group_by(["dataset"], maintain_order=True):
                at = dict(rows.select("setting", "value").iter_rows())
                if "original" in at and method in at:
                    kept.append(f"{dataset} {number(at['original'])} → {number(at[method])}")
            if kept:
                text += f"; meaning: {listed(kept, 4)}"
            yield Sentence(
                f"{text}.", "debias", str(model), effects[method], whole=True, ends=("Most left", "Least left")
            )


def inferred(runs: Runs) -> Iterator[Sentence]:
    """How neutral each probe is, and the inference furthest from it."""
    rows = runs.scores.filter(
        pl.col("measure") == "net-neutral", ~pl.col("dataset").fill_null("").str.contains("/", literal=True)
    )
    for (model, dataset), mine in rows.group_by(["model", "dataset"], maintain_order=True):
        settings = dict(zip(mine.get_column("setting"), mine.get_column("value"), strict=True))
        before = settings.get("original", mine.get_column("value")[0])
        text = f"gives neutral a mean probability of {number(before)} on {dataset}, where only neutral is right"
        after = {name: value for name, value in settings.items() if name and name not in ("original", "random")
                 and not name.startswith("random:")}  # fmt: skip
        if after:
            best = max(after, key=lambda name: after[name])
            text += f"; {best} brings it to {number(after[best])}"
        yield Sentence(f"{text}.", "neutrality", str(model), -before)
    for run in runs.each:
        least = (
            least_neutral(run).filter(AS_IT_IS).sort("value").group_by("model", maintain_order=True).first().collect()
        )
        for row in least.iter_rows(named=True):
            wrong = "entailment" if (row["entailment"] or 0) >= (row["contradiction"] or 0) else "contradiction"
            text = f"takes “{row['item']}” for {wrong} with probability {number(row[wrong])}."
            yield Sentence(text, "pairs", row["model"], -row["value"])

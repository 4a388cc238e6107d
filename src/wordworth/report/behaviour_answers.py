"""Answers from behaviour: words that are never predicted, inferences that do not follow."""

from collections.abc import Iterator

import polars as pl

from wordworth.report.gather import Gathered
from wordworth.report.naming import listed, number, percent
from wordworth.report.saying import Saying

NEVER = 8
LEAST_MET = 3
"""A word that was met fewer times says little when it was never predicted."""


def never_said(gathered: Gathered) -> Iterator[Saying]:
    """Accuracy by band, and frequent words that were never among the guesses."""
    bands = gathered.scores.filter(pl.col("experiment") == "coverage", pl.col("measure") == "T1")
    for (model,), mine in bands.group_by(["model"], maintain_order=True):
        told = [f"{percent(row['value'])} of the {row['setting']} band" for row in mine.iter_rows(named=True)]
        text = f"has as its first guess, at least once, {listed(told)}, counted in different words."
        yield Saying(text, "coverage", str(model), float(mine.get_column("value").mean()))  # type: ignore[arg-type]
    for number_, run in enumerate(gathered.runs):
        if run.manifest["study"] != "predict":
            continue
        words = (
            run.items.filter(pl.col("experiment") == "prediction", pl.col("left_out").is_null())
            .group_by("model", "item")
            .agg(pl.len().alias("met"), pl.col("rank").is_not_null().sum().alias("hits"))
            .collect()
        )
        for (name,), mine in words.group_by(["model"], maintain_order=True):
            model = gathered.labels.get((number_, str(name)), str(name))
            never = mine.filter(pl.col("hits") == 0)
            often = never.filter(pl.col("met") >= LEAST_MET).sort(["met", "item"], descending=[True, False])
            text = f"never predicted {len(never):,} of {len(mine):,} different words that it met."
            if len(often):
                shown = [f"“{word}” ({met} times)" for word, met in often.select("item", "met").head(NEVER).iter_rows()]
                text += f" Met most often: {', '.join(shown)}."
            yield Saying(text, "prediction", model, len(never) / max(1, len(mine)))


def inferred(gathered: Gathered) -> Iterator[Saying]:
    """How neutral each probe is, and the inference furthest from it."""
    rows = gathered.scores.filter(
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
        yield Saying(f"{text}.", "neutrality", str(model), -before)
    for number_, run in enumerate(gathered.runs):
        if run.manifest["study"] != "infer":
            continue
        pairs = run.items.filter(pl.col("item").str.contains("⇒", literal=True), pl.col("value").is_not_null())
        least = pairs.sort("value").group_by("model", maintain_order=True).first().collect()
        for row in least.iter_rows(named=True):
            wrong = "entailment" if (row["entailment"] or 0) >= (row["contradiction"] or 0) else "contradiction"
            text = f"takes “{row['item']}” for {wrong} with probability {number(row[wrong])}."
            yield Saying(text, "pairs", gathered.labels.get((number_, row["model"]), row["model"]), -row["value"])

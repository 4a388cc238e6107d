"""Makes the tables of docs/static.md from a run of this version: `make results`. Nothing in them is typed by hand.

It takes the texts that are at hand (WikiText, Brown and Reddit want $WORDWORTH_DATA); with all four about twenty
minutes on two cores the first time, and nothing the second, since aggregated vectors are kept in the cache.
"""

from pathlib import Path

import polars as pl
from pages import put

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.registry import entry
from wordworth.study import study

PAGE = Path(__file__).parent / "static.md"
MODEL, BESIDE = "minilm-l6", ["glove-6b-50d", "word2vec-news-26k"]
TEXTS = ("enwiki-sample", "wikitext", "brown", "reddit")
SENTENCES = (1_000, 5_000, 10_000, 20_000, 50_000, 100_000)
AGREEING = [MODEL, "smollm2-135m"]


def number(row: dict[str, object]) -> str:
    layer = "" if row["layer"] is None else f" ({row['layer']})"
    return f"{row['value']:.3f}{layer}"


def by_sentences(scores: pl.DataFrame, most: int) -> str:
    """Table 1: the best layer of mean/mean for each number of sentences, in brackets the layer."""
    best = scores.filter(
        (pl.col("measure") == "similarity:best") | ((pl.col("measure") == "similarity") & pl.col("layer").is_null())
    ).filter(pl.col("pooling").is_null() | pl.col("pooling").is_in(["mean", "mean/mean"]))
    datasets = best.get_column("dataset").unique(maintain_order=True).to_list()
    lines = ["| model | sentences | " + " | ".join(datasets) + " |", "|---|---|" + "---|" * len(datasets)]
    for (model, setting), group in best.group_by(["model", "setting"], maintain_order=True):
        cells = {row["dataset"]: number(row) for row in group.iter_rows(named=True)}
        if setting is None:
            over = ""
        elif setting == "decontextualized":
            over = "the words alone"
        else:
            over = f"{int(str(setting).partition(':')[2] or most):,}"
        lines.append(f"| {model} | {over} | " + " | ".join(cells[dataset] for dataset in datasets) + " |")
    return "\n".join(lines)


def by_pooling(scores: pl.DataFrame) -> str:
    """Figure 1 in numbers: the best layer of every f and g over all sentences."""
    best = scores.filter(pl.col("measure") == "similarity:best", pl.col("setting") == "aggregated")
    datasets = best.get_column("dataset").unique(maintain_order=True).to_list()
    lines = ["| f/g | " + " | ".join(datasets) + " |", "|---|" + "---|" * len(datasets)]
    for (pooling,), group in best.group_by(["pooling"], maintain_order=True):
        cells = {row["dataset"]: number(row) for row in group.iter_rows(named=True)}
        lines.append(f"| {pooling} | " + " | ".join(cells[dataset] for dataset in datasets) + " |")
    return "\n".join(lines)


def agreement(scores: pl.DataFrame) -> str:
    agreed = scores.filter(pl.col("measure") == "agreement")
    lines = ["| model | bias | mean ρ of the estimators over layers | layers |", "|---|---|---|---|"]
    for row in agreed.iter_rows(named=True):
        interval = f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        lines.append(f"| {row['model'] or 'both'} | {row['dataset']} | {interval} | {row['n']} |")
    return "\n".join(lines)


def main() -> None:
    texts = [name for name in TEXTS if here(name, entry(name, "corpora").sources) or name == TEXTS[0]]
    static = study("static")
    found = static(
        [MODEL, *BESIDE],
        corpus=texts,
        sentences=SENTENCES,
        experiments=["quality"],
        resamples=500,
    )
    (drawn,) = (note for note in found.notes if note.startswith("quality: the setting"))
    most = int("".join(filter(str.isdigit, drawn)))
    put(PAGE, "sentences", by_sentences(found.scores, most))
    put(PAGE, "poolings", by_pooling(found.scores))
    biased = static(AGREEING, corpus=[TEXTS[0]], per_word=3, experiments=["agreement"], resamples=500)
    put(PAGE, "agreement", agreement(biased.scores))


if __name__ == "__main__":
    main()

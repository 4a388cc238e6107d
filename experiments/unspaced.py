"""Makes the table of scripts without spaces in docs/method/predict.md: `python -m experiments.unspaced FOLDER`.

FOLDER has the Universal Declaration of Human Rights as plain text, a paragraph a line, as the project “UDHR in Unicode”
publishes it: cmn_hans.txt, cmn_hant.txt, jpn.txt and tha.txt. It is cited and not shipped. Models that are not here are
fetched; the extra `segment` finds the words.
"""

import sys
from pathlib import Path

import polars as pl
from tools.pages import DOCS, markdown, put

from wordworth.measure import label
from wordworth.results.table import format_percent
from wordworth.study import study
from wordworth.whole_words.words import SHARED_UNITS

PAGE = DOCS / "method" / "predict.md"
WORDS = 500
TEXTS = {
    "cmn_hans": ("Chinese, Simplified", "chinese", ("gemma3-270m", "albert-tiny-zh")),
    "cmn_hant": ("Chinese, Traditional", "chinese", ("gemma3-270m", "albert-tiny-zh")),
    "jpn": ("Japanese", "japanese", ("gemma3-270m",)),
    "tha": ("Thai", "thai", ("gemma3-270m",)),
}
MEASURES = ("top-1", "top-10", "perplexity", "bits-per-character")


def rows(folder: Path, name: str) -> list[list[str]]:
    """Return one row per model, for one text."""
    title, language, models = TEXTS[name]
    text = folder / f"{name}.txt"
    run = study("predict")(models, corpus=text, language=language, words=WORDS, frequencies=text, soft_match=())
    made = []
    for model in models:
        scores = run.scores.filter(pl.col("variant").is_null(), model=model, experiment="prediction")
        by_label = {label(row["measure"], k=row["k"]): row for row in scores.iter_rows(named=True)}
        is_shared = (pl.col("model") == model, pl.col("skipped") == SHARED_UNITS)
        shared = run.item_table("predictions").filter(*is_shared).collect().height
        shares = [format_percent(by_label[measure]["value"]) for measure in MEASURES[:2]]
        plain = [f"{by_label[measure]['value']:.2f}" for measure in MEASURES[2:]]
        made.append([title, model, *shares, *plain, f"{by_label['top-1']['n']:,}", f"{shared:,}"])
    return made


def main(folder: Path) -> None:
    header = ["text", "model", *MEASURES, "words", "skipped: share a unit"]
    put(PAGE, "unspaced", markdown(header, [row for name in TEXTS for row in rows(folder, name)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Make the tables by corpus size and by year of docs/method/valnorm.md: `experiments/corpus_size.py FOLDER`.

Vectors are trained here, which takes one core about ten minutes; runs that are in the folder already are used.
"""

import sys
from pathlib import Path
from typing import Any

import polars as pl
from tools.pages import DOCS, markdown, put

from wordworth.catalog.read.corpora import load_corpus
from wordworth.results.run import Run, read_run
from wordworth.results.table import format_number
from wordworth.study import study
from wordworth.task.training import Sentences, choose_lines, split_lower

PAGE = DOCS / "method" / "valnorm.md"
TEXTS = ("brown", "reddit", "wikitext", "enwiki-sample")
SHARES = (100, 50, 10, 1, 0.1)
YEARS = tuple(f"ttec-{year}" for year in range(2012, 2016))
LEXICA, PAIRS = ("bellezza", "anew", "warriner"), ("men", "ws-353", "simlex-999")


def joined(folder: Path) -> Path:
    """Write all general texts into one file, since none is large."""
    path = folder / "english.txt"
    if not path.is_file():
        lines = (line for name in TEXTS for line in load_corpus(name))
        path.write_text("\n".join(" ".join(split_lower(line)) for line in lines), encoding="utf-8")
    return path


def measured(folder: Path, corpus: str | Path, share: float) -> Run:
    """Return the run on a share of a text; make it where it is not there."""
    place = folder / f"{Path(corpus).name}-{share:g}"
    if not (place / "run.json").is_file():
        chosen = {"corpus": [corpus], "shares": [share], "dimensions": 50}
        study("valnorm")([], experiments=["corpus-size"], **chosen).save(place)
    return read_run(place)


def text_of(corpus: str | Path, share: float) -> list[str]:
    """Return the lines and words of a share of a text."""
    lines = load_corpus(corpus)
    chosen = choose_lines(sum(1 for _ in lines), share, 0)
    words = sum(len(line) for line in Sentences(lines, chosen=chosen))
    return [f"{int(chosen.sum()):,}", f"{words:,}"]


def row_of(run: Run) -> list[str]:
    """Return the vocabulary, the polar words in it, and ρ with its interval and n in every task."""
    polar_words = (
        run.item_table("word_lists").filter(pl.col("skipped").is_null()).select("list", "word").unique().collect()
    )
    polar = [str(polar_words.filter(list=side).height) for side in ("pleasant", "unpleasant")]
    plain = run.scores.filter(pl.col("variant").is_null())
    measures = {(row["measure"], row["dataset"]): row for row in plain.iter_rows(named=True)}
    tasks = [*(("valence", name) for name in LEXICA), *(("similarity", name) for name in PAIRS)]
    return [
        f"{run.models[0].words:,}" if run.models else "0",
        "too few" if "0" in polar else " + ".join(polar),
        *(cell(measures.get(task)) for task in tasks),
    ]


def cell(row: dict[str, Any] | None) -> str:
    return (
        f"{format_number(row['value'])} [{format_number(row['low'])}, {format_number(row['high'])}] ({row['n']:,})"
        if row
        else "–"
    )


def main() -> None:
    place = Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    text = joined(place)
    columns = ["lines", "words", "vocabulary", "polar words", *LEXICA, *PAIRS]
    sizes = [[f"{share:g} %", *text_of(text, share), *row_of(measured(place, text, share))] for share in SHARES]
    put(PAGE, "sizes", markdown(["share", *columns], sizes))
    years = [[name, *text_of(name, 100), *row_of(measured(place, name, 100))] for name in YEARS]
    put(PAGE, "years", markdown(["text", *columns], years))


if __name__ == "__main__":
    main()

"""Make the tables by language of docs/method/valnorm.md and docs/method/vast.md: `experiments/languages.py FOLDER`.

Runs that are in the folder already are used. The first needs only the package index; the others need $WORDWORTH_DATA,
with the lexica that the papers used. On two cores all of them take about a quarter of an hour.
"""

import csv
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from tools.pages import DOCS, markdown, put

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.catalog.registry import entry
from wordworth.encode.encoding import pieces_of
from wordworth.encode.named import load_named
from wordworth.measure import sc_weat
from wordworth.results.run import Run, read_run
from wordworth.results.table import format_interval, format_number
from wordworth.results.vocabulary import CAUTION_MARK, Caution
from wordworth.study import study
from wordworth.task.valence import average_by_english

LANGUAGES = ("english", "german", "spanish", "portuguese", "polish", "turkish", "french", "chinese")
TESTS = ("weat1", "weat2", "weat8")
DATA = "WORDWORTH_DATA"
ENCODER, CAUSAL = "use-multilingual", "gemma3-270m"
Row = dict[str, Any]


def made(folder: Path, name: str, run: Callable[[], Any]) -> Run:
    """Return the run of that name; make it where it is not there."""
    if not (folder / name / "run.json").is_file():
        run().save(folder / name)
    return read_run(folder / name)


def valnorm(folder: Path, name: str, data: str | None) -> Run:
    """ValNorm in every language, with the lexica at `data` or those of the package index alone."""
    os.environ.pop(DATA, None)
    if data:
        os.environ[DATA] = data
    chosen = {"languages": ["all"], "experiments": ["valence", "weat", "similarity"]}
    return made(folder, name, lambda: study("valnorm")([ENCODER], **chosen))


def vast(folder: Path, model: str) -> Run:
    chosen = {"experiments": ["languages"], "resamples": 300}
    return made(folder, f"vast-{model}", lambda: study("vast")([model], **chosen))


def told(row: Row) -> str:
    """ρ or d, with its interval."""
    mark = CAUTION_MARK if Caution.MACHINE_TRANSLATED in row["cautions"] else ""
    return f"{format_number(row['value'], 3)}{mark} {format_interval(row['low'], row['high'], 3)}"


def largest(scores: pl.DataFrame, measure: str) -> Row | None:
    """Return the score of the largest data set; of word pairs first those of SimLex, which most languages have."""
    mine = scores.filter(pl.col("variant").is_null(), measure=measure, experiment=measure)
    mine = mine.sort(~pl.col("dataset").str.contains("simlex"), -pl.col("n"), maintain_order=True)
    return mine.row(0, named=True) if len(mine) else None


def rated(scores: pl.DataFrame, row: Row | None) -> list[str]:
    """A data set, the words or pairs of it that were found, with their share, and the score."""
    if row is None:
        return ["–", "", ""]
    share = scores.filter(measure="coverage", dataset=row["dataset"]).item(0, "value")
    return [f"`{row['dataset']}`", f"{row['n']:,} ({share:.0%})", told(row)]


def tested(scores: pl.DataFrame) -> Iterator[str]:
    """d of each test, its targets, and how many were asked for where some are not there."""
    for test in TESTS:
        rows = scores.filter(pl.col("variant").is_null(), measure="weat", dataset=test).to_dicts()
        yield f"{told(rows[0])}, {rows[0]['n']}" if rows else "–"


def variance(run: Run) -> list[str]:
    spread = run.scores.filter(measure="weat", variant="variance")
    return [format_number(spread.filter(dataset=test).item(0, "value"), 3) for test in TESTS]


def from_index(run: Run) -> str:
    header = ["language", "lexicon", "n (share)", "valence ρ", "WEAT 1 d, n", "WEAT 2", "WEAT 8", "pairs", "n", "ρ"]
    rows = []
    for language in LANGUAGES:
        mine = run.scores.filter(language=language)
        valence = largest(mine.filter(dataset="bellezza"), "valence") or largest(mine, "valence")
        rows.append([language, *rated(mine, valence), *tested(mine), *rated(mine, largest(mine, "similarity"))])
    rows.append(["variance", "", "", "", *variance(run), "", "", ""])
    return markdown(header, rows)


def from_data(run: Run) -> str:
    header = ["language", "Bellezza’s words, n", "ρ", "lexicon, n (share)", "ρ", "WEAT 1 d, n", "WEAT 2", "WEAT 8"]
    rows = []
    for language in LANGUAGES:
        mine = run.scores.filter(language=language)
        english = language == "english"
        words, own = ("bellezza", "anew") if english else (f"bellezza-{language}", language)
        valence = mine.filter(pl.col("variant").is_null(), measure="valence", experiment="valence")
        first, second = (valence.filter(dataset=name).row(0, named=True) for name in (words, own))
        name, n, rho = rated(mine, second)
        rows.append([language, f"{first['n']:,}", told(first), f"{name}, {n}", rho, *tested(mine)])
    rows.append(["variance", "", "", "", "", *variance(run)])
    return markdown(header, rows)


def by_layer(runs: dict[str, Run]) -> str:
    """Return Figures 20 to 22: the best and the top layer in each context, by language; the mean over languages."""
    contexts = ("decontextualized", "random", "bleached", "aligned", "misaligned")
    rows = []
    for model, run in runs.items():
        valence = run.scores.filter(pl.col("variant").is_null(), measure="valence", experiment="languages")
        for language in valence.get_column("language").unique(maintain_order=True).to_list():
            mine = valence.filter(language=language)
            name, n = mine.filter(context="bleached").select("dataset", "n").row(0)
            mark = CAUTION_MARK if polar_words(language).by_machine else ""
            cells = [best_and_top(mine.filter(context=context)) for context in contexts]
            rows.append([model, f"{language}{mark}", f"`{name}`, {n:,}", *cells])
        means = run.scores.filter(measure="valence", variant="mean")
        several = [means.filter(pl.col("n") > 1, context=context) for context in contexts]
        rows.append([model, "mean", "", *map(best_and_top, several)])
    return markdown(["model", "language", "lexicon, n", *contexts], rows)


def best_and_top(scores: pl.DataFrame) -> str:
    """“.70 (9), .52”: ρ in its best layer, the layer, and ρ in the top layer; ρ alone where there is one layer."""
    if scores.is_empty():
        return "–"
    ordered = scores.sort("layer")
    best, top = ordered.sort("value", descending=True).row(0, named=True), ordered.row(-1, named=True)
    text = format_number(best["value"], 3)
    return text if len(ordered) == 1 else f"{text} ({best['layer']}), {format_number(top['value'], 3)}"


def seconds(runs: dict[str, Run]) -> str:
    took = " and ".join(f"`{model}` took {run.seconds / 60:.1f} minutes" for model, run in runs.items())
    return f"\n{took}, on two cores with much else to do."


def turkish() -> str:
    """How Turkish words may be paired with Bellezza's, and what comes of it."""
    bellezza, anew, ours = (average_by_english(load_lexicon(name)) for name in ("bellezza", "anew", "bellezza-turkish"))
    among = bellezza.keys() & anew.keys()
    norms = table_of("turkish", "lexica", ";")
    translated = table_of("turkish-bellezza-translation", "word_sets", ",")[1:]
    pairs = [(english, form.strip()) for english, form in translated]
    at, spread = norms[0].index("ValenceM"), norms[0].index("ValenceSD")

    def paired(fold: Callable[[str], str], column: int = at, most: float = np.inf) -> dict[str, float]:
        values = {fold(row[0]): float(row[column]) for row in norms[1:] if float(row[spread]) < most}
        return {english: values[fold(form)] for english, form in pairs if english in among and fold(form) in values}

    def row(how: str, found: dict[str, float], people: dict[str, float] = bellezza) -> list[str]:
        words = sorted(found.keys() & among)
        rho = np.corrcoef([found[word] for word in words], [people[word] for word in words])[0, 1]
        return [how, str(len(words)), format_number(float(rho), 3)]

    one_each = {form: english for english, form in reversed(pairs) if english in among}
    once = {english: value for english, value in paired(lower).items() if english in one_each.values()}
    ascii_of = str.maketrans("ışğüöçâîû", "isguocaiu")
    rows = [
        row("as here: Turkish lower case, a space or none, means over repeats", ours),
        row("Turkish lower case", paired(lower)),
        row("lower case as in English (I to i, so half of the words are lost)", paired(str.lower)),
        row("without dots and hooks", paired(lambda word: lower(word).translate(ascii_of))),
        row("each Turkish word for one English word", once),
        row("against ANEW’s ratings", ours, anew),
        row("happiness instead of valence", paired(lower, norms[0].index("HappyM"))),
        row("without words whose ratings have a deviation of 3 or more", paired(lower, most=3)),
    ]
    forms = dict(pairs)
    lost = ", ".join(f"*{word}* ({forms.get(word, 'not in the file')})" for word in sorted(among - ours.keys()))
    by_word = {lower(row[0]): (float(row[spread]), float(row[at])) for row in norms[1:]}
    split = sorted((*by_word[lower(form)], form, english) for english, form in pairs if lower(form) in by_word)[-4:]
    most = ", ".join(f"*{form}* ({english}) {mean:.1f} ± {deviation:.1f}" for deviation, mean, form, english in split)
    said = f"Of the {len(among)} words, these have no row in the norms: {lost}. Ratings are split most on {most}."
    return f"{markdown(['reading', 'words', 'ρ with English'], rows)}\n\n{said}"


def with_unknown() -> str:
    """Valence in Chinese where a word that the tokenizer cannot spell has the vector of what it makes of it."""
    model, lexicon, polar = load_named(ENCODER, device="cpu"), load_lexicon("chinese"), polar_words("chinese")
    pieces = [pieces_of(model, words) for words in (lexicon.words, polar.pleasant, polar.unpleasant)]

    def vector(ids: list[int]) -> list[float]:
        alone: list[float] = model.network(torch.tensor([ids]), torch.ones((1, len(ids)), dtype=torch.long))[0].tolist()
        return alone

    with torch.inference_mode():
        words, pleasant, unpleasant = (np.array([vector(ids) for ids in texts]) for texts in pieces)
    effects = sc_weat(words, pleasant, unpleasant)
    rho = float(np.corrcoef(effects, lexicon.valence)[0, 1])
    unknown = sum(model.tokenizer.unk_token_id in ids for ids in pieces[0])
    return (
        f"Of the {len(effects):,} Chinese words, {unknown} have characters that the tokenizer does not know, as they "
        "are written. Some of them it knows in the other script; the rest are skipped. With its vector for “unknown” "
        f"in their place ρ is {format_number(rho, 3)} over all."
    )


def lower(word: str) -> str:
    """By the Turkish rule."""
    return word.strip().replace("I", "ı").replace("İ", "i").lower()


def table_of(name: str, kind: str, delimiter: str) -> list[list[str]]:
    path = locate(name, entry(name, kind).sources).path
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row for row in csv.reader(file, delimiter=delimiter) if len(row) > 1]


def main() -> None:
    folder, data = Path(sys.argv[1]), os.environ.get(DATA)
    if not data:
        raise SystemExit(f"the papers' lexica are not shipped: set ${DATA}")
    put(DOCS / "method" / "valnorm.md", "languages", from_index(valnorm(folder, "valnorm-index", None)))
    put(DOCS / "method" / "valnorm.md", "paper-lexica", from_data(valnorm(folder, "valnorm-data", data)))
    put(DOCS / "method" / "valnorm.md", "turkish", turkish())
    put(DOCS / "method" / "valnorm.md", "unknown", with_unknown())
    runs = {model: vast(folder, model) for model in (CAUSAL, ENCODER)}
    put(DOCS / "method" / "vast.md", "languages", by_layer(runs) + "\n" + seconds(runs))


if __name__ == "__main__":
    main()

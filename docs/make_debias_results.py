"""Makes the tables of docs/debias.md from a run of this version: `make results`. Only the paper's figures are typed."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from pages import put

from wordworth.compare import ComparisonSettings, compare, sides
from wordworth.compare.sides import models_of
from wordworth.run import ORIGINAL, RANDOM, Run, read_run
from wordworth.study import study
from wordworth.study.debias import METHODS, PARTS
from wordworth.study.debias.tables import cost_rows
from wordworth.study.tables import stability_rows

PAGE = Path(__file__).parent / "debias.md"
MODEL, BESIDE = "glove-6b-50d", "word2vec-news-26k"
PAPER: dict[str, tuple[float | None, ...]] = {
    "gendered": (0.57, 0.39, 0.24, 0.76),
    "names": (None, None, None, 0.80),
    "demonyms": (0.45, 0.39, 0.30, 0.56),
    "adherents": (0.71, 0.59, 0.40, 0.72),
}
"""Table 7 and the text above it: GloVe of the Common Crawl, 300 dimensions."""
FIGURES = ("2nd", "3rd", "4th", "cosine")


@dataclass(frozen=True)
class Column:
    """A version of a model in a run, and the heading that it stands under."""

    heading: str
    run: Run
    setting: str


def ran(model: str, folder: Path, **chosen: Any) -> Run:
    """The run in a folder; it is made where it is not there."""
    if (folder / "run.json").exists():
        return read_run(folder)
    return study("debias")(model, **chosen).save(folder)


def costs(columns: Sequence[Column]) -> str:
    """A row a measure and a column a version, with a star where a paired test, after Holm, tells it from the first."""
    values = [{what: (found, count) for what, found, count in cost_rows(column.run.scores)} for column in columns]
    told = [real_differences(column) for column in columns]
    lines = [
        f"| measure | {' | '.join(column.heading for column in columns)} | n |",
        "|---|" + "---|" * (len(columns) + 1),
    ]
    for what, (_, count) in values[0].items():
        cells = []
        for column, mine, real in zip(columns, values, told, strict=True):
            value = mine[what][0].get(column.setting)
            cells.append("" if value is None else f"{value:.3f}{'*' if what in real else ''}")
        lines.append(f"| {what} | {' | '.join(cells)} | {count:,} |")
    return "\n".join(lines)


def real_differences(column: Column) -> set[str]:
    """The rows in which a version differs from the original by the paired test of `wordworth compare`."""
    if column.setting in (ORIGINAL, RANDOM):
        return set()
    rows = set()
    for model in models_of(column.run):  # the network that infers over the vectors is a model of its own
        both = sides([column.run], (model, model), (ORIGINAL, column.setting))
        for one in compare(*both, ComparisonSettings(layer="top")).differences:
            if one.real:
                measure = "perplexity" if one.measure == "bits-per-word" else one.measure
                layer = "" if one.layers[0] is None else f", layer {one.layers[0]}"
                name = " ".join(part for part in (one.dataset, measure) if part and part != one.experiment)
                rows.add(f"{one.experiment}: {name}{layer}")
    return rows


def dimensions(found: dict[str, pl.DataFrame]) -> str:
    """What the iterative projection did."""
    rows = found["inlp"].filter(pl.col("experiment") == "subspace", pl.col("setting") == "inlp")
    told = dict(zip(rows["measure"], rows["value"], strict=True))
    return (
        f"A linear classifier tells the {int(rows['n'].max()):,} words that lean most to either side of he − she apart "
        f"with an accuracy of {told['inlp:before']:.3f}; after {int(told['dimensions'])} directions are out, "
        f"{told['inlp:after']:.3f}, where guessing gets {told['inlp:chance']:.3f}."
    )


def stability(found: dict[str, pl.DataFrame]) -> str:
    lines = [f"| words | vectors | {' | '.join(FIGURES)} |", "|---|---|" + "---|" * len(FIGURES)]
    for kind, published in PAPER.items():
        rows: dict[str, dict[str, float | None]] = {"the paper's": dict(zip(FIGURES, published, strict=True))}
        for model, scores in found.items():
            measured = dict(stability_rows(scores))
            if kind in measured:
                rows[model] = {**measured[kind]}
        for model, values in rows.items():
            cells = ("" if (value := values.get(figure)) is None else f"{value:.2f}" for figure in FIGURES)
            lines.append(f"| {kind} | {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    with TemporaryDirectory() as scratch:
        kept = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        runs = {method: ran(MODEL, kept / method, mitigate=method) for method in METHODS}
        columns = [Column(ORIGINAL, runs[METHODS[0]], ORIGINAL), *(Column(one, runs[one], one) for one in METHODS)]
        put(PAGE, "costs", costs([*columns, Column(RANDOM, runs[METHODS[0]], RANDOM)]))
        found = {method: run.scores for method, run in runs.items()}
    put(PAGE, "inlp", dimensions(found))
    beside = study("debias")(BESIDE, without=PARTS[1:]).scores
    put(PAGE, "stability", stability({MODEL: found[METHODS[0]], BESIDE: beside}))


if __name__ == "__main__":
    main()

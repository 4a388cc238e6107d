"""Makes the tables of docs/debias.md from a run of this version: `make results`. Only the paper's figures are typed."""

from pathlib import Path

import polars as pl
from pages import put

from wordworth.run import ORIGINAL, RANDOM
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


def costs(found: dict[str, pl.DataFrame]) -> str:
    """A row a measure; the methods side by side, and the control of the projection."""
    by_method = {method: {what: values for what, values, _ in cost_rows(scores)} for method, scores in found.items()}
    lines = [f"| measure | {ORIGINAL} | {' | '.join(METHODS)} | {RANDOM} | n |", "|---|" + "---|" * (len(METHODS) + 3)]
    for what, values, count in cost_rows(found[METHODS[0]]):
        after = [by_method[method][what][method] for method in METHODS]
        numbers = (values[ORIGINAL], *after, values.get(RANDOM))
        cells = " | ".join("" if value is None else f"{value:.3f}" for value in numbers)
        lines.append(f"| {what} | {cells} | {count:,} |")
    return "\n".join(lines)


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
    debias = study("debias")
    found = {method: debias(MODEL, mitigate=method).scores for method in METHODS}
    put(PAGE, "costs", costs(found))
    put(PAGE, "inlp", dimensions(found))
    beside = debias(BESIDE, without=PARTS[1:]).scores
    put(PAGE, "stability", stability({MODEL: found[METHODS[0]], BESIDE: beside}))


if __name__ == "__main__":
    main()

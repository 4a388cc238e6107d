"""Makes the results that README.md and docs/ show, from a run of this version: `make results`.

The table stands between two marks in README.md; the figure lies in docs/figures. Nothing in them is typed by hand.
"""

from pathlib import Path

import polars as pl

from wordworth.report.figures import Figure, draw_svg
from wordworth.report.figures.meaning import intrinsic_tasks, valence_by_layer
from wordworth.report.runs import numbered
from wordworth.study import study

HERE = Path(__file__).parent
MODELS = ["glove-6b-50d", "word2vec-news-26k"]
MARKS = "<!-- results: made by docs/make_results.py -->", "<!-- /results -->"
SHOWN = ("valence", "weat", "similarity", "analogy")


def cell(score: dict[str, object]) -> str:
    text = f"{score['value']:.2f}"
    if score["low"] is not None:
        text += f" [{score['low']:.2f}, {score['high']:.2f}]"
    if score["p"] is not None:
        text += f", p = {score['p']:.1g}"
    return f"{text} ({score['n']:,})"


def markdown(scores: pl.DataFrame) -> str:
    lines = ["| task | " + " | ".join(MODELS) + " |", "|---|" + "---|" * len(MODELS)]
    rows = scores.filter(pl.col("measure").is_in(SHOWN))
    for (measure, dataset), group in rows.group_by(["measure", "dataset"], maintain_order=True):
        cells = {row["model"]: cell(row) for row in group.iter_rows(named=True)}
        lines.append(f"| {measure} {dataset} | " + " | ".join(cells.get(model, "") for model in MODELS) + " |")
    return "\n".join(lines)


def draw(name: str, figure: Figure | None) -> None:
    assert figure is not None, f"the run has no numbers for {name}"
    (HERE / "figures" / name).write_text(draw_svg(figure), encoding="utf-8")


def main() -> None:
    findings = study("valnorm")(MODELS)
    draw("valnorm.svg", intrinsic_tasks(numbered(findings.scores)))
    layers = study("vast")(["smollm2-135m"], lexica=["bellezza"], experiments=["contextualization"])
    draw("vast.svg", valence_by_layer(numbered(layers.scores)))
    readme = HERE.parent / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    page = f"{before}{MARKS[0]}\n{markdown(findings.scores)}\n{MARKS[1]}{after}"
    readme.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

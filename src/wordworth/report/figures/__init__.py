"""The papers' figures with a run's numbers."""

import polars as pl

from wordworth.report.figures import behaviour, meaning, reduction, specification, stereotypes, training
from wordworth.report.figures.figure import Figure, Maker
from wordworth.report.figures.meaning import intrinsic_tasks, valence_by_layer
from wordworth.report.figures.svg import draw_svg
from wordworth.report.runs import AS_IT_IS, Runs, at_the_end

__all__ = ["CHAPTERS", "Figure", "draw_svg", "figures_of", "intrinsic_tasks", "valence_by_layer"]

ANY = pl.lit(True)

TRAINING = "While it was trained"
"""The chapter that shows all steps of a training; the others show the last."""

CHAPTERS: dict[str, tuple[pl.Expr, tuple[Maker, ...]]] = {
    TRAINING: (AS_IT_IS, training.FIGURES),
    "Word meaning": (AS_IT_IS, (*meaning.FIGURES, *reduction.QUALITY)),
    "Stereotypes": (AS_IT_IS, (*stereotypes.FIGURES, specification.spread, *reduction.BIAS)),
    "Words it says": (ANY, behaviour.PREDICTIONS),
    "Inferences": (ANY, behaviour.INFERENCES),
    "Debiasing": (~AS_IT_IS, behaviour.DEBIASING),
}
"""The chapters of a report: which scores they are about, and what draws their figures."""


def figures_of(scores: pl.DataFrame, runs: Runs | None = None) -> dict[str, list[Figure]]:
    """The figures that these scores have data for, by chapter; empty chapters are left out.

    With the `runs`, those too that are drawn of items.
    """
    curves = list(specification.specification_curves(runs)) if runs is not None else []
    chapters: dict[str, list[Figure]] = {}
    last = at_the_end(scores)
    for title, (about, makers) in CHAPTERS.items():
        shown = (scores if title == TRAINING else last).filter(about)
        drawn = [make(shown) for make in makers]
        figures = [figure for figure in drawn if figure is not None]
        figures += [curve for curve in curves if specification.CHAPTERS[curve.title] == title]
        if figures:
            chapters[title] = figures
    return chapters

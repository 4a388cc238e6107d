"""The papers' figures with a run's numbers."""

import polars as pl

from wordworth.pages.figures import behaviour, meaning
from wordworth.pages.figures.figure import CURVE_CHAPTERS, Figure, FigureSpec
from wordworth.results.runs import AS_IT_IS, IS_LAST_STEP, Runs

__all__ = ["TRAINING_CHAPTER", "Figure", "figures_of"]

TRAINING_CHAPTER = "While it was trained"  # the chapter that shows all steps of a training; the others show the last
FIGURE_CHAPTERS: dict[str, tuple[pl.Expr, tuple[FigureSpec, ...]]] = {
    TRAINING_CHAPTER: (AS_IT_IS, (*meaning.TRAINING_FIGURES, *behaviour.TRAINING_FIGURES)),
    "Word meaning": (AS_IT_IS & IS_LAST_STEP, meaning.FIGURES),
    "Stereotypes": (AS_IT_IS & IS_LAST_STEP, behaviour.STEREOTYPE_FIGURES),
    "Words it predicts": (IS_LAST_STEP, behaviour.PREDICTION_FIGURES),
    "Inferences": (IS_LAST_STEP, behaviour.INFERENCE_FIGURES),
    "Debiasing": (~AS_IT_IS & IS_LAST_STEP, behaviour.DEBIASING),
}


def figures_of(scores: pl.DataFrame, runs: Runs | None = None) -> dict[str, list[Figure]]:
    """Return the figures that these scores have data for, by chapter, without empty chapters.

    With the `runs`, also those that are drawn from items.
    """
    curves: list[Figure] = []
    if runs is not None:
        from wordworth.pages.figures import specification  # altair takes a while

        curves = list(specification.specification_curves(runs))
    figures: dict[str, list[Figure]] = {}
    for title, (where, declared) in FIGURE_CHAPTERS.items():
        rows = scores.filter(where)
        figures[title] = [figure for one in declared if (figure := one(rows)) is not None]
        figures[title] += [curve for curve in curves if CURVE_CHAPTERS[curve.title] == title]
    return {title: some for title, some in figures.items() if some}

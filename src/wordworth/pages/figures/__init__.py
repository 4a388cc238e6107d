"""The papers' figures with a run's numbers."""

import polars as pl

from wordworth.pages.figures import behaviour, meaning
from wordworth.pages.figures.figure import Figure, FigureSpec
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
    curves: dict[str, list[Figure]] = {}
    if runs is not None:
        from wordworth.pages.figures import specification  # altair takes a while

        curves = specification.specification_curves(runs)
    figures: dict[str, list[Figure]] = {}
    for title, (is_of_chapter, specs) in FIGURE_CHAPTERS.items():
        rows = scores.filter(is_of_chapter)
        figures[title] = [figure for spec in specs if (figure := spec(rows)) is not None]
        figures[title] += curves.get(title, [])
    return {title: chapter_figures for title, chapter_figures in figures.items() if chapter_figures}

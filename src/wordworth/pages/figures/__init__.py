"""The papers' figures with a run's numbers."""

from typing import TYPE_CHECKING

import polars as pl

from wordworth.pages.figures.figure import CURVE_CHAPTERS, Figure
from wordworth.pages.figures.svg import draw_svg
from wordworth.pages.runs import AS_IT_IS, IS_LAST_STEP

if TYPE_CHECKING:
    from wordworth.pages.runs import Runs

__all__ = ["TRAINING", "Figure", "draw_svg", "figures_of"]

TRAINING = "While it was trained"
"""The chapter that shows all steps of a training; the others show the last."""


def figures_of(scores: pl.DataFrame, runs: "Runs | None" = None) -> dict[str, list[Figure]]:
    """Return the figures that these scores have data for, by chapter, without empty chapters.

    With the `runs`, those too that are drawn of items.
    """
    from wordworth.pages.figures import behaviour, meaning, specification, stereotypes  # altair takes a while

    every = pl.lit(True)
    chapters = {
        TRAINING: (AS_IT_IS, (*meaning.TRAINING, *stereotypes.TRAINING, *behaviour.TRAINING)),
        "Word meaning": (AS_IT_IS, meaning.FIGURES),
        "Stereotypes": (AS_IT_IS, stereotypes.FIGURES),
        "Words it predicts": (every, behaviour.PREDICTIONS),
        "Inferences": (every, behaviour.INFERENCES),
        "Debiasing": (~AS_IT_IS, behaviour.DEBIASING),
    }
    curves = list(specification.specification_curves(runs)) if runs is not None else []
    last = scores.filter(IS_LAST_STEP)
    figures: dict[str, list[Figure]] = {}
    for title, (about, makers) in chapters.items():
        rows = (scores if title == TRAINING else last).filter(about)
        figures[title] = [figure for make in makers if (figure := make(rows)) is not None]
        figures[title] += [curve for curve in curves if CURVE_CHAPTERS[curve.title] == title]
    return {title: some for title, some in figures.items() if some}

"""The papers' figures with a run's numbers."""

from collections.abc import Callable, Iterator

import polars as pl

from wordworth.report.figures.behaviour import debiasing, inferences, predictions
from wordworth.report.figures.figure import Figure
from wordworth.report.figures.meaning import intrinsic_tasks, meaning, valence_by_layer
from wordworth.report.figures.reduction import estimators, quality
from wordworth.report.figures.stereotypes import stereotypes
from wordworth.report.figures.svg import draw_svg

__all__ = ["SECTIONS", "Figure", "draw_svg", "figures_of", "intrinsic_tasks", "valence_by_layer"]

Maker = Callable[[pl.DataFrame], Iterator[Figure]]

SECTIONS: dict[str, tuple[Maker, ...]] = {
    "Word meaning": (meaning, quality),
    "Stereotypes": (stereotypes, estimators),
    "Words it says": (predictions,),
    "Inferences": (inferences,),
    "Debiasing": (debiasing,),
}
"""Chapters of a report and what makes their figures."""


def figures_of(scores: pl.DataFrame) -> dict[str, list[Figure]]:
    """The figures that these scores have data for, by chapter; empty chapters are left out."""
    made = {title: [figure for make in makers for figure in make(scores)] for title, makers in SECTIONS.items()}
    return {title: figures for title, figures in made.items() if figures}

"""What the study has to do with a model, for the estimate of an audit."""

from typing import Any

from wordworth.study.cost import Work
from wordworth.study.predict import PredictSettings

TOKENS = 6
"""A word takes as long as so many tokens are read: its own, and the units of its guesses."""
LOADING = 5.0


def predict_work(_: Any, settings: PredictSettings) -> Work:
    """Words, and loading: the study reads the network's head too."""
    return Work(tokens=TOKENS * settings.words, seconds=LOADING)

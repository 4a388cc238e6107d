"""List the studies: each is declared in its folder; to add one, add the folder and its name here."""

from functools import cache
from importlib import import_module

from wordworth.errors import WordworthError, nearest
from wordworth.study.base import Study

STUDIES = ("valnorm", "weat", "vast", "static", "predict", "pairs", "infer", "debias", "calibrate")
"""The studies in the order of an audit; each is `STUDY` in the module of its name."""
WORD_MODEL_STUDIES = ("predict", "pairs")
"""Studies that take a language model with its head for words."""


@cache
def study(name: str) -> Study:
    """Return a study by its name."""
    if name not in STUDIES:
        alternatives = nearest(name, list(STUDIES)) or f"; there are {', '.join(STUDIES)}"
        raise WordworthError(f"there is no study {name!r}{alternatives}")
    declaration: Study = import_module(f"wordworth.study.{name}").STUDY
    return declaration


__all__ = ["OF_WORDS", "STUDIES", "Study", "study"]

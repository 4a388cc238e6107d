"""The studies: each is declared in its folder; to add one, add the folder and its name here."""

from functools import cache
from importlib import import_module

from wordworth.errors import WordworthError, nearest
from wordworth.study.base import Study

STUDIES = ("valnorm", "weat", "vast", "static", "predict", "pairs", "infer", "debias", "calibrate")
"""In the order of an audit; each is `STUDY` in the module of its name."""
OF_WORDS = ("predict", "pairs")
"""Those that take a language model with its head for words."""


@cache
def study(name: str) -> Study:
    """Return a study by its name."""
    if name not in STUDIES:
        close = nearest(name, list(STUDIES)) or f"; there are {', '.join(STUDIES)}"
        raise WordworthError(f"there is no study {name!r}{close}")
    found: Study = import_module(f"wordworth.study.{name}").STUDY
    return found


__all__ = ["OF_WORDS", "STUDIES", "Study", "study"]

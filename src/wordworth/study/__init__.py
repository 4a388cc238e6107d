"""The studies, each one declaration; adding one is adding its folder and a line here."""

from functools import cache
from importlib import import_module

from wordworth.errors import WordworthError, nearest
from wordworth.study.declaration import Study, Table

STUDIES = ("valnorm", "weat", "vast", "static", "predict", "infer", "debias")
"""In the order of an audit; each is `STUDY` in the room of its name."""


@cache
def study(name: str) -> Study:
    """A study by its name; what it needs is imported only now."""
    if name not in STUDIES:
        close = nearest(name, list(STUDIES)) or f"; there are {', '.join(STUDIES)}"
        raise WordworthError(f"there is no study {name!r}{close}")
    declared: Study = import_module(f"wordworth.study.{name}").STUDY
    return declared


__all__ = ["STUDIES", "Study", "Table", "study"]

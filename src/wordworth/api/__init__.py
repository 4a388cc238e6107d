"""Define the functions of `import wordworth as ww`: models, studies, their runs, and the catalog."""

from collections.abc import Callable

from wordworth.api.catalog import get, ls, show
from wordworth.api.models import LanguageModel, NliModel
from wordworth.api.objects import load
from wordworth.api.runs import card, check, compare, report
from wordworth.api.studies import Association, StudyFunction, export, function_of, run, sc_weat
from wordworth.results.run import Run
from wordworth.results.run import read_run as read
from wordworth.study import STUDIES


def __getattr__(name: str) -> StudyFunction:
    """Return a study by its name."""
    if name not in STUDIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function_of(name)

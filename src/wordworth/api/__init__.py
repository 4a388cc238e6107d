"""What a notebook needs: models that answer questions, studies that run, results that can be saved and reported."""

from collections.abc import Callable

from wordworth.api.models import LanguageModel, NliModel, load
from wordworth.api.results import Results, SavedRun, card, check, compare, read_run, report
from wordworth.api.studies import Association, function_of, run, sc_weat
from wordworth.study import STUDIES


def __getattr__(name: str) -> Callable[..., Results]:
    """The studies, each by its name."""
    if name not in STUDIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function_of(name)

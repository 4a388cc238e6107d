"""The studies as functions of a notebook."""

import functools
from collections.abc import Callable
from typing import Any

from wordworth.errors import WordworthError
from wordworth.notebook.models import LanguageModel, NliModel, SentenceEncoder
from wordworth.notebook.results import Results
from wordworth.study import study


def run(name: str, models: Any = (), *main: Any, **settings: Any) -> Results:
    """Runs a study by its name on models (names, paths, or loaded ones), with settings by name."""
    declared = study(name)
    if main and not declared.main:
        raise WordworthError(f"{name} takes its settings by name alone; write {name}(models, NAME=…)")
    if main:
        settings = {declared.main: main, **settings}
    given = models if isinstance(models, list | tuple) else [models]
    findings = declared([_unwrapped(name, model) for model in given], **settings)
    return Results(**vars(findings))


def _unwrapped(name: str, model: Any) -> Any:
    """A loaded model as the study takes it."""
    if isinstance(model, NliModel):
        return model.network
    if isinstance(model, SentenceEncoder):
        return model.encoder
    if isinstance(model, LanguageModel):
        return model.word_model if name == "predict" else model.encoder
    return model


@functools.cache
def function_of(name: str) -> Callable[..., Results]:
    """A study as a function of its models and settings."""
    declared = study(name)
    function = functools.partial(run, name)
    function.__doc__ = f"{declared.summary}\n\nSettings: {', '.join(one.name for one in declared.settings.fields())}."
    function.__signature__ = declared.__signature__.replace(return_annotation=Results)  # type: ignore[attr-defined]
    return function

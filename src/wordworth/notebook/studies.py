"""The studies as functions of a notebook."""

import functools
from collections.abc import Callable
from typing import Any

from wordworth.notebook.models import LanguageModel, NliModel
from wordworth.notebook.results import Results
from wordworth.study import STUDIES, study

MAIN = {"valnorm": "lexica", "weat": "tests", "vast": "lexica", "infer": "probes"}
"""The setting that may stand behind the models without its name: `weat(glove, "weat6")`."""


def run(name: str, models: Any = (), *main: Any, **settings: Any) -> Results:
    """Runs a study by its name on models (names, paths, or loaded ones), with settings by name."""
    declared = study(name)
    if main:
        settings = {MAIN[name]: main, **settings}
    given = models if isinstance(models, list | tuple) else [models]
    findings = declared([_unwrapped(name, model) for model in given], **settings)
    return Results(**vars(findings))


def _unwrapped(name: str, model: Any) -> Any:
    """A loaded model as the study takes it."""
    if isinstance(model, NliModel):
        return model.network
    if isinstance(model, LanguageModel):
        return model.word_model if name == "predict" else model.encoder
    return model


def _of(name: str) -> Callable[..., Results]:
    declared = study(name)
    function = functools.partial(run, name)
    function.__doc__ = f"{declared.summary}\n\nSettings: {', '.join(one.name for one in declared.settings.fields())}."
    function.__signature__ = declared.__signature__.replace(return_annotation=Results)  # type: ignore[attr-defined]
    return function


valnorm, weat, vast, static, predict, infer, debias = map(_of, STUDIES)

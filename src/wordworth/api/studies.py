"""The studies as functions, and one question to one embedding."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from wordworth.api.models import LanguageModel, NliModel, SentenceEncoder
from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.measure import sc_weat as effect_size
from wordworth.measure import sc_weat_p
from wordworth.results.run import Run
from wordworth.study import study
from wordworth.study.valnorm import ValnormSettings
from wordworth.task.words import choose_spellings, select_poles

StudyFunction = Callable[..., Run]


def run(name: str, models: Any = (), *main: Any, **settings: Any) -> Run:
    """Run a study by its name on models (names, paths, or loaded ones), with settings by name."""
    declared = study(name)
    if main and not declared.main:
        raise WordworthError(f"{name} takes its settings only by name; write {name}(models, NAME=…)")
    if main:
        settings = {declared.main: main, **settings}
    given = models if isinstance(models, list | tuple) else [models]
    return declared([_unwrap(name, model) for model in given], **settings)


def _unwrap(name: str, model: Any) -> Any:
    """Return a loaded model as the study takes it."""
    if isinstance(model, NliModel):
        return model.network
    if isinstance(model, SentenceEncoder):
        return model.encoder
    if isinstance(model, LanguageModel):
        return model.word_model if name == "predict" else model.encoder
    return model


@functools.cache
def function_of(name: str) -> StudyFunction:
    """Return a study as a function of its models and settings."""
    declared = study(name)
    function = functools.partial(run, name)
    function.__doc__ = f"{declared.summary}\n\nSettings: {', '.join(one.name for one in declared.settings.fields())}."
    function.__signature__ = declared.__signature__.replace(return_annotation=Run)  # type: ignore[attr-defined]
    return function


class Association(NamedTuple):
    """SC-WEAT of one word: above 0 it is nearer to the pleasant words."""

    word: str
    effect: float
    p: float


def sc_weat(embedding: Embedding | Layers, word: str, *, language: str = "english") -> Association:
    """Return the association of a word with pleasant against unpleasant words: its effect size d and one-sided p."""
    layers = Layers.of(embedding) if isinstance(embedding, Embedding) else embedding
    settings = ValnormSettings()
    target = layers.select([word], choose_spellings(language, settings))
    if not len(target):
        raise WordworthError(f"{layers.name} has no word {word!r}")
    (slot, *_) = layers.slots
    vectors, high, low = (
        group.read(slot) for group in (target, *select_poles(layers, polar_words(language), settings))
    )
    p = sc_weat_p(vectors, high, low, **settings.permutation).p
    return Association(word, float(effect_size(vectors, high, low)[0]), float(p[0]))

"""Run studies as functions, and measure the association of a word."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from wordworth.api.objects import accept_models, accept_settings, list_models, load, without_folders
from wordworth.catalog.models import ModelKind
from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Layers
from wordworth.errors import WordworthError
from wordworth.measure import sc_weat as effect_size
from wordworth.measure import sc_weat_p
from wordworth.results.run import Run
from wordworth.study import study
from wordworth.study.static import ExportSettings
from wordworth.study.valnorm import ValnormSettings
from wordworth.task.settings import Settings
from wordworth.task.words import choose_spellings, select_poles

if TYPE_CHECKING:  # torch
    from wordworth.study.static.study import ExportResult

StudyFunction = Callable[..., Run]

LANGUAGE_MODEL_KINDS: tuple[ModelKind, ...] = ("causal", "masked", "encoder")


def run(study_name: str, models: Any = (), *main: Any, name: str = "", **settings: Any) -> Run:
    """Run a study by its name on models, with settings by name; `name` is the name of a single model in tables.

    Models and data are names, paths, or objects: see `help(ww.weat)`.
    """
    declaration = study(study_name)
    if main and not declaration.main:
        raise WordworthError(f"{study_name} takes its settings only by name; write {study_name}(models, NAME=…)")
    if main:
        settings = {declaration.main: main[0] if len(main) == 1 else main, **settings}
    options = accept_settings(study_name, declaration.settings, settings)
    inputs = accept_models(study_name, declaration.kinds | declaration.also_accepts, models, name)
    result = declaration(inputs, **options)
    result.settings, result.fingerprints = without_folders(result.settings), without_folders(result.fingerprints)
    for data in result.data:
        data.source = without_folders(data.source)
    return result


def export(model: Any, vocabulary: Any = None, **settings: Any) -> "ExportResult":
    """Return one vector per word from one layer of a language model; `.save("FILE.vec")` writes them.

    `model` is a name, a path, a model of `ww.load`, or (model, tokenizer); `vocabulary` a name, a file, or a list of
    words.
    """
    from wordworth.study.static.study import export_layer

    if vocabulary is not None:
        settings["vocabulary"] = vocabulary
    export_settings = ExportSettings.of("export", accept_settings("export", ExportSettings, settings))
    (accepted_model,) = accept_models("export", LANGUAGE_MODEL_KINDS, model)
    return export_layer(accepted_model, export_settings)


def describe_settings(settings: type[Settings]) -> str:
    """Return one line per setting with the sentence of the command's help."""
    lines = [f"    {field.name} = {field.default!r}: {field.declared.help}" for field in settings.fields()]
    return "\n".join(["Settings:", *lines])


export.__doc__ = f"{export.__doc__}\n{describe_settings(ExportSettings)}"


@functools.cache
def function_of(name: str) -> StudyFunction:
    """Return a study as a function of its models and settings."""
    declaration = study(name)

    def measure(models: Any = (), *main: Any, **settings: Any) -> Run:
        return run(name, models, *main, **settings)

    accepted_models = list_models(declaration.kinds | declaration.also_accepts)
    main = f" `{declaration.main}` may follow them without its name." if declaration.main else ""
    has_tests = "tests" in [field.name for field in declaration.settings.fields()]
    lists = " X, Y, A and B are the word lists of a test of your own." if has_tests else ""
    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = (
        f"{declaration.summary}\n\n`models` is {accepted_models}; or a list of these.{main}\n"
        f"`name` is the name of a single model in tables. Data can be objects too: frames, dicts, lists.{lists}\n\n"
        f"{describe_settings(declaration.settings)}"
    )
    measure.__signature__ = declaration.__signature__.replace(return_annotation=Run)  # type: ignore[attr-defined]
    return measure


class Association(NamedTuple):
    """Hold SC-WEAT of a word: above 0 it is nearer to the pleasant words."""

    word: str
    effect: float
    p: float


def sc_weat(vectors: Any, word: str, *, language: str = "english") -> Association:
    """Return the association of a word with pleasant against unpleasant words: its effect size d and one-sided p.

    `vectors` is Layers, a name, a path, an Embedding, gensim KeyedVectors, a dict, or (words, matrix).
    """
    if isinstance(vectors, Layers):
        layers = vectors
    else:
        (model,) = accept_models("sc_weat", ["static"], vectors)
        embedding: Any = load(model)
        layers = Layers.of(embedding)
    settings = ValnormSettings()
    target = layers.select([word], choose_spellings(language, settings))
    if not len(target):
        raise WordworthError(f"{layers.name} has no word {word!r}")
    (slot, *_) = layers.slots
    words, high, low = (group.read(slot) for group in (target, *select_poles(layers, polar_words(language), settings)))
    p = sc_weat_p(words, high, low, **settings.permutation).p
    return Association(word, float(effect_size(words, high, low)[0]), float(p[0]))

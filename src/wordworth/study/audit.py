"""The audit: which studies apply to which kind of model, whole or quick. Adding a study is adding a step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordworth.catalog.kinds import Kind, kind_of
from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.study.findings import Findings

DEFAULTS = ("smollm2-135m", "glove-6b-50d", "nli-glove")
"""Audited when no model is named: all of them come from the package index."""
QUICK = 300
"""Bootstrap resamples of a quick audit's intervals."""
LANGUAGE_MODELS: frozenset[Kind] = frozenset({"causal", "masked", "encoder"})


def _valnorm(models: Sequence[Any], **chosen: Any) -> Findings:
    from wordworth.study.valnorm import valnorm

    return valnorm(models, **chosen)


def _weat(models: Sequence[Any], **chosen: Any) -> Findings:
    from wordworth.study.weat import weat_study

    return weat_study(models, **chosen)


def _vast(models: Sequence[Any], **chosen: Any) -> Findings:
    from wordworth.study.vast import vast

    return vast(models, **chosen)


def _static(models: Sequence[Any], **chosen: Any) -> Findings:
    from wordworth.study.static import static

    return static(models, **chosen)


def _predict(models: Sequence[Any], **chosen: Any) -> Findings:
    from wordworth.study.predict import predict

    return predict(models, **chosen)


def _infer(models: Sequence[Any], **chosen: Any) -> Findings:
    from wordworth.study.infer import infer

    return infer(models, **chosen)


@dataclass(frozen=True)
class Step:
    """One study of the audit."""

    study: str
    find: Callable[..., Findings]
    kinds: frozenset[Kind]
    """The kinds of model that it applies to."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """What is asked of the study in a quick audit; a whole one asks for the study's own defaults."""
    quick_resamples: int = RESAMPLES
    english_only: bool = False
    places: tuple[str, ...] = ()
    """What it takes to say where and how a network runs: `device`, `dtype`."""
    takes_loaded: bool = False
    """Whether it can be given language models that are loaded already, so that studies share them."""


STEPS = (
    Step(
        "valnorm",
        _valnorm,
        frozenset({"static"}),
        {
            "lexica": ("bellezza",),
            "experiments": ("valence", "weat", "similarity"),
            "pairs": ("ws-353", "simlex-999", "men"),
        },
    ),
    Step("weat", _weat, frozenset({"static"})),
    Step(
        "vast",
        _vast,
        LANGUAGE_MODELS,
        {
            "lexica": ("bellezza",),
            "experiments": ("contextualization", "isolation", "validation", "bias"),
            "pairs": ("ws-353",),
        },
        QUICK,
        english_only=True,
        places=("device", "dtype"),
        takes_loaded=True,
    ),
    Step(
        "static",
        _static,
        LANGUAGE_MODELS | {"static"},
        {"sentences": (500,), "per_word": 1, "pairs": ("rg-65", "ws-353"), "experiments": ("quality", "bias")},
        QUICK,
        english_only=True,
        places=("device", "dtype"),
        takes_loaded=True,
    ),
    Step(
        "predict",
        _predict,
        frozenset({"causal"}),
        {"words": 3_000},
        QUICK,
        english_only=True,
        places=("device", "dtype"),
    ),
    Step(
        "infer",
        _infer,
        frozenset({"nli"}),
        {"sample": 20_000, "random": 2},
        QUICK,
        english_only=True,
        places=("device",),
    ),
)
"""In this order. The tests of bias in a language model are those of `vast`, of word vectors those of `weat`."""


@dataclass(frozen=True)
class Planned:
    """A step and the models that it is run on."""

    step: Step
    models: tuple[str, ...]


def plan(models: Sequence[str], kind: Kind | None = None) -> tuple[list[Planned], list[str]]:
    """The steps that apply to some of the models; and, a sentence each, what was left out and why.

    `kind` says what a model is where its files do not.
    """
    if len(set(models)) < len(models):
        raise WordworthError("a model is named twice; name each once")
    kinds = {model: kind or kind_of(model) for model in models}
    planned, left_out = [], []
    for step in STEPS:
        fitting = [model for model in models if kinds[model] in step.kinds]
        foreign = [model for model in fitting if step.english_only and _language(model) not in ("", "english")]
        for model in foreign:
            told = f"{step.study} was not run on {model}: its words are English, and the model is {_language(model)}"
            left_out.append(f"{told} (`wordworth run {step.study} --help`).")
        kept = tuple(model for model in fitting if model not in foreign)
        if kept:
            planned.append(Planned(step, kept))
    if not planned:
        told = ", ".join(f"{model} ({one})" for model, one in kinds.items())
        raise WordworthError(f"no study of the audit applies to {told}")
    return planned, left_out


def _language(model: str) -> str:
    """A model's language where the catalog declares one; one of several languages knows English."""
    target = model.rpartition("=")[2]
    declared = entry(target, "models").language if knows(target, "models") else ""
    return "" if declared == "several" else declared

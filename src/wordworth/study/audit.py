"""The audit: which studies apply to which models. A study's declaration says all that is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wordworth.catalog.kinds import kind_of
from wordworth.catalog.registry import entry, knows
from wordworth.catalog.resolve import target_of
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study import STUDIES, Study, study
from wordworth.task.settings import Settings

DEFAULTS = ("smollm2-135m", "glove-6b-50d", "nli-glove")
"""Audited when no model is named: all of them come from the package index."""


@dataclass(frozen=True)
class Planned:
    """A study and the models that it is run on."""

    study: Study
    models: tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """A study on one model: what a worker runs of an audit."""

    study: str
    model: str
    settings: Settings


def run_calls(nothing: None, calls: Iterable[Call]) -> Iterator[Findings | WordworthError]:
    """What each study found, or why it failed: it leaves the others to be run."""
    for call in calls:
        try:
            yield study(call.study).run([call.model], call.settings, [call.model])
        except WordworthError as error:
            yield error


def plan(models: Sequence[str], kind: Any = None) -> tuple[list[Planned], list[str]]:
    """The studies that apply to some of the models; and, a sentence each, what was left out and why.

    `kind` says what a model is where its files do not. The tests of bias in a language model are those of `vast`, of
    word vectors those of `weat`.
    """
    if len(set(models)) < len(models):
        raise WordworthError("a model is named twice; name each once")
    kinds = {model: kind or kind_of(model) for model in models}
    planned: list[Planned] = []
    left_out: list[str] = []
    for declared in filter(lambda one: one.audited, map(study, STUDIES)):
        fitting = [model for model in models if kinds[model] in declared.kinds]
        foreign = [model for model in fitting if declared.english_only and _language(model) not in ("", "english")]
        left_out += [
            f"{declared.name} was not run on {model}: its words are English, and the model is {_language(model)} "
            f"(`wordworth run {declared.name} --help`)."
            for model in foreign
        ]
        kept = tuple(model for model in fitting if model not in foreign)
        if kept:
            planned.append(Planned(declared, kept))
    if not planned:
        named = ", ".join(f"{model} ({one})" for model, one in kinds.items())
        raise WordworthError(f"no study of the audit applies to {named}")
    return planned, left_out


def lessened(planned: Sequence[Planned], kind: Any = None) -> list[str]:
    """What a whole audit asks less of than the study by itself, a sentence each; of word vectors it asks for all."""
    return [
        one.study.whole_said
        for one in planned
        if one.study.whole_said and any((kind or kind_of(model)) != "static" for model in one.models)
    ]


def _language(model: str) -> str:
    """A model's language where the catalog declares one; one of several languages knows English."""
    target = target_of(model)
    declared = entry(target, "models").language if knows(target, "models") else ""
    return "" if declared == "several" else declared

"""The audit: which studies apply to which models, and what was not measured, as the studies declare it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordworth.catalog.kinds import kind_of
from wordworth.catalog.registry import entry, knows
from wordworth.catalog.resolve import target_of
from wordworth.errors import WordworthError, listed
from wordworth.results import Findings
from wordworth.study import STUDIES, Study, study
from wordworth.task.settings import Settings

ENGLISH = ("lexica", "pairs", "tests")
"""Settings of data that a quick audit names; each is a kind of the catalog."""
DEFAULTS = ("smollm2-135m", "glove-6b-50d", "nli-glove")
"""Audited when no model is named: all of them come from the package index."""


@dataclass(frozen=True)
class Planned:
    """A study and the models that it is run on."""

    study: Study
    models: tuple[str, ...]
    language: str = ""
    """Of the models, where it is not English; of a study that takes several languages at once, blank."""

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.study.name}-{self.language}" if self.language else self.study.name


@dataclass(frozen=True)
class Call:
    """A study on its models: what a worker runs of an audit."""

    study: str
    models: tuple[str, ...]
    settings: Settings
    before: Mapping[str, str]
    """Fingerprints of what is read, from before the audit began."""


def run_calls(nothing: None, calls: Iterable[Call]) -> Iterator[Findings | WordworthError]:
    """Yield what each study found, or why it failed."""
    for call in calls:
        try:
            yield study(call.study).run(call.models, call.settings, call.before)
        except WordworthError as error:
            yield error


def plan(models: Sequence[str], kind: Any = None, language: str | None = None) -> tuple[list[Planned], list[str]]:
    """The studies that apply to some of the models; and, a sentence each, what was left out and why.

    `kind` says what a model is where its files do not, `language` its language where the catalog does not. The tests
    of bias in a language model are those of `vast`, of word vectors those of `weat`.
    """
    if len(set(models)) < len(models):
        raise WordworthError("a model is named twice; name each once")
    kinds = {model: kind or kind_of(model) for model in models}
    planned: list[Planned] = []
    left_out: list[str] = []
    for declared in filter(lambda one: one.audited, map(study, STUDIES)):
        fitting = [model for model in models if kinds[model] in declared.kinds]
        languages = {model: language or _language(model) for model in fitting}
        reasons = {model: declared.why_not_in(languages[model]) for model in fitting}
        left_out += [
            f"{declared.name} was not run on {model}: {reason} (`wordworth run {declared.name} --help`)."
            for model, reason in reasons.items()
            if reason
        ]
        kept = [model for model in fitting if not reasons[model]]
        planned += [Planned(declared, some, one) for one, some in _groups(declared, kept, languages)]
    if not planned:
        named = ", ".join(f"{model} ({one})" for model, one in kinds.items())
        why = "".join(f"; {sentence.rstrip('.')}" for sentence in left_out)
        raise WordworthError(f"no study of the audit applies to {named}{why}")
    return planned, left_out


def _groups(
    declared: Study, models: Sequence[str], languages: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Models of one language, with the language where it is not English; all of them of a study that takes several."""
    several = "language" not in _names(declared)
    by_language: dict[str, list[str]] = {}
    for model in models:
        by_language.setdefault("" if several or languages[model] == "english" else languages[model], []).append(model)
    return ((language, tuple(some)) for language, some in by_language.items())


def _names(declared: Study) -> set[str]:
    return {field.name for field in declared.settings.fields()}


def chosen(planned: Planned, quick: bool, given: Mapping[str, Any], language: str | None = None) -> Settings:
    """The settings that an audit asks a study for, with what it was given where the study takes it.

    A quick audit asks for data by name, which is English: where a model is not, and there is no such data in its
    language (`bellezza-chinese`), the study chooses.
    """
    less = dict(planned.study.quick if quick else planned.study.whole)
    foreign = {language or _language(model) for model in planned.models} - {"", "english"}
    for kind in less.keys() & set(ENGLISH):  # a name that there is for every language stands for those
        if not all(knows(f"{name}-{one}", kind) for name in less[kind] for one in foreign):
            del less[kind]
        elif planned.language:
            less[kind] = tuple(f"{name}-{planned.language}" for name in less[kind])
    if planned.language:
        less |= {"language": planned.language, **planned.study.abroad}
    shared = {**given, **({"languages": (language,)} if language else {})}
    return planned.study.settings(**less, **{name: shared[name] for name in _names(planned.study) & shared.keys()})


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


def unmeasured(
    facts: Mapping[str, Any], done: Mapping[str, Mapping[str, Any]], measured: Collection[str] = ()
) -> Iterator[str]:
    """A sentence for each study of an audit that applies to a model and was not run, and for those of which a part was
    asked for. `facts` are what a manifest says of the model, `done` the settings of the studies that were run, and
    `measured` the experiments that have scores in any of them."""
    kind = facts.get("family") or ("static" if facts.get("words") else "")  # blank: it may be any
    for declared in filter(lambda one: one.audited, map(study, STUDIES)):
        if declared.name not in done:
            if not kind or kind in declared.kinds:
                yield f"The study {declared.name} was not run: {declared.summary.rstrip('.')}."
            continue
        field = next((one for one in declared.settings.fields() if one.name == "experiments"), None)
        asked = done[declared.name].get("experiments") or ()
        had = {*asked, *measured}
        left = [name for name in field.declared.choices if name not in had] if field and asked else []
        if left:
            yield f"Of the study {declared.name}, these were not asked for: {listed(left, 20)}."

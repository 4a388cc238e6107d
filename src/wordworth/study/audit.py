"""What an audit runs: the studies that apply to the models, with which settings, and what it leaves out."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordworth.catalog.models import ModelKind, kind_of
from wordworth.catalog.registry import knows
from wordworth.catalog.resolve import Origin
from wordworth.errors import WordworthError, format_names
from wordworth.results.vocabulary import Notice
from wordworth.study import STUDIES, Study, study
from wordworth.task.settings import Settings

DATA_SETTINGS = ("lexica", "pairs", "tests")
"""Settings of data that a quick audit names; each is a kind of the catalog."""
DEFAULT_MODELS = ("smollm2-135m", "glove-6b-50d", "nli-glove")
"""Audited when no model is named: all of them come from the package index."""


@dataclass(frozen=True)
class PlannedStudy:
    """A study and the models that it is run on."""

    study: Study
    models: tuple[Origin, ...]
    language: str = ""
    """Of the models, where it is not English; blank for a study that takes several languages at once."""

    @property
    def model_names(self) -> list[str]:
        """Return the names of the models as they were given."""
        return [str(model) for model in self.models]

    @property
    def folder_name(self) -> str:
        """Return the name of its folder."""
        return f"{self.study.name}-{self.language}" if self.language else self.study.name


def plan_audit(
    models: Sequence[Origin], kind: ModelKind | None = None, language: str | None = None
) -> tuple[list[PlannedStudy], list[Notice]]:
    """Return the studies that apply to some of the models, and what is skipped and why.

    `kind` says what a model is where its files do not, `language` its language where the catalog does not. The tests
    of bias in a language model are those of `vast`, of word vectors those of `weat`.
    """
    if len({model.named for model in models}) < len(models):
        raise WordworthError("a model is named twice; name each once")
    kinds = {model.named: kind or kind_of(model) for model in models}
    planned: list[PlannedStudy] = []
    skipped: list[Notice] = []
    for declared in audited_studies():
        by_language: dict[str, list[Origin]] = {}
        has_language = "language" in _setting_names(declared)
        for model in (model for model in models if kinds[model.named] in declared.kinds):
            own = language or model.language
            if reason := declared.why_not_in(own):
                skipped.append(Notice(kind="skipped", study=declared.name, model=str(model), reason=reason))
            else:
                by_language.setdefault("" if not has_language or own == "english" else own, []).append(model)
        planned += [PlannedStudy(declared, tuple(some), one) for one, some in by_language.items()]
    if not planned:
        named = ", ".join(f"{model} ({one})" for model, one in kinds.items())
        reasons = "".join(f"; {notice.study}: {notice.reason}" for notice in skipped)
        raise WordworthError(f"no study of the audit applies to {named}{reasons}")
    return planned, skipped


def audited_studies() -> list[Study]:
    """Return the studies that are part of an audit."""
    return [declared for declared in map(study, STUDIES) if declared.is_audited]


def audit_settings(
    planned: PlannedStudy, *, quick: bool, shared: Mapping[str, Any], language: str | None = None
) -> Settings:
    """Return the settings of a study in an audit, with those of `shared` that it has.

    A quick audit asks for data by name, which is English. Where a model is not English, data of the same name in its
    language is taken (`bellezza-chinese`), or what the study takes by default.
    """
    chosen = dict(planned.study.quick if quick else planned.study.full)
    others = {language or model.language for model in planned.models} - {"", "english"}
    for kind in chosen.keys() & set(DATA_SETTINGS):
        if not all(knows(f"{name}-{one}", kind) for name in chosen[kind] for one in others):
            del chosen[kind]
        elif planned.language:
            chosen[kind] = tuple(f"{name}-{planned.language}" for name in chosen[kind])
    if planned.language:
        chosen |= {"language": planned.language, **planned.study.non_english_settings}
    given = {**shared, **({"languages": (language,)} if language else {})}
    chosen |= {name: given[name] for name in _setting_names(planned.study) & given.keys()}
    return planned.study.settings(**chosen)


def reductions_of(planned: Sequence[PlannedStudy], kind: ModelKind | None = None) -> list[Notice]:
    """Return what a full audit reduces; of word vectors it measures everything."""
    return [
        Notice(kind="reduced", study=one.study.name, reason=one.study.full_audit_note)
        for one in planned
        if one.study.full_audit_note and any((kind or kind_of(model)) != "static" for model in one.models)
    ]


def _setting_names(declared: Study) -> set[str]:
    return {field.name for field in declared.settings.fields()}


def list_unmeasured(
    facts: Mapping[str, Any], done: Mapping[str, Mapping[str, Any]], measured: Collection[str] = ()
) -> Iterator[str]:
    """Yield a sentence for each study of an audit that applies to a model and was not run, or was run in part.

    `facts` are what a run says of the model, `done` the settings of the studies that were run, and `measured` the
    experiments that have scores in any of them.
    """
    kind = facts.get("family") or ("static" if facts.get("words") else "")  # blank: it may be any
    for declared in audited_studies():
        if declared.name not in done:
            if not kind or kind in declared.kinds:
                yield f"The study {declared.name} was not run: {declared.summary.rstrip('.')}."
            continue
        field = next((one for one in declared.settings.fields() if one.name == "experiments"), None)
        asked = done[declared.name].get("experiments") or ()
        had = {*asked, *measured}
        left = [name for name in field.declared.choices if name not in had] if field and asked else []
        if left:
            yield f"Of the study {declared.name}, these were not asked for: {format_names(left, 20)}."

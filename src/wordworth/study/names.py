"""Resolve the names of models and data that a study is given, once; they travel as `Origin`.

Also check inputs before anything is loaded, take fingerprints of what is read, and find the checkpoints of a folder.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from wordworth.catalog.models import MODEL_KINDS, ModelKind, fingerprint, refuse_name
from wordworth.catalog.registry import entries, knows
from wordworth.catalog.resolve import Origin, resolve, split_label
from wordworth.errors import WordworthError, require
from wordworth.results.columns import model_label
from wordworth.task.settings import SettingField, Settings, either

DATA_KINDS = ("lexica", "pairs", "tests", "corpora", "nli", "frequencies", "wordnets", "paraphrases", "sentence_pairs")
"""Kinds of the catalog whose names and files are checked before anything is loaded."""
RESERVED_NAMES = ("none", "word2vec", "synonyms", "lemma", "drawn")
"""Values that some settings take instead of a name."""
KIND_IN_WORDS: dict[ModelKind, tuple[str, str]] = {
    "static": ("a static embedding", "static embeddings"),
    "causal": ("a causal language model", "causal language models"),
    "masked": ("a masked language model", "masked language models"),
    "encoder": ("a language model without a head for words", "encoders"),
    "sentence": ("a sentence encoder", "sentence encoders"),
    "nli": ("an NLI model", "NLI models"),
}
"""Kind → a model in words, and several models."""
OTHER_STUDY = {"weat": ("vast", "bias"), "valnorm": ("vast", "contextualization"), "vast": ("valnorm", "valence")}
"""Study → the study and experiment that measure the same on a model of another kind."""


@dataclass(frozen=True)
class Inputs:
    """Hold what a study is run on, with every name resolved."""

    models: tuple[Any, ...]
    """Each is `Origin`, or a loaded model."""
    settings: Settings
    """A copy with `Origin` instead of the names of data."""
    origins: tuple[Origin, ...]
    """Every model, data set and file that was named."""
    checkpoints: Mapping[str, tuple[str, int]]
    """Label of a checkpoint → the model and the training step."""

    def fingerprints(self, *, fetch: bool = True) -> dict[str, str]:
        """Return name → sha256 over its content. Without `fetch`, the hub is represented by its cache."""
        hashes = {str(origin): fingerprint(origin, fetch=fetch) for origin in self.origins}
        return {name: origin for name, origin in hashes.items() if origin}


def resolve_inputs(models: Any, settings: Settings) -> Inputs:
    """Resolve all models and data that a study is given by name."""
    given_models = list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    resolved_models = tuple(map(resolve_model, given_models))
    origins = [member for member in resolved_models if isinstance(member, Origin)]
    changes: dict[str, Any] = {}
    for field in settings.fields():
        value = getattr(settings, field.name)
        resolved_values = tuple(_resolve_value(field, member) for member in (value if field.many else (value,)))
        origins += [member for member in resolved_values if isinstance(member, Origin)]
        if field.declared.catalog.partition("/")[0] in (*DATA_KINDS, "models"):
            changes[field.name] = resolved_values if field.many else resolved_values[0]
    steps = {member.label: (member.name, member.step) for member in given_models if isinstance(member, Checkpoint)}
    return Inputs(resolved_models, settings.model_copy(update=changes), tuple(origins), steps)


def resolve_model(model: Any) -> Any:
    """Resolve a name, path or checkpoint; return a loaded model as it is."""
    if isinstance(model, Checkpoint):
        model = model.target
    return resolve(model, "models") if isinstance(model, str | Path) else model


def _resolve_value(field: SettingField, value: Any) -> Any:
    """Resolve a name or file in a setting; return any other value as it is."""
    kind = field.declared.catalog.partition("/")[0]
    is_named = kind != "languages" and (kind or Path in get_args(field.type))
    if not is_named or not isinstance(value, str | Path) or str(value) in RESERVED_NAMES:
        return value
    if kind == "frequencies":
        from wordworth.catalog.read.frequencies import kind_of_counts

        kind = kind_of_counts(value)
    elif kind not in ("", "models", *DATA_KINDS) and not knows(split_label(value)[1], kind):
        kind = ""  # a file, which its reader looks for
    return resolve(value, kind)


def check_models(study: str, models: Iterable[Any], kinds: frozenset[ModelKind]) -> None:
    """Raise for a path that does not exist, and for a model of the catalog that the study does not take."""
    for model in models:
        if not isinstance(model, Origin):
            continue
        if model.entry is not None and (family := model.entry.details["family"]) not in kinds:
            choices = [KIND_IN_WORDS[kind][1] for kind in KIND_IN_WORDS if kind in kinds]
            examples = ", ".join([item.name for item in entries("models") if item.details["family"] in kinds][:3])
            other_study, experiment = OTHER_STUDY.get(study, ("", ""))
            command = f"wordworth run {other_study} {model.target} --experiment {experiment}"
            advice = f"such as {examples}" if not other_study or family == "nli" else f"run `{command}` instead"
            raise WordworthError(
                f"{model.target} is {KIND_IN_WORDS[family][0]}, and {study} takes {either(choices, 'and')}; {advice}"
            )
        if "static" not in kinds or (model.entry is not None and model.entry.details["family"] != "static"):
            require("language models")
        if kinds <= {"static", "sentence"} and model.place == "hub":
            refuse_name(model)
        if model.place == "path" and ":" not in model.target and not model.where.exists():
            raise WordworthError(
                f"there is no file {model.target}; give the path of a model, or a name (`wordworth ls models`)"
            )


def check_data(settings: Settings) -> None:
    """Stop at a file that is not there, a model of another kind, and a file of tests that cannot be read."""
    from wordworth.catalog.read.word_sets import load_tests

    for field in settings.fields():
        kind, _, family = field.declared.catalog.partition("/")
        value = getattr(settings, field.name)
        things = [one for one in (value if field.many else (value,)) if isinstance(one, Origin)]
        if family:
            check_models(f"--{field.option}", things, frozenset(one for one in MODEL_KINDS if one == family))
            continue
        for one in things:
            if one.place == "path" and not one.where.exists():
                raise WordworthError(
                    f"there is no file {one.target}; give the path of a file, or a name from `wordworth ls {kind}`"
                )
            if kind == "tests" and one.place == "path":
                load_tests(one)


def refuse_changed(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Stop where a file changed while it was measured."""
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            raise WordworthError(f"{name} changed while it was measured, so its numbers are not kept; run it again")


_NUMBER = re.compile(r"(\d{1,15})(?!.*\d)")
"""The last number of a name: of `checkpoint-500`, `step500` or `lr0.1-step500`."""


@dataclass(frozen=True)
class Checkpoint:
    """A model after so many steps of its training."""

    name: str
    step: int
    path: Path

    @property
    def label(self) -> str:
        """Return what it is called within a study."""
        return model_label(self.name, self.step)

    @property
    def target(self) -> str:
        """Return it as a study takes a model by its path."""
        return f"{self.label}={self.path}"


def find_checkpoints(named: str | Path) -> list[Checkpoint]:
    """Return the checkpoints of a folder in the order of their steps.

    A checkpoint is a folder in it with a config.json and a number in its name. The model has the name of the folder,
    or the label of `LABEL=DIR`.
    """
    label, target = split_label(named)
    folder = Path(target).expanduser()
    if not folder.is_dir():
        raise WordworthError(f"there is no folder {target}; give the one that holds the checkpoints of a training")
    name = label or folder.resolve().name.replace("=", "-")  # a label ends at the first =
    steps: dict[int, Checkpoint] = {}
    for place in sorted(folder.iterdir()):
        number = _NUMBER.search(place.name)
        if number is None or not (place / "config.json").is_file():
            continue
        one = Checkpoint(name, int(number[1]), place)
        if one.step in steps:
            both = f"{steps[one.step].path.name} and {place.name}"
            raise WordworthError(f"{both} in {folder} are both of step {one.step}; remove one")
        steps[one.step] = one
    if not steps:
        raise WordworthError(
            f"{folder} holds no checkpoint, which is a folder with a config.json and a number, such as checkpoint-500"
        )
    return [steps[step] for step in sorted(steps)]

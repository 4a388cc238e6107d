"""The place where what a study is given becomes a thing: names are resolved here, once, and travel as `Origin`.

What is checked before anything is loaded, the fingerprints of what is read, and the checkpoints of a folder follow.
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

LOOKED_AT = ("lexica", "pairs", "tests", "corpora", "nli", "frequencies", "wordnets", "paraphrases", "sentence_pairs")
"""Kinds of the catalog whose names, and the files in their place, are looked at before anything is loaded."""
RESERVED_NAMES = ("none", "word2vec", "synonyms", "lemma", "drawn")
"""What some settings take in the place of a name."""
KIND_IN_WORDS: dict[ModelKind, tuple[str, str]] = {
    "static": ("a static embedding", "static embeddings"),
    "causal": ("a causal language model", "causal language models"),
    "masked": ("a masked language model", "masked language models"),
    "encoder": ("a language model without a head for words", "encoders"),
    "sentence": ("a sentence encoder", "sentence encoders"),
    "nli": ("an NLI model", "NLI models"),
}
"""Kind → what a model is, and what several are."""
OTHER_STUDY = {"weat": ("vast", "bias"), "valnorm": ("vast", "contextualization"), "vast": ("valnorm", "valence")}
"""Study → the study, and its experiment, that asks the same of a model of another kind."""


@dataclass(frozen=True)
class Inputs:
    """What a study is run on, with every name resolved."""

    models: tuple[Any, ...]
    """Each is `Origin`, or a loaded model."""
    settings: Settings
    """A copy that has `Origin` in the place of the names of data."""
    read: tuple[Origin, ...]
    """Every model, data set and file that was named."""
    checkpoints: Mapping[str, tuple[str, int]]
    """Label of a checkpoint → the model, and after how many steps of its training."""

    def fingerprints(self, *, fetch: bool = True) -> dict[str, str]:
        """Return name → sha256 over its content. Without `fetch`, what is on the hub is what is in its cache."""
        hashes = {str(one): fingerprint(one, fetch=fetch) for one in self.read}
        return {name: one for name, one in hashes.items() if one}


def resolve_inputs(models: Any, settings: Settings) -> Inputs:
    """Turn everything that a study is given by name into a thing."""
    several = list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    things = tuple(map(resolve_model, several))
    read = [one for one in things if isinstance(one, Origin)]
    changes: dict[str, Any] = {}
    for field in settings.fields():
        value = getattr(settings, field.name)
        resolved = tuple(_resolve_value(field, one) for one in (value if field.many else (value,)))
        read += [one for one in resolved if isinstance(one, Origin)]
        if field.declared.catalog.partition("/")[0] in (*LOOKED_AT, "models"):
            changes[field.name] = resolved if field.many else resolved[0]
    steps = {one.label: (one.name, one.step) for one in several if isinstance(one, Checkpoint)}
    return Inputs(things, settings.model_copy(update=changes), tuple(read), steps)


def resolve_model(given: Any) -> Any:
    """Return what a name, path or checkpoint stands for; a loaded model stays."""
    if isinstance(given, Checkpoint):
        given = given.target
    return resolve(given, "models") if isinstance(given, str | Path) else given


def _resolve_value(field: SettingField, value: Any) -> Any:
    """Return what a name or file in a setting stands for; any other value stays."""
    kind = field.declared.catalog.partition("/")[0]
    is_named = kind != "languages" and (kind or Path in get_args(field.type))
    if not is_named or not isinstance(value, str | Path) or str(value) in RESERVED_NAMES:
        return value
    if kind == "frequencies":
        from wordworth.catalog.read.frequencies import kind_of_counts

        kind = kind_of_counts(value)
    elif kind not in ("", "models", *LOOKED_AT) and not knows(split_label(value)[1], kind):
        kind = ""  # a file, which its reader looks for
    return resolve(value, kind)


def check_models(study: str, models: Iterable[Any], kinds: frozenset[ModelKind]) -> None:
    """Stop at a path where nothing is, and at a model of the catalog that the study does not take."""
    for resolved in models:
        if not isinstance(resolved, Origin):
            continue
        if resolved.entry is not None and (family := resolved.entry.details["family"]) not in kinds:
            taken = [KIND_IN_WORDS[kind][1] for kind in KIND_IN_WORDS if kind in kinds]
            fitting = ", ".join([one.name for one in entries("models") if one.details["family"] in kinds][:3])
            other, experiment = OTHER_STUDY.get(study, ("", ""))
            instead = f"wordworth run {other} {resolved.target} --experiment {experiment}"
            advice = f"such as {fitting}" if not other or family == "nli" else f"run `{instead}` instead"
            raise WordworthError(
                f"{resolved.target} is {KIND_IN_WORDS[family][0]}, and {study} takes {either(taken, 'and')}; {advice}"
            )
        if "static" not in kinds or (resolved.entry is not None and resolved.entry.details["family"] != "static"):
            require("language models")
        if kinds <= {"static", "sentence"} and resolved.place == "hub":
            refuse_name(resolved)
        if resolved.place == "path" and ":" not in resolved.target and not resolved.where.exists():
            raise WordworthError(
                f"there is no file {resolved.target}; give the path of a model, or a name (`wordworth ls models`)"
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

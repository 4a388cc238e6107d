"""Checks before anything is loaded: that names and files exist and are of their kind; checkpoints of a folder."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from wordworth.catalog.kinds import KINDS, Kind
from wordworth.catalog.registry import entries, entry, knows
from wordworth.catalog.resolve import public_name, resolve, split_label, target_of
from wordworth.errors import WordworthError, require
from wordworth.task.settings import SettingField, Settings, either

LOOKED_AT = ("lexica", "pairs", "tests", "corpora", "nli", "frequencies", "wordnets", "paraphrases")
"""Kinds of the catalog whose names, and the files in their place, are looked at before anything is loaded."""
WORDS = ("none", "word2vec", "synonyms", "lemma", "drawn")
"""What some settings take in the place of a name."""
CALLED: dict[Kind, tuple[str, str]] = {
    "static": ("a static embedding", "static embeddings"),
    "causal": ("a causal language model", "causal language models"),
    "masked": ("a masked language model", "masked language models"),
    "encoder": ("a language model without a head for words", "encoders"),
    "sentence": ("a sentence encoder", "sentence encoders"),
    "nli": ("an NLI model", "NLI models"),
}
"""Kind → what a model is, and what several are."""


def check_models(study: str, models: Iterable[Any], kinds: frozenset[Kind]) -> None:
    """Stop at a path where nothing is, and at a model of the catalog that the study does not take."""
    for named in models:
        if not isinstance(named, str | Path):
            continue
        resolved = resolve(named)
        if "static" not in kinds or (resolved.entry is not None and resolved.entry.details["family"] != "static"):
            require("language models")
        if resolved.entry is not None and (family := resolved.entry.details["family"]) not in kinds:
            taken = [CALLED[kind][1] for kind in CALLED if kind in kinds]
            fitting = [one.name for one in entries("models") if one.details["family"] in kinds]
            raise WordworthError(
                f"{resolved.target} is {CALLED[family][0]}, and {study} takes {either(taken, 'and')}, such as "
                f"{', '.join(fitting[:3])}"
            )
        if kinds <= {"static", "sentence"} and resolved.place == "hub" and "/" not in resolved.target:
            entry(resolved.target, "models")  # it reads like a name of the catalog: the error gives the nearest names
        if resolved.place == "path" and ":" not in resolved.target and not resolved.where.exists():
            raise WordworthError(
                f"there is no file {resolved.target}; give the path of a model, or a name (`wordworth ls models`)"
            )


def _list_named(settings: Settings) -> Iterator[tuple[SettingField, str | Path]]:
    """Yield each setting of a name or file with its values."""
    for field in settings.fields():
        value = getattr(settings, field.name)
        for one in value if field.many else (value,):
            if isinstance(one, str | Path) and str(one) not in WORDS:
                yield field, one


def check_data(settings: Settings) -> None:
    """Stop at a name that the catalog lacks, a file that is not there, and a file of tests that cannot be read."""
    from wordworth.catalog.read.association_tests import load_tests

    for field, named in _list_named(settings):
        kind = field.declared.catalog
        _, _, family = kind.partition("/")
        if family:
            check_models(f"--{field.option}", [named], frozenset(one for one in KINDS if one == family))
        elif kind in LOOKED_AT:
            # A text is counted for frequencies.
            is_corpus = kind == "frequencies" and not knows(target_of(named), kind)
            found = resolve(named, "corpora" if is_corpus else kind)
            if found.place == "path" and not found.where.exists():
                raise WordworthError(
                    f"there is no file {found.target}; give the path of a file, or a name from `wordworth ls {kind}`"
                )
            if kind == "tests" and found.place == "path":
                load_tests(named)


def fingerprints_of(models: Iterable[Any], settings: Settings, *, fetch: bool = True) -> dict[str, str]:
    """Return name → sha256 over the content, of the models and data sets that are given by name.

    Without `fetch`, a name of the hub is what is in its cache.
    """
    from wordworth.catalog.models import fingerprint

    named = [(model, "models") for model in models if isinstance(model, str | Path)]
    for field, one in _list_named(settings):
        kind = field.declared.catalog.partition("/")[0]
        if kind != "languages" and (kind or Path in get_args(field.type)):
            named.append((one, kind))
    hashes = {public_name(one): fingerprint(one, kind, fetch=fetch) for one, kind in named}
    return {name: one for name, one in hashes.items() if one}


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
        return step_label(self.name, self.step)

    @property
    def target(self) -> str:
        """Return it as a study takes a model by its path."""
        return f"{self.label}={self.path}"


def step_label(name: str, step: int) -> str:
    """Return what a model is called within a study after so many steps of its training."""
    return f"{name}@step{step}"


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

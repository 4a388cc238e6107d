"""Define `Study`: the declaration that the command, the audit, runs and docs read, and how it is run."""

import inspect
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from wordworth.catalog.registry import entry, knows, references
from wordworth.engine.cache import hashed_once
from wordworth.engine.engines import collecting_notices, notices, using
from wordworth.errors import MachineErrors
from wordworth.task.settings import Settings, either

if TYPE_CHECKING:  # help reads declarations too, and must be fast
    from wordworth.catalog.models import ModelKind
    from wordworth.results.findings import Findings
    from wordworth.results.run import Run
    from wordworth.study.names import Inputs

EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """Declare a study. Called with models and settings by name, it returns its run.

    The function `measure(models, settings)` is in `study/NAME/study.py`, which is imported only when it is run.
    """

    name: str
    summary: str
    """One line for the help."""
    settings: type[Settings]
    kinds: "frozenset[ModelKind]"
    """The kinds of model that an audit runs it on."""
    also_accepts: "frozenset[ModelKind]" = frozenset()
    """Kinds of model that it also takes outside an audit."""
    papers: tuple[str, ...]
    """Keys in references.toml of the papers whose method it is."""
    method: str
    """The method in words, for a report."""
    main: str = ""
    """The setting that may follow the models without its name in Python: `weat(glove, "weat6")`."""
    command: str = ""
    """Its command, if that is not `wordworth run NAME`."""
    example: str = ""
    """A command to try, for the help."""
    default_models: tuple[str, ...] = ()
    """Models that are measured if none is named."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """The settings of a quick audit."""
    full: Mapping[str, Any] = field(default_factory=dict)
    """The settings of a full audit, if the defaults would take hours on two cores."""
    full_audit_note: str = ""
    """A clause on what a full audit reduces, and the cost in precision."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """The settings for a model in training, which take seconds; blank to measure it only on request."""
    is_audited: bool = True
    """Whether it is part of an audit."""
    is_english_only: bool = False
    non_english_settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of an audit of a model of another language."""
    languages: Callable[[], list[str] | None] = lambda: None
    """Returns the languages, in addition to English, in which its words are available; None for any."""

    def measure(self, models: Sequence[Any], settings: Any) -> "Findings":
        """Measure the models."""
        findings: Findings = import_module(f"wordworth.study.{self.name}.study").measure(models, settings)
        return findings

    def __call__(self, models: str | Path | Any = (), **settings: Any) -> "Run":
        """Run the study on models (names, paths, or loaded ones) with settings by name."""
        return self.run(models, self.settings.of(self.name, settings))

    def run(self, models: Any, settings: Settings, checkpoints: Mapping[str, tuple[str, int]] = EMPTY) -> "Run":
        """Run the study on models and data by name, by path or in memory.

        `checkpoints` maps the label of a loaded model in training to the model's name and the step.
        """
        from wordworth.study.names import resolve_inputs

        is_none_named = isinstance(models, list | tuple) and not models
        inputs = resolve_inputs(self.default_models if is_none_named else models, settings)
        return self.run_on(inputs, checkpoints=checkpoints)

    def run_on(
        self,
        inputs: "Inputs",
        fingerprints: Mapping[str, str] | None = None,
        checkpoints: Mapping[str, tuple[str, int]] = EMPTY,
    ) -> "Run":
        """Run the study on resolved inputs; `fingerprints` of what is read may be taken earlier."""
        from wordworth.study.names import refuse_changed

        models, settings = inputs.models, inputs.settings
        with collecting_notices(), MachineErrors():
            self.check(inputs)
            first_fingerprints = inputs.fingerprints() if fingerprints is None else dict(fingerprints)
            started, start_seconds = datetime.now(UTC), time.monotonic()
            with using(getattr(settings, "engine", "local")), hashed_once():
                findings = self.measure(models, settings)
            for text in notices():
                findings.notice("caution", text)
            refuse_changed(first_fingerprints, inputs.fingerprints(fetch=False))
            findings.checkpoints |= {**checkpoints, **inputs.checkpoints}
            run = self.describe(findings, models, settings, first_fingerprints)
            run.started, run.seconds = started, round(time.monotonic() - start_seconds, 2)
        return run

    def check(self, inputs: "Inputs") -> None:
        """Raise, before anything is loaded, for a name or file that does not exist."""
        from wordworth.study.names import check_data, check_models

        check_models(self.name, inputs.models, self.kinds | self.also_accepts)
        check_data(inputs.settings)

    def why_not_in(self, language: str) -> str:
        """Return why the study cannot run on a model of a language; blank if it can. A blank language is English."""
        languages = [] if self.is_english_only else self.languages()
        if languages is None or language in ("", "english", *languages):
            return ""
        return f"its words are {either(['English', *map(str.capitalize, languages)])}, and the model is {language}"

    def describe(
        self, findings: "Findings", models: Sequence[Any], settings: Settings, fingerprints: Mapping[str, str] = EMPTY
    ) -> "Run":
        """Return the run of these findings, with facts on the study, the models and the settings."""
        from wordworth.catalog.resolve import Origin

        in_memory = {one.name: one.provenance.sha256 for one in models if hasattr(one, "provenance")}
        table = settings.as_table()
        return findings.to_run(
            command=_command_line(),
            named=[str(model) if isinstance(model, str | Origin) else model.name for model in models],
            fingerprints={**fingerprints, **in_memory},
            settings=table,
            may_differ=self.settings.may_differ(),
            method=" ".join(filter(None, [self.method, settings.in_words()])),
            papers=list(self.papers),
            references=self._references(findings),
            seed=int(table.get("seed", 0)),
        )

    def _references(self, findings: "Findings") -> dict[str, str]:
        """Return key → BibTeX of the study's papers, its data, and those of its models that the catalog declares."""
        catalog_references = references()
        key_of = {str(reference): key for key, reference in catalog_references.items()}
        keys = [key for key in self.papers if key in catalog_references]
        keys += [key_of[data["reference"]] for data in findings.data.values() if data["reference"] in key_of]
        keys += [entry(name, "models").reference.key for name in findings.models if knows(name, "models")]
        return {key: catalog_references[key].bibtex() for key in dict.fromkeys(keys)}

    @property
    def __signature__(self) -> inspect.Signature:
        """Return the signature for `help` and notebooks: the models, and every setting with its type and default."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        settings = [
            inspect.Parameter(field.name, keyword, default=field.default, annotation=field.type)
            for field in self.settings.fields()
        ]
        models = inspect.Parameter("models", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=self.default_models)
        return inspect.Signature([models, *settings])


def _command_line() -> list[str]:
    """Return the running command, without tokens in its addresses; `python` for another program."""
    program = Path(sys.argv[0])  # of `python -m pytest` it is pytest/__main__.py
    if program.stem != "wordworth" and program.parts[-2:] != ("wordworth", "__main__.py"):
        return ["python"]
    from wordworth.catalog.resolve import public_name

    return ["wordworth", *(public_name(word) if "://" in word else word for word in sys.argv[1:])]

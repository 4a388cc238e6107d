"""`Study`: what the command, the audit, a run and the docs need to know of a study, and how it is run."""

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

if TYPE_CHECKING:  # a help reads studies too, and has to be quick
    from wordworth.catalog.models import ModelKind
    from wordworth.results.findings import Findings
    from wordworth.results.run import Run
    from wordworth.study.names import Inputs

EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """A study. Called with models and settings by name, it returns its run.

    The function `measure(models, settings)` is in `study/NAME/study.py`, which is imported when it is run: it takes
    long.
    """

    name: str
    summary: str
    """One line for the help."""
    settings: type[Settings]
    kinds: "frozenset[ModelKind]"
    """The kinds of model that an audit runs it on."""
    also_accepts: "frozenset[ModelKind]" = frozenset()
    """Kinds of model that it takes too when it is run by itself."""
    papers: tuple[str, ...]
    """Keys in references.toml of the papers whose method it is."""
    method: str
    """How it measures, in words, for a report."""
    main: str = ""
    """The setting that may follow the models without its name in Python: `weat(glove, "weat6")`."""
    command: str = ""
    """Its command, where that is not `wordworth run NAME`."""
    example: str = ""
    """A command to try, for the help."""
    default_models: tuple[str, ...] = ()
    """Measured where none is named."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """The settings of a quick audit."""
    full: Mapping[str, Any] = field(default_factory=dict)
    """The settings of a full audit, where the defaults would take hours on two cores."""
    full_audit_note: str = ""
    """What a full audit reduces, and what that costs in precision: a clause."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """The settings for a model in training, to be measured in seconds; blank: only on request."""
    is_audited: bool = True
    """Whether it is part of an audit."""
    is_english_only: bool = False
    non_english_settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of an audit of a model of another language."""
    languages: Callable[[], list[str] | None] = lambda: None
    """Returns the languages, besides English, that its words can be had in; None for any."""

    def measure(self, models: Sequence[Any], settings: Any) -> "Findings":
        """Measure the models."""
        findings: Findings = import_module(f"wordworth.study.{self.name}.study").measure(models, settings)
        return findings

    def __call__(self, models: str | Path | Any = (), **settings: Any) -> "Run":
        """Run the study on models (names, paths, or loaded ones) with settings by name."""
        return self.run(models, self.settings.of(self.name, settings))

    def run(self, models: Any, settings: Settings, checkpoints: Mapping[str, tuple[str, int]] = EMPTY) -> "Run":
        """Run the study on models and data by name, path or as they are.

        `checkpoints` says of loaded models in training, by their labels, which model they are and after how many steps.
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
        """Run the study on what is resolved; `fingerprints` of what is read may be taken earlier."""
        from wordworth.study.names import refuse_changed

        models, settings = inputs.models, inputs.settings
        with collecting_notices(), MachineErrors():
            self.check(inputs)
            before = inputs.fingerprints() if fingerprints is None else dict(fingerprints)
            started, clock = datetime.now(UTC), time.monotonic()
            with using(getattr(settings, "engine", "local")), hashed_once():
                findings = self.measure(models, settings)
            for text in notices():
                findings.notice("caution", text)
            refuse_changed(before, inputs.fingerprints(fetch=False))
            findings.checkpoints |= {**checkpoints, **inputs.checkpoints}
            run = self.describe(findings, models, settings, before)
            run.started, run.seconds = started, round(time.monotonic() - clock, 2)
        return run

    def check(self, inputs: "Inputs") -> None:
        """Stop, before anything is loaded, at a name or file that is not there."""
        from wordworth.study.names import check_data, check_models

        check_models(self.name, inputs.models, self.kinds | self.also_accepts)
        check_data(inputs.settings)

    def why_not_in(self, language: str) -> str:
        """Return why it cannot be run on a model of a language; blank where it can. A blank language is English."""
        known = [] if self.is_english_only else self.languages()
        if known is None or language in ("", "english", *known):
            return ""
        return f"its words are {either(['English', *map(str.capitalize, known)])}, and the model is {language}"

    def describe(
        self, findings: "Findings", models: Sequence[Any], settings: Settings, fingerprints: Mapping[str, str] = EMPTY
    ) -> "Run":
        """Return the run of these findings, with what it says of the study, the models and the settings."""
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
        known = references()
        by_text = {str(reference): key for key, reference in known.items()}
        keys = [key for key in self.papers if key in known]
        keys += [by_text[data["reference"]] for data in findings.data.values() if data["reference"] in by_text]
        keys += [entry(name, "models").reference.key for name in findings.models if knows(name, "models")]
        return {key: known[key].bibtex() for key in dict.fromkeys(keys)}

    @property
    def __signature__(self) -> inspect.Signature:
        """Return what `help` and a notebook show: the models, and every setting with its type and default."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        settings = [
            inspect.Parameter(one.name, keyword, default=one.default, annotation=one.type)
            for one in self.settings.fields()
        ]
        models = inspect.Parameter("models", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=self.default_models)
        return inspect.Signature([models, *settings])


def _command_line() -> list[str]:
    """Return the command that runs, without the tokens in its addresses; `python` where it is not ours."""
    program = Path(sys.argv[0])  # of `python -m pytest` it is pytest/__main__.py
    if program.stem != "wordworth" and program.parts[-2:] != ("wordworth", "__main__.py"):
        return ["python"]
    from wordworth.catalog.resolve import public_name

    return ["wordworth", *(public_name(word) if "://" in word else word for word in sys.argv[1:])]

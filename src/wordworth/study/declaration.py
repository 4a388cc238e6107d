"""One declaration a study: all that the command, the audit, a run's manifest and the docs need to know of it."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from wordworth.catalog.registry import entry, knows, references
from wordworth.engine.engines import using
from wordworth.engine.identity import hashed_once
from wordworth.task.settings import Settings, either

if TYPE_CHECKING:  # a declaration is read for the help too, and has to be quick
    import polars as pl

    from wordworth.catalog.kinds import Kind
    from wordworth.results import Findings


class Table(NamedTuple):
    """A table for the screen; the columns in `right` hold numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]
    right: Sequence[int] = ()
    note: str = ""
    """What is to be known of some of the numbers, under the table."""


def _command_line() -> tuple[str, ...]:
    """The command that runs, where it is ours; a token in an address does not belong into a run."""
    if Path(sys.argv[0]).stem not in ("wordworth", "__main__"):
        return ("python",)
    from wordworth.catalog.resolve import public_name

    return "wordworth", *(public_name(word) if "://" in word else word for word in sys.argv[1:])


def _imported(name: str) -> Callable[..., Any]:
    """A function by `module:name`; only a study that is run pays for what it imports."""
    module, _, function = name.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), function)
    return loaded


@dataclass(frozen=True)
class Study:
    """A study. Called with models and settings by name, it returns its findings."""

    name: str
    summary: str
    """One line for the help."""
    function: str
    """`module:name` of the function (models, settings) → findings; imported when the study runs."""
    settings: type[Settings]
    tables_function: str
    """`module:name` of the function that sets scores and items in tables, as its paper does."""
    kinds: "frozenset[Kind]"
    """The kinds of model that it takes."""
    papers: tuple[str, ...]
    """Keys of the papers whose method it is, in references.toml."""
    method: str
    """How it measures, in words, for a report."""
    main: str = ""
    """The setting that a notebook may give behind the models without its name: `weat(glove, "weat6")`."""
    command: str = ""
    """Its command, where that is one of its own; blank: `wordworth run NAME`."""
    example: str = ""
    """A command to try, for the help of `wordworth run NAME`."""
    default_models: tuple[str, ...] = ()
    """Taken where none is named."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """What a quick audit asks for."""
    whole: Mapping[str, Any] = field(default_factory=dict)
    """What a whole audit asks for where the settings' own defaults would take hours on two cores."""
    whole_said: str = ""
    """That, in a sentence for the report: what is less, and what it costs in precision."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """What is asked of a model in training every so many steps, in seconds; blank: nothing, unless it is asked for."""
    audited: bool = True
    """Whether it is part of an audit."""
    beyond: "frozenset[Kind]" = frozenset()
    """The kinds of model that it takes too, where an audit does not ask for it."""
    english_only: bool = False
    languages: str = ""
    """`module:name` of the function that gives the languages, beside English, that its words are to be had in; blank:
    any, or none where it is `english_only`."""
    abroad: Mapping[str, Any] = field(default_factory=dict)
    """What an audit of a model of another language asks for."""

    def __call__(self, models: str | Path | Any = (), **chosen: Any) -> "Findings":
        """Runs the study on models (names, paths, or loaded ones) with settings by name; the rest are the paper's."""
        return self.run(models, self.settings.of(self.name, chosen))

    def run(self, models: Any, settings: Settings, before: Mapping[str, str] | None = None) -> "Findings":
        """Run the study; `before` are the fingerprints of what is read, where they were taken earlier."""
        from wordworth.progress import waiting
        from wordworth.results import Findings
        from wordworth.study.checks import fingerprints, refuse_changed

        given = [models] if isinstance(models, str | Path) or not isinstance(models, Sequence) else list(models)
        given = given or list(self.default_models)
        self.check(given, settings)
        named = [model for model in given if isinstance(model, str | Path)]
        if before is None:
            before = fingerprints(named, settings)
        timer = Findings()
        with timer.timed(), using(getattr(settings, "engine", "local")), hashed_once():
            with waiting(f"loading what {self.name} needs"):  # torch alone may take a while
                function = _imported(self.function)
            findings: Findings = function(given, settings)
        refuse_changed(before, fingerprints(named, settings, fetch=False))
        findings.started, findings.seconds = timer.started, timer.seconds
        names = [model if isinstance(model, str | Path) else model.name for model in given]
        return self.described(findings, names, settings, before)

    def check(self, models: Sequence[Any], settings: Settings) -> None:
        """Stops, before anything is loaded, at what is named and is not there."""
        from wordworth.study.checks import check_data, check_models

        check_models(self.name, models, self.kinds | self.beyond)
        check_data(settings)

    def why_not_in(self, language: str) -> str:
        """Why it cannot be run on a model of a language; blank where it can. A blank language counts as English."""
        known: list[str] = [] if self.english_only else _imported(self.languages)() if self.languages else [language]
        if language in ("", "english", *known):
            return ""
        return f"its words are {either(['English', *map(str.capitalize, known)])}, and the model is {language}"

    def described(
        self,
        findings: "Findings",
        names: Sequence[str | Path],
        settings: Settings,
        fingerprints: Mapping[str, str] = MappingProxyType({}),
    ) -> "Findings":
        """The findings with what a run says of the study, these models and these settings."""
        from wordworth.catalog.resolve import public_name
        from wordworth.results import About

        findings.about = About(
            models=tuple(map(public_name, names)),
            command=_command_line(),
            fingerprints=dict(fingerprints),
            settings=settings.as_table(),
            may_differ=self.settings.may_differ(),
            method=" ".join(filter(None, [self.method, settings.in_words()])),
            papers=self.papers,
            references=self._references(findings),
        )
        return findings

    def tables(self, scores: "pl.DataFrame", items: "pl.DataFrame") -> Iterator[Table]:
        """Scores and items as the study's paper sets them."""
        tables: Iterator[Table] = _imported(self.tables_function)(scores, items)
        return tables

    def _references(self, findings: "Findings") -> dict[str, str]:
        """Key → BibTeX of the study's papers, its data sets, and those of its models that the catalog declares."""
        known = references()
        by_text = {str(reference): key for key, reference in known.items()}
        keys = [key for key in self.papers if key in known]
        keys += [by_text[data["reference"]] for data in findings.data.values() if data["reference"] in by_text]
        keys += [entry(name, "models").reference.key for name in findings.models if knows(name, "models")]
        return {key: known[key].bibtex() for key in dict.fromkeys(keys)}

    @property
    def __signature__(self) -> inspect.Signature:
        """What `help` and a notebook show: the models, and every setting with its type and default."""
        from wordworth.results import Findings

        keyword = inspect.Parameter.KEYWORD_ONLY
        named = [
            inspect.Parameter(one.name, keyword, default=one.default, annotation=one.type)
            for one in self.settings.fields()
        ]
        models = inspect.Parameter("models", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=self.default_models)
        return inspect.Signature([models, *named], return_annotation=Findings)

"""`wordworth audit [MODEL]`: all that applies to a model, and one report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from wordworth.cli.commands import in_cache, named, telling
from wordworth.cli.options import SHARED, folder_of, output_option, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import Placement, Seeded, Settings, setting

KINDS = ("static", "causal", "masked", "encoder", "sentence", "nli")


@dataclass(frozen=True, kw_only=True)
class AuditSettings(Placement, Seeded):
    """What an audit asks of every study that takes it."""

    quick: bool = setting(False, "Less of everything: minutes instead of hours.", "what is measured")
    kind: str | None = setting(
        None,
        "What the model is, where its files do not say.",
        "on what",
        option="model-kind",
        choices=KINDS,
    )
    language: str | None = setting(
        None, "Language of the words, where the catalog does not say it of the model.", "on what", catalog="languages"
    )


Audited = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[MODEL…]",
        help="Names of the catalog or the hub, or paths; the defaults if not given.",
        autocompletion=named("models"),
    ),
]
Folder = Annotated[Path | None, output_option("DIR", "Where to write: a folder; runs/audit-MODEL if not given.")]


def _audit(
    settings: AuditSettings, models: list[str] | None, output: Path | None, overwrite: bool, json: bool, **_: Any
) -> None:
    from wordworth.cli import display
    from wordworth.report import plain_answers, read_runs, write_report
    from wordworth.run import Outcome, PlannedStudy, write_outcome
    from wordworth.study.audit import DEFAULTS, chosen, lessened, plan

    planned, left_out = plan(models or list(DEFAULTS), settings.kind, settings.language)
    folder = output or folder_of("audit", models or ["defaults"], "-quick" if settings.quick else "")
    steps = []
    shared = {name: getattr(settings, name) for name in ("seed", "device", "precision")}
    for step in planned:
        asked = chosen(step, settings.quick, shared, settings.language)
        steps.append(_Step(step, asked, folder / step.name, overwrite))
    smaller = [] if settings.quick else lessened(planned, settings.kind)
    for one in steps:  # before anything is computed
        one.there = _is_there(one)
    for sentence in [*left_out, *smaller]:
        display.notice(sentence)
    wanted = tuple(PlannedStudy(study=one.name, models=list(one.models)) for one in planned)
    write_outcome(folder, Outcome((), tuple(left_out), tuple(smaller), wanted))
    results: list[dict[str, Any]] = []
    with telling(lambda: _kept(results, steps, folder)):
        for result in _run_all(steps, settings) if settings.engine == "local" else _spread(steps, settings):
            results.append(result)  # noqa: PERF402 - of an audit that is broken off, those until then are told
    write_outcome(folder, Outcome(_failed(results), tuple(left_out), tuple(smaller)))
    if all(result["state"] == "failed" for result in results):
        first = results[0]
        raise WordworthError(f"every study of the audit failed; the first, {first['study']}: {first['reason']}")
    place = write_report([folder])
    answers = plain_answers(read_runs([folder]))
    if json:
        outcome = {"folder": str(folder), "report": str(place), "studies": results}
        display.print_json({**outcome, "answers": answers, "left_out": [*left_out, *smaller]})
    else:
        display.audit(answers, place)
    if any(result["state"] == "failed" for result in results):
        raise typer.Exit(1)


@dataclass
class _Step:
    """One study of the audit, with its settings and its folder."""

    planned: Any
    settings: Settings
    folder: Path
    overwrite: bool
    there: bool = False
    before: dict[str, str] = field(default_factory=dict)
    """Fingerprints of what is read, from before any model is loaded."""


def _kept(results: Sequence[dict[str, Any]], steps: Sequence[_Step], folder: Path) -> str:
    """What an audit that is broken off leaves."""
    done = sum(result["state"] != "failed" for result in results)
    return f"{done} of {len(steps)} studies are in {folder}. {in_cache()}"


def _run_all(steps: Sequence[_Step], settings: AuditSettings) -> Iterator[dict[str, Any]]:
    """Run every study in turn."""
    loaded: dict[str, Any] = {}
    for at, step in enumerate(steps):
        yield _run(step, settings, _still_needed(loaded, steps[at:]), f"{at + 1} of {len(steps)}")


def _spread(steps: Sequence[_Step], settings: AuditSettings) -> Iterator[dict[str, Any]]:
    """Every study on every model by itself, on the workers of an engine; a study's models are one run in the end."""
    from wordworth.cli import display
    from wordworth.engine.engines import using
    from wordworth.progress import progress
    from wordworth.study.audit import Call, run_calls

    waiting = [step for step in steps if not step.there]
    calls = [Call(step.planned.study.name, model, step.settings) for step in waiting for model in step.planned.models]
    with using(settings.engine) as engine, progress("Auditing", len(calls)) as advance:
        display.notice(f"{len(calls)} studies of models on {engine.name} (workers: {engine.count})", "")
        outcomes = engine.map(run_calls, None, calls, "auditing")
        for step in steps:
            result: dict[str, Any] = {"study": step.planned.study.name, "models": list(step.planned.models)}
            if step.there:
                yield result | {"state": "kept"}
                continue
            found = []
            for _ in step.planned.models:
                found.append(next(outcomes))
                advance(1)
            yield result | _saved(step, found)


def _saved(step: _Step, found: list[Any]) -> dict[str, Any]:
    """Writes the run of a study; as in this process, it fails with the first model that it fails on."""
    from wordworth.cli import display
    from wordworth.study.checks import refuse_changed

    study = step.planned.study
    try:
        if error := next((one for one in found if isinstance(one, WordworthError)), None):
            raise error
        findings = study.merged(found, step.settings, list(step.planned.models))
        refuse_changed(step.before, findings.about.fingerprints)
    except WordworthError as error:
        display.notice(f"{study.name} failed: {error}", "red")
        return {"state": "failed", "reason": str(error)}
    findings.save(step.folder, overwrite=step.overwrite)
    display.warnings_of(findings)
    display.notice(f"{study.name}: {', '.join(step.planned.models)} took {findings.seconds:,.0f} s", "dim")
    return {"state": "run", "seconds": findings.seconds}


def _still_needed(loaded: dict[str, Any], steps: Sequence[_Step]) -> dict[str, Any]:
    """Without the models that no study takes any more: the next one may load its own."""
    needed = {model for step in steps if step.planned.study.takes_loaded for model in step.planned.models}
    for model in loaded.keys() - needed:
        del loaded[model]
    return loaded


def _failed(results: list[dict[str, Any]]) -> tuple[Any, ...]:
    """The studies that failed, as the audit's folder keeps them for the report."""
    keys = ("study", "models", "reason")
    return tuple({key: one[key] for key in keys} for one in results if one["state"] == "failed")


def _run(step: _Step, settings: AuditSettings, loaded: dict[str, Any], count: str) -> dict[str, Any]:
    """Runs a study of the audit; one that fails leaves the others to be run, and shows in the exit code."""
    from wordworth.cli import display
    from wordworth.cli.run import run_study

    study, models = step.planned.study, list(step.planned.models)
    line = f"{study.name}: {', '.join(models)}"
    result: dict[str, Any] = {"study": study.name, "models": models}
    if step.there:
        display.notice(f"{line} (there already)", "dim")
        return result | {"state": "kept"}
    display.notice(f"{line} ({count})", "")
    began = monotonic()
    try:
        given = _loaded(models, loaded, settings) if study.takes_loaded else models
        findings = run_study(study, given, step.settings, step.folder, step.overwrite, models, step.before)
    except WordworthError as error:
        display.notice(f"{study.name} failed: {error}", "red")
        return result | {"state": "failed", "reason": str(error)}
    seconds = monotonic() - began
    display.warnings_of(findings)
    display.notice(f"{study.name} took {seconds:,.0f} s", "dim")
    return result | {"state": "run", "seconds": seconds}


def _is_there(step: _Step) -> bool:
    """Whether the run is there already. Another one in its place is an error before anything is computed."""
    from wordworth.run import reserve, why_not_the_same
    from wordworth.study.checks import fingerprints

    models = list(step.planned.models)
    step.before = fingerprints(models, step.settings)
    reason = why_not_the_same(step.folder, models, step.settings.as_table(), step.before)
    if reason and not step.overwrite:
        raise WordworthError(
            f"{step.folder} holds another run ({reason}); choose another folder with -o, or replace it with --overwrite"
        )
    if reason is not None:
        reserve(step.folder, overwrite=step.overwrite)
    return reason is None


def _loaded(models: list[str], loaded: dict[str, Any], settings: AuditSettings) -> list[Any]:
    """Language and NLI models, loaded once for all studies that take them so; word vectors stay names."""
    from wordworth.catalog.kinds import kind_of

    for model in models:
        if model not in loaded and (kind := settings.kind or kind_of(model)) != "static":
            if kind == "nli":
                from wordworth.study.infer.study import load as load_nli

                loaded[model] = load_nli(model, settings.device, ())
            else:
                from wordworth.study.inputs import loaded as load

                loaded[model] = load(model, settings)
    return [loaded.get(model, model) for model in models]


audit = with_options(
    AuditSettings,
    _audit,
    {"models": (Audited, None), **SHARED, "output": (Folder, None)},
    "Run all that applies to a model, skip what is in the folder already, and write one report.",
)

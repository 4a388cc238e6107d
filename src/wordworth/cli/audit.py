"""`wordworth audit [MODEL]`: all that applies to a model, and one report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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
    from wordworth.pages import plain_answers, read_runs, write_report
    from wordworth.results import Outcome, PlannedStudy, write_outcome
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
        for result in _run_all(steps, settings.engine):
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


def _run_all(steps: Sequence[_Step], engine_name: str) -> Iterator[dict[str, Any]]:
    """Run every study that is not there, in turn or on the workers of an engine; one that fails leaves the others."""
    from wordworth.cli import display
    from wordworth.engine.engines import using
    from wordworth.study.audit import Call, run_calls

    waiting = [step for step in steps if not step.there]
    calls = [Call(step.planned.study.name, step.planned.models, step.settings, step.before) for step in waiting]
    with using(engine_name) as engine:
        if engine.remote:
            display.notice(f"{len(calls)} studies on {engine.name} (workers: {engine.count})", "")
        outcomes = engine.map(run_calls, None, calls, "auditing")
        for at, step in enumerate(steps, start=1):
            study, models = step.planned.study.name, list(step.planned.models)
            result: dict[str, Any] = {"study": study, "models": models}
            line = f"{study}: {', '.join(models)}"
            if step.there:
                display.notice(f"{line} (there already)", "dim")
                yield result | {"state": "kept"}
                continue
            display.notice(f"{line} ({at} of {len(steps)})", "")
            findings = next(outcomes)
            if isinstance(findings, WordworthError):
                display.notice(f"{study} failed: {findings}", "red")
                yield result | {"state": "failed", "reason": str(findings)}
                continue
            findings.save(step.folder, overwrite=step.overwrite)
            display.warnings_of(findings)
            display.notice(f"{study} took {findings.seconds:,.0f} s", "dim")
            yield result | {"state": "run", "seconds": findings.seconds}


def _failed(results: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Return the studies that failed, as the audit's folder keeps them for the report."""
    keys = ("study", "models", "reason")
    return tuple({key: one[key] for key in keys} for one in results if one["state"] == "failed")


def _is_there(step: _Step) -> bool:
    """Whether the run is there already. Another one in its place is an error before anything is computed."""
    from wordworth.results import reserve, why_not_the_same
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


audit = with_options(
    AuditSettings,
    _audit,
    {"models": (Audited, None), **SHARED, "output": (Folder, None)},
    "Run all that applies to a model, skip what is in the folder already, and write one report.",
)

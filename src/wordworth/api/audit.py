"""Audit models: run every study that applies to them, in one folder, with one report."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wordworth.api.objects import accept_files
from wordworth.catalog.registry import language_named
from wordworth.engine.cache import hashed_once
from wordworth.engine.engines import forget_models, keeping_model, using
from wordworth.errors import WordworthError, print_traceback
from wordworth.pages.headlines import headlines
from wordworth.results.display import ShowsTable
from wordworth.results.run import AuditRecord, PlannedStudy, Run, read_finished
from wordworth.results.runs import read_runs
from wordworth.results.table import Table
from wordworth.results.vocabulary import Notice
from wordworth.study import study
from wordworth.study.audit import DEFAULT_MODELS, audit_settings, plan_audit, reductions_of
from wordworth.study.names import Inputs, resolve_inputs, resolve_model
from wordworth.task.settings import Settings


@dataclass(frozen=True, repr=False)
class Audit(ShowsTable):
    """Hold the runs of an audit, its notices and its report."""

    folder: Path
    runs: list[Run]
    notices: list[Notice]
    report: Path

    @property
    def tables(self) -> list[Table]:
        """Return the main numbers of all runs: a table per model."""
        return list(headlines(read_runs(self.runs)))

    @property
    def has_failures(self) -> bool:
        """Return whether a study failed."""
        return any(notice.kind == "failed" for notice in self.notices)


class Step(NamedTuple):
    """Hold a study to run, its inputs and their fingerprints."""

    study: str
    models: list[str]
    inputs: Inputs
    folder: Path
    fingerprints: dict[str, str]
    run: Run | None
    """The run, if the folder has it already."""

    @classmethod
    def prepare(cls, study: str, models: Sequence[Any], settings: Settings, folder: Path, *, overwrite: bool) -> "Step":
        """Resolve and check the inputs of a study, before anything is computed."""
        inputs, names = resolve_inputs(models, settings), list(map(str, models))
        fingerprints = inputs.fingerprints()
        run = read_finished(folder, names, inputs.settings.as_table(), fingerprints, overwrite=overwrite)
        return cls(study, names, inputs, folder, fingerprints, run)


def audit(
    models: Any = DEFAULT_MODELS,
    folder: str | Path | None = None,
    *,
    quick: bool = False,
    overwrite: bool = False,
    show: Callable[[str], object] = lambda text: None,
    **settings: Any,
) -> Audit:
    """Run every study that applies to the models, and write one report.

    `models` are names, paths, or objects as in `ww.load`, which are written to the cache first.

    A study whose run is in the folder already is not run again. `quick` uses smaller samples. `show` gets a line per
    study. `settings` are the `kind` and `language` of the models if they are unknown, the `engine`, and settings for
    every study that has them: seed, device, precision.
    """
    from wordworth.pages.page import write_report

    kind, language = settings.pop("kind", None), settings.pop("language", None)
    engine = settings.pop("engine", "local")  # not of a study: inside a worker it would wait for workers forever
    model_files = accept_files(models)
    place = Path("runs/audit") if folder is None else Path(folder)
    language = language and language_named(language)
    plans, notices = plan_audit(list(map(resolve_model, model_files)), kind, language)
    notices += [] if quick else reductions_of(plans, kind)
    steps = []
    for plan in plans:
        options = audit_settings(plan, quick=quick, shared=settings, language=language)
        steps.append(Step.prepare(plan.study.name, plan.models, options, place / plan.folder_name, overwrite=overwrite))
    runs, notices = run_steps(steps, place, notices, engine=engine, overwrite=overwrite, show=show)
    ordered_runs = sorted(runs, key=lambda run: str(run.folder))  # as `wordworth report FOLDER` has them
    report = write_report(ordered_runs, place / "report.html", notices=notices)
    return Audit(place, runs, notices, report)


def run_steps(
    steps: Sequence[Step],
    place: Path,
    notices: Sequence[Notice],
    *,
    engine: str = "local",
    overwrite: bool = False,
    show: Callable[[str], object] = lambda text: None,
) -> tuple[list[Run], list[Notice]]:
    """Run the studies that are not in their folders already; return all runs, and the notices with failures."""
    for notice in notices:
        show(str(notice))
    plans = [PlannedStudy(study=step.study, folder=step.folder.name, models=step.models) for step in steps]
    record = AuditRecord(planned=plans, notices=list(notices))
    record.save(place)
    pending = [step for step in steps if step.run is None]
    runs = [step.run for step in steps if step.run is not None]
    calls = [(step.study, step.inputs, step.fingerprints) for step in pending]
    with using(engine) as workers:
        outcomes = workers.map(_run_calls, None, calls, "auditing")
        for number, (step, outcome) in enumerate(zip(pending, outcomes, strict=True), len(runs) + 1):
            if isinstance(outcome, WordworthError):
                record.notices.append(Notice(kind="failed", study=step.study, reason=str(outcome)))
                ending = f"failed: {outcome}"
            else:
                runs.append(outcome.save(step.folder, overwrite=overwrite))
                ending = f"{outcome.seconds:,.0f} s"
            show(f"{step.study}: {', '.join(step.models) or 'no model'} ({number} of {len(steps)}): {ending}")
            record.save(place)
    if not runs:
        raise WordworthError(f"every study of {place} failed; the first, {record.notices[-1].reason}")
    return runs, record.notices


def _run_calls(nothing: None, calls: Iterable[tuple[str, Inputs, Mapping[str, str]]]) -> Iterator[Run | WordworthError]:
    """Yield the run of each study, or its error."""
    names_before: set[str] = set()
    with keeping_model(), hashed_once():
        for name, inputs, fingerprints in calls:
            names = set(map(str, inputs.models))
            if names.isdisjoint(names_before):
                forget_models()
            names_before = names
            try:
                yield study(name).run_on(inputs, fingerprints)
            except WordworthError as error:
                print_traceback(error)
                yield error

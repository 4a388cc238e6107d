"""An audit: every study that applies to some models, in one folder, with one report."""

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
from wordworth.pages.runs import read_runs
from wordworth.results.display import ShowsTable
from wordworth.results.run import AuditRecord, PlannedStudy, Run, read_finished
from wordworth.results.table import Table
from wordworth.results.vocabulary import Notice
from wordworth.study import study
from wordworth.study.audit import DEFAULT_MODELS, audit_settings, plan_audit, reductions_of
from wordworth.study.names import Inputs, resolve_inputs, resolve_model
from wordworth.task.settings import Settings


@dataclass(frozen=True, repr=False)
class Audit(ShowsTable):
    """The runs of an audit, what it could not run, and its report."""

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
    """One study that is to be run, with what it is run on and the fingerprints of what it reads."""

    study: str
    models: list[str]
    inputs: Inputs
    folder: Path
    fingerprints: dict[str, str]
    run: Run | None
    """The run, where the folder holds it already."""

    @classmethod
    def prepare(cls, study: str, models: Sequence[Any], settings: Settings, folder: Path, *, overwrite: bool) -> "Step":
        """Resolve and check what a study is run on, before anything is computed."""
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
    study. `settings` are `kind` and `language` of the models, where their files and the catalog do not say it, the
    `engine`, and settings for every study that has them: seed, device, precision.
    """
    from wordworth.pages.page import write_report

    kind, language = settings.pop("kind", None), settings.pop("language", None)
    engine = settings.pop("engine", "local")  # not of a study: inside a worker it would wait for workers forever
    given = accept_files(models)
    place = Path("runs/audit") if folder is None else Path(folder)
    language = language and language_named(language)
    planned, notices = plan_audit(list(map(resolve_model, given)), kind, language)
    notices += [] if quick else reductions_of(planned, kind)
    steps = []
    for one in planned:
        chosen = audit_settings(one, quick=quick, shared=settings, language=language)
        steps.append(Step.prepare(one.study.name, one.models, chosen, place / one.folder_name, overwrite=overwrite))
    runs, notices = run_steps(steps, place, notices, engine=engine, overwrite=overwrite, show=show)
    by_folder = sorted(runs, key=lambda run: str(run.folder))  # as `wordworth report FOLDER` has them
    report = write_report(by_folder, place / "report.html", notices=notices)
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
    """Run what is not in its folder already; return all runs, and the notices with those of studies that failed."""
    for notice in notices:
        show(str(notice))
    plans = [PlannedStudy(study=step.study, folder=step.folder.name, models=step.models) for step in steps]
    record = AuditRecord(planned=plans, notices=list(notices))
    record.save(place)
    waiting = [step for step in steps if step.run is None]
    runs = [step.run for step in steps if step.run is not None]
    calls = [(step.study, step.inputs, step.fingerprints) for step in waiting]
    with using(engine) as workers:
        outcomes = workers.map(_run_calls, None, calls, "auditing")
        for at, (step, outcome) in enumerate(zip(waiting, outcomes, strict=True), len(runs) + 1):
            if isinstance(outcome, WordworthError):
                record.notices.append(Notice(kind="failed", study=step.study, reason=str(outcome)))
                ending = f"failed: {outcome}"
            else:
                runs.append(outcome.save(step.folder, overwrite=overwrite))
                ending = f"{outcome.seconds:,.0f} s"
            show(f"{step.study}: {', '.join(step.models) or 'no model'} ({at} of {len(steps)}): {ending}")
            record.save(place)
    if not runs:
        raise WordworthError(f"every study of {place} failed; the first, {record.notices[-1].reason}")
    return runs, record.notices


def _run_calls(nothing: None, calls: Iterable[tuple[str, Inputs, Mapping[str, str]]]) -> Iterator[Run | WordworthError]:
    """Yield the run of each study, or why it failed."""
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

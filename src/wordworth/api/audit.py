"""An audit: every study that applies to some models, in one folder, with one report."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordworth.engine.engines import using
from wordworth.errors import WordworthError
from wordworth.results.notices import Notice
from wordworth.results.run import AuditRecord, PlannedStudy, Run, is_finished, read_run
from wordworth.study import study
from wordworth.study.audit import DEFAULT_MODELS, Planned, audit_settings, plan_audit, reductions_of
from wordworth.study.checks import fingerprints_of
from wordworth.task.settings import Settings


@dataclass(frozen=True)
class Audit:
    """The runs of an audit, what it could not run, and its report."""

    folder: Path
    runs: list[Run]
    notices: list[Notice]
    report: Path

    @property
    def has_failures(self) -> bool:
        """Return whether a study failed."""
        return any(notice.kind == "failed" for notice in self.notices)


@dataclass
class _Step:
    """One study of the audit, with its settings and the fingerprints of what it reads."""

    planned: Planned
    settings: Settings
    folder: Path
    fingerprints: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.planned.study.name}: {', '.join(self.planned.models)}"


def audit(
    models: str | Sequence[str] = DEFAULT_MODELS,
    folder: str | Path | None = None,
    *,
    quick: bool = False,
    overwrite: bool = False,
    show: Callable[[str], object] = lambda text: None,
    **settings: Any,
) -> Audit:
    """Run every study that applies to the models, and write one report.

    A study whose run is in the folder already is not run again. `quick` uses smaller samples. `show` gets a line per
    study. `settings` are `kind` and `language` of the models, where their files and the catalog do not say it, the
    `engine`, and settings for every study that has them: seed, device, precision.
    """
    from wordworth.pages import write_report

    kind, language = settings.pop("kind", None), settings.pop("language", None)
    names = [models] if isinstance(models, str) else list(models)
    place = Path("runs/audit") if folder is None else Path(folder)
    planned, notices = plan_audit(names, kind, language)
    notices += [] if quick else reductions_of(planned, kind)
    steps = [
        _Step(one, audit_settings(one, quick=quick, shared=settings, language=language), place / one.folder_name)
        for one in planned
    ]
    finished = {id(step) for step in steps if _is_finished(step, overwrite=overwrite)}  # before anything is computed
    for notice in notices:
        show(str(notice))
    record = AuditRecord(planned=[_plan_of(one) for one in planned], notices=notices)
    record.save(place)
    waiting = [step for step in steps if id(step) not in finished]
    runs = [read_run(step.folder) for step in steps if id(step) in finished]
    calls = [(step.planned.study.name, step.planned.models, step.settings, step.fingerprints) for step in waiting]
    with using(settings.pop("engine", "local")) as workers:
        for at, (step, outcome) in enumerate(
            zip(waiting, workers.map(_run_calls, None, calls, "auditing"), strict=True)
        ):
            if isinstance(outcome, WordworthError):
                record.notices.append(Notice(kind="failed", study=step.planned.study.name, reason=str(outcome)))
            else:
                runs.append(outcome.save(step.folder, overwrite=overwrite))
            ending = f"failed: {outcome}" if isinstance(outcome, WordworthError) else f"{outcome.seconds:,.0f} s"
            show(f"{step.title} ({len(finished) + at + 1} of {len(steps)}): {ending}")
            record.save(place)
    if not runs:
        raise WordworthError(f"every study of the audit failed; the first, {record.notices[-1].reason}")
    return Audit(place, runs, record.notices, write_report([place]))


def _plan_of(planned: Planned) -> PlannedStudy:
    return PlannedStudy(study=planned.study.name, folder=planned.folder_name, models=list(planned.models))


def _is_finished(step: _Step, *, overwrite: bool) -> bool:
    """Return whether the folder holds this run already; another run in it is an error."""
    models = list(step.planned.models)
    step.fingerprints = fingerprints_of(models, step.settings)
    return is_finished(step.folder, models, step.settings.as_table(), step.fingerprints, overwrite=overwrite)


def _run_calls(
    nothing: None, calls: Iterable[tuple[str, tuple[str, ...], Settings, Mapping[str, str]]]
) -> Iterator[Run | WordworthError]:
    """Yield the run of each study, or why it failed."""
    for name, models, settings, fingerprints in calls:
        try:
            yield study(name).run(models, settings, fingerprints)
        except WordworthError as error:
            yield error

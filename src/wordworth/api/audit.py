"""An audit: every study that applies to some models, in one folder, with one report."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wordworth.api.objects import accept_files
from wordworth.engine.engines import using
from wordworth.errors import WordworthError, print_traceback
from wordworth.results.display import ShowsTable
from wordworth.results.run import AuditRecord, PlannedStudy, Run, read_finished
from wordworth.results.table import Table, text_table
from wordworth.results.vocabulary import Notice
from wordworth.study import study
from wordworth.study.audit import DEFAULT_MODELS, Planned, audit_settings, plan_audit, reductions_of
from wordworth.study.names import Inputs, resolve_inputs, resolve_model


@dataclass(frozen=True, repr=False)
class Audit(ShowsTable):
    """The runs of an audit, what it could not run, and its report."""

    folder: Path
    runs: list[Run]
    notices: list[Notice]
    report: Path

    @property
    def table(self) -> Table:
        """A row per run."""
        rows = [(run.study, ", ".join(one.name for one in run.models), str(len(run.scores))) for run in self.runs]
        return text_table(f"audit in {self.folder}", ("study", "models", "scores"), rows, note=str(self.report))

    @property
    def has_failures(self) -> bool:
        """Return whether a study failed."""
        return any(notice.kind == "failed" for notice in self.notices)


class _Step(NamedTuple):
    """One study of the audit, with what it is run on and the fingerprints of what it reads."""

    planned: Planned
    inputs: Inputs
    folder: Path
    fingerprints: dict[str, str]
    run: Run | None
    """The run, where the folder holds it already."""


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
    planned, notices = plan_audit(list(map(resolve_model, given)), kind, language)
    notices += [] if quick else reductions_of(planned, kind)
    steps = []
    for one in planned:  # before anything is computed
        chosen = audit_settings(one, quick=quick, shared=settings, language=language)
        inputs = resolve_inputs(one.models, chosen)
        fingerprints, path = inputs.fingerprints(), place / one.folder_name
        asked = one.model_names, inputs.settings.as_table(), fingerprints
        steps.append(_Step(one, inputs, path, fingerprints, read_finished(path, *asked, overwrite=overwrite)))
    for notice in notices:
        show(str(notice))
    plans = [PlannedStudy(study=one.study.name, folder=one.folder_name, models=one.model_names) for one in planned]
    record = AuditRecord(planned=plans, notices=notices)
    record.save(place)
    waiting = [step for step in steps if step.run is None]
    runs = [step.run for step in steps if step.run is not None]
    calls = [(step.planned.study.name, step.inputs, step.fingerprints) for step in waiting]
    with using(engine) as workers:
        outcomes = workers.map(_run_calls, None, calls, "auditing")
        for at, (step, outcome) in enumerate(zip(waiting, outcomes, strict=True), len(runs) + 1):
            name = step.planned.study.name
            if isinstance(outcome, WordworthError):
                record.notices.append(Notice(kind="failed", study=name, reason=str(outcome)))
                ending = f"failed: {outcome}"
            else:
                runs.append(outcome.save(step.folder, overwrite=overwrite))
                ending = f"{outcome.seconds:,.0f} s"
            show(f"{name}: {', '.join(step.planned.model_names)} ({at} of {len(steps)}): {ending}")
            record.save(place)
    if not runs:
        raise WordworthError(f"every study of the audit failed; the first, {record.notices[-1].reason}")
    by_folder = sorted(runs, key=lambda run: str(run.folder))  # as `wordworth report FOLDER` has them
    report = write_report(by_folder, place / "report.html", notices=record.notices)
    return Audit(place, runs, record.notices, report)


def _run_calls(nothing: None, calls: Iterable[tuple[str, Inputs, Mapping[str, str]]]) -> Iterator[Run | WordworthError]:
    """Yield the run of each study, or why it failed."""
    for name, inputs, fingerprints in calls:
        try:
            yield study(name).run_on(inputs, fingerprints)
        except WordworthError as error:
            print_traceback(error)
            yield error

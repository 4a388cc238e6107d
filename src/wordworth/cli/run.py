"""`wordworth run STUDY MODEL…`: a command for every study, out of its declaration."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wordworth.cli.commands import LazyGroup, make_command, telling
from wordworth.cli.options import CHECKPOINTS, LANGUAGE_MODELS, SHARED, models_of, with_options
from wordworth.study import STUDIES, Study, study
from wordworth.task.settings import Settings

if TYPE_CHECKING:
    from wordworth.results import Findings


class _Studies(LazyGroup):
    """A command for every study that has none of its own."""

    def list_summaries(self) -> dict[str, str]:
        """Return what each study asks."""
        return {name: study(name).summary for name in STUDIES if not study(name).command}

    def load(self, name: str) -> Any:
        """Return the command of a study."""
        return _command(name)


run_app = typer.Typer(
    help="Run a study; it leaves a folder with scores, items and a manifest.",
    no_args_is_help=True,
    add_completion=False,
    cls=_Studies,
    epilog=f"Example: {study('vast').example}",
)


@run_app.callback()
def _run() -> None:
    """Run a study; it leaves a folder with scores, items and a manifest."""


def run_study(declared: Study, models: list[Any], settings: Settings, folder: Path, overwrite: bool) -> "Findings":
    """Run a study on models and write its folder."""
    from wordworth.results import reserve

    reserve(folder, overwrite=overwrite)
    findings = declared.run(models, settings)
    findings.save(folder, overwrite=overwrite)
    return findings


def print_findings(
    declared: Study, findings: "Findings", folder: Path, as_json: bool, beside: Sequence[Path] = ()
) -> None:
    """The tables of a study, what a user should know at once, what it means in sentences, and the folder; or all of it
    as JSON. `beside` is what else was written."""
    from wordworth.cli import display
    from wordworth.pages import plain_answers, read_runs

    answers = plain_answers(read_runs([folder]))
    if as_json:
        rest = {"left_out": findings.left_out_by_kind(), "notes": findings.notes, "failed": findings.failed}
        display.print_json({"folder": str(folder), "scores": findings.scores.to_dicts(), **rest, "answers": answers})
        return
    for table in declared.tables(findings.scores, findings.held_items):
        display.table(*table)
    display.warnings_of(findings)
    display.answers(answers)
    for place in (folder, *beside):
        display.line(str(place))
    display.notice(f"`wordworth report {shlex.quote(str(folder))}` makes the page.", "dim")


def _command(name: str) -> Any:
    declared = study(name)

    def body(
        settings: Settings, models: list[str] | None, output: Path | None, overwrite: bool, json: bool, **more: Any
    ) -> None:
        from wordworth.results import default_folder
        from wordworth.study.checks import checkpoints

        folder = output or default_folder(name)
        trained = checkpoints(more["checkpoints"]) if more.get("checkpoints") else []
        chosen = [*(models or (() if trained else declared.default_models)), *trained]
        with telling():
            findings = run_study(declared, chosen, settings, folder, overwrite)
        print_findings(declared, findings, folder, json)

    more = {"models": (models_of(declared.kinds), None), **SHARED}
    if declared.kinds & LANGUAGE_MODELS:
        more["checkpoints"] = (CHECKPOINTS, None)
    return make_command(name, with_options(declared.settings, body, more, declared.summary), declared.example)

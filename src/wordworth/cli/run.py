"""Define `wordworth run STUDY MODEL…`: make a command per study from its declaration."""

from pathlib import Path
from typing import Any

import typer

from wordworth.cli import display
from wordworth.cli.commands import LazyGroup, interrupt_message, make_command
from wordworth.cli.options import CHECKPOINTS, LANGUAGE_MODELS, RUN_OPTIONS, model_argument, with_options
from wordworth.study import STUDIES, study
from wordworth.task.settings import Settings

MODELS = "Names of the catalog (`wordworth ls models`), paths, https://… or hf://owner/name/file; LABEL=… for a name."


class _Studies(LazyGroup):
    """Make the commands of studies without their own."""

    def list_summaries(self) -> dict[str, str]:
        """Return what each study asks."""
        return {name: study(name).summary for name in STUDIES if not study(name).command}

    def load(self, name: str) -> Any:
        """Return the command of a study."""
        return _command(name)


run_app = typer.Typer(
    help="Run a study and save its scores, items and manifest in a folder.",
    no_args_is_help=True,
    add_completion=False,
    cls=_Studies,
    epilog=f"Example: {study('vast').example}",
)


@run_app.callback()
def _run() -> None:
    """Run a study and save its scores, items and manifest in a folder."""


def _command(name: str) -> Any:
    declaration = study(name)

    def body(
        settings: Settings, models: list[str] | None, output: Path | None, overwrite: bool, json: bool, **options: Any
    ) -> None:
        from wordworth.results.run import default_folder, refuse_taken
        from wordworth.study.names import find_checkpoints

        folder = output or default_folder(name)
        refuse_taken(folder, overwrite=overwrite)
        checkpoints = find_checkpoints(options["checkpoints"]) if options.get("checkpoints") else []
        with interrupt_message():
            run = declaration.run([*(models or ()), *checkpoints], settings).save(folder, overwrite=overwrite)
        display.print_run(run, as_json=json)

    models = model_argument(MODELS, declaration.kinds, "MODEL…", is_many=True)
    options = {"models": (models, None), **RUN_OPTIONS}
    if declaration.kinds & LANGUAGE_MODELS:
        options["checkpoints"] = (CHECKPOINTS, None)
    callback = with_options(declaration.settings, body, options, declaration.summary)
    return make_command(name, callback, declaration.example)

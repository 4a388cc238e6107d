"""Define `wordworth audit [MODEL…]`: run every study that applies to the models, and write one report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli import display
from wordworth.cli.commands import interrupt_message
from wordworth.cli.options import RUN_OPTIONS, folder_of, model_argument, output_option, with_options
from wordworth.task.settings import Placement, Seeding, setting

AUDITED_KINDS = ("static", "causal", "masked", "encoder", "sentence", "nli")


class AuditSettings(Placement, Seeding):
    """Set options of an audit, for every study that has them."""

    quick: bool = setting(False, "Use smaller samples: minutes instead of hours.", "what is measured")
    kind: str | None = setting(
        None,
        "Kind of the models, if their files do not show it.",
        "on what",
        option="model-kind",
        choices=AUDITED_KINDS,
    )
    language: str | None = setting(
        None, "Language of the words, if the catalog does not give the model's.", "on what", catalog="languages"
    )


Models = model_argument(
    "Names of the catalog or the hub, or paths; the default models unless given.", (), "[MODEL…]", is_many=True
)
Folder = Annotated[Path | None, output_option("DIR", "Folder to write; runs/audit-MODEL unless given.")]


def _audit(
    settings: AuditSettings, models: list[str] | None, output: Path | None, overwrite: bool, json: bool, **_: Any
) -> None:
    from wordworth.api.audit import audit as run_audit
    from wordworth.study.audit import DEFAULT_MODELS

    folder = output or folder_of("audit", models or ["defaults"], "-quick" if settings.quick else "")
    with interrupt_message():
        result = run_audit(
            models or DEFAULT_MODELS, folder, **dict(settings), overwrite=overwrite, show=display.print_notice
        )
    display.print_audit(result, as_json=json)
    if result.has_failures:
        raise typer.Exit(1)


audit = with_options(
    AuditSettings,
    _audit,
    {"models": (Models, None), **RUN_OPTIONS, "output": (Folder, None)},
    "Run every study that applies to a model, and write one report. Studies that the folder already has are kept.",
)

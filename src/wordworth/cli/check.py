"""`wordworth check RUN|MODEL RULES.toml`: pass, fail or undecided, by the interval and not the point."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordworth.cli import display
from wordworth.cli.commands import complete_names, interrupt_message
from wordworth.cli.options import SHARED, folder_of, output_option, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import Settings

if TYPE_CHECKING:
    from wordworth.results.run import Run
    from wordworth.rules import Checked, Rules
    from wordworth.study import Study

RULES = Path("rules.toml")


def _check(_: Settings, target: str, rules: Path, junit: Path | None, json: bool, **given: Any) -> None:
    from wordworth.files import refuse_unwritable, replacing
    from wordworth.rules import check, read_rules, to_junit

    asked = read_rules(rules)
    if junit is not None:
        refuse_unwritable(junit)
        if junit.is_dir():
            raise WordworthError(f"{junit} is a folder; name the file to write")
    checked = check(_runs(target, asked, given["output"], given["overwrite"]), asked)
    if junit is not None:
        with replacing(junit) as new:
            new.write_text(to_junit(checked), encoding="utf-8")
    _print(checked, json)
    if checked.code:
        raise typer.Exit(checked.code)


def _print(checked: "Checked", as_json: bool) -> None:
    from wordworth.rules import table_of

    if as_json:
        display.print_json(checked.as_table())
        return
    display.print_table(table_of(checked))
    for one in checked.judged:
        if one.verdict != "pass" or one.notes:
            display.print_line(f"{one.rule} ({one.verdict}): {one}.")
    display.print_line(f"{checked.summary}.")


def _runs(target: str, rules: "Rules", output: Path | None, overwrite: bool) -> "list[Run]":
    """Return the runs to check: those in a folder, or those of a model, which are made first."""
    from wordworth.results.run import read_run, runs_in

    if Path(target).is_dir() and (folders := runs_in(Path(target))):
        if output is not None:
            raise WordworthError(f"{target} is a run, and --output is for the runs of a model; remove it")
        return [read_run(folder) for folder in folders]
    if not rules.studies:
        raise WordworthError(
            f"{target} holds no run; to check it as a model, {rules.path} must say what to run: name the study of "
            "a rule, or write [run.STUDY]"
        )
    folder = output or folder_of("check", [target])
    steps = [(name, *_read_settings(rules, name, settings)) for name, settings in rules.studies.items()]
    for _, declared, settings in steps:  # before anything is computed
        declared.check([target], settings)
    with interrupt_message():
        return [
            _run(declared, target, settings, folder / name, overwrite or output is None)
            for name, declared, settings in steps
        ]


def _read_settings(rules: "Rules", name: str, table: Mapping[str, Any]) -> "tuple[Study, Settings]":
    """Return a study that the rules name, and its settings in their file."""
    from wordworth.study import study

    try:
        declared = study(name)
        if declared.command:
            raise WordworthError(f"`wordworth {declared.command}` has a run of its own; check that")
        return declared, declared.settings.of(name, {key.replace("-", "_"): value for key, value in table.items()})
    except WordworthError as error:
        raise WordworthError(f"{rules.path}, [run.{name}]: {error}") from error


def _run(declared: "Study", model: str, settings: Settings, folder: Path, overwrite: bool) -> "Run":
    """Run a study, unless the same run is in its folder already."""
    from wordworth.results.run import is_finished, read_run
    from wordworth.study.checks import fingerprints_of

    fingerprints = fingerprints_of([model], settings)
    if is_finished(folder, [model], settings.as_table(), fingerprints, overwrite=overwrite):
        display.print_notice(f"{declared.name}: {model} (already in {folder})", "dim")
        return read_run(folder)
    display.print_notice(f"{declared.name}: {model}", "")
    run = declared.run([model], settings, fingerprints).save(folder, overwrite=overwrite)
    display.print_notices(run.notices, run.skipped)
    return run


_TARGET = Annotated[
    str,
    typer.Argument(
        metavar="RUN|MODEL",
        help="Folder of a run or of an audit; or a model, on which the studies of the rules are run first.",
        autocompletion=complete_names("models"),
    ),
]
_RULES = Annotated[Path, typer.Argument(metavar="[RULES.toml]", help="File of rules; rules.toml unless given.")]
_JUNIT = Annotated[Path | None, output_option("FILE", "JUnit XML for a CI server, in a file.", "--junit")]
_FOLDER = Annotated[
    Path | None,
    output_option("DIR", "Where to write: a folder for the runs of a model; runs/check-MODEL unless given."),
]

check = with_options(
    Settings,
    _check,
    {
        "target": (_TARGET, ...),
        "rules": (_RULES, RULES),
        "junit": (_JUNIT, None),
        **{name: option for name, option in SHARED.items() if name != "config"},
        "output": (_FOLDER, None),
    },
    "Check a model's numbers against rules. A rule passes or fails where the 95 % interval is clear of its limit, else "
    "it is undecided. Exit code: 0 all pass, 1 one fails, 3 none fails and one is undecided, 2 mistake in the rules.",
)

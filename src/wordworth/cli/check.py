"""`wordworth check RUN|MODEL RULES.toml`: pass, fail or undecided, by the interval and not the point."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordworth.cli.commands import make_command, named, telling
from wordworth.cli.options import SHARED, defaults_of, folder_of, output_option, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import Settings

if TYPE_CHECKING:
    from wordworth.rules import Checked, Rules
    from wordworth.study import Study

RULES = Path("rules.toml")


def _check(_: Settings, target: str, rules: Path, junit: Path | None, json: bool, **given: Any) -> None:
    from wordworth.files import refuse_unwritable, replacing
    from wordworth.rules import check, read_rules
    from wordworth.rules import junit as as_junit

    asked = read_rules(rules)
    if junit is not None:
        refuse_unwritable(junit)
        if junit.is_dir():
            raise WordworthError(f"{junit} is a folder; name the file to write")
    place = _place(target, asked, given["output"], given["overwrite"])
    checked = check([place], asked)
    if junit is not None:
        with replacing(junit) as new:
            new.write_text(as_junit(checked), encoding="utf-8")
    _show(checked, json)
    if checked.code:
        raise typer.Exit(checked.code)


def _show(checked: "Checked", as_json: bool) -> None:
    from wordworth.cli import display
    from wordworth.rules import headings, legend_of, rows, sentence, summary

    if as_json:
        display.print_json(checked.as_table())
        return
    display.table("wordworth check", headings(), rows(checked), (3, 4), legend_of(checked))
    for one in checked.judged:
        if one.verdict != "pass" or one.notes:
            display.line(f"{one.rule} ({one.verdict}): {sentence(one)}.")
    display.line(f"{summary(checked)}.")


def _place(target: str, rules: "Rules", output: Path | None, overwrite: bool) -> Path:
    """The folder of runs that is checked: the one that is named, or that of the runs of a model."""
    from wordworth.results import runs_in

    if Path(target).is_dir() and runs_in(Path(target)):
        if output is not None:
            raise WordworthError(f"{target} is a run, and --output is for the runs of a model; leave it out")
        return Path(target)
    if not rules.studies:
        raise WordworthError(
            f"{target} holds no run; and to check it as a model, {rules.path} must say what to run: name the study of "
            "a rule, or write [run.STUDY]"
        )
    folder = output or folder_of("check", [target])
    steps = [(name, *_declared(rules, name, settings)) for name, settings in rules.studies.items()]
    for _, declared, settings in steps:  # before anything is computed
        declared.check([target], settings)
    with telling():
        for name, declared, settings in steps:
            _run(declared, target, settings, folder / name, overwrite or output is None)
    return folder


def _declared(rules: "Rules", name: str, table: Mapping[str, Any]) -> "tuple[Study, Settings]":
    """A study that the rules name, and its settings out of their file, which are read as those of `--config`."""
    from wordworth.cli import UsageError
    from wordworth.study import study

    where = f"{rules.path}, [run.{name}]"
    taken: list[Settings] = []
    try:
        declared = study(name)
        if declared.command:
            raise WordworthError(f"`wordworth {declared.command}` has a run of its own; check that")
        command = make_command(name, with_options(declared.settings, lambda settings: taken.append(settings), {}, ""))
        context = command.make_context(name, [], default_map=defaults_of(command, table))
        command.invoke(context)
    except WordworthError as error:
        raise WordworthError(f"{where}: {error}") from error
    except UsageError as error:
        raise WordworthError(f"{where}: {error.format_message()}") from error
    return declared, taken[0]


def _run(declared: "Study", model: str, settings: Settings, folder: Path, overwrite: bool) -> None:
    """Runs a study, where the very same run is not there already."""
    from wordworth.cli import display
    from wordworth.cli.run import run_study
    from wordworth.results import why_not_the_same
    from wordworth.study.checks import fingerprints

    reason = why_not_the_same(folder, [model], settings.as_table(), fingerprints([model], settings))
    if reason is None:
        display.notice(f"{declared.name}: {model} (there already, in {folder})", "dim")
        return
    if reason and not overwrite:
        raise WordworthError(
            f"{folder} holds another run ({reason}); choose another folder with -o, or replace it with --overwrite"
        )
    display.notice(f"{declared.name}: {model}" + (f" (anew: {reason})" if reason else ""), "")
    display.warnings_of(run_study(declared, [model], settings, folder, overwrite))


_TARGET = Annotated[
    str,
    typer.Argument(
        metavar="RUN|MODEL",
        help="Folder of a run or of an audit; or a model, on which the studies of the rules are run first.",
        autocompletion=named("models"),
    ),
]
_RULES = Annotated[Path, typer.Argument(metavar="[RULES.toml]", help="File of rules; rules.toml if not given.")]
_JUNIT = Annotated[Path | None, output_option("FILE", "JUnit XML for a CI server, in a file.", "--junit")]
_FOLDER = Annotated[
    Path | None,
    output_option("DIR", "Where to write: a folder for the runs of a model; runs/check-MODEL if not given."),
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
    "Rules for a model's numbers. A rule passes or fails where the 95 % interval is clear of its limit, else it is "
    "undecided. Exit code: 0 all pass, 1 one failed, 3 none failed and one is undecided, 2 a mistake in the rules.",
)

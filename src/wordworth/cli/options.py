"""Options of a command out of a declaration: a setting is declared once, and its option follows from it."""

import inspect
import os
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.catalog.read.tables import read_toml
from wordworth.cli.commands import LANGUAGES_OPTION, OUTPUT, complete_choices, complete_names
from wordworth.errors import WordworthError, nearest
from wordworth.task.settings import HELP_GROUPS, ON, SettingField, Settings

_METAVARS = {int: "N", float: "X"}
MAX_INLINE_CHOICES = 22
"""Characters of choices that stand behind an option; longer ones stand in its help."""


def config(context: typer.Context, path: Path | None) -> Path | None:
    """Take the options of a TOML file as defaults, so that options on the command line override them."""
    if path is None:
        return None
    if not path.is_file():
        raise WordworthError(f"--config {path} cannot be read; check the path")
    options = [(option.lstrip("-"), one) for one in context.command.params for option in one.opts]
    known = {option: one for option, one in options if one.name not in ("config", "help")}
    context.default_map = {}
    for key, value in read_toml(path).items():
        parameter = known.get(key.replace("_", "-"))
        if parameter is None:
            raise WordworthError(f"{path}: there is no option {key[:60]!r}{nearest(key, sorted(known))}")
        many = parameter.nargs == -1 or getattr(parameter, "multiple", False)
        if isinstance(value, list) != many and (not many or isinstance(value, dict)):
            raise WordworthError(f"{path}: {key} takes one value, not {repr(value)[:60]}")
        context.default_map[str(parameter.name)] = [value] if many and not isinstance(value, list) else value
    return path


def _environment_flag(name: str, text: str, *variables: str) -> Any:
    """Return the annotation of a flag that sets variables of the environment."""

    def callback(value: bool) -> bool:
        if value:
            os.environ.update(dict.fromkeys(variables, "1"))
        return value

    option = typer.Option(name, help=text, callback=callback, is_eager=True, rich_help_panel=HELP_GROUPS[-1])
    return Annotated[bool, option]


def output_option(metavar: str, text: str, *names: str) -> Any:
    """Return the option that says where a command writes: `--output`, unless it has other names."""
    spelled = names or ("--output", "-o")
    return typer.Option(*spelled, metavar=metavar, help=text, rich_help_panel=OUTPUT)


def folder_of(command: str, models: Sequence[str], end: str = "") -> Path:
    """Return `runs/COMMAND-MODEL`, the same folder for the same models, so that an interrupted run resumes."""
    from wordworth.catalog.resolve import split_label

    names = [label or Path(target).name for label, target in map(split_label, models)]
    safe = re.sub(r"[^\w.+-]+", "-", "+".join(names)).strip("-.")
    return Path("runs") / f"{command}-{safe}{end}"


def model_argument(text: str, kinds: Collection[str] = (), metavar: str | None = None, *, many: bool = False) -> Any:
    """Return the argument of a command that takes models of these kinds."""
    kind: Any = list[str] | None if many else str
    return Annotated[kind, typer.Argument(metavar=metavar, help=text, autocompletion=complete_names("models", kinds))]


LANGUAGE_MODELS = frozenset({"causal", "masked", "encoder"})
CHECKPOINTS = Annotated[
    str | None,
    typer.Option(
        "--checkpoints",
        metavar="DIR",
        help="Folder with the checkpoints of a training, measured in the order of their steps. LABEL=DIR gives it "
        "a name.",
        rich_help_panel=ON,
    ),
]
Output = Annotated[Path | None, output_option("DIR", "Folder to write; runs/STUDY-DATE unless given.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace existing output.", rich_help_panel=OUTPUT)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.", rich_help_panel=OUTPUT)]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="TOML file with options; options on the command line take precedence.",
        callback=config,
        is_eager=True,
        rich_help_panel=HELP_GROUPS[-1],
    ),
]
Offline: Any = _environment_flag("--offline", "Use no network: fetch nothing.", "WORDWORTH_OFFLINE", "HF_HUB_OFFLINE")
NoCache: Any = _environment_flag("--no-cache", "Recompute everything; downloads stay cached.", "WORDWORTH_NO_CACHE")

NO_DEFAULT: Any = ...
"""The default of a parameter that must be given."""
RUN_OPTIONS: dict[str, tuple[Any, Any]] = {
    "output": (Output, None),
    "overwrite": (Overwrite, False),
    "json": (Json, False),
    "config": (Config, None),
    "offline": (Offline, False),
    "no_cache": (NoCache, False),
}
"""What every command that runs something takes."""


def parameter(field: SettingField) -> inspect.Parameter:
    """Return the option of a setting."""
    declared = field.declared
    kind = field.type if field.type in (int, float, bool) and declared.parse is None else str
    choices = "|".join(filter(None, field.choices))
    usual = "NAME|FILE" if declared.catalog else _METAVARS.get(kind, "TEXT")
    usual = "LANGUAGE" if declared.catalog == LANGUAGES_OPTION else usual
    metavar = declared.metavar or (choices if len(choices) <= MAX_INLINE_CHOICES else "NAME") or usual
    text = declared.help
    if len(choices) > MAX_INLINE_CHOICES:
        text = f"{text} Choices: {', '.join(filter(None, field.choices))}."
    if field.is_repeatable:
        text = f"{text} Repeatable."
    start = None if field.many or declared.parse else field.default
    if start is None and field.default:
        default = field.default if field.many else [field.default]
        text = f"{text} \\[default: {' '.join(map(str, default))}]"  # no markup
    annotation: Any = list[kind] | None if field.many else kind | None if start is None else kind  # type: ignore[valid-type]
    option = typer.Option(
        f"--{field.option}",
        metavar=None if kind is bool else metavar,
        help=text,
        rich_help_panel=declared.group,
        autocompletion=complete_names(declared.catalog) if declared.catalog else complete_choices(field.choices),
    )
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=start, annotation=Annotated[annotation, option]
    )


def with_options(
    settings: type[Settings], body: Callable[..., None], more: dict[str, tuple[Any, Any]], doc: str
) -> Callable[..., None]:
    """Return a command with an option per setting: `body` gets the settings, and what `more` declares.

    `more` are parameters beyond the settings: name → (annotation, default), the first ones those that are required.
    """
    fields = [field for field in settings.fields() if field.declared.group in HELP_GROUPS]

    def command(**given: Any) -> None:
        chosen = {field.name: _value(field, given.pop(field.name)) for field in fields}
        body(settings(**{name: value for name, value in chosen.items() if value is not None}), **given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    rest = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in more.items()
    ]
    ordered = sorted(fields, key=lambda field: HELP_GROUPS.index(field.declared.group))
    # The shared options come after the settings, so that what is measured stands first in the help.
    first = [one for one in rest if one.name not in RUN_OPTIONS]
    last = [one for one in rest if one.name in RUN_OPTIONS]
    command.__signature__ = inspect.Signature([*first, *map(parameter, ordered), *last])  # type: ignore[attr-defined]
    command.__doc__ = doc
    return command


def _value(field: SettingField, given: Any) -> Any:
    parse = field.declared.parse
    if given is None or parse is None:
        return tuple(given) if isinstance(given, list) else given
    if not field.many:
        return parse(given)
    parts = map(parse, given)  # `--layers 0,8 --layers 16` are three layers
    return tuple(parts) if field.is_repeatable else tuple(one for several in parts for one in several)

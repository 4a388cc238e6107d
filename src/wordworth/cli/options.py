"""Make the options of a command from the declarations of settings."""

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
"""Characters of choices that are shown after an option; longer lists are in its help."""


def config(context: typer.Context, path: Path | None) -> Path | None:
    """Take the options of a TOML file as defaults, so that options on the command line override them."""
    if path is None:
        return None
    if not path.is_file():
        raise WordworthError(f"--config {path} cannot be read; check the path")
    options = [(option.lstrip("-"), parameter_) for parameter_ in context.command.params for option in parameter_.opts]
    parameters = {option: parameter_ for option, parameter_ in options if parameter_.name not in ("config", "help")}
    context.default_map = {}
    for key, value in read_toml(path).items():
        parameter = parameters.get(key.replace("_", "-"))
        if parameter is None:
            raise WordworthError(f"{path}: there is no option {key[:60]!r}{nearest(key, sorted(parameters))}")
        is_many = parameter.nargs == -1 or getattr(parameter, "multiple", False)
        if isinstance(value, list) != is_many and (not is_many or isinstance(value, dict)):
            raise WordworthError(f"{path}: {key} takes one value, not {repr(value)[:60]}")
        context.default_map[str(parameter.name)] = [value] if is_many and not isinstance(value, list) else value
    return path


def _environment_flag(name: str, text: str, *variables: str) -> Any:
    """Return the annotation of a flag that sets environment variables."""

    def callback(value: bool) -> bool:
        if value:
            os.environ.update(dict.fromkeys(variables, "1"))
        return value

    option = typer.Option(name, help=text, callback=callback, is_eager=True, rich_help_panel=HELP_GROUPS[-1])
    return Annotated[bool, option]


def output_option(metavar: str, text: str, *names: str) -> Any:
    """Return the option for the output of a command: `--output` unless other names are given."""
    return typer.Option(*(names or ("--output", "-o")), metavar=metavar, help=text, rich_help_panel=OUTPUT)


def folder_of(command: str, models: Sequence[str], end: str = "") -> Path:
    """Return `runs/COMMAND-MODEL`, the same folder for the same models, so that an interrupted run resumes."""
    from wordworth.catalog.resolve import split_label

    names = [label or Path(target).name for label, target in map(split_label, models)]
    safe = re.sub(r"[^\w.+-]+", "-", "+".join(names)).strip("-.")
    return Path("runs") / f"{command}-{safe}{end}"


def model_argument(text: str, kinds: Collection[str] = (), metavar: str | None = None, *, is_many: bool = False) -> Any:
    """Return the argument of a command that takes models of these kinds."""
    kind: Any = list[str] | None if is_many else str
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
"""The default of a required parameter."""
RUN_OPTIONS: dict[str, tuple[Any, Any]] = {
    "output": (Output, None),
    "overwrite": (Overwrite, False),
    "json": (Json, False),
    "config": (Config, None),
    "offline": (Offline, False),
    "no_cache": (NoCache, False),
}
"""Options of every command that runs something."""


def parameter(field: SettingField) -> inspect.Parameter:
    """Return the option of a setting."""
    declaration = field.declared
    kind = field.type if field.type in (int, float, bool) and declaration.parse is None else str
    choices = "|".join(filter(None, field.choices))
    type_metavar = "NAME|FILE" if declaration.catalog else _METAVARS.get(kind, "TEXT")
    type_metavar = "LANGUAGE" if declaration.catalog == LANGUAGES_OPTION else type_metavar
    metavar = declaration.metavar or (choices if len(choices) <= MAX_INLINE_CHOICES else "NAME") or type_metavar
    text = declaration.help
    if len(choices) > MAX_INLINE_CHOICES:
        text = f"{text} Choices: {', '.join(filter(None, field.choices))}."
    if field.is_repeatable:
        text = f"{text} Repeatable."
    start = None if field.many or declaration.parse else field.default
    if start is None and field.default:
        default = field.default if field.many else [field.default]
        text = f"{text} \\[default: {' '.join(map(str, default))}]"  # no markup
    annotation: Any = list[kind] | None if field.many else kind | None if start is None else kind  # type: ignore[valid-type]
    option = typer.Option(
        f"--{field.option}",
        metavar=None if kind is bool else metavar,
        help=text,
        rich_help_panel=declaration.group,
        autocompletion=complete_names(declaration.catalog) if declaration.catalog else complete_choices(field.choices),
    )
    annotation = Annotated[annotation, option]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=start, annotation=annotation)


def with_options(
    settings: type[Settings], body: Callable[..., None], parameters: dict[str, tuple[Any, Any]], doc: str
) -> Callable[..., None]:
    """Return a command with an option per setting; `body` gets the settings and the other parameters.

    `parameters` are those other parameters: name → (annotation, default), required ones first.
    """
    fields = [field for field in settings.fields() if field.declared.group in HELP_GROUPS]

    def command(**values: Any) -> None:
        setting_values = {field.name: _value(field, values.pop(field.name)) for field in fields}
        body(settings(**{name: value for name, value in setting_values.items() if value is not None}), **values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    other_parameters = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in parameters.items()
    ]
    ordered_fields = sorted(fields, key=lambda field: HELP_GROUPS.index(field.declared.group))
    # Shared options come last in the help.
    own_parameters = [other for other in other_parameters if other.name not in RUN_OPTIONS]
    shared_parameters = [other for other in other_parameters if other.name in RUN_OPTIONS]
    command.__signature__ = inspect.Signature([*own_parameters, *map(parameter, ordered_fields), *shared_parameters])  # type: ignore[attr-defined]
    command.__doc__ = doc
    return command


def _value(field: SettingField, raw_value: Any) -> Any:
    parse = field.declared.parse
    if raw_value is None or parse is None:
        return tuple(raw_value) if isinstance(raw_value, list) else raw_value
    if not field.many:
        return parse(raw_value)
    values = map(parse, raw_value)  # `--layers 0,8 --layers 16` are three layers
    return tuple(values) if field.is_repeatable else tuple(member for group in values for member in group)

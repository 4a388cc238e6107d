"""The help of a command: what applies and nothing else, in groups, as wide as the terminal, with an example."""

import re
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

OUTPUT, OPTIONS = "output", "options"
WIDEST = 34
"""Characters of an option and what it takes, before its help begins on the next line."""
NARROWEST, BROADEST = 50, 120
"""Characters of a line."""

UNBROKEN = "\x00"
"""For a space at which no line is broken."""
Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Listed:
    """A command by its name, made when it is run: the list of all of them must not import them."""

    place: str
    """`module:name` of its function, or of the app of several."""
    summary: str
    """What it does, in a line."""
    group: str = "commands"
    """The heading that it stands under."""
    example: str = ""


class GroupedCommand(TyperCommand):
    """A command whose help lists its options by group: what is measured, on what, how, output."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments as the help names them."""
        arguments = (one for one in self.get_params(ctx) if one.param_type_name == "argument")
        return ["[OPTIONS]", *(_row(one)[0] for one in arguments)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, what the command does, its arguments, its options by group, and an example."""
        from wordworth.task.settings import GROUPS  # the list of all commands does without

        headings = ("arguments", *GROUPS, OUTPUT, OPTIONS)
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in headings}
        for parameter in self.get_params(ctx):
            if not getattr(parameter, "hidden", False):
                groups.setdefault(_group(parameter), []).append(_row(parameter))
        if groups[OUTPUT]:
            groups[OUTPUT] += groups.pop(OPTIONS)
        self.format_usage(ctx, formatter)
        _write(formatter, self.help, groups, self.epilog)


class ListedGroup(TyperGroup):
    """A group whose help lists its commands, each with the line that says what it does."""

    def rows(self, ctx: Any) -> Iterator[tuple[str, str, str]]:
        """Group, name and summary of each command."""
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            yield "commands", name, (command.help if command else "") or ""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, the commands in their order, the options, and an example."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for group, name, text in self.rows(ctx):
            groups.setdefault(group, []).append((name, _plain(text)))
        groups[OPTIONS] = [_row(one) for one in self.get_params(ctx) if not getattr(one, "hidden", False)]
        self.format_usage(ctx, formatter)
        _write(formatter, self.help, groups, self.epilog)


class LazyGroup(ListedGroup):
    """A group that imports a command when it is run, or when its own help is asked for."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands: Any = _Made(self)

    def names(self) -> Sequence[str]:
        """The commands, in the order of the help."""
        raise NotImplementedError

    def make(self, name: str) -> Any:
        """The command of a name."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(self.names())

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The names that begin so; no command is made for it."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        found = ((name, summary) for _, name, summary in self.rows(ctx) if name.startswith(incomplete))
        return [SimpleNamespace(value=name, type="plain", help=summary) for name, summary in found]


class ListedCommands(LazyGroup):
    """Commands by a list that says where each of them is."""

    listed: Mapping[str, Listed] = {}

    def names(self) -> Sequence[str]:
        return list(self.listed)

    def rows(self, ctx: Any) -> Iterator[tuple[str, str, str]]:
        return ((one.group, name, one.summary) for name, one in self.listed.items())

    def make(self, name: str) -> Any:
        one = self.listed[name]
        module, _, attribute = one.place.partition(":")
        found = getattr(import_module(module), attribute)
        return typer.main.get_command(found) if isinstance(found, typer.Typer) else made(name, found, one.example)


class _Made(Mapping[str, Any]):
    """The commands of a group by name, each made when it is asked for."""

    def __init__(self, group: LazyGroup) -> None:
        self._group = group
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._group.names():
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._group.make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._group.names())

    def __len__(self) -> int:
        return len(self._group.names())


def made(name: str, function: Callable[..., Any], example: str) -> Any:
    """The command of a function, with its example."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=GroupedCommand, epilog=example)(function)
    return typer.main.get_command(app)


def _write(formatter: Any, text: str | None, groups: Mapping[str, Rows], example: str | None) -> None:
    line = max(NARROWEST, min(BROADEST, shutil.get_terminal_size((100, 24)).columns))
    formatter.write("\n" + textwrap.fill(_plain(text or ""), line) + "\n")
    names = [len(name) for rows in groups.values() for name, _ in rows]
    width = min(WIDEST, max(names, default=0), line // 2)
    for heading, rows in groups.items():
        if rows:
            formatter.write(f"\n{heading}:\n")
        for name, about in rows:
            beside = len(name) <= width
            begin = f"  {name:{width}}  " if beside else " " * (width + 4)
            if not beside:
                formatter.write(f"  {name}\n")
            whole = re.sub(r"\[default: .*\]$", lambda found: found[0].replace(" ", UNBROKEN), about)
            wrapped = textwrap.fill(
                whole, line, initial_indent=begin, subsequent_indent=" " * (width + 4), break_on_hyphens=False
            )
            formatter.write((wrapped.replace(UNBROKEN, " ") if about else begin).rstrip() + "\n")
    if example:
        formatter.write(f"\nexample:\n  {example}\n")


def _group(parameter: Any) -> str:
    """The heading under which a parameter stands."""
    if parameter.param_type_name == "argument":
        return "arguments"
    return getattr(parameter, "rich_help_panel", None) or OPTIONS


def _row(parameter: Any) -> tuple[str, str]:
    """The option with what it takes, and its help with the default."""
    metavar = parameter.metavar or ""
    text = _plain(getattr(parameter, "help", "") or "")
    if parameter.param_type_name == "argument":
        return metavar or str(parameter.name).upper(), text
    default = parameter.default
    if not (default is None or default is False or default in ("", ()) or callable(default)):
        text += f" [default: {default}]"
    name = ", ".join(sorted({*parameter.opts, *parameter.secondary_opts}, key=len))
    taken = "" if parameter.is_flag else metavar or str(parameter.name).upper()
    return f"{name} {taken}".strip(), text


def _plain(text: str) -> str:
    return " ".join(text.split())

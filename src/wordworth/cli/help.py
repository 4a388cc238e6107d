"""The help of a command: what applies and nothing else, a line each, in groups."""

from typing import Any

from typer.core import TyperCommand, TyperGroup

from wordworth.cli.options import OUTPUT
from wordworth.task.settings import GROUPS

WIDEST = 34
"""Characters of an option and what it takes, before its help begins on the next column."""


class GroupedCommand(TyperCommand):
    """A command whose help lists its options by group: what is measured, on what, how, output."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, what the command does, its arguments, and its options by group."""
        self.format_usage(ctx, formatter)
        formatter.write(f"\n{self.help or ''}\n")
        groups: dict[str, list[tuple[str, str]]] = {"": [], **{group: [] for group in (*GROUPS, OUTPUT)}}
        for parameter in self.get_params(ctx):
            if not getattr(parameter, "hidden", False):
                group = getattr(parameter, "rich_help_panel", None) or (OUTPUT if parameter.name == "help" else "")
                groups.setdefault(group, []).append(_line(parameter))
        width = min(WIDEST, max(len(name) for lines in groups.values() for name, _ in lines))
        for group, lines in groups.items():
            if lines:
                formatter.write(f"\n{group or 'arguments'}:\n")
                for name, text in lines:
                    gap = f"\n{'':{width + 4}}" if len(name) > width else " " * (width - len(name) + 2)
                    formatter.write(f"  {name}{gap}{text}\n")


class ListedGroup(TyperGroup):
    """A group whose help lists its commands, each with the whole line that says what it does."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands in their order."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        formatter.write("\ncommands:\n")
        for name in names:
            command = self.get_command(ctx, name)
            text = " ".join(((command.help if command else "") or "").split())
            formatter.write(f"  {name:{width}}  {text}\n")


def _line(parameter: Any) -> tuple[str, str]:
    """The option with what it takes, and its help with the default."""
    metavar = parameter.metavar or ""
    text = " ".join((getattr(parameter, "help", "") or "").split())
    if not parameter.opts or not parameter.opts[0].startswith("-"):
        return metavar or str(parameter.name).upper(), text
    default = parameter.default
    if not (default is None or default is False or default in ("", ()) or callable(default)):
        text += f" [default: {default}]"
    name = ", ".join(sorted({*parameter.opts, *parameter.secondary_opts}, key=len))
    return f"{name} {metavar}".strip(), text

"""Share code of the commands: groups that import a command when it runs, completion, and the message after Ctrl-C."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

OUTPUT = "output"
"""The panel of options on the output."""
LANGUAGES_OPTION = "languages"
Complete = Callable[[str], list[tuple[str, str]]]


class LazyGroup(TyperGroup):
    """Import a command only to run it or to show its help."""

    def __init__(self, **options: Any) -> None:
        # The help of a group is plain text, because importing what draws panels is slow.
        super().__init__(**options | {"rich_markup_mode": None})
        summaries = self.list_summaries().items()
        self.commands = {name: TyperCommand(name, help=text, short_help=text) for name, text in summaries}

    def list_summaries(self) -> Mapping[str, str]:
        """Return the summary of each command, in the order of the help."""
        raise NotImplementedError

    def load(self, name: str) -> Any:
        """Return the command of a name."""
        raise NotImplementedError

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that runs."""
        name, _, remaining = super().resolve_command(ctx, args)
        return name, name and self.load(name), remaining


def make_command(name: str, function: Callable[..., Any], example: str = "") -> Any:
    """Return the command of a function, with an example under its help."""
    app = typer.Typer(add_completion=False)
    app.command(name, epilog=f"Example: {example}" if example else None)(function)
    return typer.main.get_command(app)


def complete_choices(choices: Sequence[str]) -> Complete | None:
    """Return a completion from these choices; None if there are none."""
    if not choices:
        return None
    return lambda incomplete: [(choice, "") for choice in choices if choice and choice.startswith(incomplete)]


def complete_names(kind: str = "", families: Collection[str] = ()) -> Complete:
    """Return a completion from the entries of a kind in the catalog, or of all kinds; optionally of some families.

    `models/static` is a kind with its family, `languages` are those with words. The shell completes a path, and what
    follows `LABEL=`.
    """
    kind, _, family = kind.partition("/")
    families = [family] if family else families

    def complete(incomplete: str) -> list[tuple[str, str]]:
        from wordworth.catalog.registry import entries

        if kind == LANGUAGES_OPTION:
            languages = dict.fromkeys(entry.language for entry in entries() if entry.language.startswith(incomplete))
            return [(language, "") for language in languages if language != "several"]
        return [
            (entry.name, entry.title)
            for entry in entries(kind or None)
            if entry.name.startswith(incomplete) and (not families or entry.details.get("family") in families)
        ]

    return complete


@contextmanager
def interrupt_message(hint: str = "The same command continues from what is in the cache.") -> Iterator[None]:
    """Print how to continue when the work inside is interrupted."""
    # Before the work: an import that is interrupted half-way cannot be repeated in the same process.
    from wordworth.cli import display

    try:
        yield
    except KeyboardInterrupt:
        display.print_notice(f"Interrupted. {hint}")
        raise

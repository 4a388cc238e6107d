"""What all commands share: groups that import a command when it runs, completion, and the message after Ctrl-C."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

OUTPUT = "output"
"""The panel of options that say where results go."""
LANGUAGES_OPTION = "languages"
Complete = Callable[[str], list[tuple[str, str]]]


class LazyGroup(TyperGroup):
    """A group that imports a command only to run it or to show its own help."""

    def __init__(self, **given: Any) -> None:
        # The help of a group is plain text: importing what draws panels takes longer than all the rest.
        super().__init__(**given | {"rich_markup_mode": None})
        self.commands = {
            name: TyperCommand(name, help=summary, short_help=summary)
            for name, summary in self.list_summaries().items()
        }

    def list_summaries(self) -> Mapping[str, str]:
        """Return the summary of each command, in the order of the help."""
        raise NotImplementedError

    def load(self, name: str) -> Any:
        """Return the command of a name."""
        raise NotImplementedError

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that runs."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, name and self.load(name), rest


def make_command(name: str, function: Callable[..., Any], example: str = "") -> Any:
    """Return the command of a function, with an example under its help."""
    app = typer.Typer(add_completion=False)
    app.command(name, epilog=f"Example: {example}" if example else None)(function)
    return typer.main.get_command(app)


def complete_choices(choices: Sequence[str]) -> Complete | None:
    """Return a completion from these choices; None where there are none."""
    if not choices:
        return None
    return lambda incomplete: [(choice, "") for choice in choices if choice and choice.startswith(incomplete)]


def complete_names(kind: str = "", families: Collection[str] = ()) -> Complete:
    """Return a completion from the entries of a kind in the catalog, or of all kinds; of models, from some families.

    `models/static` is a kind with its family, `languages` are those that words can be had in. The shell completes a
    path, and what follows `LABEL=`.
    """
    kind, _, family = kind.partition("/")
    families = [family] if family else families

    def complete(incomplete: str) -> list[tuple[str, str]]:
        from wordworth.catalog.registry import entries

        if kind == LANGUAGES_OPTION:
            languages = dict.fromkeys(one.language for one in entries() if one.language.startswith(incomplete))
            return [(language, "") for language in languages if language != "several"]
        return [
            (one.name, one.title)
            for one in entries(kind or None)
            if one.name.startswith(incomplete) and (not families or one.details.get("family") in families)
        ]

    return complete


@contextmanager
def interrupt_message(kept: str = "The same command continues from what is in the cache.") -> Iterator[None]:
    """Print what is kept of the work inside when it is interrupted."""
    # Before the work: an import that is interrupted half-way cannot be repeated in the same process.
    from wordworth.cli import display

    try:
        yield
    except KeyboardInterrupt:
        display.print_notice(f"Interrupted. {kept}")
        raise

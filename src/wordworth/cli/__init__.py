"""The `wordworth` command."""

import errno
import sys
from typing import Annotated, Any

import typer

from wordworth import __version__
from wordworth.cli.audit import audit
from wordworth.cli.cache import cache_app
from wordworth.cli.catalog import get, list_entries, show
from wordworth.cli.compare import compare
from wordworth.cli.help import GroupedCommand, ListedGroup
from wordworth.cli.report import report
from wordworth.cli.run import run_app
from wordworth.cli.serve import serve
from wordworth.cli.train import finetune_nli, train_nli
from wordworth.cli.vectors import debias, export
from wordworth.errors import WordworthError
from wordworth.interrupt import INTERRUPTED, end_interrupted
from wordworth.visible import visible

app = typer.Typer(
    name="wordworth",
    help="What a word is worth to a model: word meaning, stereotypes, and the words it never says.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    cls=ListedGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("audit", cls=GroupedCommand)(audit)
app.add_typer(run_app, name="run")
app.command()(report)
app.command("compare", cls=GroupedCommand)(compare)
app.command()(serve)
app.command("debias", cls=GroupedCommand)(debias)
app.command("train-nli", cls=GroupedCommand)(train_nli)
app.command("finetune-nli", cls=GroupedCommand)(finetune_nli)
app.command("export", cls=GroupedCommand)(export)
app.command("ls")(list_entries)
app.command()(show)
app.command()(get)
app.add_typer(cache_app, name="cache")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"wordworth {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What a word is worth to a model: word meaning, stereotypes, and the words it never says."""


# What every complaint about the command line derives from, whichever click typer brings along.
UsageError: Any = typer.BadParameter.__base__


def main() -> None:
    """Runs the command; an error of the user's is one line on stderr and exit code 2."""
    try:
        code = app(prog_name="wordworth", standalone_mode=False)
        if code == INTERRUPTED:  # which typer makes of a KeyboardInterrupt
            end_interrupted()
        sys.stdout.flush()  # here an error of stdout is one line; at the end of the process it would not be
    except WordworthError as error:
        message = str(error)
    except PermissionError as error:
        message = f"{error.filename} cannot be opened ({error.strerror}); check its rights"
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        message = str(WordworthError(f"{error.filename} is longer than the name of a file can be; give a shorter one"))
    except UsageError as error:
        message = error.format_message()
        if message.startswith("Usage:"):  # a command without its arguments shows its help
            sys.stderr.write(f"{message}\n")
            raise SystemExit(2) from None
        command = error.ctx.command_path if error.ctx else "wordworth"
        message = str(WordworthError(f"{message[0].lower()}{message[1:].rstrip('.')} (see `{command} --help`)"))
    else:
        raise SystemExit(code or 0)
    sys.stderr.write(f"wordworth: {visible(' '.join(message.split()))}\n")
    raise SystemExit(2)

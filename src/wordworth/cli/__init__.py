"""Define the `wordworth` command."""

import os
import sys
from importlib import import_module
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Any, NamedTuple

import typer

from wordworth import __version__
from wordworth.cli.commands import LazyGroup, make_command
from wordworth.errors import MachineErrors, WordworthError, print_traceback, visible

ABOUT = "Measure what a model knows about word meaning, its stereotypes, and which words it never produces."


class CommandEntry(NamedTuple):
    """Locate a command by its name, so that listing all of them imports none."""

    place: str
    """`module:name` of its function, or of an app of subcommands."""
    summary: str
    example: str = ""


COMMANDS = {
    "audit": CommandEntry(
        "audit:audit",
        "Run every study that applies to a model, and write one report.",
        "wordworth audit glove-6b-50d --quick",
    ),
    "run": CommandEntry("run:run_app", "Run one study; `wordworth run -h` lists them."),
    "reproduce": CommandEntry(
        "reproduce:reproduce",
        "Reproduce a paper's tables and figures, next to its numbers.",
        "wordworth reproduce vast --table 1 --quick",
    ),
    "report": CommandEntry(
        "results:report",
        "Show runs as a page with figures, as Markdown, or as LaTeX tables.",
        "wordworth report runs/audit-glove-6b-50d-quick",
    ),
    "compare": CommandEntry(
        "results:compare",
        "Test which differences between two runs, or two models of one run, are real.",
        "wordworth compare runs/weat-glove runs/weat-mine",
    ),
    "check": CommandEntry(
        "check:check",
        "Check a model's numbers against rules, for CI: pass, fail or undecided.",
        "wordworth check runs/weat-glove rules.toml --junit check.xml",
    ),
    "card": CommandEntry(
        "results:card",
        "Write a run as a section of a model card, with its metadata.",
        "wordworth card runs/audit-glove-6b-50d-quick -o README.md",
    ),
    "debias": CommandEntry(
        "vectors:debias",
        "Remove a bias from word vectors or a language model, and measure the cost.",
        "wordworth debias glove-6b-50d --direction he,she -o glove-debiased.npz",
    ),
    "export": CommandEntry(
        "vectors:export",
        "Write the static embedding of a language model to a file.",
        "wordworth export minilm-l6 --vocabulary bellezza -o minilm.vec",
    ),
    "train-nli": CommandEntry(
        "train:train_nli",
        "Train an NLI model over word vectors or ELMo.",
        "wordworth train-nli --data sick-train --vectors glove-6b-50d -o my-nli",
    ),
    "finetune-nli": CommandEntry(
        "train:finetune_nli",
        "Fine-tune any encoder as an NLI model.",
        "wordworth finetune-nli minilm-l6 --data sick-train -o my-minilm-nli",
    ),
    "ls": CommandEntry(
        "catalog:list_entries", "List the models, lexica, tests and texts that have a name.", "wordworth ls models"
    ),
    "show": CommandEntry(
        "catalog:show", "Show one of them: its content, its licence, what to cite.", "wordworth show glove-6b-50d"
    ),
    "get": CommandEntry(
        "catalog:get", "Fetch models and data, for use offline.", "wordworth get glove-6b-50d smollm2-135m"
    ),
    "cache": CommandEntry("cache:cache_app", "List the cached files, and remove them."),
}
TRY = {
    "wordworth audit glove-6b-50d --quick": "word vectors, from meaning to stereotypes, in a report (84 MB to fetch)",
    "wordworth run weat glove-6b-50d --test weat6": "one question: are male names closer to careers than female names?",
    "wordworth ls models": "all named models; paths and Hugging Face names work too",
}
"""Commands to begin with."""


class _Commands(LazyGroup):
    """Import commands of the list above when they run."""

    def list_summaries(self) -> dict[str, str]:
        """Return what each command does."""
        return {name: entry.summary for name, entry in COMMANDS.items()}

    def load(self, name: str) -> Any:
        """Import a command."""
        module, _, attribute = COMMANDS[name].place.partition(":")
        command = getattr(import_module(f"wordworth.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            return typer.main.get_command(command)
        return make_command(name, command, COMMANDS[name].example)


app = typer.Typer(
    name="wordworth",
    help=ABOUT,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Example: {next(iter(TRY))}",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"wordworth {__version__}")
        raise typer.Exit


@app.callback()
def about(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Show three example commands if none is given."""
    if context.invoked_subcommand is None:
        tries = [line for command, purpose in TRY.items() for line in (f"  {command}", f"      {purpose}")]
        hint = "`wordworth -h` lists all commands, `wordworth run weat -h` explains one."
        typer.echo("\n".join([f"wordworth {__version__}", ABOUT, "", "To begin with:", *tries, "", hint]))


# The base class of errors about the command line, in whichever click typer uses.
UsageError: Any = typer.BadParameter.__base__


def main() -> None:
    """Run the command; a user's error is one line on stderr and exit code 2."""
    try:
        with MachineErrors():
            code = app(prog_name="wordworth", standalone_mode=False)  # 130 after Ctrl-C
            sys.stdout.flush()  # raises here if stdout fails, not at the end of the process
    except WordworthError as error:
        print_traceback(error)
        message = str(error)
    except BrokenPipeError:  # the reader has ended, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except UsageError as error:
        print_traceback(error)
        message = error.format_message()
        if not message or message.startswith("Usage:"):  # a command without its arguments has shown its help
            raise SystemExit(2) from None
        command = error.ctx.command_path if error.ctx else "wordworth"
        message = str(WordworthError(f"{message[0].lower()}{message[1:].rstrip('.')} (see `{command} --help`)"))
    else:
        raise SystemExit(code or 0)
    text = f"wordworth: {visible(' '.join(message.split()))}"
    width = get_terminal_size().columns if sys.stderr.isatty() else len(text)  # in a file it is one line
    sys.stderr.write(fill(text, width, break_long_words=False, break_on_hyphens=False) + "\n")
    raise SystemExit(2)

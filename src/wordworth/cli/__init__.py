"""The `wordworth` command."""

import errno
import os
import sys
from typing import Annotated, Any

import typer

from wordworth.cli.commands import LazyGroup, Listed
from wordworth.errors import WordworthError
from wordworth.visible import visible

ABOUT = "What a word is worth to a model: word meaning, stereotypes, and the words it never says."
MEASURE, READ, MAKE, NAMES = "measure", "look at results", "make vectors and models", "what can be named"
COMMANDS = {
    "audit": Listed(
        "wordworth.cli.audit:audit",
        "All that applies to a model, and one report.",
        MEASURE,
        "wordworth audit glove-6b-50d --quick",
    ),
    "run": Listed("wordworth.cli.run:run_app", "One study; `wordworth run -h` lists them.", MEASURE),
    "report": Listed(
        "wordworth.cli.results:report",
        "Runs as a page with answers and figures, as Markdown, or as tables for a paper.",
        READ,
        "wordworth report runs/audit-glove-6b-50d-quick",
    ),
    "compare": Listed(
        "wordworth.cli.results:compare",
        "Which differences between two runs, or two models of one, are real.",
        READ,
        "wordworth compare runs/weat-glove runs/weat-mine",
    ),
    "check": Listed(
        "wordworth.cli.check:check",
        "Rules for a model's numbers, for CI: pass, fail or undecided.",
        READ,
        "wordworth check runs/weat-glove rules.toml --junit check.xml",
    ),
    "card": Listed(
        "wordworth.cli.results:card",
        "A run as a section of a model card, with its metadata.",
        READ,
        "wordworth card runs/audit-glove-6b-50d-quick -o README.md",
    ),
    "debias": Listed(
        "wordworth.cli.vectors:debias",
        "A bias taken out of word vectors or a language model, and what that cost.",
        MAKE,
        "wordworth debias glove-6b-50d --direction he,she -o glove-debiased.npz",
    ),
    "export": Listed(
        "wordworth.cli.vectors:export",
        "A static embedding out of a language model, in a file.",
        MAKE,
        "wordworth export minilm-l6 --vocabulary bellezza -o minilm.vec",
    ),
    "train-nli": Listed(
        "wordworth.cli.train:train_nli",
        "An NLI model over word vectors or ELMo.",
        MAKE,
        "wordworth train-nli --data sick-train --vectors glove-6b-50d -o my-nli",
    ),
    "finetune-nli": Listed(
        "wordworth.cli.train:finetune_nli",
        "An NLI model out of any encoder.",
        MAKE,
        "wordworth finetune-nli minilm-l6 --data sick-train -o my-minilm-nli",
    ),
    "ls": Listed(
        "wordworth.cli.catalog:list_entries", "Models, lexica, tests and texts by name.", NAMES, "wordworth ls models"
    ),
    "show": Listed(
        "wordworth.cli.catalog:show",
        "One of them: what it holds, its licence, what to cite.",
        NAMES,
        "wordworth show glove-6b-50d",
    ),
    "get": Listed("wordworth.cli.catalog:get", "Fetch them ahead.", NAMES, "wordworth get glove-6b-50d smollm2-135m"),
    "cache": Listed("wordworth.cli.cache:cache_app", "What is kept on this machine, and how to get rid of it.", NAMES),
}
TRY = {
    "wordworth audit glove-6b-50d --quick": "word vectors, from meaning to stereotypes, in a report (84 MB to fetch)",
    "wordworth run weat glove-6b-50d --test weat6": "one question: are men nearer to careers than women?",
    "wordworth ls models": "what else has a name; paths and names of the Hugging Face hub do as well",
}
"""Commands to begin with."""


class _Commands(LazyGroup):
    """All commands, by the list above."""

    def list_summaries(self) -> dict[str, tuple[str, str]]:
        """Return what each command does."""
        return {name: (one.summary, one.panel) for name, one in COMMANDS.items()}

    def load(self, name: str) -> Any:
        """Import a command."""
        return COMMANDS[name].load(name)


app = typer.Typer(
    name="wordworth",
    help=ABOUT,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Example: {next(iter(TRY))}",
)


def _installed() -> str:
    from wordworth import __version__

    return __version__


def _version(value: bool) -> None:
    if value:
        typer.echo(f"wordworth {_installed()}")
        raise typer.Exit


@app.callback()
def about(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What a word is worth to a model: word meaning, stereotypes, and the words it never says."""
    if context.invoked_subcommand is None:
        typer.echo(greeting())


def greeting() -> str:
    """What `wordworth` alone says."""
    tries = [line for command, what in TRY.items() for line in (f"  {command}", f"      {what}")]
    rest = "`wordworth -h` lists all commands, `wordworth run weat -h` explains one."
    return "\n".join([f"wordworth {_installed()}", ABOUT, "", "To begin with:", *tries, "", rest])


# What every complaint about the command line derives from, whichever click typer brings along.
UsageError: Any = typer.BadParameter.__base__


OS_ERRORS = {
    errno.EACCES: "cannot be opened ({reason}); check its rights",
    errno.ENAMETOOLONG: "is longer than the name of a file can be; give a shorter one",
    errno.ENOSPC: "cannot be written ({reason}); free some space, or write elsewhere",
}
"""Errors of the system that a user can do something about."""


def main() -> None:
    """Run the command; an error of the user's is one line on stderr and exit code 2."""
    try:
        code = app(prog_name="wordworth", standalone_mode=False)  # 130 after Ctrl-C
        sys.stdout.flush()  # here an error of stdout is one line; at the end of the process it would not be
    except WordworthError as error:
        message = str(error)
    except BrokenPipeError:  # the reader has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except OSError as error:
        if error.errno not in OS_ERRORS:
            raise
        name = error.filename or "stdout"
        message = str(WordworthError(f"{name} {OS_ERRORS[error.errno].format(reason=error.strerror)}"))
    except UsageError as error:
        message = error.format_message()
        if not message or message.startswith("Usage:"):  # a command without its arguments has shown its help
            raise SystemExit(2) from None
        command = error.ctx.command_path if error.ctx else "wordworth"
        message = str(WordworthError(f"{message[0].lower()}{message[1:].rstrip('.')} (see `{command} --help`)"))
    else:
        raise SystemExit(code or 0)
    sys.stderr.write(f"wordworth: {visible(' '.join(message.split()))}\n")
    raise SystemExit(2)

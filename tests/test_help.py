"""What a newcomer sees: the greeting, the help of every command, what a shell completes."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from commands import Command
from wordworth.catalog.registry import entry
from wordworth.catalog.show import download
from wordworth.cli import TRY, app

ROOT: Any = typer.main.get_command(app)


def walk(command: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command and group with the words that call it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(command.load(name) if hasattr(command, "load") else inner, (*path, name))


COMMANDS = dict(walk())
LEAVES = {path: command for path, command in COMMANDS.items() if not hasattr(command, "commands")}


def test_wordworth_alone_greets_with_three_commands(command: Command) -> None:
    answer = command()
    assert (answer.code, answer.err) == (0, "")
    assert f"({download(entry('glove-6b-50d'))} to fetch)" in answer.out
    assert all(f"  {words}" in answer.out for words in TRY)


def test_help_shows_every_option_and_command(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    for path, one in COMMANDS.items():
        answer = command(*path, "-h")
        assert answer.code == 0
        assert "Example: wordworth" in answer.out, path
        for option in (option for parameter in one.params for option in parameter.opts if option.startswith("--")):
            assert option in answer.out, (path, option)
        for name, inner in getattr(one, "commands", {}).items():
            assert re.search(rf"{name} +\S", answer.out)
            assert inner.help
    assert command("--help").out == command("-h").out


def _examples() -> Iterator[str]:
    yield from TRY
    yield from (command.epilog.removeprefix("Example: ") for command in COMMANDS.values())


@pytest.mark.parametrize("line", dict.fromkeys(_examples()))
def test_an_example_is_a_command_that_can_be_given(line: str) -> None:
    program, *words = shlex.split(line)
    assert program == "wordworth"
    command, path = ROOT, []
    while hasattr(command, "commands"):
        path.append(words.pop(0))
        command = COMMANDS[tuple(path)]
    context = command.make_context(" ".join(path), words)  # an error where an option or a value is not one
    known = {one.name: one for one in command.params}
    chosen = {name: value for name, value in context.params.items() if value != known[name].default}
    assert chosen or not words


def _complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> list[str]:
    """Return what bash is offered for a line that ends in the word that was begun."""
    words = {"COMP_WORDS": line, "COMP_CWORD": len(line.split(" ")) - 1, "_WORDWORTH_COMPLETE": "complete_bash"}
    for name, value in words.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(sys, "argv", ["wordworth"])
    with pytest.raises(SystemExit):
        app(prog_name="wordworth", standalone_mode=False)
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("wordworth a", ["audit"]),
        ("wordworth run v", ["valnorm", "vast"]),
        ("wordworth run weat gl", ["glove-6b-50d"]),
        ("wordworth run vast smol", ["smollm2-135m"]),
        ("wordworth run vast gl", []),  # word vectors, which it does not take
        ("wordworth run valnorm x --lexicon bell", ["bellezza"]),
        ("wordworth run predict x --pr", ["--precision"]),
        ("wordworth run vast x --language turk", ["turkish"]),
    ],
)
def test_a_shell_completes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, some: list[str]
) -> None:
    offered = _complete(monkeypatch, capsys, line)
    assert set(some) <= set(offered)
    assert all(word.startswith(line.split(" ")[-1]) for word in offered)
    assert bool(offered) == bool(some)


HEAVY = ("torch", "transformers", "polars", "scipy", "numpy", "altair", "httpx2", "huggingface_hub", "sklearn")


def test_help_imports_nothing_heavy() -> None:
    """Whatever completes a word reads no more than the help does."""
    lines = ["", "--help", "run --help", "run vast --help", "audit --help", "card --help"]
    code = f"""
import sys
from contextlib import suppress
from wordworth.cli import main
for line in {lines}:
    sys.argv[1:] = line.split()
    with suppress(SystemExit):
        main()
    print(line, [name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines() == [f"{line} []" for line in lines]

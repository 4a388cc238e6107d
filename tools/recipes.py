"""The commands and the Python of the pages, block by block, and what comments above a block say of running it.

    <!-- not run: WHY -->              none of the block is run
    <!-- not run, TEXT: WHY -->        the commands that hold TEXT are not
    <!-- run with: --epochs 1 A=B -->  options for commands that have them, and B in place of the word A
    <!-- run with, TEXT: … -->         the same for the commands that hold TEXT

What no comment speaks of is run as it stands, but for `pip`.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from wordworth.cli import app

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("method/*.md"))]
COMMAND: Any = typer.main.get_command(app)
_SHELL = re.compile(r" {4}(wordworth|make|pip|python|\.venv/bin/\w+)\b")
_PYTHON = re.compile(r" {4}(import|from) \w")
_MARK = re.compile(r"<!-- (not run|run with)(?:, (.+?))?: (.+?) -->")


@dataclass(frozen=True)
class Mark:
    """What a comment says of a block, or of those of its commands that hold a text."""

    kind: str
    text: str
    what: str
    """The reason, or the options and other words."""


@dataclass(frozen=True)
class Block:
    """Commands, or a snippet of Python."""

    page: Path
    line: int
    """Of its first line, counted from 1."""
    python: bool
    text: str
    marks: tuple[Mark, ...]

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def commands(self) -> Iterator["Recipe"]:
        """Its commands, each of them with what is said of it; a snippet of Python is one."""
        if self.python:
            yield Recipe(self, self.line, self.text, self.marks)
            return
        for at, line in enumerate(self.text.splitlines()):
            if line.strip():
                marks = tuple(mark for mark in self.marks if mark.text in line)
                yield Recipe(self, self.line + at, line.strip(), marks)


@dataclass(frozen=True)
class Recipe:
    """A command, or a snippet of Python, as it stands on a page."""

    block: Block
    line: int
    text: str
    marks: tuple[Mark, ...]

    @property
    def place(self) -> str:
        return f"{self.block.page.relative_to(ROOT)}:{self.line}"

    @property
    def not_run(self) -> str:
        """Why it is not; blank where it is."""
        if self.text.startswith("pip "):
            return "it is installed where this is checked"
        return next((mark.what for mark in self.marks if mark.kind == "not run"), "")

    def words(self) -> list[str]:
        """The command as it is run, with what is given to it."""
        replaced, options = given(self.marks)
        words = [replaced.get(word, word) for word in shlex.split(self.text, comments=True)]
        if words[0] != "wordworth":
            return words
        known = {spelling for one in leaf(words[1:])[0].params for spelling in one.opts}
        return words + [part for option in options if option[0] in known for part in option]

    def python(self) -> str:
        """The snippet as it is run."""
        text = self.text
        for old, new in given(self.marks)[0].items():
            text = text.replace(old, new)
        return text


def given(marks: Sequence[Mark]) -> tuple[dict[str, str], list[list[str]]]:
    """Words that take the place of others, and options with their values."""
    words: dict[str, str] = {}
    options: list[list[str]] = []
    for token in (token for mark in marks if mark.kind == "run with" for token in shlex.split(mark.what)):
        if token.startswith("-"):
            options.append([token])
        elif "=" in token:
            old, _, new = token.partition("=")
            words[old] = new
        else:
            options[-1].append(token)
    return words, options


def leaf(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words behind `wordworth` call, and what it is given."""
    command = COMMAND
    while words and words[0] in (inner := subcommands(command)):
        command, words = inner[words[0]], words[1:]
    return command, words


def subcommands(command: Any) -> dict[str, Any]:
    """Return the commands of a group, loaded; none for a command that is not a group."""
    commands: dict[str, Any] = getattr(command, "commands", {})
    return {name: command.load(name) for name in commands} if hasattr(command, "load") else commands


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page that hold commands or Python, in its order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    marks: list[Mark] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            end = next(later for later in range(at + 1, len(lines)) if lines[later].startswith("```"))
            if line == "```python":
                yield Block(page, at + 2, True, "\n".join(lines[at + 1 : end]) + "\n", tuple(marks))
            marks, at = [], end + 1
        elif line.startswith("    ") and not (at and lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            some = lines[at:end]
            if _PYTHON.match(line) or any(map(_SHELL.match, some)):
                text = "\n".join(one[4:] for one in some).rstrip() + "\n"
                yield Block(page, at + 1, bool(_PYTHON.match(line)), text, tuple(marks))
            marks, at = [], end
        else:
            if line.strip():
                found = _MARK.fullmatch(line.strip())
                marks = [*marks, Mark(found[1], found[2] or "", found[3])] if found else []
            at += 1


def every_block() -> list[Block]:
    """Of all pages."""
    return [block for page in PAGES for block in blocks(page)]

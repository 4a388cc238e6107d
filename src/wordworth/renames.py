"""Names that were changed: the old ones still work, and say once what they are called now."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from wordworth.errors import WordworthError
from wordworth.visible import visible


@dataclass(frozen=True)
class Now:
    """What an old name is called now."""

    name: str
    values: tuple[str, ...] = ()
    """What a flag of the old name is to the new one; blank: its value is the same."""


@cache
def tell(old: str, new: str) -> None:
    """One line on stderr, once for a name."""
    sys.stderr.write(f"{visible(f'{old} is now {new}')}; the old name still works\n")


def current(chosen: Mapping[str, Any], renamed: Mapping[str, Now]) -> dict[str, Any]:
    """What was chosen, by the names of now. Chosen by both its names, a thing is an error."""
    given: dict[str, Any] = {}
    for name, value in chosen.items():
        now = renamed.get(name, Now(name))
        if name in renamed:
            tell(name, now.name)
        if now.values and not value:
            continue
        if now.name in given:
            raise WordworthError(f"{now.name} was given twice, once as {name}; give it once")
        given[now.name] = now.values or value
    return given


def current_words(words: Sequence[str], renamed: Mapping[str, Now], *, quiet: bool = False) -> Iterator[str]:
    """The words of a command line with the options of now; behind `--` stand no options."""
    for at, word in enumerate(words):
        if word == "--":
            yield from words[at:]
            return
        option, equals, value = word.partition("=")
        now = renamed.get(option[2:]) if option.startswith("--") else None
        if now is None:
            yield word
            continue
        added = [part for one in now.values for part in (f"--{now.name}", one)]
        if not quiet:
            tell(option, " ".join(added) or f"--{now.name}")
        yield from added or [f"--{now.name}{equals}{value}"]

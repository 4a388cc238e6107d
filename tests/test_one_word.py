"""One word for one thing: over all commands an option means the same, and the same thing has one option.

The help of an option begins with what it is, up to the first stop, comma, colon, semicolon or bracket; details follow.
"""

import re
from collections import defaultdict
from typing import Any

from test_help import LEAVES


def _is(text: str) -> str:
    """What an option is, without the details."""
    return re.split(r"[.,:;(]", text)[0].strip()


def _options() -> list[tuple[str, str, Any]]:
    """Command, option and parameter, over all commands."""
    return [
        (" ".join(path), option, one)
        for path, command in LEAVES.items()
        for one in command.params
        for option in one.opts
        if option.startswith("--") and option != "--help"
    ]


def test_an_option_means_one_thing() -> None:
    meanings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for command, option, parameter in _options():
        meanings[option][_is(parameter.help)].append(command)
    several = {option: dict(found) for option, found in meanings.items() if len(found) > 1}
    assert not several


def test_a_thing_has_one_option() -> None:
    names: dict[str, set[str]] = defaultdict(set)
    for _, option, parameter in _options():
        names[_is(parameter.help)].add(option)
    assert not {meaning: options for meaning, options in names.items() if len(options) > 1}

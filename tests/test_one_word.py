"""One word for one thing: over all commands an option means the same, and the same thing has one option.

The help of an option begins with what it is, up to the first stop, comma, colon, semicolon or bracket; details follow.
"""

import re
from collections import defaultdict
from typing import Any

from test_help import LEAVES
from wordworth.study import STUDIES, study


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


def test_every_device_is_auto() -> None:
    found = {command: parameter.default for command, option, parameter in _options() if option == "--device"}
    assert len(found) >= 8
    assert set(found.values()) == {"auto"}


def test_commands_that_run_something_take_a_config() -> None:
    options = defaultdict(set)
    for command, option, _ in _options():
        options[command].add(option)
    for command in (
        "audit",
        *(f"run {name}" for name in STUDIES if not study(name).command),
        "debias",
        "export",
        "compare",
    ):
        assert {"--config", "--seed"} <= options[command], command
    assert "--language" in options["audit"]


def test_fields_are_called_like_their_options() -> None:
    plural = {"lexica": "lexicon", "shares": "share", "slices": "slice"}
    for name in STUDIES:
        for field in study(name).settings.fields():
            spelled = field.option.replace("-", "_")
            assert spelled in (field.name, plural.get(field.name, field.name.removesuffix("s"))), field.name

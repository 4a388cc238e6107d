"""Write the tables of settings in the pages from the declarations.

A page marks the place with `<!-- settings: NAME -->` … `<!-- /settings -->`. NAME is a study, a command or `shared`.
`tests/test_docs.py` checks that pages and declarations agree.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from tools.pages import DOCS, WIDTH
from wordworth.cli.audit import AuditSettings
from wordworth.cli.commands import LANGUAGES_OPTION
from wordworth.cli.reproduce import ReproduceSettings
from wordworth.cli.results import CompareSettings
from wordworth.cli.train import FinetuneSettings, TrainSettings
from wordworth.study import STUDIES, study
from wordworth.study.static import ExportSettings
from wordworth.task.settings import HELP_GROUPS, MEASURED, SettingField, Settings

COMMANDS: Mapping[str, type[Settings]] = {
    "audit": AuditSettings,
    "compare": CompareSettings,
    "export": ExportSettings,
    "reproduce": ReproduceSettings,
    "train-nli": TrainSettings,
    "finetune-nli": FinetuneSettings,
}
"""Commands, besides the studies, that have settings; their results are not compared."""
SHARED = "shared"
"""The table of what several studies share."""
PLACE = re.compile(r"(<!-- settings: ([\w-]+) -->\n).*?(<!-- /settings -->)", re.DOTALL)
TYPES = {int: "whole number", float: "number", bool: "flag", str: "text", str | Path: "name or path"}


def table(name: str) -> str:
    """Return the settings of a study or command as a Markdown table, by group, and the names of those in another."""
    if name == SHARED:
        return _table(_shared_fields(), is_study=True)
    elsewhere, where = _fields("train-nli"), "are those of `train-nli`"
    if name != "finetune-nli":
        elsewhere, where = _shared_fields(), "are [shared by several studies](command.md#shared-options)"
    fields = _fields(name)
    others = ", ".join(_option(field) for field in fields if field in elsewhere)
    text = _table([field for field in fields if field not in elsewhere], is_study=name in STUDIES)
    return f"{text}\n\n{fill(f'{others} {where}.', WIDTH, break_on_hyphens=False)}" if others else text


def _fields(name: str) -> tuple[SettingField, ...]:
    return (study(name).settings if name in STUDIES else COMMANDS[name]).fields()


def _shared_fields() -> list[SettingField]:
    """Return the settings that three studies or more declare alike, except for what is measured."""
    fields = [field for name in STUDIES for field in _fields(name) if field.declared.group != MEASURED]
    return [field for at, field in enumerate(fields) if fields.index(field) == at and fields.count(field) >= 3]


def _table(fields: Sequence[SettingField], *, is_study: bool) -> str:
    header = ["option", "value", "default", "what it is", *["runs may differ"] * is_study]
    lines = [header, ["---"] * len(header)]
    for group in dict.fromkeys([*HELP_GROUPS, *(field.declared.group for field in fields)]):
        members = [field for field in fields if field.declared.group == group]
        if members:
            lines.append([f"*{group}*", *[""] * (len(header) - 1)])
        for field in members:
            differ = ["yes" if field.declared.may_differ else "no"] * is_study
            lines.append([_option(field), _value(field), _default(field), _escaped(field.declared.help), *differ])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _option(field: SettingField) -> str:
    """Return the option, and the name in Python where that differs."""
    if field.declared.group not in HELP_GROUPS:
        return f"`{field.name}`"
    spelled = field.option.replace("-", "_") == field.name
    return f"`--{field.option}`" if spelled else f"`--{field.option}` (`{field.name}`)"


def _value(field: SettingField) -> str:
    declared = field.declared
    kinds = field.choices or declared.metavar.split("|")
    text = ", ".join(f"`{kind}`" for kind in kinds if kind) or _of_catalog(declared.catalog)
    text = text or TYPES.get(field.type, "object")
    for word, bound in (("from", declared.least), ("to", declared.most)):
        text += f" {word} {bound:,}" if bound is not None else ""
    return f"{text}; repeatable" if field.is_repeatable else text


def _of_catalog(kind: str) -> str:
    """Return what can be named, and where it is listed."""
    if kind in ("", LANGUAGES_OPTION):
        return kind.removesuffix("s")
    listed = kind.partition("/")[0].replace("_", "-")
    return f"name (`wordworth ls {listed}`) or path"


def _default(field: SettingField) -> str:
    value: Any = field.default
    if value is False or value in (None, "", ()):
        return ""
    if callable(value):
        return f"`{value.__qualname__}`"
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"`{one}`" for one in values)


def _escaped(text: str) -> str:
    return text.replace("|", r"\|")


def with_tables(text: str) -> str:
    """Return a page with its tables as they are declared now."""
    return PLACE.sub(lambda place: f"{place[1]}{table(place[2])}\n{place[3]}", text)


def main() -> None:
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        page.write_text(with_tables(text), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Reproduce a paper: what of it can be run here, the studies that its tables need, and its tables with our numbers."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordworth.api.audit import Audit, Step, run_steps
from wordworth.catalog.fetch.hub import HubFile, hub_model, is_cached
from wordworth.catalog.models import kind_of
from wordworth.catalog.registry import entry, knows
from wordworth.catalog.resolve import resolve, split_label
from wordworth.catalog.show import is_here
from wordworth.errors import WordworthError
from wordworth.files import replacing
from wordworth.pages.writers import escape_md, markdown_table
from wordworth.papers.published import citation
from wordworth.papers.reproduction import OwnNumber, PaperItem, find_items, reproduce_item, reproduction_table, sources
from wordworth.papers.verdicts import VERDICTS
from wordworth.results.table import Table, format_list, text_table
from wordworth.results.vocabulary import Notice
from wordworth.study import study
from wordworth.task.settings import Settings

JOINED_SETTINGS = ("experiments", "probes")
"""Settings that one run may have for several tables: it measures what any of them needs."""
SIZES = ("sentences", "per_word", "words", "sample", "random", "component_words")
"""Settings in which a quick run is smaller than the paper; besides, it has fewer resamples."""
MARKDOWN = "reproduction.md"


@dataclass(frozen=True, repr=False)
class Reproduction(Audit):
    """The tables of a paper with our numbers, and the runs behind them."""

    paper: str
    rows: dict[str, list[OwnNumber]]
    """The key of a table or figure → its numbers."""

    @property
    def tables(self) -> list[Table]:
        """Return the tables as the paper has them, with ours."""
        return [reproduction_table(find_items(self.paper, [key])[0], rows) for key, rows in self.rows.items()]

    @property
    def table(self) -> Table:
        """Return the verdicts of each table, counted."""
        verdicts = {key: [row.verdict.name for row in rows] for key, rows in self.rows.items()}
        counts = [[key, *(str(names.count(one)) for one in VERDICTS)] for key, names in verdicts.items()]
        return text_table(citation(self.paper), ("item", *VERDICTS), counts, note=str(self.report))

    def as_json(self) -> dict[str, Any]:
        """Return every number with its verdict, as JSON holds them."""
        tables = {key: [row.as_json() for row in rows] for key, rows in self.rows.items()}
        notices = [notice.model_dump(exclude_none=True) for notice in self.notices]
        return {"paper": self.paper, "folder": str(self.folder), "tables": tables, "notices": notices}


def list_items(paper: str, *, look: bool = True) -> Table:
    """Return what can be run of a paper, item by item, and what else it needs; `look` at what is on this machine."""
    items = find_items(paper)
    rows = [(item.key, item.title, *describe_status(item, look=look)) for item in items]
    where = [f"{name}: {text}." for name, text in sources(items[0].paper).items()]
    where += [f"{name}: {entry(name).note}" for name in _missing_data(items, look=look)]
    heads = ("item", "what", "runs now with", "the paper's needs")
    title = f"{paper}: {citation(items[0].paper)}"
    return text_table(title, heads, rows, note=" ".join(where), id=items[0].paper)


def describe_status(item: PaperItem, *, look: bool = True) -> tuple[str, str]:
    """Return what an item can be run on now, and what its own numbers need, or why it cannot be run."""
    if item.cannot:
        return "no", f"cannot: {item.cannot}"
    hub = [one for one in item.models if not _is_loadable(one, look=look)]
    missing = _missing_data([item], look=look)
    data = [*missing, *item.needs]
    needs = [f"{format_list(hub, 1)} (hub)"] if hub else []
    needs += [f"{format_list(data)} (data)"] if data else []
    own = len(hub) < len(item.models) or not (item.models or item.needs)
    others = [*item.stand_ins, *item.stand_in_settings.get("corpus", ())]
    now = "its own" if own else format_list(others, 1) if others else "no"
    return ("no" if missing else now), ", ".join(needs) or "nothing more"


def _is_loadable(model: str, *, look: bool = True) -> bool:
    """Return whether a model is in the catalog or, where one may look, in the cache of the hub."""
    return knows(model, "models") or (look and is_cached(hub_model(model) or HubFile(model)))


def _missing_data(
    items: Sequence[PaperItem], given: Mapping[str, Any] | None = None, *, look: bool = True
) -> list[str]:
    """Return data that is put in place by hand and is not here; a text that was given takes the place of another."""
    replaced = [item.settings.get("corpus") for item in items] if (given or {}).get("corpus") else []
    names = dict.fromkeys(name for item in items for name in item.data if name not in replaced)
    return [name for name in names if not (look and is_here(entry(name)))]


@dataclass(frozen=True)
class _TableGroup:
    """Items that one run has the numbers of."""

    items: list[PaperItem]
    models: list[str]
    settings: dict[str, Any]


def reproduce(
    paper: str,
    models: Sequence[str] = (),
    *,
    tables: Sequence[str] = (),
    folder: str | Path | None = None,
    overwrite: bool = False,
    show: Callable[[str], object] = lambda text: None,
    **settings: Any,
) -> Reproduction:
    """Run what the tables and figures of a paper need, and put our numbers next to the paper's.

    `paper` is valnorm, vast, contextual2static, inferences or whole-words. Without `models`, the paper's that are on
    this machine are measured, otherwise models of the catalog in their place. `tables` are such as "3" or "figure-7".
    `settings` are `quick` for smaller samples, `repeats` for so many seeds, and those of every study that has them.
    """
    from wordworth.pages.page import write_report

    items = find_items(paper, tables)
    place = Path("runs") / f"reproduce-{paper}" if folder is None else Path(folder)
    quick, repeats = settings.pop("quick", False), settings.pop("repeats", 1)
    groups, notices = _plan(items, models, settings)
    if not groups:
        raise WordworthError(f"nothing of {paper} can be run here: {notices[0].reason}; see `reproduce {paper} --list`")
    steps: list[tuple[_TableGroup, Step]] = []
    for group in groups:
        name = group.items[0].study
        for seed in range(repeats):
            chosen = _settings(group, {**settings, "seed": settings.get("seed", 0) + seed}, quick=quick)
            path = place / f"{name}-{group.items[0].key}{f'-seed{seed}' if seed else ''}"
            steps.append((group, Step.prepare(name, group.models, chosen, path, overwrite=overwrite)))
    runs, notices = run_steps([step for _, step in steps], place, notices, overwrite=overwrite, show=show)
    rows: dict[str, list[OwnNumber]] = {}
    for group in groups:
        folders = [step.folder for owner, step in steps if owner is group]
        if own := [run for run in runs if run.folder in folders]:
            full = _settings(group, {}, quick=False).as_table()
            is_reduced = any(own[0].settings[name] != full[name] for name in SIZES if name in full)
            rows |= {item.key: reproduce_item(item, own, is_reduced=is_reduced) for item in group.items}
    report = write_report(runs, place / "report.html", notices=notices)
    ordered = {item.key: rows[item.key] for item in items if item.key in rows}
    made = Reproduction(place, runs, notices, report, items[0].paper, ordered)
    with replacing(place / MARKDOWN) as new:
        new.write_text(_markdown(made), encoding="utf-8")
    return made


def _plan(
    items: Sequence[PaperItem], models: Sequence[str], given: Mapping[str, Any]
) -> tuple[list[_TableGroup], list[Notice]]:
    """Return the runs that these items need, and what cannot be run and why."""
    groups: dict[str, _TableGroup] = {}
    notices: list[Notice] = []
    kinds = {str(one): kind_of(resolve(one)) for one in models}
    for item in items:
        chosen, settings = ([], {}) if item.cannot else _choose(item, kinds)
        needs_none = not (item.models or item.stand_ins) and (not item.needs or "corpus" in {*settings, *given})
        if item.cannot or _missing_data([item], given) or not (chosen or needs_none):
            needs = describe_status(item)[1]
            reason = (
                f"{item.place} takes none of these models" if kinds and not item.cannot else f"{item.place}: {needs}"
            )
            notices.append(Notice(kind="skipped", study=item.study or None, reason=reason))
            continue
        fixed = {name: value for name, value in settings.items() if name not in JOINED_SETTINGS}
        key = json.dumps([item.study, chosen, fixed], sort_keys=True)
        group = groups.setdefault(key, _TableGroup([], chosen, dict(settings)))
        for name in settings.keys() & {*JOINED_SETTINGS}:
            group.settings[name] = list(dict.fromkeys([*group.settings[name], *settings[name]]))
        group.items.append(item)
    return list(groups.values()), notices


def _choose(item: PaperItem, kinds: Mapping[str, str]) -> tuple[list[str], dict[str, Any]]:
    """Return the models that an item is run on, and its settings for them; `kinds` are of the models that were named.

    A model that was named is measured if it is the paper's in this item, or in none and so another model in all.
    """
    declared, settings = study(item.study), dict(item.settings)
    if kinds:
        others = {model for other in find_items(item.paper) for model in other.models} - {*item.models}
        fitting = declared.kinds | (declared.also_accepts if item.models else set())
        chosen = [one for one, kind in kinds.items() if kind in fitting and split_label(one)[1] not in others]
        if len(chosen) != len(settings.get("languages", ())):
            settings.pop("languages", None)
        return chosen, settings
    own = [one for one in item.models if _is_loadable(one)]
    return (own, settings) if own else (list(item.stand_ins), settings | dict(item.stand_in_settings))


def _settings(group: _TableGroup, given: Mapping[str, Any], *, quick: bool) -> Settings:
    """Return the settings of a group's run; a quick one has the sizes of a quick audit."""
    declared = study(group.items[0].study)
    sizes = {name: value for name, value in declared.quick.items() if name in (*SIZES, "resamples")} if quick else {}
    known = {field.name for field in declared.settings.fields()}
    own = {name: value for name, value in given.items() if name in known}
    return declared.settings(**{**group.settings, **sizes, **own})


def _markdown(made: Reproduction) -> str:
    """Return the section of a report: the verdicts, each table, and what was not run."""
    lines = [f"# Reproducing {escape_md(citation(made.paper))}", "", *markdown_table(made.table, ()), ""]
    for table in made.tables:
        lines += [f"## {escape_md(table.title)}", "", *markdown_table(table, ()), "", escape_md(table.note), ""]
    lines += [f"- {escape_md(str(notice))}" for notice in made.notices]
    return "\n".join(lines).rstrip() + "\n"

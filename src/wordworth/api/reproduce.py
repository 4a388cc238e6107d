"""Reproduce a paper: list what can be run, run the studies of its tables, and put our numbers next to its own."""

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
"""Settings that one run joins for several tables."""
SIZES = ("sentences", "per_word", "words", "sample", "random", "component_words")
"""Settings in which a quick run is smaller than the paper, in addition to fewer resamples."""
MARKDOWN = "reproduction.md"


@dataclass(frozen=True, repr=False)
class Reproduction(Audit):
    """Hold the tables of a paper with our numbers, and the runs behind them."""

    paper: str
    rows: dict[str, list[OwnNumber]]
    """The key of a table or figure → its numbers."""

    @property
    def tables(self) -> list[Table]:
        """Return the paper's tables with our numbers."""
        return [reproduction_table(find_items(self.paper, [key])[0], rows) for key, rows in self.rows.items()]

    @property
    def table(self) -> Table:
        """Count the verdicts of each table."""
        verdicts = {key: [row.verdict.name for row in rows] for key, rows in self.rows.items()}
        counts = [[key, *(str(names.count(verdict)) for verdict in VERDICTS)] for key, names in verdicts.items()]
        return text_table(citation(self.paper), ("item", *VERDICTS), counts, note=str(self.report))

    def as_json(self) -> dict[str, Any]:
        """Return every number with its verdict as JSON data."""
        tables = {key: [row.as_json() for row in rows] for key, rows in self.rows.items()}
        notices = [notice.model_dump(exclude_none=True) for notice in self.notices]
        return {"paper": self.paper, "folder": str(self.folder), "tables": tables, "notices": notices}


def list_items(paper: str, *, can_look: bool = True) -> Table:
    """List what can be run of a paper, and what else it needs; `can_look` at the files on this machine."""
    items = find_items(paper)
    rows = [(item.key, item.title, *describe_status(item, can_look=can_look)) for item in items]
    source_notes = [f"{name}: {text}." for name, text in sources(items[0].paper).items()]
    source_notes += [f"{name}: {entry(name).note}" for name in _missing_data(items, can_look=can_look)]
    heads = ("item", "what", "runs now with", "the paper's needs")
    title = f"{paper}: {citation(items[0].paper)}"
    return text_table(title, heads, rows, note=" ".join(source_notes), id=items[0].paper)


def describe_status(item: PaperItem, *, can_look: bool = True) -> tuple[str, str]:
    """Return what an item can be run on now, and what its numbers need, or why it cannot be run."""
    if item.cannot:
        return "no", f"cannot: {item.cannot}"
    hub = [model for model in item.models if not _is_loadable(model, can_look=can_look)]
    missing = _missing_data([item], can_look=can_look)
    data = [*missing, *item.needs]
    needs = [f"{format_list(hub, 1)} (hub)"] if hub else []
    needs += [f"{format_list(data)} (data)"] if data else []
    has_own_models = len(hub) < len(item.models) or not (item.models or item.needs)
    substitutes = [*item.stand_ins, *item.stand_in_settings.get("corpus", ())]
    runnable = "its own" if has_own_models else format_list(substitutes, 1) if substitutes else "no"
    return ("no" if missing else runnable), ", ".join(needs) or "nothing more"


def _is_loadable(model: str, *, can_look: bool = True) -> bool:
    """Return whether a model is in the catalog or, if `can_look`, in the cache of the hub."""
    return knows(model, "models") or (can_look and is_cached(hub_model(model) or HubFile(model)))


def _missing_data(
    items: Sequence[PaperItem], options: Mapping[str, Any] | None = None, *, can_look: bool = True
) -> list[str]:
    """Return the missing data that users must provide; a given text replaces that of the paper."""
    replaced_texts = [item.settings.get("corpus") for item in items] if (options or {}).get("corpus") else []
    names = dict.fromkeys(name for item in items for name in item.data if name not in replaced_texts)
    return [name for name in names if not (can_look and is_here(entry(name)))]


@dataclass(frozen=True)
class _TableGroup:
    """Group items whose numbers one run has."""

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

    `paper` is valnorm, vast, contextual2static, inferences or whole-words. Without `models`, the paper's models on this
    machine are measured, or else models of the catalog instead. `tables` are names such as "3" or "figure-7".
    `settings` are `quick` for smaller samples, `repeats` for several seeds, and those of every study that has them.
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
            run_settings = _settings(group, {**settings, "seed": settings.get("seed", 0) + seed}, quick=quick)
            path = place / f"{name}-{group.items[0].key}{f'-seed{seed}' if seed else ''}"
            steps.append((group, Step.prepare(name, group.models, run_settings, path, overwrite=overwrite)))
    runs, notices = run_steps([step for _, step in steps], place, notices, overwrite=overwrite, show=show)
    rows: dict[str, list[OwnNumber]] = {}
    for group in groups:
        folders = [step.folder for owner, step in steps if owner is group]
        if group_runs := [run for run in runs if run.folder in folders]:
            sizes = _settings(group, {}, quick=False).as_table()
            is_reduced = any(group_runs[0].settings[name] != sizes[name] for name in SIZES if name in sizes)
            rows |= {item.key: reproduce_item(item, group_runs, is_reduced=is_reduced) for item in group.items}
    report = write_report(runs, place / "report.html", notices=notices)
    ordered_rows = {item.key: rows[item.key] for item in items if item.key in rows}
    reproduction = Reproduction(place, runs, notices, report, items[0].paper, ordered_rows)
    with replacing(place / MARKDOWN) as stream:
        stream.write_text(_markdown(reproduction), encoding="utf-8")
    return reproduction


def _plan(
    items: Sequence[PaperItem], models: Sequence[str], options: Mapping[str, Any]
) -> tuple[list[_TableGroup], list[Notice]]:
    """Return the runs that these items need, and notices on items that cannot be run."""
    groups: dict[str, _TableGroup] = {}
    notices: list[Notice] = []
    kinds = {str(model): kind_of(resolve(model)) for model in models}
    for item in items:
        run_models, settings = ([], {}) if item.cannot else _choose(item, kinds)
        needs_no_model = not (item.models or item.stand_ins) and (not item.needs or "corpus" in {*settings, *options})
        if item.cannot or _missing_data([item], options) or not (run_models or needs_no_model):
            problem = " takes none of these models" if kinds and not item.cannot else f": {describe_status(item)[1]}"
            notices.append(Notice(kind="skipped", study=item.study or None, reason=item.place + problem))
            continue
        fixed_settings = {name: value for name, value in settings.items() if name not in JOINED_SETTINGS}
        key = json.dumps([item.study, run_models, fixed_settings], sort_keys=True)
        group = groups.setdefault(key, _TableGroup([], run_models, dict(settings)))
        for name in settings.keys() & {*JOINED_SETTINGS}:
            group.settings[name] = list(dict.fromkeys([*group.settings[name], *settings[name]]))
        group.items.append(item)
    return list(groups.values()), notices


def _choose(item: PaperItem, kinds: Mapping[str, str]) -> tuple[list[str], dict[str, Any]]:
    """Return the models and settings of an item's run; `kinds` are those of the models that the user named.

    A named model is measured unless it is the paper's model of other items only.
    """
    declaration, settings = study(item.study), dict(item.settings)
    if kinds:
        other_models = {model for paper_item in find_items(item.paper) for model in paper_item.models} - {*item.models}
        scope = declaration.kinds | (declaration.also_accepts if item.models else set())
        models = [name for name, kind in kinds.items() if kind in scope and split_label(name)[1] not in other_models]
        if len(models) != len(settings.get("languages", ())):
            settings.pop("languages", None)
        return models, settings
    own_models = [name for name in item.models if _is_loadable(name)]
    return (own_models, settings) if own_models else (list(item.stand_ins), settings | dict(item.stand_in_settings))


def _settings(group: _TableGroup, options: Mapping[str, Any], *, quick: bool) -> Settings:
    """Return the settings of a group's run; a quick one has the sizes of a quick audit."""
    declaration = study(group.items[0].study)
    sizes = {name: value for name, value in declaration.quick.items() if name in (*SIZES, "resamples")} if quick else {}
    setting_names = {field.name for field in declaration.settings.fields()}
    own_settings = {name: value for name, value in options.items() if name in setting_names}
    return declaration.settings(**{**group.settings, **sizes, **own_settings})


def _markdown(result: Reproduction) -> str:
    """Return the reproduction in Markdown: the verdicts, each table, and what was not run."""
    lines = [f"# Reproducing {escape_md(citation(result.paper))}", "", *markdown_table(result.table, ()), ""]
    for table in result.tables:
        lines += [f"## {escape_md(table.title)}", "", *markdown_table(table, ()), "", escape_md(table.note), ""]
    lines += [f"- {escape_md(str(notice))}" for notice in result.notices]
    return "\n".join(lines).rstrip() + "\n"

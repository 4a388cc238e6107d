"""Templates of the bleached, aligned and misaligned contexts: of the catalog or of a TOML file, checked.

A table holds `language`, and of `bleached = "… WORD …"` and `aligned` what is used; `aligned` is a list of
`{ low, high, text }` from the lowest to the highest rating. Ratings in [low, high) take the text and the last bin
includes its end; `closed = "high"` makes the bins (low, high], the first including its start.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from wordworth.catalog.read.tables import read_toml
from wordworth.catalog.registry import entries
from wordworth.catalog.resolve import DataSet, Resolved, located_data, resolve, split_label
from wordworth.errors import WordworthError, nearest

SLOT = "WORD"
"""What a word stands in the place of."""
KEYS = ("language", "bleached", "aligned", "closed")
"""What a table of one's own may hold."""
_ALIGNED = ("aligned", 'aligned = [{ low = 1, high = 9, text = "… WORD …" }]')
TEXT_OF = {"bleached": ("bleached", 'bleached = "… WORD …"'), "aligned": _ALIGNED, "misaligned": _ALIGNED}
"""Context → the key of its text, and how that is written; the other contexts need none."""


@dataclass(frozen=True)
class Templates(DataSet):
    """The contexts of one language; blank what there is none of. `edges` has one more element than `aligned`."""

    bleached: str
    aligned: tuple[str, ...]
    edges: tuple[float, ...]
    closed: str = "low"

    @property
    def scale(self) -> tuple[float, float]:
        return self.edges[0], self.edges[-1]

    def has(self, context: str) -> bool:
        """Return whether there is the text that a context needs."""
        return bool(self.bleached if context == "bleached" else self.aligned) or context not in TEXT_OF

    def check(self, context: str, what: str = "") -> None:
        """Refuse a context whose text is not there; `what` is what needs it."""
        if not self.has(context):
            key, written = TEXT_OF[context]
            raise WordworthError(
                f"the templates {self.name!r} have no {key} text, which {what or f'the context {context}'} needs; "
                f"add `{written}`, or choose something else with --context or --experiment"
            )

    def bin_of(self, rating: float) -> int:
        """The index in `aligned` of the template whose bin holds the rating."""
        low, high = self.scale
        if not low <= rating <= high:
            raise WordworthError(
                f"templates {self.name!r} have no bin for the rating {rating:g}, only for {low:g} to {high:g}; "
                "map the ratings onto that scale first"
            )
        inner = self.edges[1:-1]
        return bisect_right(inner, rating) if self.closed == "low" else bisect_left(inner, rating)


def load_templates(name: str = "vast", language: str = "english") -> Templates:
    """Templates by name (`vast`: the paper's; `vast-code`: the authors' code's) or from a TOML file of one's own.

    For a language other than English the entry is called `NAME-LANGUAGE`; in one's own file a table is found by its
    `language`, which a single English one need not say.
    """
    label, target = split_label(name)
    if Path(target).suffix == ".toml":
        templates = _of_own_file(located_data(name, "templates", language))
    else:
        known = {one.name: one for one in entries("templates") if "bleached" in one.details}
        wanted = target if target in known and known[target].language == language else f"{target}-{language}"
        if wanted not in known:
            own = f"there are no templates {wanted!r}"
            if target in known:
                raise WordworthError(f"{own}; write texts in {language} in a TOML file, and give it with --templates")
            raise WordworthError(f"{own}{nearest(wanted, list(known))}")
        templates = _checked(resolve(wanted, "templates"), known[wanted].details, f"the templates {wanted!r}")
    return replace(templates, name=label) if label else templates


def _of_own_file(file: Resolved) -> Templates:
    contents = read_toml(file.where)
    tables = {key: table for key, table in contents.items() if isinstance(table, dict)}
    for key, table in tables.items():
        if table.get("language", "english" if len(tables) == 1 else "") == file.language:
            where = f"{file.where}, table [{key}]"
            for unknown in [one for one in table if one not in KEYS]:
                close = nearest(unknown, list(KEYS)) or f"; there are {', '.join(KEYS)}"
                raise WordworthError(f"{where}: there is no key {unknown[:60]!r}{close}")
            return _checked(replace(file, name=key), table, where)
    if not tables:
        raise WordworthError(f"{file.where} has no table; put the texts below a heading such as [mine]")
    raise WordworthError(
        f'{file.where} has no table with language = "{file.language}"; add one with the texts in that language'
    )


def _checked(origin: Resolved, table: Mapping[str, Any], where: str) -> Templates:
    bleached, aligned, closed = table.get("bleached"), table.get("aligned"), table.get("closed", "low")
    if closed not in ("low", "high"):
        raise WordworthError(f'{where}: closed = {closed!r} is neither "low" nor "high"')
    if bleached is None and aligned is None:
        raise WordworthError(f"{where}: there is neither a bleached text nor aligned ones; write one of them")
    if aligned is not None and (not isinstance(aligned, list) or not aligned):
        raise WordworthError(f"{where}: aligned must be a list of {{ low, high, text }}")
    texts: list[str] = []
    edges: list[tuple[float, float]] = []
    for number, entry in enumerate(aligned or [], 1):
        at = f"aligned, entry {number}"
        if not isinstance(entry, dict) or not {"low", "high", "text"} <= entry.keys():
            raise WordworthError(f"{where}: {at} must have low, high and text")
        if not all(isinstance(entry[key], int | float) for key in ("low", "high")) or entry["low"] >= entry["high"]:
            raise WordworthError(f"{where}: {at} must have numbers low < high")
        texts.append(_text(entry["text"], at, where))
        edges.append((float(entry["low"]), float(entry["high"])))
    for number, ((_, high), (low, _)) in enumerate(pairwise(edges), 1):
        if high != low:
            raise WordworthError(f"{where}: aligned, entry {number} ends at {high:g} but the next begins at {low:g}")
    return Templates(
        bleached="" if bleached is None else _text(bleached, "bleached", where),
        aligned=tuple(texts),
        edges=(edges[0][0], *(high for _, high in edges)) if edges else (),
        closed=closed,
        **origin.facts,
    )


def _text(value: object, field: str, where: str) -> str:
    if not isinstance(value, str) or value.count(SLOT) != 1:
        raise WordworthError(f"{where}: {field} must be a text with {SLOT} in it exactly once")
    return value

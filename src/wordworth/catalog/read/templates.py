"""Templates of the bleached, aligned and misaligned settings: of the catalog or of a TOML file, checked.

A table holds `language`, `bleached = "… WORD …"` and `aligned`, a list of `{ low, high, text }` from the lowest to the
highest rating. Ratings in [low, high) take the text and the last bin includes its end; `closed = "high"` makes the
bins (low, high], the first including its start.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from wordworth.catalog.data_set import DataSet
from wordworth.catalog.read.tables import read_toml
from wordworth.catalog.registry import entries
from wordworth.catalog.resolve import Resolved, located_data, resolve, split_label
from wordworth.errors import WordworthError, nearest

SLOT = "WORD"
"""What a word stands in the place of."""


@dataclass(frozen=True)
class Templates(DataSet):
    """The contexts of one language. `edges` has one more element than `aligned`."""

    bleached: str
    aligned: tuple[str, ...]
    edges: tuple[float, ...]
    closed: str = "low"

    @property
    def scale(self) -> tuple[float, float]:
        return self.edges[0], self.edges[-1]

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
    `language`.
    """
    label, target = split_label(name)
    if Path(target).suffix == ".toml":
        templates = _of_own_file(located_data(name, "templates", language))
    else:
        known = {one.name: one for one in entries("templates") if "bleached" in one.details}
        wanted = target if target in known and known[target].language == language else f"{target}-{language}"
        if wanted not in known:
            raise WordworthError(f"there are no templates {wanted!r}{nearest(wanted, list(known))}")
        templates = _checked(resolve(wanted, "templates"), known[wanted].details, f"the templates {wanted!r}")
    return replace(templates, name=label) if label else templates


def _of_own_file(file: Resolved) -> Templates:
    for key, table in read_toml(file.where).items():
        if isinstance(table, dict) and table.get("language") == file.language:
            return _checked(replace(file, name=key), table, f"{file.where}, table [{key}]")
    raise WordworthError(
        f'{file.where} has no table with language = "{file.language}"; add one with bleached and aligned texts'
    )


def _checked(origin: Resolved, table: Mapping[str, Any], where: str) -> Templates:
    bleached, aligned, closed = table.get("bleached"), table.get("aligned"), table.get("closed", "low")
    if closed not in ("low", "high"):
        raise WordworthError(f'{where}: closed = {closed!r} is neither "low" nor "high"')
    if not isinstance(aligned, list) or not aligned:
        raise WordworthError(f"{where}: aligned must be a list of {{ low, high, text }}")
    texts = [_text(bleached, "bleached", where)]
    edges: list[tuple[float, float]] = []
    for number, entry in enumerate(aligned, 1):
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
        bleached=texts[0],
        aligned=tuple(texts[1:]),
        edges=(edges[0][0], *(high for _, high in edges)),
        closed=closed,
        **origin.facts,
    )


def _text(value: object, field: str, where: str) -> str:
    if not isinstance(value, str) or value.count(SLOT) != 1:
        raise WordworthError(f"{where}: {field} must be a text with {SLOT} in it exactly once")
    return value

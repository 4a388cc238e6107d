"""Templates of the bleached, aligned and misaligned settings: read from TOML, checked, and matched to ratings.

A table holds `language`, `scale = [low, high]`, `bleached = "… WORD …"` and `aligned`, a list of
`{ low, high, text }` from the lowest to the highest rating. Ratings in [low, high) take the text and the last bin
includes its end; `closed = "high"` makes the bins (low, high], the first including its start.
"""

import tomllib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from wordworth.contexts.core import SLOT
from wordworth.errors import WordworthError, nearest

BUILT_IN = (("wordworth.catalog", "entries/templates.toml"), ("wordworth.contexts", "templates.toml"))


@dataclass(frozen=True)
class Templates:
    """The contexts of one language. `edges` has one more element than `aligned`."""

    name: str
    language: str
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

    For a language other than English the table is called `NAME-LANGUAGE`; in one's own file a table is found by its
    `language`.
    """
    path = Path(name)
    if path.suffix == ".toml":
        if not path.is_file():
            raise WordworthError(f"there is no templates file {path}; give the path of a TOML file or a name")
        return _from_own_file(path, language)
    tables: dict[str, dict[str, Any]] = {}
    for package, file in BUILT_IN:
        tables |= tomllib.loads((files(package) / file).read_text("utf-8"))
    tables = {key: table for key, table in tables.items() if "bleached" in table}
    wanted = name if tables.get(name, {}).get("language") == language else f"{name}-{language}"
    if wanted not in tables:
        raise WordworthError(f"there are no templates {wanted!r}{nearest(wanted, list(tables))}")
    return _checked(wanted, tables[wanted], f"the templates {wanted!r}")


def _from_own_file(path: Path, language: str) -> Templates:
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WordworthError(f"{path} is not a TOML file in UTF-8: {error}") from error
    for key, table in tables.items():
        if isinstance(table, dict) and table.get("language") == language:
            return _checked(key, table, f"{path}, table [{key}]")
    raise WordworthError(f'{path} has no table with language = "{language}"; add one with bleached and aligned texts')


def _checked(name: str, table: dict[str, Any], where: str) -> Templates:
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
        name=name,
        language=table["language"],
        bleached=texts[0],
        aligned=tuple(texts[1:]),
        edges=(edges[0][0], *(high for _, high in edges)),
        closed=closed,
    )


def _text(value: object, field: str, where: str) -> str:
    if not isinstance(value, str) or value.count(SLOT) != 1:
        raise WordworthError(f"{where}: {field} must be a text with {SLOT} in it exactly once")
    return value

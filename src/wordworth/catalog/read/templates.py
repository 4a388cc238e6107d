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
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from wordworth.catalog.read.tables import check_table, read_toml
from wordworth.catalog.registry import entries
from wordworth.catalog.resolve import DataSet, Origin, located_data, of_entry, split_label
from wordworth.errors import WordworthError, nearest

SLOT = "WORD"
"""What a word stands in the place of."""
TEXT_OF = {"bleached": "bleached", "aligned": "aligned", "misaligned": "aligned"}
"""Context → the text it needs; the other contexts need none."""


def _check_slot(text: str) -> str:
    if text.count(SLOT) != 1:
        raise ValueError(f"it must have {SLOT} in it exactly once")
    return text


Text = Annotated[str, AfterValidator(_check_slot)]


class _Bin(BaseModel, extra="forbid"):
    low: float
    high: float
    text: Text


class _Texts(BaseModel, extra="forbid"):
    language: str = ""
    bleached: Text = ""
    aligned: list[_Bin] = Field(default_factory=list)
    closed: Literal["low", "high"] = "low"

    @model_validator(mode="after")
    def _check_bins(self) -> Self:
        if not self.bleached and not self.aligned:
            raise ValueError("it has neither a bleached text nor aligned ones; write one of them")
        for number, one in enumerate(self.aligned, 1):
            if one.low >= one.high:
                raise ValueError(f"aligned {number} must have low < high")
        for number, (one, other) in enumerate(pairwise(self.aligned), 1):
            if one.high != other.low:
                raise ValueError(f"aligned {number} ends at {one.high:g} but the next begins at {other.low:g}")
        return self


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
        return context not in TEXT_OF or bool(getattr(self, TEXT_OF[context]))

    def check(self, context: str) -> None:
        """Raise an error unless there is the text that a context needs."""
        if not self.has(context):
            raise WordworthError(
                f"the templates {self.name!r} have no {TEXT_OF[context]} text, which the context {context} needs; "
                "add one, or choose something else with --context or --experiment"
            )

    def bin_of(self, rating: float) -> int:
        """Return the index in `aligned` of the template whose bin holds the rating."""
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
            close = nearest(wanted, list(known)) or "; give texts in a TOML file of your own with --templates"
            raise WordworthError(f"there are no templates {wanted!r}{close}")
        templates = _check_templates(of_entry(known[wanted]), known[wanted].details, f"the templates {wanted!r}")
    return replace(templates, name=label) if label else templates


def _of_own_file(file: Origin) -> Templates:
    contents = read_toml(file.where)
    tables = {key: table for key, table in contents.items() if isinstance(table, dict)}
    for key, table in tables.items():
        if table.get("language", "english" if len(tables) == 1 else "") == file.language:
            return _check_templates(replace(file, name=key), table, f"{file.where}, table [{key}]")
    raise WordworthError(
        f'{file.where} has no table with language = "{file.language}"; add [NAME] with it and texts in that language'
    )


def _check_templates(origin: Origin, table: Mapping[str, Any], where: str) -> Templates:
    texts = check_table(_Texts, table, where)
    bins = texts.aligned
    return Templates(
        bleached=texts.bleached,
        aligned=tuple(one.text for one in bins),
        edges=(bins[0].low, *(one.high for one in bins)) if bins else (),
        closed=texts.closed,
        **origin.facts,
    )

"""Load and check templates of the bleached, aligned and misaligned contexts, from the catalog or a TOML file.

A table has `language`, and `bleached = "… WORD …"`, `aligned` or both; `aligned` is a list of `{ low, high, text }`
from the lowest to the highest rating. The text is for ratings in [low, high), and the last bin includes its end;
`closed = "high"` makes the bins (low, high], the first including its start.
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
"""The placeholder of the word."""
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
        for number, bin_ in enumerate(self.aligned, 1):
            if bin_.low >= bin_.high:
                raise ValueError(f"aligned {number} must have low < high")
        for number, (bin_, next_bin) in enumerate(pairwise(self.aligned), 1):
            if bin_.high != next_bin.low:
                raise ValueError(f"aligned {number} ends at {bin_.high:g} but the next begins at {next_bin.low:g}")
        return self


@dataclass(frozen=True)
class Templates(DataSet):
    """The texts of one language, blank if missing. `edges` has one more element than `aligned`."""

    bleached: str
    aligned: tuple[str, ...]
    edges: tuple[float, ...]
    closed: str = "low"

    @property
    def scale(self) -> tuple[float, float]:
        return self.edges[0], self.edges[-1]

    def has(self, context: str) -> bool:
        """Return whether the text that a context needs exists."""
        return context not in TEXT_OF or bool(getattr(self, TEXT_OF[context]))

    def check(self, context: str) -> None:
        """Raise unless the text that a context needs exists."""
        if not self.has(context):
            raise WordworthError(
                f"the templates {self.name!r} have no {TEXT_OF[context]} text, which the context {context} needs; "
                "add one, or choose something else with --context or --experiment"
            )

    def bin_of(self, rating: float) -> int:
        """Return the index in `aligned` of the template for a rating."""
        low, high = self.scale
        if not low <= rating <= high:
            raise WordworthError(
                f"templates {self.name!r} have no bin for the rating {rating:g}, only for {low:g} to {high:g}; "
                "map the ratings onto that scale first"
            )
        inner = self.edges[1:-1]
        return bisect_right(inner, rating) if self.closed == "low" else bisect_left(inner, rating)


def load_templates(name: str = "vast", language: str = "english") -> Templates:
    """Load templates by name (`vast`: the paper's; `vast-code`: those of the authors' code) or from a TOML file.

    For a language other than English the entry is `NAME-LANGUAGE`; in a file it is the table with that `language`,
    which a single English table may omit.
    """
    label, target = split_label(name)
    if Path(target).suffix == ".toml":
        templates = _of_own_file(located_data(name, "templates", language))
    else:
        known_entries = {entry.name: entry for entry in entries("templates") if "bleached" in entry.details}
        entry, full_name = known_entries.get(target), f"{target}-{language}"
        if entry is None or entry.language != language:
            entry = known_entries.get(full_name)
        if entry is None:
            hint = nearest(full_name, list(known_entries)) or "; give texts in a TOML file of your own with --templates"
            raise WordworthError(f"there are no templates {full_name!r}{hint}")
        templates = _check_templates(of_entry(entry), entry.details, f"the templates {entry.name!r}")
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


def _check_templates(origin: Origin, table: Mapping[str, Any], location: str) -> Templates:
    texts = check_table(_Texts, table, location)
    bins = texts.aligned
    return Templates(
        bleached=texts.bleached,
        aligned=tuple(bin_.text for bin_ in bins),
        edges=(bins[0].low, *(bin_.high for bin_ in bins)) if bins else (),
        closed=texts.closed,
        **origin.facts,
    )

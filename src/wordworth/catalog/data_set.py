"""What every data set says of itself, and a run records of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set of the catalog or a user's own; each kind adds its rows."""

    name: str
    """What tables call it."""
    language: str = field(default="english", kw_only=True)
    source: str = field(default="", kw_only=True)
    """Where it comes from; never with an address's query, where a token may stand."""
    sha256: str = field(default="", kw_only=True)
    licence: str = field(default="", kw_only=True)
    reference: str = field(default="", kw_only=True)
    columns: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """Which column of a user's own table each part was read from: word → `Lemma`, say."""

    @property
    def facts(self) -> dict[str, Any]:
        """These fields alone, to make another data set of."""
        return {one.name: getattr(self, one.name) for one in fields(DataSet)}

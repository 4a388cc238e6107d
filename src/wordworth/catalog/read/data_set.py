"""What every data set says of itself, and a run records of it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set of the catalog or a user's own; each kind adds its rows."""

    name: str
    language: str = field(default="english", kw_only=True)
    source: str = field(default="", kw_only=True)
    """Where it comes from."""
    sha256: str = field(default="", kw_only=True)
    licence: str = field(default="", kw_only=True)
    reference: str = field(default="", kw_only=True)

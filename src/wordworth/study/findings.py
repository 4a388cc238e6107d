"""What a study finds: scores (one row a number), items (what a number is made of), and what was left out."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

import polars as pl

from wordworth.embedding import Embedding

SCORES = {
    "study": pl.String,
    "experiment": pl.String,
    "model": pl.String,
    "language": pl.String,
    "dataset": pl.String,
    "setting": pl.String,
    "pooling": pl.String,
    "layer": pl.Int64,
    "pcs": pl.Int64,
    "measure": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "n": pl.Int64,
}
"""The columns of `scores.csv`, blank where they do not apply."""

ITEMS = {name: kind for name, kind in SCORES.items() if name not in ("measure", "low", "high", "n")} | {
    "item": pl.String,
    "found_as": pl.String,
    "group": pl.String,
    "reference": pl.Float64,
    "left_out": pl.String,
}
"""The columns of `items.parquet`: `reference` is the human's figure, `left_out` the reason an item was not used."""


class Described(Protocol):
    """Data that says where it came from: a lexicon, pairs, analogies."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def licence(self) -> str: ...
    @property
    def reference(self) -> str: ...


@dataclass
class Findings:
    """Grows while a study runs; a study function returns it."""

    study: str
    _scores: list[dict[str, Any]] = field(default_factory=list)
    _items: list[pl.DataFrame] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    data: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Those of the notes that a user should see at once: what was asked for and could not be had."""

    def score(self, **row: Any) -> None:
        """One number, by the names of its columns."""
        unknown = row.keys() - SCORES.keys()
        if unknown:
            raise TypeError(f"scores have no column {', '.join(sorted(unknown))}")
        self._scores.append({"study": self.study, **row})

    def item(self, **columns: Any) -> None:
        """Many items at once: a column is a list, or one value for all."""
        unknown = columns.keys() - ITEMS.keys()
        if unknown:
            raise TypeError(f"items have no column {', '.join(sorted(unknown))}")
        lists = {name: column for name, column in columns.items() if not isinstance(column, str | int | float)}
        frame = pl.DataFrame(lists, strict=False)
        given = {"study": self.study, **columns}
        frame = frame.select(
            (pl.col(name) if name in lists else pl.lit(given.get(name))).cast(kind).alias(name)
            for name, kind in ITEMS.items()
        )
        self._items.append(frame)
        reasons = frame.get_column("left_out").drop_nulls().value_counts()
        self.left_out.update(dict(reasons.iter_rows()))

    def note(self, sentence: str) -> None:
        """A sentence that a reader of the scores should know; said once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def warn(self, sentence: str) -> None:
        """A note that is also shown at once."""
        if sentence not in self.notes:
            self.warnings.append(sentence)
        self.note(sentence)

    def used_model(self, embedding: Embedding, language: str) -> None:
        """An embedding that went into the numbers."""
        told = embedding.provenance
        self.models[embedding.name] = {
            "name": embedding.name,
            "source": told.source,
            "sha256": told.sha256,
            "language": language,
            "words": len(embedding),
            "dimensions": embedding.dim,
            "steps": list(told.steps),
            "dropped": list(told.dropped),
        }

    def used_data(self, data: Described, rows: int) -> None:
        """A data set that went into the numbers."""
        keys = ("name", "source", "sha256", "licence", "reference")
        self.data[data.name] = {key: getattr(data, key) for key in keys} | {"rows": rows}

    @property
    def scores(self) -> pl.DataFrame:
        return pl.DataFrame(self._scores, schema=SCORES)

    @property
    def items(self) -> pl.DataFrame:
        return pl.concat(self._items) if self._items else pl.DataFrame(schema=ITEMS)

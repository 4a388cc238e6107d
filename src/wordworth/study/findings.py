"""What a study finds: scores (one row a number), items (what a number is made of), and what was left out."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import polars as pl

from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.run.schema import ITEMS, SCORES

_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")


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
        lists = {name: column for name, column in columns.items() if not isinstance(column, str | int | float | None)}
        frame = pl.DataFrame(lists, strict=False)
        given = {"study": self.study, **columns}
        frame = frame.select(
            (pl.col(name) if name in lists else pl.lit(given.get(name))).cast(kind).alias(name)
            for name, kind in ITEMS.items()
        )
        self._items.append(frame)
        reasons = frame.get_column("left_out").drop_nulls().value_counts()
        self.left_out.update(dict(reasons.iter_rows()))

    def left_out_by_kind(self) -> dict[str, int]:
        """Counts by reason, reasons that differ only in a word or a number taken together."""
        alike: dict[str, list[str]] = {}
        for reason in self.left_out:
            alike.setdefault(_PARTICULARS.sub("…", reason), []).append(reason)
        return {
            reasons[0] if len(reasons) == 1 else kind: sum(self.left_out[reason] for reason in reasons)
            for kind, reasons in alike.items()
        }

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

    def used_language_model(self, name: str, source: str, weights: str, facts: Mapping[str, object]) -> None:
        """A language model that went into the numbers; `weights` identifies them."""
        self.models[name] = {"name": name, "source": source, "weights": weights, **facts}

    def used_data(self, data: Described, rows: int) -> None:
        """A data set that went into the numbers."""
        keys = ("name", "source", "sha256", "licence", "reference")
        self._used(data.name, {key: getattr(data, key) for key in keys} | {"rows": rows})

    def used_words(self, name: str, sets: Mapping[str, Sequence[str]], reference: str = "") -> None:
        """Word sets that went into the numbers; their checksum is that of the words, as JSON in UTF-8."""
        text = json.dumps({label: list(words) for label, words in sets.items()}, ensure_ascii=False)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        rows = sum(len(words) for words in sets.values())
        told = {"name": name, "source": "", "sha256": sha256, "licence": "", "reference": reference, "rows": rows}
        self._used(f"words of {name}", told)  # a test and a lexicon may share a name: their measures differ

    def _used(self, key: str, told: dict[str, Any]) -> None:
        before = self.data.setdefault(key, told)
        if before["sha256"] != told["sha256"]:
            raise WordworthError(
                f"two different data sets are called {told['name']} ({before['source'] or 'words'} and "
                f"{told['source'] or 'words'}); rename one, so that scores can be told apart"
            )

    @property
    def scores(self) -> pl.DataFrame:
        return pl.DataFrame(self._scores, schema=SCORES)

    @property
    def items(self) -> pl.DataFrame:
        return pl.concat(self._items) if self._items else pl.DataFrame(schema=ITEMS)

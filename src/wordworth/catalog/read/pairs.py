"""Word pairs with human scores of similarity or relatedness."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.tables import Table, check_commas, column, number, read_rows, read_table, tidy
from wordworth.catalog.registry import entries
from wordworth.catalog.resolve import DataSet, Named, located_data
from wordworth.embedding.streams import quoted
from wordworth.errors import WordworthError


@dataclass(frozen=True, eq=False)
class Pairs(DataSet):
    """Pairs in the published order; a pair that stands twice stays twice."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: NDArray[np.float64]
    scale: tuple[float, float] | None = None
    left_out: tuple[str, ...] = ()
    """A user's first line that was taken as the header."""

    def __len__(self) -> int:
        return len(self.first)

    def merged(self, forms: Mapping[str, str]) -> "Pairs":
        """Return pairs in which those of the same forms are one, with their mean score, unless they are spelled alike.

        `forms` has the words that have a vector, as the vocabulary or the tokenizer has them.
        """
        rows: dict[tuple[str, str], list[int]] = {}
        for row, pair in enumerate(zip(self.first, self.second, strict=True)):
            rows.setdefault((forms.get(pair[0], pair[0]), forms.get(pair[1], pair[1])), []).append(row)
        groups = [
            group
            for same in rows.values()
            for group in (
                [same] if len({(self.first[row], self.second[row]) for row in same}) > 1 else [[row] for row in same]
            )
        ]
        if len(groups) == len(self):
            return self
        groups.sort()
        return replace(
            self,
            first=tuple(self.first[same[0]] for same in groups),
            second=tuple(self.second[same[0]] for same in groups),
            scores=np.array([self.scores[same].mean() for same in groups]),
        )


def load_pairs(name_or_path: Named, *, language: str = "english") -> Pairs:
    """Pairs of the catalog by their name, or a user's own file by its path.

    A user's file has a word, a word and a score on each line, parted by tabs, commas, semicolons or spaces. A first
    line without any number is its header, which may name the columns word1, word2 and score.
    """
    data = located_data(name_or_path, "pairs", language)
    if data.entry is None:
        rows = read_rows(data.where, "\t;,")
        header = rows[0].cells if rows and all(number(cell) is None for cell in rows[0].cells) else ()
        table = Table(data.where, header, rows[1:] if header else rows)
        first, second, scores = _columns(table, "word1", "word2", "score")
        left_out = (f"line 1 is taken as the header: {', '.join(header)}",) if header else ()
        return Pairs(first=first, second=second, scores=scores, left_out=left_out, **data.facts)
    details = data.entry.details
    options = {"header": details.get("header", False), "comments": details.get("comments", False)}
    table = read_table(data.where, delimiter="\t", quotes=False, **options)
    names = details.get("columns", {"first": 1, "second": 2, "score": 3})
    first, second, scores = _columns(table, names["first"], names["second"], names["score"])
    return Pairs(first=first, second=second, scores=scores, scale=data.entry.scale, **data.facts)


def usual_pairs(language: str) -> tuple[str, ...]:
    """The names of the pairs to take in a language beside English: Multi-SimLex, or else all that the catalog has."""
    every = [one.name for one in entries("pairs") if one.language == language]
    return (f"multisimlex-{language}",) if f"multisimlex-{language}" in every else tuple(every)


def _columns(
    table: Table, first: str | int, second: str | int, score: str | int
) -> tuple[tuple[str, ...], tuple[str, ...], NDArray[np.float64]]:
    columns: tuple[str | int, ...] = (first, second, score)
    if not all(name in table.header for name in columns):
        columns = (1, 2, 3)
    places = [column(table, name) for name in columns]
    firsts, seconds, scores, lines = [], [], [], []
    for row in table.rows:
        if len(row.cells) <= max(places):
            raise WordworthError(
                f"{table.path}, line {row.line}: {len(row.cells)} fields; each line has a word, a word and a score"
            )
        one, other, text = (row.cells[place] for place in places)
        value = number(text)
        if value is None:
            raise WordworthError(
                f"{table.path}, line {row.line}: the score {quoted(text)} is no number; correct the line"
            )
        if not one.strip() or not other.strip():
            raise WordworthError(f"{table.path}, line {row.line}: a word is blank; correct the line")
        firsts.append(tidy(one))
        seconds.append(tidy(other))
        scores.append(value)
        lines.append((row.line, text))
    check_commas(table.path, lines)
    if not scores:
        raise WordworthError(f"{table.path} has no pairs; it needs a word, a word and a score on each line")
    return tuple(firsts), tuple(seconds), np.array(scores, dtype=np.float64)

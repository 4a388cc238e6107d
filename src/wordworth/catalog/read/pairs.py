"""Word pairs with human scores of similarity or relatedness."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.entry import Entry
from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import Row, Table, column, number, read_table, read_text, tidy
from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError
from wordworth.files import sha256_of


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs in the published order; a pair that stands twice stays twice."""

    name: str
    language: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: NDArray[np.float64]
    scale: tuple[float, float] | None = None
    licence: str = ""
    reference: str = ""
    source: str = ""
    sha256: str = ""
    left_out: tuple[str, ...] = ()
    """A user's first line that was taken as the header."""

    def __len__(self) -> int:
        return len(self.first)


def load_pairs(name_or_path: str | Path, *, language: str = "english") -> Pairs:
    """Pairs of the catalog by their name, or a user's own file by its path.

    A user's file has a word, a word and a score on each line, parted by tabs, commas, semicolons or spaces. A first
    line without any number is its header, which may name the columns word1, word2 and score.
    """
    name = str(name_or_path)
    if isinstance(name_or_path, str) and knows(name, "pairs"):
        return _of_catalog(entry(name, "pairs"))
    path = Path(name_or_path).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(name, "pairs")
    table = _user_table(path)
    first, second, scores = _columns(table, "word1", "word2", "score")
    told = (f"line 1 is taken as the header: {', '.join(table.header)}",) if table.header else ()
    return Pairs(path.stem, language, first, second, scores, source=str(path), sha256=sha256_of(path), left_out=told)


def _of_catalog(found: Entry) -> Pairs:
    located = locate(found.name, found.sources)
    table = read_table(located.path, delimiter="\t", header=found.details.get("header", False), quotes=False)
    names = found.details.get("columns", {"first": 1, "second": 2, "score": 3})
    first, second, scores = _columns(table, names["first"], names["second"], names["score"])
    return Pairs(
        found.name,
        found.language,
        first,
        second,
        scores,
        scale=found.scale,
        licence=found.licence,
        reference=str(found.reference),
        source=located.source.place,
        sha256=located.sha256,
    )


def _user_table(path: Path) -> Table:
    text = read_text(path)
    lines = text.splitlines()
    if not any(line.strip() for line in lines):
        raise WordworthError(f"{path} is empty; it needs a word, a word and a score on each line")
    start = next(line for line in lines if line.strip())
    delimiter = next((mark for mark in "\t;," if mark in start), None)
    rows = []
    for at, line in enumerate(lines, start=1):
        cells = line.split(delimiter)
        if not line.strip():
            continue
        if len(cells) < 3:
            raise WordworthError(f"{path}, line {at}: {len(cells)} fields; each line has a word, a word and a score")
        rows.append(Row(at, tuple(cell.strip() for cell in cells)))
    header: tuple[str, ...] = ()
    if all(number(cell) is None for cell in rows[0].cells):
        header = rows.pop(0).cells
    return Table(path, header, tuple(rows))


def _columns(
    table: Table, first: str | int, second: str | int, score: str | int
) -> tuple[tuple[str, ...], tuple[str, ...], NDArray[np.float64]]:
    asked: tuple[str | int, ...] = (first, second, score)
    if not all(name in table.header for name in asked):
        asked = (1, 2, 3)
    places = [column(table, one) for one in asked]
    firsts, seconds, scores = [], [], []
    for row in table.rows:
        if len(row.cells) <= max(places):
            raise WordworthError(
                f"{table.path}, line {row.line}: {len(row.cells)} fields; each line has a word, a word and a score"
            )
        one, other, given = (row.cells[place] for place in places)
        value = number(given)
        if value is None:
            raise WordworthError(f"{table.path}, line {row.line}: the score {given!r} is no number; correct the line")
        if not one.strip() or not other.strip():
            raise WordworthError(f"{table.path}, line {row.line}: a word is blank; correct the line")
        firsts.append(tidy(one))
        seconds.append(tidy(other))
        scores.append(value)
    if not scores:
        raise WordworthError(
            f"{table.path} has a header and no pairs; it needs a word, a word and a score on each line"
        )
    return tuple(firsts), tuple(seconds), np.array(scores, dtype=np.float64)

"""Rated words in files that are no tables: the layouts of two packages, read as tables of word and rating."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from wordworth.catalog.read.tables import Row, Table, read_text
from wordworth.errors import WordworthError

_WORD = re.compile(r" {4}(\S.*):$")
_RATING = re.compile(r" {8}(\w+): (\S+)$")
_LITERAL = re.compile(r"<WORD><NAME>(.*)</NAME><PSCORE>(.*)</PSCORE><NSCORE>(.*)</NSCORE></WORD>")


def read_rated(path: Path, layout: str) -> Table:
    """The words of a file in a layout, with the line that each ends on."""
    header, rows_of = LAYOUTS[layout]
    rows = tuple(rows_of(read_text(path).splitlines()))
    if not rows:
        raise WordworthError(f"{path} has no words as a file of {layout} has them; fetch it again")
    return Table(path, header, rows)


def _of_cntext(lines: list[str]) -> Iterator[Row]:
    """YAML below `Dictionary:`, a word with its valence and arousal."""
    word = ""
    ratings: dict[str, str] = {}
    for at, line in enumerate(lines, start=1):
        if found := _WORD.match(line):
            word, ratings = found[1].strip("'\""), {}
        elif word and (found := _RATING.match(line)):
            ratings[found[1]] = found[2]
            if len(ratings) == 2:
                yield Row(at, (word, ratings.get("valence", ""), ratings.get("arousal", "")))
                word = ""


def _of_sentinet(lines: list[str]) -> Iterator[Row]:
    """A word a line with a positive and a negative score; words without either are neutral, and are not taken."""
    for at, line in enumerate(lines, start=1):
        if found := _LITERAL.match(line.strip()):
            try:
                worth = float(found[2]) - float(found[3])
            except ValueError as error:
                raise WordworthError(f"line {at}: the scores of {found[1][:60]!r} are no numbers") from error
            if worth:
                yield Row(at, (found[1], str(worth)))


LAYOUTS: Mapping[str, tuple[tuple[str, ...], Callable[[list[str]], Iterator[Row]]]] = {
    "cntext": (("word", "valence", "arousal"), _of_cntext),
    "sentinet": (("word", "valence"), _of_sentinet),
}

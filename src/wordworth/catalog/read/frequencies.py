"""Word frequencies: a list of the catalog, or a user's file with a word and its count on each line."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgpack

from wordworth.catalog.read.tables import check_commas, number, read_rows
from wordworth.catalog.registry import knows
from wordworth.catalog.resolve import DataSet, NameLike, located_data, split_label
from wordworth.errors import WordworthError

PER = 100_000_000
"""Lists of relative frequencies are taken as counts in a text of so many words: about what WikiText-103 has, so that
the paper's bands mean the same."""
_LOOKED_AT = 20


@dataclass(frozen=True, eq=False)
class Frequencies(DataSet):
    """Word → how often it occurs."""

    counts: Mapping[str, float]
    unit: str
    """What a count is: “occurrences”, or “per 100 million words”."""

    def __len__(self) -> int:
        return len(self.counts)


def kind_of_counts(named: str | Path) -> str:
    """Return `frequencies` for a list of the catalog or a file of counts, and `corpora` for a text to be counted."""
    target = split_label(named)[1]
    is_list = isinstance(named, str) and knows(target, "frequencies")
    return "frequencies" if is_list or is_frequency_file(Path(target).expanduser()) else "corpora"


def load_frequencies(name_or_path: NameLike, *, language: str = "english") -> Frequencies:
    """A list of the catalog by its name, or a user's file: a word, a tab or spaces, and its count, a line each."""
    data = located_data(name_or_path, "frequencies", language)
    if data.entry is not None:
        return Frequencies(counts=_centibels(data.where), unit="per 100 million words", **data.facts)
    return Frequencies(counts=_counts(data.where), unit="occurrences", **data.facts)


def _counts(path: Path) -> dict[str, float]:
    counts: dict[str, float] = {}
    rows = read_rows(path, "\t")
    check_commas(path, ((row.line, row.cells[-1]) for row in rows))
    for row in rows:
        value = number(row.cells[1]) if len(row.cells) == 2 else None
        if value is None or value < 0:
            raise WordworthError(
                f"{path}, line {row.line}: {' '.join(row.cells)[:60]!r} is not a word and its count; correct the line"
            )
        counts[row.cells[0]] = counts.get(row.cells[0], 0.0) + value
    if not counts:
        raise WordworthError(f"{path} has no words; write a word and its count on each line")
    return counts


def is_frequency_file(path: Path) -> bool:
    """Return whether the first lines of a file are all a word and a number, so that it is no running text."""
    if not path.is_file() or path.suffix in (".gz", ".bz2", ".xz", ".parquet"):
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        lines = [line.strip() for line in islice(stream, _LOOKED_AT) if line.strip()]
    cells = [line.split("\t") if "\t" in line else line.split() for line in lines]
    return bool(cells) and all(len(one) == 2 and number(one[1]) is not None for one in cells)


def _centibels(path: Path) -> dict[str, float]:
    """Read wordfreq's list: MessagePack of a header and of bins; the words of bin i have frequency 10^(−i / 100)."""
    with gzip.open(path) as stream:
        _, *bins = msgpack.unpackb(stream.read())
    return {word: PER * 10 ** (-at / 100) for at, words in enumerate(bins) for word in words}

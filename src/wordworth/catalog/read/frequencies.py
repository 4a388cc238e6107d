"""Load word frequencies: a list of the catalog, or a user's file with a word and its count on each line."""

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
"""Relative frequencies become counts in a text of this many words, about the size of WikiText-103, so that the paper's
bands apply."""
_LOOKED_AT = 20


@dataclass(frozen=True, eq=False)
class Frequencies(DataSet):
    """The frequency of each word."""

    counts: Mapping[str, float]
    unit: str
    """The unit of a count: “occurrences”, or “per 100 million words”."""

    def __len__(self) -> int:
        return len(self.counts)


def kind_of_counts(name_or_path: str | Path) -> str:
    """Return `frequencies` for a list of the catalog or a file of counts, and `corpora` for a text to count."""
    target = split_label(name_or_path)[1]
    is_list = isinstance(name_or_path, str) and knows(target, "frequencies")
    return "frequencies" if is_list or is_frequency_file(Path(target).expanduser()) else "corpora"


def load_frequencies(name_or_path: NameLike, *, language: str = "english") -> Frequencies:
    """Load a list of the catalog by its name, or a user's file with a word, a tab or spaces, and its count per line."""
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
    """Return whether the first lines of a file are all a word and a number, so that it is not running text."""
    if not path.is_file() or path.suffix in (".gz", ".bz2", ".xz", ".parquet"):
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        lines = [line.strip() for line in islice(stream, _LOOKED_AT) if line.strip()]
    cells = [line.split("\t") if "\t" in line else line.split() for line in lines]
    return bool(cells) and all(len(pair) == 2 and number(pair[1]) is not None for pair in cells)


def _centibels(path: Path) -> dict[str, float]:
    """Read wordfreq's list: MessagePack of a header and of bins; the words of bin i have frequency 10^(−i / 100)."""
    with gzip.open(path) as stream:
        _, *bins = msgpack.unpackb(stream.read())
    return {word: PER * 10 ** (-number / 100) for number, words in enumerate(bins) for word in words}

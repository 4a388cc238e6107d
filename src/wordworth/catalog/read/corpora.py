"""Running text, a line at a time: a corpus of the catalog, or a user's own text; streamed, and read again at will."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.read import layouts
from wordworth.catalog.read.layouts import Report, is_heading, joined_in, numbered_lines, refuse, wikitext_line
from wordworth.catalog.read.wikipedia import extracted, wikipedia_lines
from wordworth.catalog.resolve import DataSet, located_data, target_of
from wordworth.errors import WordworthError

_PACKED = (".gz", ".bz2", ".xz")
_LAYOUT_OF = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".tokens": "wikitext"}
_TITLE = re.compile(r"= [^=].* =$")
HEADINGS, JOINED = "headings", "joined"
"""What is counted of WikiText: lines that are left out, and marks as `@-@` that are joined to the words around them."""


@dataclass(frozen=True)
class Corpus(DataSet):
    """Lines of text; going through it opens the files anew."""

    paths: tuple[Path, ...]
    layout: str
    column: int = 1
    """Of a table, the column with the text, counted from 1."""
    field: str = ""
    """Of jsonl and parquet, the field with the text; blank is `text`."""
    count: int = 0
    """How much there is, in the catalog's unit (lines, pages, sentences); 0 for a user's own text."""

    def __iter__(self) -> Iterator[str]:
        """All lines; a broken one is an error."""
        return self.lines(refuse)

    def lines(self, report: Report) -> Iterator[str]:
        """All lines that can be read; `report` is given a sentence, with its place, for each that cannot."""
        for path in self.paths:
            yield from self.lines_of(path, report)

    def lines_of(self, path: Path, report: Report) -> Iterator[str]:
        """The lines of one of its files."""
        match self.layout:
            case "wikitext":
                return layouts.wikitext_lines(path, report)
            case "tsv":
                return layouts.tsv_lines(path, report, self.column)
            case "nltk-tagged-zip" | "treebank-zip":
                return layouts.tagged_lines(path, report)
            case "mediawiki-xml":
                return wikipedia_lines(path, report, self.sha256)
            case "jsonl":
                return layouts.jsonl_lines(path, report, self.field)
            case "parquet":
                return layouts.parquet_lines(path, report, self.field)
            case _:
                return layouts.text_lines(path, report)


def load_corpus(name_or_path: str | Path, *, language: str = "english") -> Corpus:
    """A corpus of the catalog by its name, or a user's own file, or one of a data set on the hub.

    A file is plain text (one sentence or paragraph a line), `.jsonl`, WikiText's `.tokens`, a MediaWiki dump (`.xml`),
    each also packed as .gz, .bz2 or .xz; or `.parquet`. `PATH#FIELD` names the field of jsonl and parquet, and
    `hf://datasets/owner/name/path[@revision]` a file on the hub.
    """
    named, field = _split_field(name_or_path)
    data = located_data(named, "corpora", language)
    path = data.where
    if data.entry is not None:
        details, origin = data.entry.details, data.origin
        paths = tuple(path / pin.name for pin in origin.content) if origin and origin.folder else (path,)
        layout, column = details["layout"], details.get("column", 1)
        return Corpus(paths=paths, layout=layout, column=column, count=data.entry.count, **data.facts)
    if not path.is_file():
        raise WordworthError(f"{path} is not a text file; give the path of one, or a name from `wordworth ls corpora`")
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED]
    layout = "mediawiki-xml" if ".xml" in suffixes else _LAYOUT_OF.get(suffixes[-1] if suffixes else "", "lines")
    return Corpus(paths=(path,), layout=layout, field=field, **data.facts)


def _split_field(named: str | Path) -> tuple[str | Path, str]:
    """`PATH#FIELD` taken apart; behind an address stands its checksum, and a file's own name may hold #."""
    target = target_of(named)
    if isinstance(named, Path) or target.startswith("https://") or Path(target).expanduser().exists():
        return named, ""
    whole, _, field = named.partition("#")
    return whole, field


def documents(corpus: Corpus, report: Report, tally: Counter[str] | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a corpus as `corpus.lines` gives them, each with the number of its document, from 0.

    In WikiText a title begins a document, in a MediaWiki dump a page, in plain text the line behind a blank one. In
    tables and records every line is a document of its own.
    """
    number = -1
    for path in corpus.paths:
        number += 1
        match corpus.layout:
            case "wikitext":
                parts = _wikitext(path, report, Counter() if tally is None else tally)
            case "mediawiki-xml":
                parts = _parted(extracted(path, report, corpus.sha256), report)
            case "lines":
                parts = _parted(path, report)
            case _:
                parts = ((True, line) for line in corpus.lines_of(path, report))
        first = True
        for begins, line in parts:
            number += begins and not first
            first = False
            yield number, line


def _parted(path: Path, report: Report) -> Iterator[tuple[bool, str]]:
    begins = True
    for _, raw in numbered_lines(path, report):
        line = raw.strip()
        if line:
            yield begins, line
        begins = not line


def _wikitext(path: Path, report: Report, tally: Counter[str]) -> Iterator[tuple[bool, str]]:
    """A title stands behind a blank line; a formula in running text may look like one, and does not."""
    begins, blank = True, True
    for _, raw in numbered_lines(path, report):
        line = raw.strip()
        if not line:
            blank = True
            continue
        begins = begins or (blank and _TITLE.match(line) is not None)
        blank = False
        if is_heading(line):
            tally[HEADINGS] += 1
            continue
        tally[JOINED] += joined_in(line)
        yield begins, wikitext_line(line)
        begins = False

"""Running text, a line at a time: a corpus of the catalog, or a user's own text; streamed, and read again at will."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.read import layouts
from wordworth.catalog.read.layouts import Part, Report, refuse
from wordworth.catalog.resolve import DataSet, Named, located_data
from wordworth.errors import WordworthError

_PACKED = (".gz", ".bz2", ".xz")
_LAYOUT_OF = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".tokens": "wikitext"}


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
            yield from (line for _, line in self.parts(path, report, Counter()))

    def parts(self, path: Path, report: Report, tally: Counter[str]) -> Iterator[Part]:
        """Yield the lines of one of its files, each with whether it begins a document."""
        match self.layout:
            case "wikitext":
                return layouts.wikitext_parts(path, report, tally)
            case "mediawiki-xml":
                return layouts.text_parts(layouts.extracted(path, report, self.sha256), report)
            case "tsv":
                lines = layouts.tsv_lines(path, report, self.column)
            case "nltk-tagged-zip" | "treebank-zip":
                lines = (" ".join(word for word, _ in sentence) for sentence in layouts.tagged_sentences(path))
            case "jsonl":
                lines = layouts.jsonl_lines(path, report, self.field)
            case "parquet":
                lines = layouts.parquet_lines(path, self.field)
            case _:
                return layouts.text_parts(path, report)
        return ((True, line) for line in lines)


def load_corpus(name_or_path: Named, *, language: str = "english") -> Corpus:
    """A corpus of the catalog by its name, or a user's own file, or one of a data set on the hub.

    A file is plain text (one sentence or paragraph a line), `.jsonl`, WikiText's `.tokens`, a MediaWiki dump (`.xml`),
    each also packed as .gz, .bz2 or .xz; or `.parquet`. `PATH#FIELD` names the field of jsonl and parquet, and
    `hf://datasets/owner/name/path[@revision]` a file on the hub.
    """
    data = located_data(name_or_path, "corpora", language)
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
    return Corpus(paths=(path,), layout=layout, field=data.text_field, **data.facts)


def documents(corpus: Corpus, report: Report, tally: Counter[str] | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a corpus as `corpus.lines` gives them, each with the number of its document, from 0.

    In WikiText a title begins a document, in a MediaWiki dump a page, in plain text the line behind a blank one. In
    tables and records every line is a document of its own.
    """
    number = -1
    for path in corpus.paths:
        number += 1
        first = True
        for begins, line in corpus.parts(path, report, Counter() if tally is None else tally):
            number += begins and not first
            first = False
            yield number, line

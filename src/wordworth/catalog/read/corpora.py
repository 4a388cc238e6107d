"""Running text, a line at a time: a corpus of the catalog, or a user's own text. Streamed, and read again at will."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.embeddings import from_hub
from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read import layouts
from wordworth.catalog.read.layouts import Report, refuse
from wordworth.catalog.read.wikipedia import wikipedia_lines
from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError
from wordworth.files import sha256_of

_PACKED = (".gz", ".bz2", ".xz")
_LAYOUT_OF = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".tokens": "wikitext"}


@dataclass(frozen=True)
class Corpus:
    """Lines of text; going through it opens the files anew."""

    name: str
    language: str
    paths: tuple[Path, ...]
    layout: str
    column: int = 1
    """Of a table, the column with the text, counted from 1."""
    count: int = 0
    """How much there is, in the catalog's unit (lines, pages, sentences); 0 for a user's own text."""
    source: str = ""
    sha256: str = ""
    licence: str = ""
    reference: str = ""
    field: str = ""
    """Of jsonl and parquet, the field with the text; blank is `text`."""

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
            case "nltk-tagged-zip":
                return layouts.tagged_lines(path, report)
            case "mediawiki-xml":
                return wikipedia_lines(path, report, self.sha256)
            case "jsonl":
                return layouts.jsonl_lines(path, report, self.field)
            case "parquet":
                return layouts.parquet_lines(path, report, self.field)
        return layouts.text_lines(path, report)


def load_corpus(name_or_path: str | Path, *, language: str = "english") -> Corpus:
    """A corpus of the catalog by its name, or a user's own file, or one of a data set on the hub.

    A file is plain text (one sentence or paragraph a line), `.jsonl`, WikiText's `.tokens`, a MediaWiki dump (`.xml`),
    each also packed as .gz, .bz2 or .xz; or `.parquet`. `PATH#FIELD` names the field of jsonl and parquet, and
    `hf://datasets/owner/name/path[@revision]` a file on the hub.
    """
    name = str(name_or_path)
    if isinstance(name_or_path, str) and knows(name, "corpora"):
        found = entry(name, "corpora")
        located = locate(name, found.sources)
        paths = [located.path]
        if located.source.folder:
            paths = [located.path / pin.name for pin in located.source.content]
        return Corpus(
            name,
            found.language,
            tuple(paths),
            found.details["layout"],
            found.details.get("column", 1),
            found.count,
            located.source.place,
            located.sha256,
            found.licence,
            str(found.reference),
        )
    target, field = name, ""
    if not Path(name).expanduser().exists():
        target, _, field = name.partition("#")
    path = from_hub(target) if target.startswith("hf://") else Path(target).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(name, "corpora")  # it reads like a name: the error gives the nearest ones
    if not path.is_file():
        raise WordworthError(f"there is no text file {path}; give a path, or a name from `wordworth ls corpora`")
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED]
    layout = "mediawiki-xml" if ".xml" in suffixes else _LAYOUT_OF.get(suffixes[-1] if suffixes else "", "lines")
    return Corpus(path.name, language, (path,), layout, source=target, sha256=sha256_of(path), field=field)

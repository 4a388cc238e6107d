"""Running text, a line at a time: a corpus of the catalog, or a user's own text. Streamed, and read again at will."""

import bz2
import gzip
import lzma
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from xml.etree import ElementTree

from wordworth.catalog.registry import entry, knows
from wordworth.catalog.sources import locate
from wordworth.errors import WordworthError
from wordworth.files import sha256_of

_HEADING = re.compile(r"= .* =$")
_NO_TEXT = re.compile(r"(?i)(file|image|category)\s*:")
_JOINED = re.compile(r" @([-,.])@ ")


@dataclass(frozen=True)
class Corpus:
    """Lines of text; going through it opens the files anew."""

    name: str
    language: str
    paths: tuple[Path, ...]
    layout: str
    column: int = 1
    """Of a table, the column with the text, counted from 1."""
    source: str = ""
    sha256: str = ""
    licence: str = ""
    reference: str = ""

    def __iter__(self) -> Iterator[str]:
        for path in self.paths:
            yield from _LAYOUTS[self.layout](self, path)


def load_corpus(name_or_path: str | Path, *, language: str = "english") -> Corpus:
    """A corpus of the catalog by its name, or a text file (plain, .gz, .bz2, .xz; one sentence or paragraph a line)."""
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
            located.source.place,
            located.sha256,
            found.licence,
            str(found.reference),
        )
    path = Path(name_or_path).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(name, "corpora")  # it reads like a name: the error gives the nearest ones
    if not path.is_file():
        raise WordworthError(f"there is no text file {path}; give a path, or a name from `wordworth ls corpora`")
    layout = "mediawiki-xml" if ".xml" in path.suffixes else "lines"
    return Corpus(path.name, language, (path,), layout, source=str(path), sha256=sha256_of(path))


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path))
    if path.suffix == ".bz2":
        return cast(IO[bytes], bz2.open(path))
    return cast(IO[bytes], lzma.open(path)) if path.suffix == ".xz" else path.open("rb")


def _text_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """Lines that are not blank, less the space around them."""
    with _opened(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise WordworthError(f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file") from error
            if line:
                yield line


def _wikitext_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """WikiText's paragraphs without its headings, with `@-@`, `@,@` and `@.@` joined again."""
    for line in _text_lines(corpus, path):
        if not _HEADING.match(line):
            yield _JOINED.sub(r"\1", line)


def _tsv_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    for line in _text_lines(corpus, path):
        cells = line.split("\t")
        if len(cells) < corpus.column:
            continue
        text = cells[corpus.column - 1].strip()
        if text[:1] == text[-1:] == '"':
            text = text[1:-1].replace('""', '"')
        if text:
            yield text


def _tagged_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """Sentences of `word/tag` tokens in a zip of texts, less the tags."""
    with zipfile.ZipFile(path) as archive:
        for member in sorted(archive.namelist()):
            # NLTK's Brown: the texts are c + genre + number (ca01); beside them lie a readme and lists.
            if re.fullmatch(r"c[a-r]\d\d", member.rsplit("/", 1)[-1]):
                for raw in archive.read(member).decode("latin-1").splitlines():
                    words = [token.rsplit("/", 1)[0] for token in raw.split()]
                    if words:
                        yield " ".join(words)


def _wikipedia_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """Paragraphs of the articles of a MediaWiki dump, less the markup. A page that is no article is passed over."""
    import mwparserfromhell

    with _opened(path) as stream:
        try:
            for _, node in ElementTree.iterparse(stream):
                if not node.tag.endswith("}page"):
                    continue
                fields = {child.tag.rsplit("}", 1)[-1]: child for child in node.iter()}
                text = fields["text"].text or ""
                if fields["ns"].text == "0" and "redirect" not in fields and text:
                    yield from _paragraphs(mwparserfromhell.parse(text))
                node.clear()
        except (ElementTree.ParseError, EOFError, OSError) as error:
            raise WordworthError(f"{path} is not a whole MediaWiki dump ({error}); fetch it again") from error


def _paragraphs(code: Any) -> Iterator[str]:
    """Running text only: headings, tables, notes and list items are no sentences."""
    for line in "".join(_shown(code)).splitlines():
        paragraph = line.strip()
        if len(paragraph) > 40 and not paragraph.startswith(("*", "#", "|", ":", ";", "ISBN")):
            yield paragraph


def _shown(code: Any) -> Iterator[str]:
    """What a reader sees of a page's running text, node by node."""
    from mwparserfromhell import nodes

    for node in code.nodes:
        match node:
            case nodes.Text():
                yield str(node.value)
            case nodes.Wikilink() if not _NO_TEXT.match(str(node.title)):
                yield from _shown(node.text or node.title)
            case nodes.ExternalLink() if node.title:
                yield from _shown(node.title)
            case nodes.HTMLEntity():
                yield str(node.normalize())
            case nodes.Tag() if str(node.tag) in ("b", "i", "span", "small", "big", "em", "strong", "p"):
                yield from _shown(node.contents)


_LAYOUTS: dict[str, Callable[[Corpus, Path], Iterator[str]]] = {
    "lines": _text_lines,
    "wikitext": _wikitext_lines,
    "tsv": _tsv_lines,
    "nltk-tagged-zip": _tagged_lines,
    "mediawiki-xml": _wikipedia_lines,
}

"""Running text, a line at a time: a corpus of the catalog, or a user's own text. Streamed, and read again at will."""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from xml.etree import ElementTree

from wordworth.catalog.registry import entry, knows
from wordworth.catalog.sources import locate
from wordworth.catalog.tagged import tagged_sentences
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, locked, replacing, sha256_of
from wordworth.progress import progress

EXTRACTION = 2  # raised whenever text is taken out of a dump differently
_HEADING = re.compile(r"= .* =$")
_NO_TEXT = re.compile(r"(?i)(file|image|category)\s*:")
_JOINED = re.compile(r" @([-,.])@ ")
_INLINE = ("b", "i", "u", "span", "small", "big", "em", "strong", "p", "sub", "sup")
# What cut or damaged gz, bz2 and xz files raise.
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)


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
            found.count,
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
    yield from filter(None, map(str.strip, _raw_lines(path)))


def _raw_lines(path: Path) -> Iterator[str]:
    with _opened(path) as stream:
        try:
            for number, raw in enumerate(stream, start=1):
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise WordworthError(f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file") from error
        except DAMAGE as error:
            raise WordworthError(f"{path} is cut short or damaged ({error}); fetch or copy it again") from error


def _wikitext_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """WikiText's paragraphs without its headings, with `@-@`, `@,@` and `@.@` joined again."""
    for line in _text_lines(corpus, path):
        if not _HEADING.match(line):
            yield _JOINED.sub(r"\1", line)


def _tsv_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """One column of a table; a blank line, or one whose text is blank, is passed over."""
    for number, line in enumerate(_raw_lines(path), start=1):
        cells = line.rstrip("\r\n").split("\t")
        if line.strip() and len(cells) < corpus.column:
            raise WordworthError(f"{path}, line {number}: {len(cells)} columns, and the text is column {corpus.column}")
        text = cells[corpus.column - 1].strip() if line.strip() else ""
        if len(text) > 1 and text[0] == text[-1] == '"':
            text = text[1:-1].replace('""', '"')
        if text:
            yield text


def _tagged_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """Sentences of a tagged corpus, less the tags."""
    for sentence in tagged_sentences(path):
        yield " ".join(word for word, _ in sentence)


def _wikipedia_lines(corpus: Corpus, path: Path) -> Iterator[str]:
    """Paragraphs of the articles of a MediaWiki dump, less the markup; taken out once and kept in the cache."""
    text = cache_dir() / "corpora" / f"{corpus.sha256}-{EXTRACTION}.txt"
    with locked(text):
        if not text.exists():
            with replacing(text) as part, part.open("w", encoding="utf-8") as out:
                out.writelines(f"{paragraph}\n" for paragraph in _articles(path))
    yield from _text_lines(corpus, text)


def _articles(path: Path) -> Iterator[str]:
    """The paragraphs of every page that is an article and no redirect."""
    import mwparserfromhell

    with _opened(path) as stream, progress(f"taking the text out of {path.name}", None) as advance:
        try:
            events = ElementTree.iterparse(stream, events=("start", "end"))
            root = next(events)[1]
            if _tag(root) != "mediawiki":
                raise WordworthError(
                    f"{path} is no MediaWiki dump: it begins with <{_tag(root)}>; give it as plain text"
                )
            for event, node in events:
                if event == "start" or _tag(node) != "page":
                    continue
                fields = {_tag(child): child.text or "" for child in node.iter()}
                if fields.get("ns", "0") == "0" and "redirect" not in fields and fields.get("text"):
                    yield from _paragraphs(mwparserfromhell.parse(fields["text"]))
                root.clear()  # the pages that were read hang on it
                advance(1)
        except (ElementTree.ParseError, *DAMAGE) as error:
            raise WordworthError(f"{path} is not a whole MediaWiki dump ({error}); fetch it again") from error


def _tag(node: ElementTree.Element) -> str:
    """An element's name less its namespace, which differs with the dump's version."""
    return node.tag.rsplit("}", 1)[-1]


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
            case nodes.Tag() if node.wiki_markup in ("*", "#", ":", ";"):
                yield str(node.wiki_markup)  # tells a list item from a paragraph
            case nodes.Tag() if str(node.tag).lower() == "br":
                yield " "
            case nodes.Tag() if str(node.tag).lower() in _INLINE and node.contents:
                yield from _shown(node.contents)


_LAYOUTS: dict[str, Callable[[Corpus, Path], Iterator[str]]] = {
    "lines": _text_lines,
    "wikitext": _wikitext_lines,
    "tsv": _tsv_lines,
    "nltk-tagged-zip": _tagged_lines,
    "mediawiki-xml": _wikipedia_lines,
}

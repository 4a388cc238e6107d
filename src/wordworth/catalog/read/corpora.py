"""Stream running text line by line: a corpus of the catalog, or a user's own text.

Unreadable lines are passed to `report` as a sentence with their location; unless it raises, reading continues.
"""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl

from wordworth.catalog.read.tables import parse_json
from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.engine.cache import entry
from wordworth.errors import LibraryErrors, WordworthError, format_names, reason_of, require
from wordworth.files import DAMAGE, decompress
from wordworth.progress import progress

TaggedWords = list[tuple[str, str]]
_BROWN = re.compile(r"(?:.*/)?c[a-r]\d\d")
_TREEBANK = re.compile(r"(?:.*/)?wsj_\d+\.mrg")
_TREE = re.compile(r"^(?=\()", re.MULTILINE)
"""The beginning of a tree: its other lines are indented."""
_LEAF = re.compile(r"\(([^\s()]+)\s+([^\s()]+)\)")
_TRACE = "-NONE-"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
Report = Callable[[str], None]
TEXT_FIELD = "text"
"""The default field or column of a user's own jsonl or parquet."""
PARQUET_BLOCK_ROWS = 1 << 16
_HEADING = re.compile(r"= .* =$")
_TITLE = re.compile(r"= [^=].* =$")
_SPLIT_MARK = re.compile(r" @([-,.])@ ")
HEADINGS, JOINED = "headings", "joined"
"""Counts in WikiText: skipped lines, and marks such as `@-@` that are joined to the words around them."""
EXTRACTION = 5  # raise this when the extraction of text changes
_NO_TEXT = re.compile(r"(?i)(file|image|category)\s*:")
_INLINE = ("b", "i", "u", "span", "small", "big", "em", "strong", "p", "sub", "sup")
TextPart = tuple[bool, str]
"""Whether a line begins a document, and the line."""


def tagged_sentences(path: Path) -> Iterator[TaggedWords]:
    """Yield (word, tag) lists from a zip of the catalog, from the members whose names are those of texts."""
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if _BROWN.fullmatch(name):
                yield from filter(None, map(_tokens, archive.read(name).decode("latin-1").splitlines()))
            elif _TREEBANK.fullmatch(name):
                yield from _treebank(archive.read(name).decode("latin-1"))


def _tokens(line: str) -> TaggedWords:
    """Return the `word/tag` tokens of a line; a slash inside the word stays."""
    tokens = [token.rpartition("/") for token in line.split()]
    return [_token(word, tag) for word, slash, tag in tokens if slash and word]


def _token(word: str, tag: str) -> tuple[str, str]:
    """Restore brackets, quotation marks and slashes, and take the first tag of `NN|JJ`."""
    return _BRACKETS.get(word, word).replace("\\/", "/"), tag.split("|")[0]


def _treebank(text: str) -> Iterator[TaggedWords]:
    """Yield the sentences of a file of trees; the tagged files of the Treebank do not mark the ends of sentences."""
    for tree in _TREE.split(text):
        sentence = [_token(word, tag) for tag, word in _LEAF.findall(tree) if tag != _TRACE]
        if sentence:
            yield sentence


def refuse(sentence: str) -> None:
    """Raise the report: the caller needs the whole file."""
    raise WordworthError(sentence)


def numbered_lines(path: Path, report: Report) -> Iterator[tuple[int, str]]:
    """Yield every UTF-8 line with its number, from 1."""
    with decompress(path) as stream:
        try:
            for number, raw in enumerate(stream, start=1):
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    report(f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file")
                else:
                    yield number, line
        except DAMAGE as error:
            report(f"{path} is cut short or damaged ({error}); fetch or copy it again")


def text_parts(path: Path, report: Report) -> Iterator[TextPart]:
    """Yield stripped lines that are not blank; the line after a blank one begins a document."""
    begins_document = True
    for _, raw in numbered_lines(path, report):
        line = raw.strip()
        if line:
            yield begins_document, line
        begins_document = not line


def wikitext_parts(path: Path, report: Report, tally: Counter[str]) -> Iterator[TextPart]:
    """Yield WikiText's paragraphs without headings, with `@-@`, `@,@` and `@.@` joined; count both.

    A title after a blank line begins a document; elsewhere, a formula may look like a title.
    """
    begins_document, is_blank = True, True
    for _, raw in numbered_lines(path, report):
        line = raw.strip()
        begins_document = begins_document or (is_blank and _TITLE.match(line) is not None)
        is_blank = not line
        if _HEADING.match(line):
            tally[HEADINGS] += 1
        elif line:
            text, mark_count = _SPLIT_MARK.subn(r"\1", line)
            tally[JOINED] += mark_count
            yield begins_document, text
            begins_document = False


def tsv_rows(path: Path, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank as cells, with their numbers.

    The quotation marks around a cell are removed if those inside are doubled: some published files quote cells, and
    some have quotations in plain text.
    """
    for number, line in numbered_lines(path, report):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        for position, cell in enumerate(cells):
            if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in (content := cell[1:-1]).replace('""', ""):
                cells[position] = content.replace('""', '"')
        yield number, cells


def tsv_lines(path: Path, report: Report, column: int) -> Iterator[str]:
    """Yield one column (from 1) of a table, without blank texts."""
    for number, cells in tsv_rows(path, report):
        if len(cells) < column:
            report(f"{path}, line {number}: {len(cells)} columns, but the text is column {column}; correct the line")
        elif cells[column - 1]:
            yield cells[column - 1]


def json_records(path: Path, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their line numbers."""
    for number, line in numbered_lines(path, report):
        if not line.strip():
            continue
        try:
            record = parse_json(line, f"{path}, line {number}", "correct the line")
        except WordworthError as error:
            report(str(error))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            report(f"{path}, line {number}: not a JSON object; write one on each line")


def jsonl_lines(path: Path, report: Report, field: str) -> Iterator[str]:
    """Yield one field of the objects of a JSON Lines file, split at line breaks."""
    name = field or TEXT_FIELD
    for number, record in json_records(path, report):
        text = record.get(name)
        if not isinstance(text, str):
            fields = format_names(sorted(record)) or "none"
            report(f"{path}, line {number}: no text in the field {name!r} (fields: {fields}); name one as PATH#FIELD")
            continue
        try:
            text.encode()
        except UnicodeEncodeError as error:
            report(f"{path}, line {number}: its text is not Unicode ({error.reason}); correct the line")
            continue
        yield from filter(None, map(str.strip, text.splitlines()))


def parquet_lines(path: Path, field: str) -> Iterator[str]:
    """Yield one column of a parquet file, block by block, without blank cells."""
    column_name = field or TEXT_FIELD
    table = pl.scan_parquet(path)
    with LibraryErrors(f"{path} is not a parquet file", "fetch or copy it again"):
        texts = [name for name, dtype in table.collect_schema().items() if dtype == pl.String]
        if column_name not in texts:
            columns = format_names(texts) or "none"
            raise WordworthError(
                f"{path} has no text column {column_name!r} (there are: {columns}); name one as PATH#COLUMN"
            )
        start = 0
        while len(block := table.select(column_name).slice(start, PARQUET_BLOCK_ROWS).collect()):
            start += len(block)
            for text in block.get_column(column_name).drop_nulls():
                yield from filter(None, map(str.strip, text.splitlines()))


def extract_paragraphs(path: Path, report: Report, sha256: str) -> Path:
    """Return the cached file of a dump's paragraphs without markup, one per line, with a blank line between articles.

    If a dump is damaged, report it and use the pages before the damage.
    """

    def extract(folder: Path) -> None:
        flaws: list[str] = []
        with (folder / "text.txt").open("w", encoding="utf-8") as stream:
            stream.writelines(f"{paragraph}\n" for paragraph in _articles(path, flaws.append))
        (folder / "flaws.json").write_text(json.dumps(flaws), encoding="utf-8")

    folder = entry("corpora", [EXTRACTION, sha256], extract)
    for flaw in json.loads((folder / "flaws.json").read_text(encoding="utf-8")):
        report(f"{path}{flaw}")
    return folder / "text.txt"


def _articles(path: Path, report: Callable[[str], None]) -> Iterator[str]:
    """Yield the paragraphs of every page that is an article but not a redirect, and a blank line after each page.

    Of a damaged dump, yield the pages before the damage, and report the flaw without the path.
    """
    require("dumps of Wikipedia")
    import mwparserfromhell

    with decompress(path) as stream, progress(f"extracting the text of {path.name}", None) as advance:
        steps = ElementTree.iterparse(stream, events=("start", "end"))
        try:
            _, root = next(steps)
            if _tag(root) != "mediawiki":
                raise WordworthError(
                    f"{path} is not a MediaWiki dump: it begins with <{_tag(root)[:60]}>; give it as plain text"
                )
            for event, node in steps:
                if event == "start" or _tag(node) != "page":
                    continue
                fields = {_tag(child): child.text or "" for child in node.iter()}
                if fields.get("ns", "0") == "0" and "redirect" not in fields and fields.get("text"):
                    yield from _paragraphs(mwparserfromhell.parse(fields["text"]))
                    yield ""
                root.clear()  # keeping the pages would fill the memory
                advance(1)
        except (ElementTree.ParseError, *DAMAGE) as error:
            report(f" is not a complete MediaWiki dump ({reason_of(error)}); fetch it again")


def _tag(node: ElementTree.Element) -> str:
    """Return an element's name without its namespace, which differs with the dump's version."""
    return node.tag.rsplit("}", 1)[-1]


def _paragraphs(code: Any) -> Iterator[str]:
    """Yield the paragraphs of running text, without headings, tables, notes and list items."""
    for line in "".join(_yield_visible_text(code)).splitlines():
        paragraph = line.strip()
        if len(paragraph) > 40 and not paragraph.startswith(("*", "#", "|", ":", ";", "ISBN")):
            yield paragraph


def _yield_visible_text(code: Any) -> Iterator[str]:
    """Yield the visible running text of a page, node by node."""
    from mwparserfromhell import nodes

    for node in code.nodes:
        match node:
            case nodes.Text():
                yield str(node.value)
            case nodes.Wikilink() if not _NO_TEXT.match(str(node.title)):
                yield from _yield_visible_text(node.text or node.title)
            case nodes.ExternalLink() if node.title:
                yield from _yield_visible_text(node.title)
            case nodes.HTMLEntity():
                yield str(node.normalize())
            case nodes.Tag() if node.wiki_markup in ("*", "#", ":", ";"):
                yield str(node.wiki_markup)  # marks a list item
            case nodes.Tag() if str(node.tag).lower() == "br":
                yield " "
            case nodes.Tag() if str(node.tag).lower() in _INLINE and node.contents:
                yield from _yield_visible_text(node.contents)


_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
_LAYOUT_OF = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".tokens": "wikitext"}


@dataclass(frozen=True)
class Corpus(DataSet):
    """Lines of text; each iteration opens the files again."""

    paths: tuple[Path, ...]
    layout: str
    column: int = 1
    """The column with the text in a table, from 1."""
    field: str = ""
    """The field with the text in jsonl and parquet; blank means `text`."""
    count: int = 0
    """Its size in the catalog's unit (lines, pages, sentences); 0 for a user's own text."""

    def __iter__(self) -> Iterator[str]:
        """Return all lines; raise if one cannot be read."""
        return self.lines(refuse)

    def lines(self, report: Report) -> Iterator[str]:
        """Yield all readable lines; pass a sentence with the location of every other line to `report`."""
        for path in self.paths:
            yield from (line for _, line in self.parts(path, report, Counter()))

    def parts(self, path: Path, report: Report, tally: Counter[str]) -> Iterator[TextPart]:
        """Yield the lines of one of the files, each with whether it begins a document."""
        match self.layout:
            case "wikitext":
                return wikitext_parts(path, report, tally)
            case "mediawiki-xml":
                return text_parts(extract_paragraphs(path, report, self.sha256), report)
            case "tsv":
                lines = tsv_lines(path, report, self.column)
            case "nltk-tagged-zip" | "treebank-zip":
                lines = (" ".join(word for word, _ in sentence) for sentence in tagged_sentences(path))
            case "jsonl":
                lines = jsonl_lines(path, report, self.field)
            case "parquet":
                lines = parquet_lines(path, self.field)
            case _:
                return text_parts(path, report)
        return ((True, line) for line in lines)


def load_corpus(name_or_path: NameLike, *, language: str = "english") -> Corpus:
    """Return a corpus of the catalog by its name, or a user's own file, or one of a data set on the hub.

    A file is plain text (one sentence or paragraph per line), `.jsonl`, WikiText's `.tokens`, or a MediaWiki dump
    (`.xml`), also compressed as .gz, .bz2 or .xz; or `.parquet`. `PATH#FIELD` names the field of jsonl and parquet, and
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
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED_SUFFIXES]
    layout = "mediawiki-xml" if ".xml" in suffixes else _LAYOUT_OF.get(suffixes[-1] if suffixes else "", "lines")
    return Corpus(paths=(path,), layout=layout, field=data.text_field, **data.facts)


def documents(corpus: Corpus, report: Report, tally: Counter[str] | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a corpus like `corpus.lines`, each with the number of its document, from 0.

    A document begins with a title in WikiText, with a page in a MediaWiki dump, and after a blank line in plain text.
    In tables and records every line is a document.
    """
    number = -1
    for path in corpus.paths:
        number += 1
        is_first = True
        for begins_document, line in corpus.parts(path, report, Counter() if tally is None else tally):
            number += begins_document and not is_first
            is_first = False
            yield number, line

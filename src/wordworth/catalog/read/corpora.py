"""Running text, a line at a time: a corpus of the catalog, or a user's own text; streamed, and read again at will.

A broken line goes to `report`, a sentence with its place; if that does not raise, the rest of the file is used.
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

from wordworth.catalog.read.tables import parsed_json
from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.engine.cache import entry
from wordworth.errors import LibraryErrors, WordworthError, format_names, reason_of, require
from wordworth.files import DAMAGE, decompress
from wordworth.progress import progress

TaggedWords = list[tuple[str, str]]
_BROWN = re.compile(r"(?:.*/)?c[a-r]\d\d")
_TREEBANK = re.compile(r"(?:.*/)?wsj_\d+\.mrg")
_TREE = re.compile(r"^(?=\()", re.MULTILINE)
"""Every tree begins at the left margin, and its other lines are indented."""
_LEAF = re.compile(r"\(([^\s()]+)\s+([^\s()]+)\)")
_TRACE = "-NONE-"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
Report = Callable[[str], None]
TEXT_FIELD = "text"
"""The field or column of a user's own jsonl or parquet that is read when none is named."""
PARQUET_BLOCK_ROWS = 1 << 16
_HEADING = re.compile(r"= .* =$")
_TITLE = re.compile(r"= [^=].* =$")
_SPLIT_MARK = re.compile(r" @([-,.])@ ")
HEADINGS, JOINED = "headings", "joined"
"""What is counted of WikiText: lines that are left out, and marks as `@-@` that are joined to the words around them."""
EXTRACTION = 5  # raised whenever text is taken out of a dump differently
_NO_TEXT = re.compile(r"(?i)(file|image|category)\s*:")
_INLINE = ("b", "i", "u", "span", "small", "big", "em", "strong", "p", "sub", "sup")
TextPart = tuple[bool, str]
"""A line, and whether it begins a document."""


def tagged_sentences(path: Path) -> Iterator[TaggedWords]:
    """Yield (word, tag) lists from a zip of the catalog, by the names of the members that hold texts."""
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
    """Write brackets, quotation marks and slashes plainly, and take the first tag of `NN|JJ`."""
    return _BRACKETS.get(word, word).replace("\\/", "/"), tag.split("|")[0]


def _treebank(text: str) -> Iterator[TaggedWords]:
    """Yield the sentences of a file of trees: the tagged files of the Treebank do not mark where sentences end."""
    for tree in _TREE.split(text):
        sentence = [_token(word, tag) for tag, word in _LEAF.findall(tree) if tag != _TRACE]
        if sentence:
            yield sentence


def refuse(sentence: str) -> None:
    """Raise the report: the caller needs the whole file."""
    raise WordworthError(sentence)


def numbered_lines(path: Path, report: Report) -> Iterator[tuple[int, str]]:
    """Yield every line that is UTF-8, with its number from 1 on."""
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
    """Yield lines that are not blank, without the space around them; the line behind a blank one begins a document."""
    begins = True
    for _, raw in numbered_lines(path, report):
        line = raw.strip()
        if line:
            yield begins, line
        begins = not line


def wikitext_parts(path: Path, report: Report, tally: Counter[str]) -> Iterator[TextPart]:
    """WikiText's paragraphs without its headings, with `@-@`, `@,@` and `@.@` joined again; both are counted.

    A title behind a blank line begins a document; a formula in running text may look like one.
    """
    begins, blank = True, True
    for _, raw in numbered_lines(path, report):
        line = raw.strip()
        begins = begins or (blank and _TITLE.match(line) is not None)
        blank = not line
        if _HEADING.match(line):
            tally[HEADINGS] += 1
        elif line:
            text, joined = _SPLIT_MARK.subn(r"\1", line)
            tally[JOINED] += joined
            yield begins, text
            begins = False


def tsv_rows(path: Path, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank as cells, with their numbers.

    A cell is taken out of its quotation marks where those inside it are doubled: some published files quote cells, and
    some have quotations in plain text.
    """
    for number, line in numbered_lines(path, report):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        for at, cell in enumerate(cells):
            if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in (inner := cell[1:-1]).replace('""', ""):
                cells[at] = inner.replace('""', '"')
        yield number, cells


def tsv_lines(path: Path, report: Report, column: int) -> Iterator[str]:
    """Yield one column (from 1) of a table, without blank texts."""
    for number, cells in tsv_rows(path, report):
        if len(cells) < column:
            report(f"{path}, line {number}: {len(cells)} columns, and the text is column {column}; correct the line")
        elif cells[column - 1]:
            yield cells[column - 1]


def json_records(path: Path, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file, with their lines."""
    for number, line in numbered_lines(path, report):
        if not line.strip():
            continue
        try:
            record = parsed_json(line, f"{path}, line {number}", "correct the line")
        except WordworthError as error:
            report(str(error))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            report(f"{path}, line {number}: not a JSON object; write one on each line")


def jsonl_lines(path: Path, report: Report, field: str) -> Iterator[str]:
    """Yield one field of the objects of a JSON Lines file; its line breaks part it into several texts."""
    wanted = field or TEXT_FIELD
    for number, record in json_records(path, report):
        text = record.get(wanted)
        if not isinstance(text, str):
            fields = format_names(sorted(record)) or "none"
            report(f"{path}, line {number}: no text in the field {wanted!r} (fields: {fields}); name one as PATH#FIELD")
            continue
        try:
            text.encode()
        except UnicodeEncodeError as error:
            report(f"{path}, line {number}: its text is not Unicode ({error.reason}); correct the line")
            continue
        yield from filter(None, map(str.strip, text.splitlines()))


def parquet_lines(path: Path, field: str) -> Iterator[str]:
    """Yield one column of a parquet file, a block of rows at a time; blank cells are passed over."""
    wanted = field or TEXT_FIELD
    table = pl.scan_parquet(path)
    with LibraryErrors(f"{path} is not a parquet file", "fetch or copy it again"):
        texts = [name for name, kind in table.collect_schema().items() if kind == pl.String]
        if wanted not in texts:
            columns = format_names(texts) or "none"
            raise WordworthError(
                f"{path} has no text column {wanted!r} (there are: {columns}); name one as PATH#COLUMN"
            )
        start = 0
        while len(block := table.select(wanted).slice(start, PARQUET_BLOCK_ROWS).collect()):
            start += len(block)
            for text in block.get_column(wanted).drop_nulls():
                yield from filter(None, map(str.strip, text.splitlines()))


def extract_paragraphs(path: Path, report: Report, sha256: str) -> Path:
    """Return the file in the cache with the paragraphs, one per line, and a blank line between two articles.

    Markup is left out. Where a dump is broken, that is reported, and the pages before it are used.
    """

    def extract(folder: Path) -> None:
        flaws: list[str] = []
        with (folder / "text.txt").open("w", encoding="utf-8") as out:
            out.writelines(f"{paragraph}\n" for paragraph in _articles(path, flaws.append))
        (folder / "flaws.json").write_text(json.dumps(flaws), encoding="utf-8")

    folder = entry("corpora", [EXTRACTION, sha256], extract)
    for flaw in json.loads((folder / "flaws.json").read_text(encoding="utf-8")):
        report(f"{path}{flaw}")
    return folder / "text.txt"


def _articles(path: Path, flawed: Callable[[str], None]) -> Iterator[str]:
    """Yield the paragraphs of every page that is an article and no redirect, and a blank line after each page.

    A dump that is cut or broken gives the pages before the break; the flaw is reported without the path.
    """
    require("dumps of Wikipedia")
    import mwparserfromhell

    with decompress(path) as stream, progress(f"taking the text out of {path.name}", None) as advance:
        steps = ElementTree.iterparse(stream, events=("start", "end"))
        try:
            _, root = next(steps)
            if _tag(root) != "mediawiki":
                raise WordworthError(
                    f"{path} is no MediaWiki dump: it begins with <{_tag(root)[:60]}>; give it as plain text"
                )
            for event, node in steps:
                if event == "start" or _tag(node) != "page":
                    continue
                fields = {_tag(child): child.text or "" for child in node.iter()}
                if fields.get("ns", "0") == "0" and "redirect" not in fields and fields.get("text"):
                    yield from _paragraphs(mwparserfromhell.parse(fields["text"]))
                    yield ""
                root.clear()  # pages that were read would fill the memory
                advance(1)
        except (ElementTree.ParseError, *DAMAGE) as error:
            flawed(f" is not a whole MediaWiki dump ({reason_of(error)}); fetch it again")


def _tag(node: ElementTree.Element) -> str:
    """Return an element's name without its namespace, which differs with the dump's version."""
    return node.tag.rsplit("}", 1)[-1]


def _paragraphs(code: Any) -> Iterator[str]:
    """Yield running text only: headings, tables, notes and list items are no sentences."""
    for line in "".join(_yield_visible_text(code)).splitlines():
        paragraph = line.strip()
        if len(paragraph) > 40 and not paragraph.startswith(("*", "#", "|", ":", ";", "ISBN")):
            yield paragraph


def _yield_visible_text(code: Any) -> Iterator[str]:
    """Yield what a reader sees of a page's running text, node by node."""
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
                yield str(node.wiki_markup)  # tells a list item from a paragraph
            case nodes.Tag() if str(node.tag).lower() == "br":
                yield " "
            case nodes.Tag() if str(node.tag).lower() in _INLINE and node.contents:
                yield from _yield_visible_text(node.contents)


_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
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
        """Return all lines; a broken one is an error."""
        return self.lines(refuse)

    def lines(self, report: Report) -> Iterator[str]:
        """Yield all lines that can be read; `report` is given a sentence, with its place, for each that cannot."""
        for path in self.paths:
            yield from (line for _, line in self.parts(path, report, Counter()))

    def parts(self, path: Path, report: Report, tally: Counter[str]) -> Iterator[TextPart]:
        """Yield the lines of one of its files, each with whether it begins a document."""
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
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED_SUFFIXES]
    layout = "mediawiki-xml" if ".xml" in suffixes else _LAYOUT_OF.get(suffixes[-1] if suffixes else "", "lines")
    return Corpus(paths=(path,), layout=layout, field=data.text_field, **data.facts)


def documents(corpus: Corpus, report: Report, tally: Counter[str] | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a corpus as `corpus.lines` gives them, each with the number of its document, from 0.

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

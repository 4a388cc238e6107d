"""The running text of a MediaWiki dump: taken out once, page by page, and kept in the cache."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

from wordworth.catalog.read.layouts import Report
from wordworth.embedding.streams import DAMAGE, decompress
from wordworth.engine.cache import entry
from wordworth.errors import WordworthError
from wordworth.files import CHUNK
from wordworth.progress import progress

EXTRACTION = 4  # raised whenever text is taken out of a dump differently
_NO_TEXT = re.compile(r"(?i)(file|image|category)\s*:")
_INLINE = ("b", "i", "u", "span", "small", "big", "em", "strong", "p", "sub", "sup")
_ROOT = re.compile(rb"<([A-Za-z][\w.:-]*)")
_BEGIN, _END = b"<page>", b"</page>"


def extracted(path: Path, report: Report, sha256: str) -> Path:
    """Return the file in the cache with the paragraphs, one per line, and a blank line between two articles.

    Markup is left out. A broken page is reported, and the pages after it are used.
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
    """The paragraphs of every page that is an article and no redirect, each page closed by a blank one.

    Flaws are reported without the path.
    """
    import mwparserfromhell

    with decompress(path) as stream, progress(f"taking the text out of {path.name}", None) as advance:
        for number, line, page in _pages(stream, path, flawed):
            try:
                node = ElementTree.fromstring(page)
            except ElementTree.ParseError as error:
                flawed(f", page {number}, line {line}: not well-formed ({error}); fetch it again")
                continue
            fields = {_tag(child): child.text or "" for child in node.iter()}
            if fields.get("ns", "0") == "0" and "redirect" not in fields and fields.get("text"):
                yield from _paragraphs(mwparserfromhell.parse(fields["text"]))
                yield ""
            advance(1)


def _pages(stream: IO[bytes], path: Path, flawed: Callable[[str], None]) -> Iterator[tuple[int, int, bytes]]:
    """Number, line and XML of every page. Markup inside a page is escaped, so `<page>` can only begin one.

    Pages are cut apart before they are parsed, so that one that is broken takes no other with it.
    """
    held, line, number, whole = b"", 1, 0, False
    root: bytes | None = None
    reading = True
    while reading:
        try:
            block = stream.read(CHUNK)
        except DAMAGE as error:
            flawed(f" is not a whole MediaWiki dump ({error}); fetch it again")
            return
        reading = bool(block)
        held += block
        if root is None:
            match = _ROOT.search(held)
            if match and match.group(1).rsplit(b":")[-1] != b"mediawiki":
                name = match.group(1).decode(errors="replace")
                raise WordworthError(f"{path} is no MediaWiki dump: it begins with <{name}>; give it as plain text")
            root = match.group(1) if match else None
        while (end := held.find(_END)) >= 0:
            page = held[: end + len(_END)]
            held = held[end + len(_END) :]
            at = 0
            begins = [match.start() for match in re.finditer(_BEGIN, page)]
            for begin in begins:
                line, at, number = line + _breaks(page, at, begin), begin, number + 1
                if begin != begins[-1]:
                    flawed(f", page {number}, line {line}: it does not end; fetch it again")
            if begins:
                yield number, line, page[at:]
            line += _breaks(page, at)
            if not begins:
                number += 1
                flawed(f", page {number}, before line {line}: it has no beginning; fetch it again")
        whole = whole or (root is not None and b"</" + root + b">" in held)
    if not whole:
        reason = f"it ends at line {line + _breaks(held)} without </mediawiki>" if root else "it holds no <mediawiki>"
        flawed(f" is not a whole MediaWiki dump ({reason}); fetch it again")


def _breaks(text: bytes, start: int = 0, end: int | None = None) -> int:
    return text.count(b"\n", start, end)


def _tag(node: ElementTree.Element) -> str:
    """An element's name without its namespace, which differs with the dump's version."""
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

"""The running text of a MediaWiki dump: taken out once, page by page, and kept in the cache."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from wordworth.catalog.read.layouts import Report
from wordworth.embedding.streams import DAMAGE, decompress
from wordworth.engine.cache import entry
from wordworth.errors import WordworthError, reason_of
from wordworth.progress import progress

EXTRACTION = 5  # raised whenever text is taken out of a dump differently
_NO_TEXT = re.compile(r"(?i)(file|image|category)\s*:")
_INLINE = ("b", "i", "u", "span", "small", "big", "em", "strong", "p", "sub", "sup")


def extracted(path: Path, report: Report, sha256: str) -> Path:
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

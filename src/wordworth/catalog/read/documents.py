"""Which lines of a corpus belong together: the articles of WikiText and of a dump, and texts that blank lines part."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.layouts import Report, is_heading, joined_in, numbered_lines, wikitext_line
from wordworth.catalog.read.wikipedia import extracted

_TITLE = re.compile(r"= [^=].* =$")


HEADINGS, JOINED = "headings", "joined"
"""What is counted of WikiText: lines that are left out, and marks as `@-@` that are joined to the words around them."""


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

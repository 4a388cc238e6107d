"""Put generated tables into pages, between `<!-- NAME: made by SCRIPT -->` and `<!-- /NAME -->`."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
WIDTH = 120
"""Of the lines of a page."""


def put(page: Path, name: str, table: str) -> None:
    """Replace the block of that name on a page."""
    block = re.compile(rf"(<!-- {name}: made by [\w./]+ -->\n).*?(\n<!-- /{name} -->)", re.DOTALL)
    text, count = block.subn(lambda match: f"{match[1]}{table}{match[2]}", page.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{page} needs one block <!-- {name}: made by … --> … <!-- /{name} -->; it has {count}")
    page.write_text(text, encoding="utf-8")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def number_notes(notes: Sequence[str]) -> tuple[list[str], str]:
    """Return a number for each note (blank for a blank one), and the list of the different notes by number."""
    different = list(dict.fromkeys(filter(None, notes)))
    numbers = [f"({different.index(note) + 1})" if note else "" for note in notes]
    lines = [f"{number}. {note}" for number, note in enumerate(different, start=1)]
    return numbers, "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="   ") for line in lines)

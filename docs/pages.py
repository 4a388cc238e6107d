"""Tables that scripts put into pages, between `<!-- NAME: made by docs/SCRIPT -->` and `<!-- /NAME -->`."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


def put(page: Path, name: str, table: str) -> None:
    """Replaces the table of that name by the script that runs."""
    begin, end = f"<!-- {name}: made by docs/{Path(sys.argv[0]).name} -->", f"<!-- /{name} -->"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{page} has no place for a table between {begin} and {end}")
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)

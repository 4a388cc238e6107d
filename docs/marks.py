"""Tables in the pages of docs/: each stands between two marks that name it and the script that makes it."""

from collections.abc import Iterable, Sequence
from pathlib import Path


def put(page: Path, name: str, table: str, script: str) -> None:
    """Replaces what stands between the marks `name` of a page."""
    begin, end = f"<!-- {name}: made by docs/{script} -->", f"<!-- /{name} -->"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page} has no place for {name}: it needs {begin} and {end}")
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)

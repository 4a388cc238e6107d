"""Hooks of the site (`make docs`): pages from outside docs/, notebooks as pages, and the table of declared measures."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "reporting.md",
    "src/wordworth/catalog/data/nli-glove/MODEL_CARD.md": "nli-glove.md",
}
"""Page in the repository → page of the site."""
NOTEBOOKS = "notebooks"
MEASURES = "<!-- measures -->"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside, with their links as the site has them, and a page per notebook."""
    for place, page in OUTSIDE.items():
        text = (ROOT / place).read_text(encoding="utf-8")
        for target, name in OUTSIDE.items():
            text = text.replace(f"]({target})", f"]({name})")
        files.append(File.generated(config, page, content=re.sub(r"\]\(docs/", "](", text)))
    for path in sorted((ROOT / "docs" / NOTEBOOKS).glob("*.ipynb")):
        page = f"{NOTEBOOKS}/{path.stem}.md"
        files.append(File.generated(config, page, content="\n\n".join(_notebook_parts(path))))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the table of measures where a page asks for it, and link to notebooks as pages."""
    if not page.url.startswith(NOTEBOOKS):
        markdown = re.sub(rf"({NOTEBOOKS}/[\w-]+)\.ipynb\)", r"\1.md)", markdown)
    return markdown.replace(MEASURES, _measures()) if MEASURES in markdown else markdown


def on_page_content(html: str, **_: Any) -> str:
    """Mark the words of code in a line or a table, so that lines break between them and not at their hyphens."""
    return re.sub(
        r"(?<!<pre>)(?<!<span></span>)<code>([^<]+)</code>",
        lambda code: "<code>" + re.sub(r"\S{1,40}(?!\S)", r'<span class="word">\g<0></span>', code[1]) + "</code>",
        html,
    )


def _notebook_parts(path: Path) -> Iterator[str]:
    """Yield the cells of a notebook and their output as Markdown."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
        for output in cell.get("outputs", ()):
            yield _output(output["data"])
    yield f"[Download this notebook]({path.name})"


def _output(views: dict[str, Any]) -> str:
    """Return an output as a picture, a table or text, in this order."""
    if "image/png" in views:
        return f"![Figure](data:image/png;base64,{''.join(views['image/png']).strip()})"
    if "text/html" in views:
        html = re.sub(r"<style>.*?</style>|\n", "", "".join(views["text/html"]), flags=re.DOTALL)
        return f'<div class="output">{html}</div>'
    return f"```text\n{''.join(views['text/plain'])}\n```"


def _measures() -> str:
    from wordworth.catalog.registry import references
    from wordworth.measure import MEASURES as DECLARED

    known = references()
    rows = ["| `measure` | `variant` | formula | better | paper |", "|---|---|---|---|---|"]
    by_name = sorted(DECLARED.items(), key=lambda entry: (entry[0][0].lower(), entry[0][1] or ""))
    for (name, variant), measure in by_name:
        paper = str(known[measure.paper]) if measure.paper in known else ""
        formula = measure.formula.replace("|", r"\|")
        rows.append(f"| `{name}` | {variant or ''} | {formula} | {measure.better} | {paper} |")
    return "\n".join(rows)

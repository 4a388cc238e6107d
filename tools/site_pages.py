"""Hooks of the site (`make docs`): pages that lie outside docs/, and the table of measures as they are declared."""

import re
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
MEASURES = "<!-- measures -->"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside, with their links as the site has them."""
    for place, page in OUTSIDE.items():
        text = (ROOT / place).read_text(encoding="utf-8")
        for target, name in OUTSIDE.items():
            text = text.replace(f"]({target})", f"]({name})")
        files.append(File.generated(config, page, content=re.sub(r"\]\(docs/", "](", text)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the table of measures where a page asks for it."""
    return markdown.replace(MEASURES, _measures()) if MEASURES in markdown else markdown


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

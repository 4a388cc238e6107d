"""Run the notebooks of docs/notebooks and write their output into them; with `--check` only run them.

No Jupyter is needed: each cell is run in order, and what its last line gives is shown as a notebook shows it.
"""

import argparse
import ast
import base64
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"


def main() -> int:
    """Run the notebooks that are named, or all."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("notebooks", nargs="*", type=Path)
    asked.add_argument("--check", action="store_true", help="write nothing")
    chosen = asked.parse_args()
    for path in [one.resolve() for one in chosen.notebooks] or sorted(FOLDER.glob("*.ipynb")):
        started = time.monotonic()
        notebook = json.loads(path.read_text(encoding="utf-8"))
        run_cells(notebook["cells"])
        if not chosen.check:
            path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"{path.name}: {time.monotonic() - started:,.0f} s", file=sys.stderr)
    return 0


def run_cells(cells: list[dict[str, Any]]) -> None:
    """Run the cells of code in one namespace and a folder of their own, and put their output into them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate((one for one in cells if one["cell_type"] == "code"), start=1):
                value = _run("".join(cell["source"]), names)
                shown = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
                cell["execution_count"] = number
                cell["outputs"] = [] if value is None else [shown | {"data": _views(value)}]
        finally:
            os.chdir(before)


def _run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell, and return the value of its last line where that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - of our own notebooks
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def _views(value: Any) -> dict[str, Any]:
    """Return a value as a notebook keeps it: text, HTML, or a picture of a chart."""
    if type(value).__module__.startswith("altair"):
        import vl_convert

        picture = vl_convert.vegalite_to_png(value.to_json(), scale=2)
        return {"image/png": base64.b64encode(picture).decode(), "text/plain": [f"<{type(value).__name__}>"]}
    html = getattr(value, "_repr_html_", lambda: None)()
    return {"text/plain": repr(value).splitlines(True)} | ({"text/html": html.splitlines(True)} if html else {})


if __name__ == "__main__":
    sys.exit(main())

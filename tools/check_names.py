"""List functions and module-level names of src/ that are bare participles or generic words.

`python -m tools.check_names [FOLDER]` prints one line per name and exits with 1 if there is any.
Functions are verbs, variables nouns, and constants say what they are a constant of.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PARTICIPLE = re.compile(
    "begun|born|borne|bought|bound|broken|built|chosen|cut|drawn|found|given|held|kept|known|left|lost|made|met|said|sent|"
    "shown|spelt|spoken|taken|told|worn|written|[a-z]{3,}ed"
)
GENERIC = re.compile(
    "all|any|batch|block|data|effect|every|few|groups?|kinds?|largest|layout|least|level|longest|many|most|nothing|other|"
    "part|rows?|short|shared|some|sums|things|tie|together|unknown|values|whole"
)
ALLOWED = {  # name → why it stays
    "skipped": "a field of a saved run, which users read",
    "Row": "a row of the one table class",
}


def module_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module assigns, or the class that it defines."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name) and not target.id.startswith("__"))
    if isinstance(node, ast.ClassDef):
        yield node.name


def find_names(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and fault of each offending name in the source of a module."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and PARTICIPLE.fullmatch(node.name.strip("_")):
            yield node.lineno, node.name, "is a participle; name the function by a verb"
    for statement in tree.body:
        for name in module_names(statement):
            word = name.strip("_").lower()
            if PARTICIPLE.fullmatch(word) or GENERIC.fullmatch(word):
                yield statement.lineno, name, "says too little; name its subject and unit by a noun"


def check(folder: Path) -> list[str]:
    """Return a sentence per name in a folder that is not allowed."""
    return [
        f"{path}:{line}: {name} {fault}"
        for path in sorted(folder.rglob("*.py"))
        for line, name, fault in sorted(find_names(path.read_text(encoding="utf-8")))
        if name not in ALLOWED
    ]


if __name__ == "__main__":
    faults = check(Path(*sys.argv[1:2] or ["src"]))
    print("\n".join(faults))
    sys.exit(bool(faults))

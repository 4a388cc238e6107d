"""List functions, variables and module-level names of src/ that are bare participles or generic words.

`python -m tools.check_names [FOLDER]` prints one line per name and exits with 1 if there is any.
Functions are verbs, variables nouns, and constants say what they are a constant of.
Variables (also parameters and fields) are checked in `CLEAN_ROOMS`; add a room once it has none.
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
PRONOUN = re.compile("every|mine|most|least|one|others|own|read|some|things?|what|whole")
CLEAN_ROOMS = ("catalog", "contexts", "nli", "repair", "trainer", "transform", "whole_words")
ALLOWED = {  # name → why it stays
    "skipped": "a field of a saved run, which users read",
    "Row": "a row of the one table class",
    "aligned": "a context of VAST, and a key of users' TOML files",
    "bleached": "a context of VAST, and a key of users' TOML files",
    "broken": "a field of a saved sample",
    "closed": "a key of users' TOML files",
    "equalized": "a term of Bolukbasi et al. (2016)",
    "every": "a parameter of `WordworthCallback`, which users give",
    "kept": "an option of `predict_words`, which users give",
    "left": "a matrix of LEACE",
    "named": "a column of a saved run",
    "neutralized": "a term of Bolukbasi et al. (2016)",
    "own": "the tokenizer's own units of a word",
    "removed": "the bases removed from ELMo's layers, by layer",
    "unrelated": "a field of StereoSet, and a column of users' files",
    "unspaced": "a field of `PredictionRules`, which users give",
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


def find_variables(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and fault of each variable, parameter or field that is a participle or a pronoun."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            name = node.arg if isinstance(node, ast.arg) else node.id
            if PARTICIPLE.fullmatch(name.strip("_")) or PRONOUN.fullmatch(name):
                yield node.lineno, name, "is not a noun; name the variable by what it holds"


def check(folder: Path) -> list[str]:
    """Return a sentence per name in a folder that is not allowed."""
    faults = []
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        names = {
            *find_names(source),
            *(find_variables(source) if {*path.relative_to(folder).parts} & {*CLEAN_ROOMS} else ()),
        }
        faults += [f"{path}:{line}: {name} {fault}" for line, name, fault in sorted(names) if name not in ALLOWED]
    return faults


if __name__ == "__main__":
    faults = check(Path(*sys.argv[1:2] or ["src"]))
    print("\n".join(faults))
    sys.exit(bool(faults))

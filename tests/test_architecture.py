"""Rules for the code that neither ruff nor import-linter has: safety, length, and names that say what they are of."""

import re
from pathlib import Path

from tools.check_names import ALLOWED, check, find_names

import wordworth

PACKAGE = Path(wordworth.__file__).parent
FILES = {path.relative_to(PACKAGE): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
ENTRIES = {path.relative_to(PACKAGE): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.toml")}
MAX_LINES_PER_FILE = 400
RUNS_FETCHED_CODE = re.compile(
    r"(?<![\w.])compile\(|__import__\(|joblib|allow_pickle\W+True|trust_remote_code\W+True"
    r"|torch\.load\((?!.*weights_only=True)"
)
PATH_OF_ONE_MACHINE = re.compile(r"""["'`\s(]((/home|/root|/Users|/tmp|/work|/mnt|/opt)/\w|[A-Z]:\\\\\w)""")


def find(pattern: re.Pattern[str], texts: dict[Path, str]) -> list[str]:
    lines = ((path, line) for path, text in texts.items() for line in text.splitlines())
    return [f"{path}: {line.strip()}" for path, line in lines if pattern.search(line)]


def test_files_are_short() -> None:
    lengths = {str(path): len(text.splitlines()) for path, text in FILES.items()}
    assert {path: length for path, length in lengths.items() if length > MAX_LINES_PER_FILE} == {}


def test_nothing_fetched_is_run() -> None:
    """Ruff's S rules forbid pickle, eval, exec and shells."""
    assert find(RUNS_FETCHED_CODE, FILES) == []


def test_no_path_of_one_machine() -> None:
    assert find(PATH_OF_ONE_MACHINE, FILES | ENTRIES) == []


SOURCE = """
KINDS = ("a", "b")
MODEL_KINDS = ("c",)
_kept: dict = {}

class Listed: ...

class Part:
    def _chosen(self): ...
    def select(self): ...

def load_shared(): ...
def merged(): ...
"""


def test_participles_and_generic_names_are_found():
    assert {name for _, name, _ in find_names(SOURCE)} == {"KINDS", "_kept", "Listed", "Part", "_chosen", "merged"}


def test_the_package_has_none():
    assert check(Path(__file__).parent.parent / "src") == []
    assert len(ALLOWED) <= 30
    assert all(ALLOWED.values())

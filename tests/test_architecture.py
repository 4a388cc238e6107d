"""The rooms import only as ARCHITECTURE.md has it, code is short, and nothing in the package runs what it fetched."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import wordworth

ROOT = Path(wordworth.__file__).parent
PAGE = Path(__file__).parent.parent / "ARCHITECTURE.md"
FILES = sorted(ROOT.rglob("*.py"))
NAMES = [str(path.relative_to(ROOT)) for path in FILES]
LONGEST_FILE, LONGEST_FUNCTION, MOST_PARAMETERS = 400, 60, 7
FORBIDDEN = {"eval", "exec", "compile", "__import__", "os.system", "pickle.load", "pickle.loads", "marshal.loads"}
OWN_PROCESSES = "engine/messages.py"
"""What our own processes say to each other is pickled; nothing else is."""
FORBIDDEN |= {"joblib.load", "dill.load", "yaml.load", "yaml.unsafe_load"}


def _rooms() -> list[tuple[list[str], list[str]]]:
    """Rooms and what they may import: the rows of the table `room | may import | holds`."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = lines[lines.index("| room | may import | holds |") + 2 :]
    cells = [row.split("|") for row in rows[: rows.index("")]]
    return [(re.findall(r"`(\w+)`", names), re.findall(r"`(\w+)`", imports)) for _, names, imports, *_ in cells]


ROWS = _rooms()
ORDER = [names[0] for names, _ in ROWS]
MAY_IMPORT = {name: set(imports) for names, imports in ROWS for name in names}
FREE = set(ROWS[-1][0])


def _module(path: Path) -> str:
    """`wordworth.embedding.core` of its file."""
    parts = ("wordworth", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path) for path in FILES}


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def _imported(node: ast.AST) -> list[str]:
    """The modules of the package that a statement imports."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"imports are written out in full: {ast.unparse(node)}"
        full = [(f"{node.module}.{alias.name}", alias.name) for alias in node.names]
        # The version is the one thing that is taken from the façade itself.
        names = [name if name in MODULES else str(node.module) for name, short in full if short != "__version__"]
    return [name for name in names if name.split(".")[0] == "wordworth"]


def _at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, without what is for the type checker alone."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        for inner in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                yield from _at_import(getattr(node, inner, []))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_table_has_every_room_once_in_the_order_of_imports() -> None:
    folders = {_room(module) for module in MODULES}
    named = [name for names, _ in ROWS for name in names]
    assert sorted(named) == sorted(folders)
    for at, (names, imports) in enumerate(ROWS):
        assert set(imports) <= set(ORDER[:at]), f"{names[0]} may import only rooms above it"


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_rooms_import_as_the_table_has_it(path: Path) -> None:
    room = _room(_module(path))
    rooms = {_room(name) for node in ast.walk(_tree(path)) for name in _imported(node)}
    assert rooms - {room} <= MAY_IMPORT[room] | FREE


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {
        _module(path): {name for node in _at_import(_tree(path).body) for name in _imported(node)} - {_module(path)}
        for path in FILES
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports go in a circle: {' → '.join(error.args[1])}")


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_functions_are_short_and_take_few_parameters(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            where = f"{path.relative_to(ROOT)}, {node.name}"
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= LONGEST_FUNCTION, f"{where} has {lines} lines"
            given = node.args
            names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            names += [given.vararg.arg] if given.vararg else []
            count = len([name for name in names if name not in ("self", "cls")])
            assert count <= MOST_PARAMETERS, f"{where} has {count} parameters"


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_nothing_fetched_is_run(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(_tree(path)):
        where = f"{path.relative_to(ROOT)}, line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            assert called not in FORBIDDEN or (called, name) == ("pickle.loads", OWN_PROCESSES), where
            if called == "torch.load":
                assert given.get("weights_only") == "True", where
            if called in ("np.load", "numpy.load"):
                assert given.get("allow_pickle", "False") == "False", where
            assert given.get("trust_remote_code", "False") == "False", where
            assert given.get("shell", "False") == "False", where
        if isinstance(node, ast.ImportFrom):
            taken = {alias.name for alias in node.names}
            assert not (node.module in ("pickle", "torch", "joblib", "dill") and taken & {"load", "loads"}), where


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_errors_are_caught_by_name(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else ""
            where = f"{path.relative_to(ROOT)}, line {node.lineno}"
            assert not set(re.findall(r"\w+", caught)) & {"Exception", "BaseException"}, where
            assert caught, where


ABSOLUTE = re.compile(r"""["'`\s(]((/home|/root|/Users|/tmp|/work|/mnt|/opt)/\w|[A-Z]:\\\\\w)""")


@pytest.mark.parametrize("path", [*FILES, *ROOT.rglob("*.toml")], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_paths_of_one_machine(path: Path) -> None:
    assert not ABSOLUTE.search(path.read_text(encoding="utf-8"))

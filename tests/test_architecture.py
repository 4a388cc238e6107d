"""The rooms import only from their left, and nothing in the package can run what it fetched."""

import ast
import re
from pathlib import Path

import pytest

import wordworth

ROOT = Path(wordworth.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
NAMES = [str(path.relative_to(ROOT)) for path in FILES]

# What each room may import; what those may import is open to it too.
ROOMS: dict[str, set[str]] = {
    "engine": set(),
    "embedding": {"engine"},
    "catalog": {"embedding", "engine"},
    "contexts": {"catalog"},
    "encode": {"contexts", "embedding", "engine"},
    "transform": {"embedding"},
    "statistics": set(),
    "measure": {"embedding", "statistics"},
    "predict": {"catalog", "encode", "measure", "engine"},
    "infer": {"catalog", "encode", "transform", "measure"},
    "study": {"catalog", "contexts", "encode", "transform", "measure", "predict", "infer", "run"},
    "run": set(),
    "report": {"run"},
    "compare": {"measure", "statistics", "run"},
    "serve": {"run", "report", "compare"},
    "cli": {"study", "run", "report", "compare", "serve", "display"},
    "display": {"study", "run", "report", "compare"},
    "__init__": {"embedding"},
    "__main__": {"cli"},
}
FREE = {"errors", "files", "progress"}
LONGEST = 400
FORBIDDEN = {"eval", "exec", "compile", "__import__", "os.system", "pickle.load", "pickle.loads", "marshal.loads"}
FORBIDDEN |= {"joblib.load", "dill.load", "yaml.load", "yaml.unsafe_load"}


def _open_to(room: str) -> set[str]:
    direct = ROOMS[room]
    return direct.union({room}, *(_open_to(other) for other in direct))


def _room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def _imported(path: Path) -> set[str]:
    """The rooms that a file imports, at its head or inside a function."""
    modules: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out in full"
            modules += [f"{node.module}.{alias.name}" for alias in node.names]
    rooms = {module.split(".")[1] for module in modules if module.startswith("wordworth.")}
    return {room for room in rooms if not room.startswith("__") and room not in ("WordworthError", "Embedding")}


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_rooms_import_from_their_left(path: Path) -> None:
    room = _room(path)
    if room in FREE:
        assert _imported(path) <= FREE
        return
    assert room in ROOMS, f"{room} is no room of the design"
    assert _imported(path) <= _open_to(room) | FREE


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_nothing_fetched_is_run(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        where = f"{path.relative_to(ROOT)}, line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Call):
            called = _called(node)
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            assert called not in FORBIDDEN, where
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
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else ""
            where = f"{path.relative_to(ROOT)}, line {node.lineno}"
            assert not set(re.findall(r"\w+", caught)) & {"Exception", "BaseException"}, where
            assert caught, where


ABSOLUTE = re.compile(r"""["'`\s(]((/home|/root|/Users|/tmp|/work|/mnt|/opt)/\w|[A-Z]:\\\\\w)""")


@pytest.mark.parametrize("path", [*FILES, *ROOT.rglob("*.toml")], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_paths_of_one_machine(path: Path) -> None:
    assert not ABSOLUTE.search(path.read_text(encoding="utf-8"))

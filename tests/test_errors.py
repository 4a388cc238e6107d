"""Files that a library cannot read become one sentence; a mistake of this package's own stays a traceback."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from wordworth.errors import LibraryErrors, WordworthError


def ours(code: str) -> Callable[[], object]:
    """A function as if it stood in a module of the package."""
    module = ModuleType("wordworth.made_here")
    exec(f"def function():\n    {code}", vars(module))
    function = vars(module)["function"]
    assert isinstance(function, FunctionType)
    return function


MISTAKES = [
    ("None.shape", AttributeError),
    ("{}['words']", KeyError),
    ("len(3)", TypeError),
    ("a, b = [1]", ValueError),
    ("assert not 1", AssertionError),
    ("import wordworth.no_such_module", ImportError),
]


@pytest.mark.parametrize(("code", "kind"), MISTAKES)
def test_a_mistake_of_ours_is_not_taken_for_a_bad_file(code: str, kind: type[Exception]) -> None:
    with pytest.raises(kind), LibraryErrors("the file cannot be read", "fetch it again"):
        ours(code)()


LIBRARIES: list[Callable[[], object]] = [
    lambda: json.loads("["),
    lambda: zipfile.ZipFile(io.BytesIO(b"PK")),
    lambda: Path("/no such file").read_bytes(),
    ours("open('/no such file')"),  # what only a file can be the reason of counts in our lines too
]


@pytest.mark.parametrize("read", LIBRARIES)
def test_errors_of_libraries_are_one_sentence(read: Callable[[], object]) -> None:
    with (
        pytest.raises(WordworthError, match=r"^the file cannot be read \(.+\); fetch it again$"),
        LibraryErrors("the file cannot be read", "fetch it again"),
    ):
        read()

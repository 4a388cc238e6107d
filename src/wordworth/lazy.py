"""Rooms that are imported only as far as they are used: the help and the completion of the command need little."""

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


class _Lazy(ModuleType):
    """A package whose names come from its modules when they are first used.

    Some of its modules are called like what they hold (`holm`): the name wins. Python binds a module to its package
    when it is first imported, and that is not done for these.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("_places", ()):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(self._places[name]), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self.__dict__.get("_places", ())):
            super().__setattr__(name, value)


def lazily(package: str) -> None:
    """Imports what stands under `if TYPE_CHECKING:` in a package when it is first used: it is said once, and there."""
    module: Any = sys.modules[package]
    source = Path(module.__file__).read_text(encoding="utf-8")  # its loader may be pytest's, which gives no source
    places = {
        alias.name: node.module
        for block in ast.parse(source).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    module.__dict__["_places"] = places
    module.__class__ = _Lazy

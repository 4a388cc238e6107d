"""Wordworth: what a word is worth to a model.

`load` a model by name, ask it; run a study, save it, report it. Everything is imported when it is first used.
"""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordworth.embedding import Embedding, Layers
    from wordworth.errors import WordworthError
    from wordworth.notebook import (
        Results,
        SavedRun,
        card,
        check,
        compare,
        debias,
        infer,
        load,
        predict,
        read_run,
        report,
        run,
        sc_weat,
        static,
        valnorm,
        vast,
        weat,
    )
    from wordworth.study.checks import checkpoints
    from wordworth.study.static.study import export
    from wordworth.trainer import WordworthCallback

    __version__: str

_NOTEBOOK = ("Results", "SavedRun", "card", "check", "compare", "load", "read_run", "report", "run", "sc_weat")
_STUDIES = tuple(room.name for room in iter_modules([str(Path(__file__).parent / "study")]) if room.ispkg)
_FROM = dict.fromkeys((*_NOTEBOOK, *_STUDIES), "wordworth.notebook")
_FROM |= {"Embedding": "wordworth.embedding", "Layers": "wordworth.embedding"}
_FROM |= {"WordworthError": "wordworth.errors", "export": "wordworth.study.static.study"}
_FROM |= {"WordworthCallback": "wordworth.trainer", "checkpoints": "wordworth.study.checks"}

__all__ = [
    "Embedding",
    "Layers",
    "Results",
    "SavedRun",
    "WordworthCallback",
    "WordworthError",
    "__version__",
    "card",
    "check",
    "checkpoints",
    "compare",
    "debias",
    "export",
    "infer",
    "load",
    "predict",
    "read_run",
    "report",
    "run",
    "sc_weat",
    "static",
    "valnorm",
    "vast",
    "weat",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in _FROM:
        raise AttributeError(f"module 'wordworth' has no attribute {name!r}")
    return getattr(import_module(_FROM[name]), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_STUDIES})


class _Facade(ModuleType):
    """Some rooms are called like what a notebook calls (`predict`, `infer`, `run`, `check`, `compare`, `report`).

    The façade's name wins: Python binds a sub-package to its parent when it is first imported, and that is not done
    for these. `from wordworth.predict import …` finds the room all the same.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _FROM and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade

"""Wordworth: what a word is worth to a model.

`load` a model by name, ask it; run a study, save it, report it. Everything is imported when it is first used.
"""

import sys
from importlib import import_module
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

_MODULES = dict.fromkeys(__all__, "wordworth.notebook") | {
    "Embedding": "wordworth.embedding",
    "Layers": "wordworth.embedding",
    "WordworthCallback": "wordworth.trainer",
    "WordworthError": "wordworth.errors",
    "checkpoints": "wordworth.study.checks",
    "export": "wordworth.study.static.study",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in _MODULES:
        raise AttributeError(f"module 'wordworth' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Facade(ModuleType):
    """Keeps functions that are called like a room (`predict`, `infer`, `run`, `check`, `compare`, `report`).

    Python binds a sub-package to its parent when it is first imported, which would hide the function. `from
    wordworth.predict import …` finds the room all the same.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade

"""Wordworth: what a word is worth to a model.

Load and query models, run studies, and save and report their runs. Names are imported on first use.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordworth.api import (
        calibrate,
        card,
        check,
        compare,
        debias,
        export,
        get,
        infer,
        load,
        ls,
        pairs,
        predict,
        read,
        report,
        run,
        sc_weat,
        show,
        static,
        valnorm,
        vast,
        weat,
    )
    from wordworth.api.audit import audit
    from wordworth.api.reproduce import reproduce
    from wordworth.embedding import Embedding, Layers
    from wordworth.errors import WordworthError
    from wordworth.results.run import Run
    from wordworth.study.names import find_checkpoints
    from wordworth.trainer import WordworthCallback

    __version__: str

__all__ = [
    "Embedding",
    "Layers",
    "Run",
    "WordworthCallback",
    "WordworthError",
    "__version__",
    "audit",
    "calibrate",
    "card",
    "check",
    "compare",
    "debias",
    "export",
    "find_checkpoints",
    "get",
    "infer",
    "load",
    "ls",
    "pairs",
    "predict",
    "read",
    "report",
    "reproduce",
    "run",
    "sc_weat",
    "show",
    "static",
    "valnorm",
    "vast",
    "weat",
]

if not all(map(find_spec, ("torch", "transformers", "accelerate"))):  # `import *` needs all listed names
    __all__.remove("WordworthCallback")

_MODULES = dict.fromkeys(__all__, "wordworth.api") | {
    "Embedding": "wordworth.embedding",
    "Layers": "wordworth.embedding",
    "Run": "wordworth.results.run",
    "WordworthCallback": "wordworth.trainer",
    "WordworthError": "wordworth.errors",
    "audit": "wordworth.api.audit",
    "find_checkpoints": "wordworth.study.names",
    "reproduce": "wordworth.api.reproduce",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in _MODULES:
        raise AttributeError(f"module 'wordworth' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

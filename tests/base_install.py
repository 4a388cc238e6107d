"""The base install, by hiding the packages of the extras; `make base` runs the tests of word vectors so."""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

HIDDEN = {"torch", "transformers", "tokenizers", "accelerate", "huggingface_hub", "gguf", "psutil", "mwparserfromhell"}
HIDDEN |= {"h5py", "icu4py", "pandas", "ray"}


class BaseFinder(PathFinder):
    """Finds what the base install has, and gensim, which some of its tests compare with."""

    @classmethod
    def find_spec(cls, name: str, *where: Any) -> ModuleSpec | None:
        return None if name.partition(".")[0] in HIDDEN else super().find_spec(name, *where)


def hide_extras() -> None:
    """Let no package of an extra be found from now on."""
    sys.meta_path = [BaseFinder if finder is PathFinder else finder for finder in sys.meta_path]

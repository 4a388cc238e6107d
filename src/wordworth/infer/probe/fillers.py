"""Words that fill a template's slots, from word sets of the catalog or written out in a TOML file."""

from collections.abc import Mapping
from typing import Any

from wordworth.catalog.read.tables import tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import knows
from wordworth.errors import WordworthError


def fillers(declared: Any, where: str, *, as_published: bool = False) -> tuple[str, ...]:
    """`"SET"`, `["SET", …]` one after the other, `{ set = "SET" }` or `{ words = ["…", …] }`.

    A word that comes again is taken once, unless `as_published` keeps it: a formula that counts it needs it.
    """
    words: list[str] = []
    if isinstance(declared, Mapping) and declared.keys() == {"words"}:
        words = _own(declared["words"], where)
    else:
        for name in _names(declared, where):
            if not knows(name, "word_sets"):
                raise WordworthError(
                    f"{where}: {name!r} is no word set of the catalog (`wordworth ls word-sets`); "
                    'words of your own are written { words = ["…", "…"] }'
                )
            word_set = load_word_set(name)
            words += word_set.words + (word_set.dropped if as_published else ())
    if not words:
        raise WordworthError(f"{where} is empty; give at least one word")
    return tuple(words if as_published else dict.fromkeys(words))


def _names(declared: Any, where: str) -> list[str]:
    if isinstance(declared, Mapping) and declared.keys() == {"set"}:
        declared = declared["set"]
    names = [declared] if isinstance(declared, str) else declared
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WordworthError(f'{where} must be the name of a word set, a list of names, or {{ words = ["…", "…"] }}')
    return names


def _own(words: Any, where: str) -> list[str]:
    if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
        raise WordworthError(f"{where}: words must be a list of words, none of them blank")
    return [tidy(word) for word in words]

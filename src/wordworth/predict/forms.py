"""How a word of running text may be spelled in a list: as written, in another case, and without its punctuation."""

import re
from collections.abc import Callable, Iterator

from wordworth.embedding import spellings

_EDGES = re.compile(r"^[^\w]+|[^\w]+$")


def bare(word: str) -> str:
    """A word without the punctuation at its ends; what is nothing else stays as it is."""
    return _EDGES.sub("", word) or word


def forms(language: str = "english") -> Callable[[str], Iterator[str]]:
    """Spellings to try in a vocabulary, best first."""
    spelled = spellings(language)

    def tried(word: str) -> Iterator[str]:
        yield from spelled(word)
        stripped = bare(word)
        if stripped != word:
            yield from spelled(stripped)

    return tried

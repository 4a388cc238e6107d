"""Words of scripts that are written without spaces: found by ICU, or given by the spaces of a text."""

import unicodedata
from collections.abc import Sequence
from functools import cache, partial
from importlib.util import find_spec
from itertools import pairwise

from wordworth.errors import WordworthError

_SCRIPTS = frozenset(
    ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR")
)


@cache
def is_unspaced(character: str) -> bool:
    """Whether a character is of a script whose words no space parts."""
    return not _SCRIPTS.isdisjoint(unicodedata.name(character, "").split()[:2])


def glued_in(line: str, tokens: Sequence[str]) -> list[bool]:
    """Whether each token follows the one before it in the line without a space."""
    glued: list[bool] = []
    end = 0
    for token in tokens:
        start = line.find(token, end)
        if start < 0:
            raise WordworthError(f"the splitter gave {token!r}, which the line does not have there; give its own words")
        glued.append(bool(glued) and start == end)
        end = start + len(token)
    return glued


def glued_by_script(tokens: Sequence[str]) -> list[bool]:
    """The same where spaces only part words: one is read where both its neighbours are of scripts that have spaces."""
    edges = [(one[-1], other[0]) for one, other in pairwise(tokens)]
    glued = [any(map(is_unspaced, both)) or not all(map(str.isalnum, both)) for both in edges]
    return [False, *glued][: len(tokens)]


def icu_words(language: str, code: str) -> "partial[list[str]]":
    """A function that parts a line into the words that ICU finds by its dictionary of a language."""
    if find_spec("icu4py") is None:
        raise WordworthError(
            f"finding the words of {language} text needs icu4py; install it with `pip install wordworth[segment]`, or "
            "give a text with a space between words and `--segmentation spaces`"
        )
    return partial(_icu, code)


def _icu(code: str, line: str) -> list[str]:
    from icu4py.breakers import WordBreaker

    return [word for word in WordBreaker(line, code) if not word.isspace()]

"""How a line is parted into words: one rule for every tokenizer.

With punctuation `apart`, a word is a run of letters, digits and apostrophes, and a run of other marks is a word of its
own: `"Tea, don't!"` is `"`, `Tea`, `,`, `don't` and `!"`. With `attached`, only white space parts words. Whether a word
is over can then be told from the next character alone, whatever the units of a model are.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Literal, NamedTuple

from wordworth.errors import WordworthError, require

_SCRIPTS = frozenset(
    ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR")
)
Punctuation = Literal["apart", "attached"]
Splitter = Callable[[str], list[str]]

WORD, MARK, SPACE = 0, 1, 2
"""What is before a unit: a word's characters, marks, or nothing but white space."""
SPACING_STATES = 3
UNKNOWN_WORD = "<unk>"
"""In the place of a word in some texts, such as WikiText: always one word."""
_APOSTROPHES = "'’"
_LETTER = rf"[^\W_{_APOSTROPHES}]|[{_APOSTROPHES}]"
_TOKENS_KEPT = 1 << 16


@cache
def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script whose words no space parts."""
    return not _SCRIPTS.isdisjoint(unicodedata.name(character, "").split()[:2])


def find_glued(line: str, tokens: Sequence[str]) -> list[bool]:
    """Return whether each token follows the one before it in the line without a space."""
    glued: list[bool] = []
    end = 0
    for token in tokens:
        start = line.find(token, end)
        if start < 0:
            raise WordworthError(f"the splitter gave {token!r}, which the line does not have there; give its own words")
        glued.append(bool(glued) and start == end)
        end = start + len(token)
    return glued


def glue_by_script(tokens: Sequence[str]) -> list[bool]:
    """Return the same where spaces only part words: one is read between two scripts that have spaces."""
    edges = [(one[-1], other[0]) for one, other in pairwise(tokens)]
    glued = [any(map(is_unspaced, both)) or not all(map(str.isalnum, both)) for both in edges]
    return [False, *glued][: len(tokens)]


def icu_words(code: str) -> Splitter:
    """Return a function that parts a line into the words that ICU finds by its dictionary of a language."""
    require("texts without spaces between words")
    return partial(_split_by_icu, code)


def _split_by_icu(code: str, line: str) -> list[str]:
    from icu4py.breakers import WordBreaker

    return [word for word in WordBreaker(line, code) if not word.isspace()]


class LineWords(NamedTuple):
    """The words of a line."""

    words: list[str]
    glued: list[bool]
    """Whether no white space is before the word."""
    text: str
    """The line as a model reads it, with single spaces."""

    def first(self, count: int) -> str:
        """Return the text of its first so many words."""
        pairs = zip(self.words[:count], self.glued, strict=False)
        return "".join(word if glued else f" {word}" for word, glued in pairs)[1:]


@dataclass(frozen=True)
class Parting:
    """Parts a line into words."""

    punctuation: Punctuation = "apart"
    split: Splitter = str.split
    """Parts it at white space, or in a way of its own, before punctuation is looked at."""
    unspaced: bool = False
    """The language is written without spaces. Those of the line then only part words, and are not read; with a
    splitter of its own, the line is read as it is."""

    def __call__(self, line: str) -> LineWords:
        tokens = self.split(line)
        if self.split is not str.split:
            broken = [token for token in tokens if token.split() != [token]]
            if broken:
                raise WordworthError(f"the splitter gave {broken[0]!r}, and a word holds no white space")
        if self.unspaced:
            return self._part_unspaced(line, tokens)
        if self.punctuation == "attached":
            return LineWords(tokens, [False] * len(tokens), " ".join(tokens))
        words: list[str] = []
        glued: list[bool] = []
        for token in tokens:
            if token.isalnum():
                words.append(token)
                glued.append(False)
            else:
                pieces = _split_marks(token)
                words += pieces
                glued += [False, *(True,) * (len(pieces) - 1)]
        return LineWords(words, glued, " ".join(tokens))

    def _part_unspaced(self, line: str, tokens: list[str]) -> LineWords:
        follows = glue_by_script(tokens) if self.split is str.split else find_glued(line, tokens)
        words: list[str] = []
        glued: list[bool] = []
        for token, is_glued in zip(tokens, follows, strict=True):
            pieces = _split_marks(token) if self.punctuation == "apart" else (token,)
            if is_glued and self.punctuation == "apart" and kind_of(words[-1]) == kind_of(pieces[0]) == MARK:
                words[-1] += pieces[0]  # a run of marks is one word
                pieces = pieces[1:]
            words += pieces
            glued += [is_glued, *(True,) * (len(pieces) - 1)][: len(pieces)]
        parted = LineWords(words, glued, "")
        return parted._replace(text=parted.first(len(words)))


@lru_cache(maxsize=_TOKENS_KEPT)
def _split_marks(token: str) -> tuple[str, ...]:
    """Split a token wherever letters and marks meet."""
    return tuple(_pattern().findall(token))


def kind_of(word: str) -> int:
    """Return whether a word is one of letters and digits (`WORD`) or of marks (`MARK`)."""
    return WORD if word[:1].isalnum() or word[:1] in _APOSTROPHES else MARK


@cache
def _pattern() -> re.Pattern[str]:
    """Match runs of letters, and of marks; what extends a character (an accent, a joiner) goes with what it extends."""
    extending = "".join(map(chr, filter(_extends, range(0x20000)))) + "".join(map(chr, range(0xE0100, 0xE01F0)))
    return re.compile(rf"{UNKNOWN_WORD}|(?:{_LETTER})(?:{_LETTER}|[{extending}])*|(?:(?!{_LETTER}|{UNKNOWN_WORD})\S)+")


def _extends(character: int) -> bool:
    return unicodedata.category(chr(character)) in ("Mn", "Mc", "Me", "Cf")


@cache
def first_kind(character: bytes) -> int | None:
    """Return `WORD` or `MARK` by the first character of a unit's text, of which there may be a part only.

    A part counts as most of the characters that begin so. None for one that extends the character before it, or is the
    rest of one.
    """
    if 0x80 <= character[0] < 0xC0:
        return None
    whole = character.decode(errors="ignore")
    if whole:
        return None if _extends(ord(whole[0])) else kind_of(whole[0])
    kinds = [kind_of(one) for one in map(chr, _complete(character)) if unicodedata.category(one)[0] not in "CM"]
    return MARK if 2 * sum(kinds) > len(kinds) else WORD


def _complete(part: bytes) -> range:
    """Return the characters whose first bytes are these."""
    length = _length(part[0])
    code = part[0] & (0x7F >> length)
    for byte in part[1:]:
        code = code << 6 | byte & 0x3F
    rest = 6 * (length - len(part))
    least = (0x80, 0x800, 0x10000)[length - 2]  # what is below is spelled in fewer bytes
    return range(max(code << rest, least), min(code + 1 << rest, 0x110000))


def _length(lead: int) -> int:
    """Return the bytes of a character, by its first one."""
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def first_character(text: bytes) -> bytes:
    """Return the bytes of the first character of a text, or as many of them as there are."""
    lead = text[0]
    if lead < 0xC0:
        return text[:1]
    length = _length(lead)
    end = 1
    while end < min(length, len(text)) and 0x80 <= text[end] < 0xC0:
        end += 1
    return text[:end]


def part_words(text: bytes) -> bytes:
    """Return a unit's text with a space wherever a word ends inside it: b".com" is b". com"."""
    if text.isalnum():
        return text
    tokens = re.split(r"(\s+)", text.decode(errors="surrogateescape"))
    if any("\udc80" <= character <= "\udcff" for token in tokens for character in token):
        return text  # parts of characters: what they are of is not known
    parts = [token if not token or token.isspace() else " ".join(_split_marks(token)) for token in tokens]
    return "".join(parts).encode()

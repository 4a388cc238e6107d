"""Split a line into words by one rule for every tokenizer.

With punctuation `apart`, a word is a run of letters, digits and apostrophes, and a run of other marks is a word of its
own: `"Tea, don't!"` is `"`, `Tea`, `,`, `don't` and `!"`. With `attached`, only white space separates words. So the
next character shows whether a word is complete, whatever the units of a model are.
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
"""The characters before a unit: those of a word, marks, or only white space."""
SPACING_STATES = 3
UNKNOWN_WORD = "<unk>"
"""The placeholder of a word in some texts, such as WikiText: always one word."""
_APOSTROPHES = "'’"
_LETTER = rf"[^\W_{_APOSTROPHES}]|[{_APOSTROPHES}]"
_TOKENS_KEPT = 1 << 16


@cache
def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script without spaces between words."""
    return not _SCRIPTS.isdisjoint(unicodedata.name(character, "").split()[:2])


def find_unspaced_tokens(line: str, tokens: Sequence[str]) -> list[bool]:
    """Return whether each token follows the previous one in the line without a space."""
    is_glued: list[bool] = []
    end = 0
    for token in tokens:
        start = line.find(token, end)
        if start < 0:
            raise WordworthError(
                f"the splitter returned {token!r}, which is not next in the line; return the line's own words"
            )
        is_glued.append(bool(is_glued) and start == end)
        end = start + len(token)
    return is_glued


def find_unspaced_by_script(tokens: Sequence[str]) -> list[bool]:
    """Return the same if spaces only separate words: a space counts between two tokens of scripts with spaces."""
    edges = [(token[-1], next_token[0]) for token, next_token in pairwise(tokens)]
    is_glued = [any(map(is_unspaced, edge)) or not all(map(str.isalnum, edge)) for edge in edges]
    return [False, *is_glued][: len(tokens)]


def icu_words(code: str) -> Splitter:
    """Return a function that splits a line into words by ICU's dictionary of a language."""
    require("texts without spaces between words")
    return partial(_split_by_icu, code)


def _split_by_icu(code: str, line: str) -> list[str]:
    from icu4py.breakers import WordBreaker

    return [word for word in WordBreaker(line, code) if not word.isspace()]


class LineWords(NamedTuple):
    """The words of a line."""

    words: list[str]
    is_glued: list[bool]
    """Whether the word follows the previous one without white space."""
    text: str
    """The line as the model reads it, with single spaces."""

    def first(self, count: int) -> str:
        """Return the text of the first `count` words."""
        pairs = zip(self.words[:count], self.is_glued, strict=False)
        return "".join(word if follows else f" {word}" for word, follows in pairs)[1:]


@dataclass(frozen=True)
class WordSplitter:
    """Splits a line into words."""

    punctuation: Punctuation = "apart"
    split: Splitter = str.split
    """Splits at white space, or as the user's function does, before punctuation is separated."""
    unspaced: bool = False
    """The language is written without spaces. Spaces of the line then only separate words, and the model does not read
    them; with the user's own `split`, the line is read unchanged."""

    def __call__(self, line: str) -> LineWords:
        tokens = self.split(line)
        if self.split is not str.split:
            bad_tokens = [token for token in tokens if token.split() != [token]]
            if bad_tokens:
                raise WordworthError(f"the splitter returned {bad_tokens[0]!r}, but a word has no white space")
        if self.unspaced:
            return self._split_unspaced(line, tokens)
        if self.punctuation == "attached":
            return LineWords(tokens, [False] * len(tokens), " ".join(tokens))
        words: list[str] = []
        flags: list[bool] = []
        for token in tokens:
            if token.isalnum():
                words.append(token)
                flags.append(False)
            else:
                pieces = _split_marks(token)
                words += pieces
                flags += [False, *(True,) * (len(pieces) - 1)]
        return LineWords(words, flags, " ".join(tokens))

    def _split_unspaced(self, line: str, tokens: list[str]) -> LineWords:
        follows = find_unspaced_by_script(tokens) if self.split is str.split else find_unspaced_tokens(line, tokens)
        words: list[str] = []
        flags: list[bool] = []
        for token, is_glued in zip(tokens, follows, strict=True):
            pieces = _split_marks(token) if self.punctuation == "apart" else (token,)
            if is_glued and self.punctuation == "apart" and kind_of(words[-1]) == kind_of(pieces[0]) == MARK:
                words[-1] += pieces[0]  # a run of marks is one word
                pieces = pieces[1:]
            words += pieces
            flags += [is_glued, *(True,) * (len(pieces) - 1)][: len(pieces)]
        line_words = LineWords(words, flags, "")
        return line_words._replace(text=line_words.first(len(words)))


@lru_cache(maxsize=_TOKENS_KEPT)
def _split_marks(token: str) -> tuple[str, ...]:
    """Split a token between letters and marks."""
    return tuple(_pattern().findall(token))


def kind_of(word: str) -> int:
    """Return whether a word consists of letters and digits (`WORD`) or of marks (`MARK`)."""
    return WORD if word[:1].isalnum() or word[:1] in _APOSTROPHES else MARK


@cache
def _pattern() -> re.Pattern[str]:
    """Match runs of letters, and of marks; an accent or joiner belongs to the character that it extends."""
    extending = "".join(map(chr, filter(_extends, range(0x20000)))) + "".join(map(chr, range(0xE0100, 0xE01F0)))
    return re.compile(rf"{UNKNOWN_WORD}|(?:{_LETTER})(?:{_LETTER}|[{extending}])*|(?:(?!{_LETTER}|{UNKNOWN_WORD})\S)+")


def _extends(character: int) -> bool:
    return unicodedata.category(chr(character)) in ("Mn", "Mc", "Me", "Cf")


@cache
def first_kind(character: bytes) -> int | None:
    """Return `WORD` or `MARK` by the first character of a unit's text, which may be incomplete.

    An incomplete one counts as most of the characters that begin with its bytes. None if it extends the character
    before it, or is the rest of one.
    """
    if 0x80 <= character[0] < 0xC0:
        return None
    characters = character.decode(errors="ignore")
    if characters:
        return None if _extends(ord(characters[0])) else kind_of(characters[0])
    candidates = map(chr, _complete(character))
    kinds = [kind_of(candidate) for candidate in candidates if unicodedata.category(candidate)[0] not in "CM"]
    return MARK if 2 * sum(kinds) > len(kinds) else WORD


def _complete(prefix: bytes) -> range:
    """Return the characters that begin with these bytes."""
    length = _length(prefix[0])
    code = prefix[0] & (0x7F >> length)
    for byte in prefix[1:]:
        code = code << 6 | byte & 0x3F
    missing_bits = 6 * (length - len(prefix))
    minimum = (0x80, 0x800, 0x10000)[length - 2]  # smaller ones are encoded in fewer bytes
    return range(max(code << missing_bits, minimum), min(code + 1 << missing_bits, 0x110000))


def _length(lead: int) -> int:
    """Return the number of bytes of a character by its first byte."""
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def first_character(text: bytes) -> bytes:
    """Return the bytes of the first character of a text, as far as there are any."""
    lead = text[0]
    if lead < 0xC0:
        return text[:1]
    length = _length(lead)
    end = 1
    while end < min(length, len(text)) and 0x80 <= text[end] < 0xC0:
        end += 1
    return text[:end]


def separate_words(text: bytes) -> bytes:
    """Insert a space into a unit's text wherever a word ends inside it: b".com" becomes b". com"."""
    if text.isalnum():
        return text
    tokens = re.split(r"(\s+)", text.decode(errors="surrogateescape"))
    if any("\udc80" <= character <= "\udcff" for token in tokens for character in token):
        return text  # the character of an incomplete one is unknown
    parts = [token if not token or token.isspace() else " ".join(_split_marks(token)) for token in tokens]
    return "".join(parts).encode()

"""Sentences out of running text, and the vocabulary's words in them (Bommasani et al. 2020, A.2 and A.5)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wordworth.catalog.languages import abbreviations, is_spaced
from wordworth.contexts.random_contexts import CHARACTERS_A_WORD
from wordworth.embedding.spelling import lower
from wordworth.errors import WordworthError

SHORTEST, LONGEST = 8, 74
"""7 < tokens < 75, as the paper; punctuation counts as a token."""

_STOP = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+")
_UNSPACED_STOP = re.compile(r"[。！？!?…]+[”’」』）)]*")
_LAST = re.compile(r"(\S*?)\s*$")
_TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")
_WORD = re.compile(r"[^\W_]+(?:[-'’_][^\W_]+)*")
_OPENING = frozenset("\"'“‘«([")
Span = tuple[int, int, int]
"""The place of a word in the vocabulary, and where it stands in a text."""


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence and the vocabulary's words in it, each where it stands first."""

    text: str
    spans: tuple[Span, ...]


def split_sentences(line: str, language: str = "english") -> Iterator[str]:
    """The sentences of a line: a stop ends one where the next does not begin in lower case.

    A stop behind an initial, a common abbreviation or a word with a stop inside (U.S.) ends none.
    """
    start, spaced = 0, is_spaced(language)
    for match in (_STOP if spaced else _UNSPACED_STOP).finditer(line):
        if spaced and not _ends(line, match, language):
            continue
        sentence = line[start : match.end()].strip()
        start = match.end()
        if sentence:
            yield sentence
    rest = line[start:].strip()
    if rest:
        yield rest


def _ends(line: str, match: re.Match[str], language: str) -> bool:
    """Whether a stop ends its sentence."""
    following = line[match.end() : match.end() + 1]
    if not (following in _OPENING or (following.isalnum() and not following.islower())):
        return False
    if line[match.start()] != ".":
        return True
    last = _LAST.search(line, 0, match.start())
    before = last.group(1).lstrip("\"'“‘([") if last else ""
    initial = len(before) == 1 and before.isupper() and before != "I"
    number = before.lower() == "no" and following.isdigit()
    return not (initial or number or "." in before or before.lower() in abbreviations(language))


def count_tokens(sentence: str, language: str = "english") -> int:
    """Words and punctuation marks; in a language without spaces, about two characters a word."""
    if not is_spaced(language):
        return len(sentence) // CHARACTERS_A_WORD
    return sum(1 for _ in _TOKEN.finditer(sentence))


def words_of(text: str) -> list[str]:
    """The words of a text, hyphens and apostrophes inside them kept."""
    return _WORD.findall(text)


class Finder:
    """Finds the words of a vocabulary in sentences.

    A word is matched whole, in any case (its own spelling is preferred where the vocabulary has both), and also before
    a possessive ’s. In a language without spaces any substring counts, longer words first. `lower_case` puts every
    sentence into lower case.
    """

    def __init__(self, words: Sequence[str], language: str = "english", *, lower_case: bool = False) -> None:
        if not words:
            raise WordworthError("a vocabulary without words has no contexts; name at least one word")
        self.language = language
        self.lower_case = lower_case
        self._exact = {word: at for at, word in reversed(list(enumerate(words)))}
        self._folded = {lower(word, language): at for at, word in reversed(list(enumerate(words)))}
        # Words that the pattern of a single word cannot match: phrases of several.
        self._sizes = sorted({len(word.split()) for word in words} - {1}) if is_spaced(language) else []
        self._any: re.Pattern[str] | None = None
        if not is_spaced(language):
            longest_first = sorted(self._folded, key=len, reverse=True)
            self._any = re.compile("|".join(map(re.escape, longest_first)))

    def sentences(self, lines: Iterable[str]) -> Iterator[Found]:
        """The sentences of 8 to 74 tokens that hold a word of the vocabulary."""
        for line in lines:
            for sentence in split_sentences(line, self.language):
                text = lower(sentence, self.language) if self.lower_case else sentence
                spans = self.spans(text)
                if spans and SHORTEST <= count_tokens(text, self.language) <= LONGEST:
                    yield Found(text, spans)

    def spans(self, text: str) -> tuple[Span, ...]:
        """The first place of each word in the text."""
        first_places: dict[int, Span] = {}
        if self._any is not None:
            for match in self._any.finditer(lower(text, self.language)):
                at = self._folded[match.group()]
                first_places.setdefault(at, (at, match.start(), match.end()))
            return tuple(first_places.values())
        places = [match.span() for match in _WORD.finditer(text)]
        for first, (start, end) in enumerate(places):
            for at, stop in self._at(text, start, end):
                first_places.setdefault(at, (at, start, stop))
            for size in self._sizes:
                if first + size <= len(places):
                    stop = places[first + size - 1][1]
                    phrase = self._known(" ".join(text[start:stop].split()))
                    if phrase is not None:
                        first_places.setdefault(phrase, (phrase, start, stop))
        return tuple(first_places.values())

    def _at(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        form = text[start:end]
        known = self._known(form)
        if known is not None:
            yield known, end
        elif form.endswith(("'s", "’s")):
            known = self._known(form[:-2])
            if known is not None:
                yield known, end - 2

    def _known(self, form: str) -> int | None:
        exact = self._exact.get(form)
        return self._folded.get(lower(form, self.language)) if exact is None else exact

"""Sentences out of running text, and the vocabulary's words in them (Bommasani et al. 2020, A.2 and A.5)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from wordworth.catalog.registry import abbreviations, is_spaced
from wordworth.contexts.random_contexts import CHARACTERS_A_WORD
from wordworth.embedding.core import lower
from wordworth.errors import WordworthError

SHORTEST, LONGEST = 8, 74
"""7 < tokens < 75, as the authors' code (the paper has 7 to 75); punctuation counts as a token."""
_STOP = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+")
_UNSPACED_STOP = re.compile(r"[。！？!?…]+[”’」』）)]*")
_TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")
_WORD = re.compile(r"[^\W_]+(?:[-'’_][^\W_]+)*")
_POSSESSIVE = ("'s", "’s")
_OPENING = frozenset("\"'“‘«([")
Span = tuple[int, int, int]
"""The place of a word in the vocabulary, and where it stands in a text."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A sentence and the vocabulary's words in it, each where it stands first."""

    text: str
    spans: tuple[Span, ...]


def split_sentences(line: str, language: str = "english") -> Iterator[str]:
    """Yield the sentences of a line: a stop ends one where the next does not begin in lower case.

    A stop behind an initial, a common abbreviation or a word with a stop inside (U.S.) ends none.
    """
    start, spaced = 0, is_spaced(language)
    for match in (_STOP if spaced else _UNSPACED_STOP).finditer(line):
        if spaced and not _ends(line, start, match, language):
            continue
        sentence = line[start : match.end()].strip()
        start = match.end()
        if sentence:
            yield sentence
    rest = line[start:].strip()
    if rest:
        yield rest


def _ends(line: str, start: int, match: re.Match[str], language: str) -> bool:
    """Return whether a stop ends the sentence that begins at `start`."""
    following = line[match.end() : match.end() + 1]
    if not (following in _OPENING or (following.isalnum() and not following.islower())):
        return False
    if line[match.start()] != ".":
        return True
    # Looked for backwards: a pattern would go through the whole line for each stop.
    last = line[start : match.start()].rsplit(None, 1)
    before = last[-1].lstrip("\"'“‘([") if last else ""
    initial = len(before) == 1 and before.isupper() and before != "I"
    number = before.lower() == "no" and following.isdigit()
    return not (initial or number or "." in before or before.lower() in abbreviations(language))


def count_tokens(sentence: str, language: str = "english") -> int:
    """Count words and punctuation marks; in a language without spaces, about two characters a word."""
    if not is_spaced(language):
        return len(sentence) // CHARACTERS_A_WORD
    return len(_TOKEN.findall(sentence))


def words_of(text: str) -> list[str]:
    """Return the words of a text, hyphens and apostrophes inside them kept."""
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
        self._lower: Callable[[str], str] = partial(lower, language=language) if language == "turkish" else str.lower
        exact = {word: at for at, word in reversed(list(enumerate(words)))}
        self._folded = {self._lower(word): at for at, word in reversed(list(enumerate(words)))}
        # The spellings of a word that the vocabulary has in several.
        self._cased = {word: at for word, at in exact.items() if self._folded[self._lower(word)] != at}
        # Words that the pattern of a single word cannot match: phrases of several.
        phrases = [word for word in words if len(word.split()) > 1] if is_spaced(language) else []
        self._sizes = sorted({len(phrase.split()) for phrase in phrases})
        self._begin_phrases = {self._lower(form) for phrase in phrases for form in _WORD.findall(phrase)[:1]}
        self._any: re.Pattern[str] | None = None
        if not is_spaced(language):
            longest_first = sorted(self._folded, key=len, reverse=True)
            self._any = re.compile("|".join(map(re.escape, longest_first)))

    def sentences(self, lines: Iterable[str]) -> Iterator[Occurrence]:
        """Yield the sentences of 8 to 74 tokens that hold a word of the vocabulary."""
        for line in lines:
            for sentence in split_sentences(line, self.language):
                text = lower(sentence, self.language) if self.lower_case else sentence
                spans = self.spans(text)
                if spans and SHORTEST <= count_tokens(text, self.language) <= LONGEST:
                    yield Occurrence(text, spans)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the first place of each word in the text."""
        first_places: dict[int, Span] = {}
        if self._any is not None:
            for match in self._any.finditer(lower(text, self.language)):
                at = self._folded[match.group()]
                first_places.setdefault(at, (at, match.start(), match.end()))
            return tuple(first_places.values())
        places = [match.span() for match in _WORD.finditer(text)]
        forms = [text[start:end] for start, end in places]
        for first, ((start, end), form, known) in enumerate(zip(places, forms, self._locate(text, forms), strict=True)):
            if known is not None:
                possessive = form.endswith(_POSSESSIVE) and self._known_as(form) is None
                first_places.setdefault(known, (known, start, end - 2 if possessive else end))
            if self._sizes and self._lower(form) in self._begin_phrases:
                for size in self._sizes:
                    stop = places[first + size - 1][1] if first + size <= len(places) else start
                    phrase = self._known_as(" ".join(text[start:stop].split()))
                    if phrase is not None:
                        first_places.setdefault(phrase, (phrase, start, stop))
        return tuple(first_places.values())

    def _locate(self, text: str, forms: list[str]) -> list[int | None]:
        """Return the place in the vocabulary of each word of a text, before a possessive ’s too."""
        known = list(map(self._folded.get, map(self._lower, forms)))
        if not self._cased.keys().isdisjoint(forms):
            known = [self._cased.get(form, at) for form, at in zip(forms, known, strict=True)]
        if any(mark in text for mark in _POSSESSIVE):
            for at, form in enumerate(forms):
                if known[at] is None and form.endswith(_POSSESSIVE):
                    known[at] = self._known_as(form[:-2])
        return known

    def _known_as(self, form: str) -> int | None:
        return self._cased.get(form, self._folded.get(self._lower(form)))

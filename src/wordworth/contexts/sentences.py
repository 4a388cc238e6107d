"""Split running text into sentences and find a vocabulary's words in them (Bommasani et al. 2020, A.2 and A.5)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from wordworth.catalog.registry import abbreviations, is_spaced
from wordworth.contexts.random_contexts import CHARACTERS_PER_WORD
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
"""The index of a word in the vocabulary, and its start and end in a text."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A sentence and the first occurrence of each vocabulary word in it."""

    text: str
    spans: tuple[Span, ...]


def split_sentences(line: str, language: str = "english") -> Iterator[str]:
    """Yield the sentences of a line: a stop ends a sentence unless lower case follows.

    A stop after an initial, a common abbreviation or a word that contains a stop (U.S.) ends none.
    """
    start, has_spaces = 0, is_spaced(language)
    for match in (_STOP if has_spaces else _UNSPACED_STOP).finditer(line):
        if has_spaces and not _ends(line, start, match, language):
            continue
        sentence = line[start : match.end()].strip()
        start = match.end()
        if sentence:
            yield sentence
    remainder = line[start:].strip()
    if remainder:
        yield remainder


def _ends(line: str, start: int, match: re.Match[str], language: str) -> bool:
    """Return whether a stop ends the sentence that begins at `start`."""
    next_character = line[match.end() : match.end() + 1]
    if not (next_character in _OPENING or (next_character.isalnum() and not next_character.islower())):
        return False
    if line[match.start()] != ".":
        return True
    # Search backwards: a pattern would scan the whole line for each stop.
    last_words = line[start : match.start()].rsplit(None, 1)
    word_before = last_words[-1].lstrip("\"'“‘([") if last_words else ""
    initial = len(word_before) == 1 and word_before.isupper() and word_before != "I"
    number = word_before.lower() == "no" and next_character.isdigit()
    return not (initial or number or "." in word_before or word_before.lower() in abbreviations(language))


def count_tokens(sentence: str, language: str = "english") -> int:
    """Count words and punctuation marks; in a language without spaces, about two characters per word."""
    if not is_spaced(language):
        return len(sentence) // CHARACTERS_PER_WORD
    return len(_TOKEN.findall(sentence))


def words_of(text: str) -> list[str]:
    """Return the words of a text, including hyphens and apostrophes inside them."""
    return _WORD.findall(text)


class Finder:
    """Finds the words of a vocabulary in sentences.

    A word is matched as a whole, in any case (in its own if the vocabulary has several), and also before a possessive
    ’s. In a language without spaces any substring counts, longer words first. `lower_case` puts every sentence into
    lower case.
    """

    def __init__(self, words: Sequence[str], language: str = "english", *, lower_case: bool = False) -> None:
        if not words:
            raise WordworthError("a vocabulary without words has no contexts; name at least one word")
        self.language = language
        self.lower_case = lower_case
        self._lower: Callable[[str], str] = partial(lower, language=language) if language == "turkish" else str.lower
        exact = {word: index for index, word in reversed(list(enumerate(words)))}
        self._by_form = {self._lower(word): index for index, word in reversed(list(enumerate(words)))}
        # Words of which the vocabulary has several spellings.
        self._by_spelling = {word: index for word, index in exact.items() if self._by_form[self._lower(word)] != index}
        # Phrases, which the pattern of a single word cannot match.
        phrases = [word for word in words if len(word.split()) > 1] if is_spaced(language) else []
        self._sizes = sorted({len(phrase.split()) for phrase in phrases})
        self._begin_phrases = {self._lower(form) for phrase in phrases for form in _WORD.findall(phrase)[:1]}
        self._any_word: re.Pattern[str] | None = None
        if not is_spaced(language):
            longest_first = sorted(self._by_form, key=len, reverse=True)
            self._any_word = re.compile("|".join(map(re.escape, longest_first)))

    def sentences(self, lines: Iterable[str]) -> Iterator[Occurrence]:
        """Yield the sentences of 8 to 74 tokens with a word of the vocabulary."""
        for line in lines:
            for sentence in split_sentences(line, self.language):
                text = lower(sentence, self.language) if self.lower_case else sentence
                spans = self.spans(text)
                if spans and SHORTEST <= count_tokens(text, self.language) <= LONGEST:
                    yield Occurrence(text, spans)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the first span of each word in the text."""
        spans: dict[int, Span] = {}
        if self._any_word is not None:
            for match in self._any_word.finditer(lower(text, self.language)):
                index = self._by_form[match.group()]
                spans.setdefault(index, (index, match.start(), match.end()))
            return tuple(spans.values())
        places = [match.span() for match in _WORD.finditer(text)]
        forms = [text[start:end] for start, end in places]
        for number, ((start, end), form, word) in enumerate(zip(places, forms, self._locate(text, forms), strict=True)):
            if word is not None:
                possessive = form.endswith(_POSSESSIVE) and self._find_form(form) is None
                spans.setdefault(word, (word, start, end - 2 if possessive else end))
            if self._sizes and self._lower(form) in self._begin_phrases:
                for size in self._sizes:
                    stop = places[number + size - 1][1] if number + size <= len(places) else start
                    phrase = self._find_form(" ".join(text[start:stop].split()))
                    if phrase is not None:
                        spans.setdefault(phrase, (phrase, start, stop))
        return tuple(spans.values())

    def _locate(self, text: str, forms: list[str]) -> list[int | None]:
        """Return the vocabulary index of each word of a text, also before a possessive ’s."""
        word_indices = list(map(self._by_form.get, map(self._lower, forms)))
        if not self._by_spelling.keys().isdisjoint(forms):
            word_indices = [self._by_spelling.get(*pair) for pair in zip(forms, word_indices, strict=True)]
        if any(mark in text for mark in _POSSESSIVE):
            for position, form in enumerate(forms):
                if word_indices[position] is None and form.endswith(_POSSESSIVE):
                    word_indices[position] = self._find_form(form[:-2])
        return word_indices

    def _find_form(self, form: str) -> int | None:
        return self._by_spelling.get(form, self._by_form.get(self._lower(form)))

"""The text that words are predicted in: a corpus, cut after so many words. It is read anew whenever it is gone through,
and never held."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter

from wordworth.catalog.read.corpora import Corpus, documents
from wordworth.catalog.read.layouts import Report
from wordworth.catalog.registry import code_of, is_spaced
from wordworth.errors import WordworthError
from wordworth.predict.parting import Parting, icu_words
from wordworth.study.predict import PredictSettings

DOCUMENTS = 10
"""Fewer documents than this are too few to resample."""


@dataclass(frozen=True)
class Text:
    """Lines of a corpus in their order, and the sentences that tell of lines that could not be read."""

    corpus: Corpus
    most: int
    """Words after which it is cut; 0: nowhere."""
    parting: Parting
    one_a_line: bool = False
    """A line of the corpus is a word, and its documents are the lines."""
    words: int = 0
    count: int = 0
    """Lines."""
    parted: int = 0
    """Documents."""
    flaws: tuple[str, ...] = ()
    tally: Mapping[str, int] = field(default_factory=dict)
    """What was left out or joined where it was read, by `documents`."""

    @property
    def lines(self) -> "Lines":
        """The last one is cut where the words are reached."""
        return Lines(self)

    @property
    def documents(self) -> Iterator[int]:
        """The document that each line belongs to."""
        return (number for number, _, _ in cut(self, lambda _: None))

    @property
    def clusters(self) -> str:
        """What is drawn anew for the intervals: documents, or lines where those are few."""
        return "document" if self.parted >= DOCUMENTS else "line"


@dataclass(frozen=True)
class Lines:
    """The lines of a text, of which there are so many."""

    text: Text

    def __len__(self) -> int:
        return self.text.count

    def __iter__(self) -> Iterator[str]:
        return (line for _, line, _ in cut(self.text, lambda _: None))


def cut(text: Text, report: Report, tally: Counter[str] | None = None) -> Iterator[tuple[int, str, int]]:
    """The number of each line's document, the line, and how many words it has."""
    count = 0
    lines = documents(text.corpus, report, tally)
    for number, line in _sentences(lines, text.corpus.name) if text.one_a_line else lines:
        parted = text.parting(line)
        words = len(parted.words)
        left = min(words, text.most - count) if text.most else words
        yield number, line if left == words else parted.first(left), left
        count += left
        if text.most and count >= text.most:
            return


def _sentences(lines: Iterable[tuple[int, str]], name: str) -> Iterator[tuple[int, str]]:
    """Words that stand one a line, a blank line between sentences, as lines."""
    for number, words in groupby(lines, key=itemgetter(0)):
        sentence = [word for _, word in words]
        for word in sentence:
            if word.split() != [word]:
                raise WordworthError(
                    f"{name}: {word!r} is more than a word; with --segmentation lines, give one word a line and a "
                    "blank line between sentences"
                )
        yield number, " ".join(sentence)


def parting_of(settings: PredictSettings, language: str) -> Parting:
    """How lines of a language become words, by these settings."""
    if is_spaced(language):
        if settings.segmentation == "icu":
            raise WordworthError(f"{language} is written with spaces; leave out --segmentation, or name the --language")
        return Parting(settings.punctuation, settings.split)
    if settings.segmentation in ("spaces", "lines") or settings.split is not str.split:
        return Parting(settings.punctuation, settings.split, unspaced=True)
    if settings.punctuation == "attached":
        raise WordworthError("where ICU finds the words, punctuation stands apart; leave out --punctuation attached")
    return Parting("apart", icu_words(language, code_of(language)), unspaced=True)


def read(corpus: Corpus, words: int, parting: Parting = Parting(), *, one_a_line: bool = False) -> Text:  # noqa: B008 - frozen
    """The first `words` words (0: all), counted."""
    if words < 0:
        raise WordworthError(f"--words is {words}; it must be a whole number from 0 (all) up")
    flaws: list[str] = []
    tally: Counter[str] = Counter()
    text = Text(corpus, words, parting, one_a_line)
    lines = counted = parted = 0
    last = -1
    for document, _, length in cut(text, flaws.append, tally):
        lines += 1
        counted += length
        parted += document != last
        last = document
    if not counted:
        raise WordworthError(f"{corpus.name} has no words; give another text with --corpus")
    return replace(text, words=counted, count=lines, parted=parted, flaws=tuple(flaws), tally=tally)

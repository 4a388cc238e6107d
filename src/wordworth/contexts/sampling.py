"""Draw seeded samples of sentences from a stream in one pass into a file: memory does not grow with the text.

Every sentence gets a random number from the seed and its text; the N with the smallest are the sample, in that order.
So a sample of 10,000 is the beginning of one of 20,000, and the draw does not depend on the order of the sentences.
The cache keeps samples drawn from corpora for a vocabulary.
"""

import hashlib
import heapq
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import IO

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.resolve import NameLike
from wordworth.contexts.sentences import LONGEST, SHORTEST, Finder, Occurrence
from wordworth.engine.cache import entry
from wordworth.errors import WordworthError
from wordworth.files import replacing
from wordworth.progress import progress

MAX_FLAWS_SHOWN = 20
"""Unreadable lines that are reported one by one; further ones are only counted."""
_BITS = 64
"""Bits of an offset, which follow the bits of a sentence's number."""
_ALL_WORDS = -1
"""All words, if sentences are drawn whatever words they contain."""


@dataclass(frozen=True)
class Sample:
    """A file of sentences in random order."""

    path: Path
    sentences: int
    """Sentences in the file."""
    eligible: int
    """Sentences of the text that could have been drawn."""
    lines: int
    """Lines of the text."""
    broken: int
    """Lines that could not be read."""
    flaws: tuple[str, ...]
    """The first unreadable lines, with their locations."""

    def read(self, start: int = 0) -> Iterator[Occurrence]:
        """Yield the sentences from number `start` on."""
        with self.path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=-1):
                if number >= start:
                    text, spans = json.loads(line)
                    yield Occurrence(text, tuple(tuple(span) for span in spans))

    def with_contexts(self, counts: Sequence[int]) -> tuple["Sample", list[int]]:
        """Return the sample cut to the largest of some counts of contexts, and the sentences that each count needs."""
        totals = list(accumulate(len(occurrence.spans) for occurrence in self.read()))
        stops = [min(bisect_left(totals, count) + 1, self.sentences) for count in counts]
        return replace(self, sentences=max(stops)), stops


@dataclass
class UnreadableLines:
    """The number of lines that could not be read, and the first of them with their locations."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def report(self, sentence: str) -> None:
        """Count one more sentence."""
        self.count += 1
        if len(self.first) < MAX_FLAWS_SHOWN:
            self.first.append(sentence)


def draw_sentences(
    lines: Iterable[str],
    finder: Finder,
    target: Path,
    *,
    count: int | None = None,
    per_word: int | None = None,
    seed: int = 0,
    flaws: UnreadableLines | None = None,
) -> Sample:
    """Draw `count` sentences uniformly, or `per_word` for each word, into the file `target`.

    Reading `lines` reports unreadable ones to `flaws`. A sentence counts only for the words that it was drawn for.
    """
    if (count is None) == (per_word is None) or (count or per_word or 0) < 1:
        raise WordworthError("give the number of sentences, in all or per word: a whole number from 1 up")
    line_count = eligible = 0

    def count_lines() -> Iterator[str]:
        nonlocal line_count
        for line in lines:
            line_count += 1
            yield line

    with replacing(target) as temporary_path:
        with temporary_path.with_name("spool").open("w+b") as spool:
            draw = _Smallest(count or per_word or 0)
            spool_size = 0
            for occurrence in finder.sentences(count_lines()):
                eligible += 1
                digest = hashlib.blake2b(f"{seed}:{occurrence.text}".encode(), digest_size=8).digest()
                words = [word for word, _, _ in occurrence.spans] if per_word else [_ALL_WORDS]
                if draw.wants(int.from_bytes(digest, "little"), words, spool_size):
                    line = json.dumps([occurrence.text, occurrence.spans], ensure_ascii=False)
                    spool_size += spool.write(line.encode() + b"\n")
            if not line_count:
                raise WordworthError("the text has no lines, so no contexts can be drawn; give another with --corpus")
            if not eligible:
                raise WordworthError(
                    f"no word of the vocabulary occurs in a sentence of {SHORTEST} to {LONGEST} tokens of the text "
                    f"({line_count:,} lines); give another text or other words"
                )
            sentences = draw.list_sentences()
            unreadable = flaws or UnreadableLines()
            facts = Sample(target, len(sentences), eligible, line_count, unreadable.count, tuple(unreadable.first))
            _write(temporary_path, facts, spool, sentences)
        temporary_path.with_name("spool").unlink()
    return facts


def read_sample(path: Path) -> Sample:
    """Return a sample that was drawn before."""
    with path.open(encoding="utf-8") as stream:
        facts = json.loads(stream.readline())
    return Sample(**{**facts, "path": path, "flaws": tuple(facts["flaws"])})


def _write(path: Path, facts: Sample, spool: IO[bytes], sentences: list[tuple[int, list[int]]]) -> None:
    """Write a line of facts, then the sentences with the words that drew them."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(facts) | {"path": ""}) + "\n")
        for offset, words in sentences:
            spool.seek(offset)
            line = spool.readline().decode()
            if _ALL_WORDS not in words:
                text, spans = json.loads(line)
                line = json.dumps([text, [span for span in spans if span[0] in words]], ensure_ascii=False) + "\n"
            stream.write(line)


class _Smallest:
    """The `size` smallest numbers of the sentences of each word."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.heaps: dict[int, list[int]] = {}

    def wants(self, number: int, words: Iterable[int], offset: int) -> bool:
        key = -(number << _BITS | offset)
        is_wanted = False
        for word in words:
            heap = self.heaps.setdefault(word, [])
            if len(heap) < self.size:
                heapq.heappush(heap, key)
                is_wanted = True
            elif key > heap[0]:
                heapq.heapreplace(heap, key)
                is_wanted = True
        return is_wanted

    def list_sentences(self) -> list[tuple[int, list[int]]]:
        """Return the offset of each sentence and the words that drew it, the smallest number first."""
        words: dict[int, list[int]] = {}
        for word, heap in self.heaps.items():
            for key in heap:
                words.setdefault(-key, []).append(word)
        return [(key % (1 << _BITS), words[key]) for key in sorted(words)]


_DRAWING = 1  # raise this when sentences are split or drawn differently
_FILE = "sample.jsonl"
PROGRESS_LINES = 100
"""Lines between two updates of the progress bar."""


@dataclass(frozen=True)
class Draw:
    """The number of sentences to draw in one language: `count` in all, or `per_word` for each word."""

    count: int | None = None
    per_word: int | None = None
    language: str = "english"
    seed: int = 0
    lower_case: bool = False


def load_texts(names: Sequence[NameLike], language: str) -> list[Corpus]:
    """Load corpora of one language that are sampled as one text."""
    corpora = [load_corpus(name, language=language) for name in names]
    for corpus in corpora:
        if corpus.language != language:
            raise WordworthError(
                f"{corpus.name} is {corpus.language} text and the words are {language}; give another --corpus"
            )
    return corpora


def draw(corpora: Sequence[Corpus], words: Sequence[str], options: Draw) -> Sample:
    """Return a sample of all corpora together; the cache keeps it."""
    texts = [[corpus.sha256, corpus.layout, corpus.column, corpus.field] for corpus in corpora]
    name = " and ".join(corpus.name for corpus in corpora)

    def make(folder: Path) -> None:
        flaws = UnreadableLines()
        with progress(f"drawing sentences from {name}", None) as advance:

            def count_lines(lines: Iterable[str]) -> Iterator[str]:
                for number, line in enumerate(lines):
                    if number and number % PROGRESS_LINES == 0:
                        advance(PROGRESS_LINES)
                    yield line

            draw_sentences(
                count_lines(chain.from_iterable(corpus.lines(flaws.report) for corpus in corpora)),
                Finder(words, options.language, lower_case=options.lower_case),
                folder / _FILE,
                count=options.count,
                per_word=options.per_word,
                seed=options.seed,
                flaws=flaws,
            )

    return read_sample(entry("contexts", [_DRAWING, texts, list(words), asdict(options)], make) / _FILE)

"""Seeded samples of sentences, drawn from a stream in one pass and kept in a file: memory does not grow with the text.

Every sentence gets a random number from the seed and its text; the N with the smallest are the sample, in that order.
So a sample of 10,000 is the beginning of one of 20,000, and which sentences are drawn does not depend on their order.
Those drawn from corpora for a vocabulary are kept in the cache.
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
"""Broken lines that are reported one by one; the others are counted."""
_BITS = 64
"""Bits of an offset, which stand behind those of a sentence's number."""
_ALL_WORDS = -1
"""Stands for all words, where sentences are drawn whatever words they hold."""


@dataclass(frozen=True)
class Sample:
    """A file of sentences in random order."""

    path: Path
    sentences: int
    """In the file."""
    eligible: int
    """Sentences of the text that could have been drawn."""
    lines: int
    """Lines of the text."""
    broken: int
    """Lines that could not be read."""
    flaws: tuple[str, ...]
    """The first of them, with their places."""

    def read(self, start: int = 0) -> Iterator[Occurrence]:
        """Yield the sentences from number `start` on."""
        with self.path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=-1):
                if number >= start:
                    text, spans = json.loads(line)
                    yield Occurrence(text, tuple((at, first, last) for at, first, last in spans))

    def with_contexts(self, counts: Sequence[int]) -> tuple["Sample", list[int]]:
        """Return the sample cut to the sentences with the largest of some numbers of contexts, and those of each."""
        totals = list(accumulate(len(found.spans) for found in self.read()))
        stops = [min(bisect_left(totals, count) + 1, self.sentences) for count in counts]
        return replace(self, sentences=max(stops)), stops


@dataclass
class UnreadableLines:
    """Lines that could not be read: how many, and the first of them with their places."""

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
    """Draw `count` sentences uniformly, or for each word `per_word` of those that hold it, into the file `target`.

    `flaws` is what reading `lines` reports its broken lines to. A sentence drawn for some of its words stands
    for these alone.
    """
    if (count is None) == (per_word is None) or (count or per_word or 0) < 1:
        raise WordworthError("say how many sentences to draw in all, or how many a word: a whole number from 1 up")
    read = eligible = 0

    def count_lines() -> Iterator[str]:
        nonlocal read
        for line in lines:
            read += 1
            yield line

    with replacing(target) as part:
        with part.with_name("spool").open("w+b") as spool:
            draw = _Smallest(count or per_word or 0)
            end = 0
            for one in finder.sentences(count_lines()):
                eligible += 1
                digest = hashlib.blake2b(f"{seed}:{one.text}".encode(), digest_size=8).digest()
                words = [at for at, _, _ in one.spans] if per_word else [_ALL_WORDS]
                if draw.wants(int.from_bytes(digest, "little"), words, end):
                    end += spool.write(json.dumps([one.text, one.spans], ensure_ascii=False).encode() + b"\n")
            if not read:
                raise WordworthError("the text has no line, so no contexts can be drawn; give another with --corpus")
            if not eligible:
                raise WordworthError(
                    f"no word of the vocabulary occurs in a sentence of {SHORTEST} to {LONGEST} tokens of the text "
                    f"({read:,} lines); give another text or other words"
                )
            kept = draw.list_sentences()
            flawed = flaws or UnreadableLines()
            facts = Sample(target, len(kept), eligible, read, flawed.count, tuple(flawed.first))
            _write(part, facts, spool, kept)
        part.with_name("spool").unlink()
    return facts


def read_sample(path: Path) -> Sample:
    """Return a sample that was drawn before."""
    with path.open(encoding="utf-8") as stream:
        facts = json.loads(stream.readline())
    return Sample(**{**facts, "path": path, "flaws": tuple(facts["flaws"])})


def _write(part: Path, facts: Sample, spool: IO[bytes], kept: list[tuple[int, list[int]]]) -> None:
    """Write a line of facts, and then the sentences with the words that drew them."""
    with part.open("w", encoding="utf-8") as out:
        out.write(json.dumps(asdict(facts) | {"path": ""}) + "\n")
        for offset, words in kept:
            spool.seek(offset)
            line = spool.readline().decode()
            if _ALL_WORDS not in words:
                text, spans = json.loads(line)
                line = json.dumps([text, [span for span in spans if span[0] in words]], ensure_ascii=False) + "\n"
            out.write(line)


class _Smallest:
    """For each word the `size` smallest numbers of the sentences that hold it."""

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
        """Return the offset of each sentence with the words that drew it, the smallest number first."""
        words: dict[int, list[int]] = {}
        for word, heap in self.heaps.items():
            for key in heap:
                words.setdefault(-key, []).append(word)
        return [(key % (1 << _BITS), words[key]) for key in sorted(words)]


_DRAWING = 1  # raised whenever sentences are split or drawn differently
_FILE = "sample.jsonl"
PROGRESS_LINES = 100
"""Lines between two steps of the bar."""


@dataclass(frozen=True)
class Draw:
    """How many sentences are drawn: `count` in all, or `per_word` for each word; of one language."""

    count: int | None = None
    per_word: int | None = None
    language: str = "english"
    seed: int = 0
    lower_case: bool = False


def load_texts(named: Sequence[NameLike], language: str) -> list[Corpus]:
    """Load corpora of one language that are sampled as one text."""
    corpora = [load_corpus(name, language=language) for name in named]
    for corpus in corpora:
        if corpus.language != language:
            raise WordworthError(
                f"{corpus.name} is {corpus.language} text and the words are {language}; give another --corpus"
            )
    return corpora


def draw(corpora: Sequence[Corpus], words: Sequence[str], how: Draw) -> Sample:
    """Return a sample of all the corpora together, drawn once and kept."""
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
                Finder(words, how.language, lower_case=how.lower_case),
                folder / _FILE,
                count=how.count,
                per_word=how.per_word,
                seed=how.seed,
                flaws=flaws,
            )

    return read_sample(entry("contexts", [_DRAWING, texts, list(words), asdict(how)], make) / _FILE)

"""The sentences that a study draws: vocabularies by name, corpora together, samples kept in the cache."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.catalog.read.tables import read_text
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.contexts import Finder, Sample, draw_sentences, read_sample
from wordworth.errors import WordworthError, nearest
from wordworth.files import cache_dir, locked
from wordworth.progress import progress
from wordworth.study.findings import Findings

PAIRS = ("rg-65", "ws-353", "simlex-999", "simverb-3500")
CONTEXTS = ("enwiki-sample",)
SIMILARITY = "similarity"
"""The vocabulary of the four sets of pairs: 2,005 words."""
_DRAWING = 1  # raised whenever sentences are split or drawn differently


def words_of_pairs(pairs: Sequence[Pairs]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for one in pairs for both in (one.first, one.second) for word in both))


def load_vocabulary(named: str | Path, pairs: Sequence[Pairs], language: str = "english") -> tuple[str, ...]:
    """`similarity`, a lexicon or a word set of the catalog, or a file with a word a line."""
    name = str(named)
    if name == SIMILARITY:
        return words_of_pairs(pairs)
    if knows(name, "lexica"):
        return tuple(dict.fromkeys(load_lexicon(name).words))
    if knows(name, "word_sets"):
        return load_word_set(name).words
    path = Path(named).expanduser()
    if not path.is_file():
        known = [SIMILARITY, *(one.name for kind in ("lexica", "word_sets") for one in entries(kind))]
        raise WordworthError(
            f"there is no vocabulary {name!r}{nearest(name, known)}; give {SIMILARITY}, a lexicon, a word set, or a "
            "file with a word a line"
        )
    words = tuple(dict.fromkeys(line.strip() for line in read_text(path).splitlines() if line.strip()))
    if not words:
        raise WordworthError(f"{path} holds no words; write one a line")
    return words


def load_texts(named: Sequence[str | Path], language: str) -> list[Corpus]:
    """Corpora that are drawn from as one text."""
    corpora = [load_corpus(name, language=language) for name in named or CONTEXTS]
    for corpus in corpora:
        if corpus.language != language:
            raise WordworthError(
                f"{corpus.name} is {corpus.language} text and the words are {language}; give other --contexts"
            )
    return corpora


def draw(
    corpora: Sequence[Corpus],
    words: Sequence[str],
    *,
    language: str,
    seed: int,
    count: int | None = None,
    per_word: int | None = None,
    lower_case: bool = False,
) -> Sample:
    """A sample of all the corpora together, drawn once and kept."""
    texts = [[corpus.sha256, corpus.layout, corpus.column, corpus.field] for corpus in corpora]
    identity = [_DRAWING, texts, list(words), language, seed, count, per_word, lower_case]
    key = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
    path = cache_dir() / "contexts" / f"{key}.jsonl"
    with locked(path):
        if path.exists():
            return read_sample(path)
        flaws: list[str] = []
        name = " and ".join(corpus.name for corpus in corpora)
        with progress(f"drawing sentences from {name}", None) as advance:
            lines = chain.from_iterable(corpus.lines(flaws.append) for corpus in corpora)
            return draw_sentences(
                _told(lines, advance),
                Finder(words, language, lower_case=lower_case),
                path,
                count=count,
                per_word=per_word,
                seed=seed,
                flaws=flaws,
            )


def _told(lines: Iterable[str], advance: Callable[[float], None]) -> Iterator[str]:
    for line in lines:
        advance(1)
        yield line


def note_sample(findings: Findings, what: str, sample: Sample) -> None:
    """What was drawn, and what could not be read."""
    findings.note(
        f"{what}: {sample.sentences:,} sentences drawn of {sample.eligible:,} that hold a word of the vocabulary "
        f"({sample.lines:,} lines of text)."
    )
    for flaw in sample.flaws:
        findings.warn(f"{flaw}; the rest was used.")
    if sample.broken > len(sample.flaws):
        findings.warn(f"{sample.broken:,} lines in all could not be read.")

"""Sentences drawn from corpora for a vocabulary, once, and kept in the cache."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.contexts.sampling import Flaws, Sample, draw_sentences, read_sample
from wordworth.contexts.sentences import Finder
from wordworth.engine.cache import entry
from wordworth.errors import WordworthError
from wordworth.progress import progress

_DRAWING = 1  # raised whenever sentences are split or drawn differently
_FILE = "sample.jsonl"
SHOWN = 100
"""Lines between two steps of the bar."""


@dataclass(frozen=True)
class Draw:
    """How many sentences are drawn: `count` in all, or `per_word` for each word; of one language."""

    count: int | None = None
    per_word: int | None = None
    language: str = "english"
    seed: int = 0
    lower_case: bool = False


def load_texts(named: Sequence[str | Path], language: str) -> list[Corpus]:
    """Corpora that are drawn from as one text, all of one language."""
    corpora = [load_corpus(name, language=language) for name in named]
    for corpus in corpora:
        if corpus.language != language:
            raise WordworthError(
                f"{corpus.name} is {corpus.language} text and the words are {language}; give another --corpus"
            )
    return corpora


def draw(corpora: Sequence[Corpus], words: Sequence[str], how: Draw) -> Sample:
    """A sample of all the corpora together, drawn once and kept."""
    texts = [[corpus.sha256, corpus.layout, corpus.column, corpus.field] for corpus in corpora]
    name = " and ".join(corpus.name for corpus in corpora)

    def make(folder: Path) -> None:
        flaws = Flaws()
        with progress(f"drawing sentences from {name}", None) as advance:

            def counted(lines: Iterable[str]) -> Iterator[str]:
                for number, line in enumerate(lines):
                    if number and number % SHOWN == 0:
                        advance(SHOWN)
                    yield line

            draw_sentences(
                counted(chain.from_iterable(corpus.lines(flaws.report) for corpus in corpora)),
                Finder(words, how.language, lower_case=how.lower_case),
                folder / _FILE,
                count=how.count,
                per_word=how.per_word,
                seed=how.seed,
                flaws=flaws,
            )

    return read_sample(entry("contexts", [_DRAWING, texts, list(words), asdict(how)], make) / _FILE)

"""Assign words to bands of training frequency (Dudy & Bedrick 2020, 3.1)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.read.frequencies import Frequencies, kind_of_counts, load_frequencies
from wordworth.catalog.resolve import NameLike, Origin
from wordworth.engine.cache import entry
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.whole_words.soft_match import forms
from wordworth.whole_words.splitting import WordSplitter

EDGES = (10.0, 100.0, 1_000.0)
"""The paper's bands: low [10, 10²), mid [10², 10³), high [10³, ∞)."""
BELOW, UNSEEN, MARKS = "below", "unseen", "punctuation-numbers"
"""Further bands: below the lowest; without a frequency; with neither a frequency nor a letter."""
_COUNTING = 2  # raise this when words are counted differently
_COUNTS = "counts.parquet"


@dataclass(frozen=True)
class Bands:
    """Bands of frequency: `edges` ascend, band i is [edges[i], edges[i + 1]), the last is open."""

    edges: tuple[float, ...] = EDGES

    def __post_init__(self) -> None:
        if not self.edges or any(low >= high for low, high in zip(self.edges, self.edges[1:], strict=False)):
            edges = ",".join(f"{edge:g}" for edge in self.edges)
            raise WordworthError(f"the edges of bands must ascend, but are {edges!r}; write them as 10,100,1000")
        if self.edges[0] <= 0:
            raise WordworthError(f"the lowest edge of the bands is {self.edges[0]:g}; it must be above 0")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the bands from frequent to rare (high, mid, low if three, else their edges), then the others."""
        tops = [*(f"{edge:g})" for edge in self.edges[1:]), "∞)"]
        names = [f"[{low:g},{high}" for low, high in zip(self.edges, tops, strict=True)]
        return (*reversed(names if len(names) != 3 else ["low", "mid", "high"]), BELOW, UNSEEN, MARKS)

    def of(self, frequency: float | None) -> str:
        """Return the band of a frequency; None for a word without one."""
        if frequency is None:
            return UNSEEN
        rank = bisect_right(self.edges, frequency)
        return self.names[len(self.edges) - rank] if rank else BELOW


def assign_bands(words: Iterable[str], frequencies: Frequencies, bands: Bands) -> dict[str, str]:
    """Return each word's band. Look a word up as written, then in another case, then without its punctuation."""
    spell, counts = forms(frequencies.language), frequencies.counts
    band_of = {}
    for word in words:
        frequency = next((counts[form] for form in spell(word) if form in counts), None)
        is_mark = frequency is None and not any(map(str.isalpha, word))
        band_of[word] = MARKS if is_mark else bands.of(frequency)
    return band_of


def frequencies_of(
    name: NameLike, splitter: WordSplitter = WordSplitter(), *, language: str = "english"
) -> Frequencies:
    """Load a list of the catalog (`wordfreq`) or a file of words and counts, or count the words of a text once."""
    if (name.kind if isinstance(name, Origin) else kind_of_counts(name)) == "frequencies":
        return load_frequencies(name, language=language)
    return count_words(load_corpus(name, language=language), splitter)


def count_words(corpus: Corpus, splitter: WordSplitter = WordSplitter()) -> Frequencies:
    """Count each word of a text as it is written, in the cache unless the splitter is the user's function."""
    identity = [_COUNTING, corpus.sha256, corpus.layout, corpus.column, corpus.field, splitter.punctuation]
    if splitter.split is str.split:
        folder = entry("counts", identity, lambda folder: _count(corpus, splitter).write_parquet(folder / _COUNTS))
        table = pl.read_parquet(folder / _COUNTS)
    else:
        table = _count(corpus, splitter)
    counts = dict(zip(table["word"], table["count"].cast(pl.Float64), strict=True))
    return Frequencies(counts=counts, unit="occurrences", **corpus.facts)


def _count(corpus: Corpus, splitter: WordSplitter) -> pl.DataFrame:
    counts: Counter[str] = Counter()
    with progress(f"counting the words of {corpus.name}", None) as advance:
        for line in corpus:
            counts.update(splitter(line).words)
            advance(1)
    if not counts:
        raise WordworthError(f"{corpus.name} has no words to count; give another text")
    return pl.DataFrame({"word": counts.keys(), "count": counts.values()})


def parse_edges(text: str) -> tuple[float, ...]:
    """Return the numbers of `10,100,1000`."""
    try:
        return tuple(float(edge) for edge in text.split(","))
    except ValueError as error:
        raise WordworthError(f"the bands {text!r} are not numbers; write their lower edges, as 10,100,1000") from error

"""Bands of training frequency, and the frequencies they are cut from (Dudy & Bedrick 2020, 3.1)."""

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
from wordworth.whole_words.parting import Parting
from wordworth.whole_words.soft_match import forms

EDGES = (10.0, 100.0, 1_000.0)
"""The paper's: low [10, 10²), mid [10², 10³), high [10³, ∞)."""
BELOW, UNSEEN, MARKS = "below", "unseen", "punctuation-numbers"
"""Apart from the bands: below the lowest; without a frequency; and what has neither a frequency nor a letter."""
_COUNTING = 2  # raised whenever words are counted differently
_COUNTS = "counts.parquet"


@dataclass(frozen=True)
class Bands:
    """Bands of frequency: `edges` ascend, band i is [edges[i], edges[i + 1]), the last is open."""

    edges: tuple[float, ...] = EDGES

    def __post_init__(self) -> None:
        if not self.edges or any(low >= high for low, high in zip(self.edges, self.edges[1:], strict=False)):
            written = ",".join(f"{edge:g}" for edge in self.edges)
            raise WordworthError(f"the edges of bands must ascend, and are {written!r}; write them as 10,100,1000")
        if self.edges[0] <= 0:
            raise WordworthError(f"the lowest edge of the bands is {self.edges[0]:g}; it must be above 0")

    @property
    def names(self) -> tuple[str, ...]:
        """From frequent to rare, then those apart. Three bands are high, mid and low; others say their ends."""
        tops = [*(f"{edge:g})" for edge in self.edges[1:]), "∞)"]
        named = [f"[{low:g},{high}" for low, high in zip(self.edges, tops, strict=True)]
        return (*reversed(named if len(named) != 3 else ["low", "mid", "high"]), BELOW, UNSEEN, MARKS)

    def of(self, frequency: float | None) -> str:
        """Return the band that a frequency falls in; None is a word without one."""
        if frequency is None:
            return UNSEEN
        at = bisect_right(self.edges, frequency)
        return self.names[len(self.edges) - at] if at else BELOW


def assign_bands(words: Iterable[str], frequencies: Frequencies, bands: Bands) -> dict[str, str]:
    """Return each word's band. A word is looked up as written, then in other case, then without its punctuation."""
    spell, counts = forms(frequencies.language), frequencies.counts
    frequencies_of_words = {
        word: next((counts[form] for form in spell(word) if form in counts), None) for word in words
    }
    return {
        word: MARKS if frequency is None and not any(map(str.isalpha, word)) else bands.of(frequency)
        for word, frequency in frequencies_of_words.items()
    }


def frequencies_of(named: NameLike, parting: Parting = Parting(), *, language: str = "english") -> Frequencies:  # noqa: B008 - frozen
    """Load a list of the catalog (`wordfreq`) or a file of words and counts, or count the words of a text once."""
    if (named.kind if isinstance(named, Origin) else kind_of_counts(named)) == "frequencies":
        return load_frequencies(named, language=language)
    return count_words(load_corpus(named, language=language), parting)


def count_words(corpus: Corpus, parting: Parting = Parting()) -> Frequencies:  # noqa: B008 - frozen
    """Count each word of a text, as it is written; kept in the cache unless a function of one's own parts the lines."""
    identity = [_COUNTING, corpus.sha256, corpus.layout, corpus.column, corpus.field, parting.punctuation]
    if parting.split is str.split:
        kept = entry("counts", identity, lambda folder: _count(corpus, parting).write_parquet(folder / _COUNTS))
        table = pl.read_parquet(kept / _COUNTS)
    else:
        table = _count(corpus, parting)
    counts = dict(zip(table["word"], table["count"].cast(pl.Float64), strict=True))
    return Frequencies(counts=counts, unit="occurrences", **corpus.facts)


def _count(corpus: Corpus, parting: Parting) -> pl.DataFrame:
    counts: Counter[str] = Counter()
    with progress(f"counting the words of {corpus.name}", None) as advance:
        for line in corpus:
            counts.update(parting(line).words)
            advance(1)
    if not counts:
        raise WordworthError(f"{corpus.name} has no words to count; give another text")
    return pl.DataFrame({"word": counts.keys(), "count": counts.values()})


def parse_edges(text: str) -> tuple[float, ...]:
    """Return the numbers of `10,100,1000`."""
    try:
        return tuple(float(edge) for edge in text.split(","))
    except ValueError as error:
        raise WordworthError(f"the bands {text!r} are no numbers; write their lower edges, as 10,100,1000") from error

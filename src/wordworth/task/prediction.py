"""Whole words predicted: accuracy, diversity and surprise, overall and by frequency, and what is predicted instead.

At the end is the paraphrase probe on rare and on common words, with the tests of their difference (Table 2).

The predicted words of a text are on disk and are read part by part, so measures hold none of them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.catalog.read.corpora import Corpus, Report, documents
from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.pairs import Paraphrases, load_paraphrases
from wordworth.catalog.read.wordnet import WordNet
from wordworth.catalog.resolve import NameLike
from wordworth.encode import LanguageModel
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, scratch
from wordworth.measure.diversity import WordGroup, type_coverages
from wordworth.measure.prediction import NOT_FOUND_NATS, nats, perplexity
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.bootstrap import Estimate, Summing, ratio
from wordworth.statistics.effect_size import two_by_two
from wordworth.task.settings import Intervals
from wordworth.whole_words.error_tables import (
    count_band_confusions,
    count_confused_pairs,
    count_wrong_guesses,
    list_never_predicted,
)
from wordworth.whole_words.frequency import BELOW, UNSEEN, Bands
from wordworth.whole_words.paraphrase import draw_triples, paraphrase
from wordworth.whole_words.splitting import WordSplitter

WORDS_PER_PART = 1 << 18
_WORD = pl.col("word").cast(pl.String)
MEASURE_COLUMNS = {
    "type": pl.col("word").to_physical(),
    "cluster": pl.col("cluster"),
    "band": pl.col("band").to_physical(),
    "hit1": pl.col("hit1"),
    "hitk": pl.col("hitk"),
    "logp": pl.col("logp"),
    "logp_naive": pl.col("logp_naive"),
    # The space before the word is counted, since its probability is in that of the word.
    "characters": _WORD.str.len_chars().cast(pl.Int32) + (~pl.col("glued")).cast(pl.Int32),
    "bytes": _WORD.str.len_bytes().cast(pl.Int32) + (~pl.col("glued")).cast(pl.Int32),
    # The guess is in the form that the model reads, so that is what it is compared with.
    "target": pl.coalesce("form", "word"),
    "guess": pl.col("guess"),
}
"""The columns that measures need, computed once."""

MIN_DOCUMENTS = 10
"""Fewer documents are too few to resample."""


class CountedText:
    """The lines of a corpus, read and counted once; the last one is cut after `max_words` (0: never)."""

    def __init__(self, corpus: Corpus, max_words: int, splitter: WordSplitter = WordSplitter()) -> None:
        self.corpus, self.max_words, self.splitter = corpus, max_words, splitter
        self.flaws: list[str] = []
        """What is wrong with lines that cannot be read."""
        self.tally: Counter[str] = Counter()
        """How often `documents` skipped or joined something."""
        self.words = self.count = documents = 0
        last = -1
        for document, _, words in self._read(self.flaws.append, self.tally):
            self.count += 1
            self.words += words
            documents += document != last
            last = document
        if not self.words:
            raise WordworthError(f"{corpus.name} has no words; give another text with --corpus")
        self.clusters = "document" if documents >= MIN_DOCUMENTS else "line"
        """What intervals resample."""

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[str]:
        return (line for _, line, _ in self._read())

    def documents(self) -> Iterator[int]:
        """Yield the number of each line's document."""
        return (number for number, _, _ in self._read())

    def _read(
        self, report: Report = lambda _: None, tally: Counter[str] | None = None
    ) -> Iterator[tuple[int, str, int]]:
        """Yield the number of each line's document, the line, and how many words it has."""
        count = 0
        for number, line in documents(self.corpus, report, tally):
            sentence = self.splitter(line)
            words = len(sentence.words)
            selected = min(words, self.max_words - count) if self.max_words else words
            yield number, line if selected == words else sentence.first(selected), selected
            count += selected
            if self.max_words and count >= self.max_words:
                return


Hits = Callable[[int, pl.DataFrame], Sequence[NDArray[np.bool_]]]
"""Return which words of a part (its number, and its table) were hit, in each of some ways."""


class PredictedWords:
    """The words of a text that were predicted, in order."""

    def __init__(self, path: Path) -> None:
        self._table = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        totals = self._table.select(pl.len(), pl.col("cluster").max().fill_null(-1).alias("last")).collect()
        self.count: int = totals["len"].item()
        self.clusters = int(totals["last"].item()) + 1
        """All numbers of clusters are below it."""

    def parts(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Yield some columns, `WORDS_PER_PART` words at a time."""
        for first in range(0, self.count, WORDS_PER_PART):
            yield self._table.select(columns).slice(first, WORDS_PER_PART).collect()

    def count_types(self, condition: pl.Expr) -> int:
        """Count the types that have a word that satisfies a condition."""
        distinct = self._table.filter(condition).select(pl.col("type").unique()).select(pl.len())
        return int(distinct.collect(engine="streaming").item())


@contextmanager
def open_predicted_words(predicted: pl.LazyFrame) -> Iterator[PredictedWords]:
    """Put words on disk for measures; `predicted` has the columns of `PREDICTIONS`, `band` and `cluster`."""
    with scratch(cache_dir() / "measured") as folder:
        path = folder / "words.parquet"
        predicted.select(**MEASURE_COLUMNS).sink_parquet(path, compression="lz4", row_group_size=WORDS_PER_PART)
        yield PredictedWords(path)


def compute_shares(
    words: PredictedWords, columns: Sequence[str], hits: Hits, settings: Intervals, band: int | None = None
) -> tuple[list[Estimate], list[Estimate]]:
    """Return for each way of hitting the share of words and that of types that were hit; of one band, or of all."""
    options = settings.bootstrap

    def parts() -> Iterator[WordGroup]:
        for number, table in enumerate(words.parts("type", "cluster", "band", *columns)):
            types, clusters = (table[name].to_numpy() for name in ("type", "cluster"))
            every = hits(number, table)
            if band is None:
                yield WordGroup(types, clusters, every)
            else:
                some = table["band"].to_numpy() == band
                yield WordGroup(types[some], clusters[some], [hit[some] for hit in every])

    sums: Summing | None = None
    for part in parts():
        named = {str(way): hit for way, hit in enumerate(part.hits)}
        sums = sums or Summing(words.clusters, named)
        sums.add(part.clusters, **named)
    if sums is None or not sums.items:
        return [], []
    tops = [ratio(sums.sums(name), **options) for name in named]
    return tops, type_coverages(parts(), **options)


def record_estimate(findings: Findings, estimate: Estimate, **columns: Any) -> None:
    """Record one score with its interval; blank where a single line leaves nothing to resample."""
    low, high = (None if np.isnan(end) else end for end in (estimate.low, estimate.high))
    findings.score(**columns, value=estimate.value, low=low, high=high, n=estimate.n)


def score_predictions(
    predictions: pl.LazyFrame, words: PredictedWords, where: Keys, k: int, bands: Bands, settings: Intervals
) -> Findings:
    """Score accuracy, diversity and surprise over the text and by band of frequency; an item per word of the text.

    `predictions` are all words, `words` those that were predicted. Both are on disk: memory grows with the types and
    with the clusters, and not with the words.
    """
    findings = Findings()
    overall = where | {"experiment": "prediction"}
    _record_items(findings, overall, predictions, k)
    _score_hits(findings, overall, words, k, settings)
    _score_authors_diversity(findings, overall, words, k, bands)
    _score_surprise(findings, overall, words, k, settings)
    for number, band in enumerate(bands.names):
        _score_hits(findings, where | {"experiment": "coverage", "subset": band}, words, k, settings, number)
    return findings


def _record_items(findings: Findings, where: Keys, predictions: pl.LazyFrame, k: int) -> None:
    """Record a row per word of the text: its place, the guess, the surprisal in bits, and at which k it was right."""
    table = predictions.select(
        "line",
        "word",
        "guess",
        "band",
        "units",
        position=pl.col("at"),
        bits=-pl.col("logp") / np.log(2),
        rank=pl.when(pl.col("hit1")).then(1).when(pl.col("hitk")).then(k),
        skipped=pl.col("left_out"),
    )
    findings.scanned_items("predictions", table, **where)


def _score_hits(
    findings: Findings, where: Keys, words: PredictedWords, k: int, settings: Intervals, band: int | None = None
) -> None:
    """Score top-1, top-k, T1 and Tk; of a band, where it has words."""

    def hits(_: int, table: pl.DataFrame) -> list[NDArray[np.bool_]]:
        return [table[name].to_numpy() for name in ("hit1", "hitk")]

    tops, types = compute_shares(words, ("hit1", "hitk"), hits, settings, band)
    for measure, estimates in (("top", tops), ("T", types)):
        for best, estimate in zip((1, k), estimates, strict=False):
            record_estimate(findings, estimate, **where, measure=measure, k=best)


def _score_surprise(findings: Findings, where: Keys, words: PredictedWords, k: int, settings: Intervals) -> None:
    """Score perplexity, the authors' ppx, and bits per word, character and byte."""
    sums = Summing(words.clusters, ("nats", "naive", "ppx", "bits", "characters", "bytes"))
    before = 0
    for table in words.parts("cluster", "hit1", "hitk", "logp", "logp_naive", "characters", "bytes"):
        columns = {name: table[name].to_numpy() for name in table.columns}
        surprise, naive = (nats(columns[name], before) for name in ("logp", "logp_naive"))
        sizes = {name: columns[name] for name in ("characters", "bytes")}
        ppx = np.where(columns["hit1"] | columns["hitk"], naive, NOT_FOUND_NATS)
        sums.add(columns["cluster"], nats=surprise, naive=naive, ppx=ppx, bits=surprise / np.log(2), **sizes)
        before += len(table)
    options = settings.bootstrap
    for variant, name in ((None, "nats"), ("naive", "naive")):
        estimate = perplexity(sums.sums(name), **options)
        record_estimate(findings, estimate, **where, measure="perplexity", variant=variant)
    record_estimate(findings, ratio(sums.sums("ppx"), **options), **where, measure="ppx", k=k)
    for measure, size in (("bits-per-word", None), ("bits-per-character", "characters"), ("bits-per-byte", "bytes")):
        record_estimate(findings, ratio(sums.sums("bits", size), **options), **where, measure=measure)


def _score_authors_diversity(findings: Findings, where: Keys, words: PredictedWords, k: int, bands: Bands) -> None:
    """Score T as the authors' script divides: by the types of its bins high, mid1 and mid2, which are our bands.

    Types of its fourth bin, `low` (seen in training, but below the bands), count above the line and not below it.
    """
    below, unseen = bands.names.index(BELOW), bands.names.index(UNSEEN)
    types = words.count_types(pl.col("band") < below)
    if not types:
        return
    for best, hit in ((1, "hit1"), (k, "hitk")):
        seen = words.count_types(pl.col(hit) & (pl.col("band") < unseen))
        findings.score(**where, measure="T", variant="code", k=best, value=seen / types, n=types)


MAX_ERRORS = 50
"""Guesses and pairs listed."""


def record_errors(where: Keys, predicted: pl.LazyFrame) -> Findings:
    """Record which band answers the misses of each band, and as items the errors themselves.

    Items: in `instead` a guess, and for how many misses it was given; in `confused` a word and its guess; in
    `never-predicted` types that were not among the k best anywhere, and how often they occur.
    """
    findings = Findings()
    by_name = pl.col("band", "guess_band").cast(pl.String)  # else they are sorted from frequent to rare
    for row in count_band_confusions(predicted).with_columns(by_name).sort("band", "guess_band").iter_rows(named=True):
        here = where | {"experiment": "confusion", "subset": row["band"], "variant": row["guess_band"]}
        findings.score(**here, measure="share", value=row["share"], n=row["misses"])
    instead = count_wrong_guesses(predicted, MAX_ERRORS)
    table = "prediction_errors"
    if len(instead):
        columns = {"guess": instead["guess"], "band": instead["band"], "share": instead["share"]}
        findings.item(table, **where, experiment="instead", **columns, count=instead["misses"])
        pairs = count_confused_pairs(predicted, MAX_ERRORS)
        columns = {"word": pairs["word"], "guess": pairs["guess"], "count": pairs["misses"]}
        findings.item(table, **where, experiment="confused", **columns)
    never = list_never_predicted(predicted)
    types = predicted.select("word").unique().select(pl.len()).collect(engine="streaming").item()
    here = where | {"experiment": "never-predicted"}
    findings.score(**here, measure="types", value=len(never) / types, n=types)
    if len(never):
        findings.item(table, **here, word=never["word"], band=never["band"], count=never["occurrences"])
    return findings


DRAWN_TRIPLES = "drawn"
"""The name for triples drawn from the corpus and WordNet."""


def load_paraphrase_sets(
    given_sets: Sequence[NameLike | Paraphrases],
    corpus: Corpus,
    frequencies: Frequencies,
    wordnet: WordNet | None,
    seed: int,
) -> list[Paraphrases]:
    """Load sets of triples; `drawn` gives two, `rare:CORPUS` and `common:CORPUS`."""
    sets: list[Paraphrases] = []
    for one in given_sets:
        if one == DRAWN_TRIPLES and wordnet is not None:
            draw = partial(draw_triples, corpus, wordnet, frequencies, seed=seed)
            sets += [draw("rare", name=f"rare:{corpus.name}"), draw("common", name=f"common:{corpus.name}")]
        else:
            sets.append(one if isinstance(one, Paraphrases) else load_paraphrases(one))
    return sets


def score_paraphrases(model: LanguageModel, sets: Sequence[Paraphrases], layers: Sequence[int]) -> Findings:
    """Score `hits` of every set and layer; `chi2` and `exact` between every two sets."""
    findings = Findings()
    where: Keys = {"experiment": "paraphrase", "model": model.name, "language": "english"}
    counts: dict[int, dict[str, tuple[int, int]]] = {}
    for triple_set in sets:
        results, failed = paraphrase(model, triple_set, layers)
        skipped = [(str(triple), reason) for triple, reason in failed] + list(triple_set.left_out)
        if skipped:
            triples, reasons = zip(*skipped, strict=True)
            findings.item("paraphrases", **where, dataset=triple_set.name, triple=triples, skipped=reasons)
        for result in results:
            hits, n = int(result.hits.sum()), len(result.hits)
            counts.setdefault(result.layer, {})[triple_set.name] = hits, n - hits
            here = where | {"dataset": triple_set.name, "layer": result.layer}
            findings.score(**here, measure="hits", value=hits, n=n)
            names = [str(triple) for triple in result.triples]
            findings.item("paraphrases", **here, triple=names, near=result.near, far=result.far, is_hit=result.hits)
    for layer, by_set in counts.items():
        for (one_name, first), (other, second) in combinations(by_set.items(), 2):
            if not sum(first) or not sum(second):
                continue
            outcome = two_by_two(first, second)
            here = where | {"dataset": one_name, "variant": other, "layer": layer, "n": sum(first) + sum(second)}
            findings.score(**here, measure="chi2", value=outcome.chi2, p=outcome.chi2_p)
            findings.score(**here, measure="exact", value=outcome.odds, p=outcome.exact_p)
    return findings

"""Soft match: accuracy and diversity when a guess near the target counts."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.wordnet import WordNet
from wordworth.catalog.resolve import NameLike
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.progress import waiting
from wordworth.results.findings import Findings, Keys
from wordworth.task.prediction import Hits, PredictedWords, compute_shares, record_estimate
from wordworth.task.settings import Intervals
from wordworth.task.training import Sentences, train_vectors
from wordworth.whole_words.soft_match import BUILT_IN, DEPTHS, Similarity, similar, soft_ranks
from wordworth.whole_words.splitting import WordSplitter

TRAINED_VECTORS = "word2vec"
"""The name for vectors trained on the corpus."""
DIM = 50
"""As in the paper."""

Near = Embedding | Similarity


def load_similarities(
    named: Sequence[NameLike | Embedding], corpus: Corpus, splitter: WordSplitter, wordnet: WordNet | None, seed: int
) -> dict[str, Near]:
    """Load embeddings and similarities by their `variant` in scores; word2vec is trained on `corpus`."""
    near: dict[str, Near] = {}
    for one in named:
        if isinstance(one, Embedding):
            near[one.name] = one
        elif one in BUILT_IN and wordnet is not None:
            near[str(one)] = BUILT_IN[str(one)](wordnet)
        elif one == TRAINED_VECTORS:
            with waiting(f"training vectors on {corpus.name}"):
                near[TRAINED_VECTORS] = train_word2vec(corpus, splitter, seed=seed)
        else:
            near |= {embedding.name: embedding for embedding in load_embeddings(one, language=corpus.language)}
    return near


def train_word2vec(
    corpus: Corpus, splitter: WordSplitter = WordSplitter(), *, dim: int = DIM, seed: int = 0
) -> Embedding:
    """Train word2vec on a text as the paper does: 50 dimensions."""
    steps = (f"word2vec of {corpus.name}, {dim} dimensions, min_count 5, seed {seed}",)
    provenance = Provenance(TRAINED_VECTORS, language=corpus.language, steps=steps)
    trained = train_vectors(
        "Word2Vec", Sentences(corpus, lambda line: splitter(line).words), provenance, vector_size=dim, seed=seed
    )
    if trained is None:
        raise WordworthError(f"no word of {corpus.name} occurs often enough to be trained; name an embedding instead")
    return trained


def score_soft_match(words: PredictedWords, where: Keys, near: Mapping[str, Near], settings: Intervals) -> Findings:
    """Score soft match of words and of types: at every k for an embedding, once for any other similarity."""
    findings = Findings()
    for name, one in near.items():
        here = where | {"experiment": "soft-match"}
        depths: Sequence[int | None] = (None,)
        if isinstance(one, Embedding):
            ranks, lost = _rank_guesses(words, one)
            for which, counts in zip(("target", "guess"), lost, strict=True):
                _record_missing(findings, here, name, which, counts)
            depths = DEPTHS
            shares = compute_shares(words, (), _within(ranks), settings)
        else:
            shares = compute_shares(words, ("target", "guess", "hit1"), _similar(one), settings)
        for k, accuracy, diversity in zip(depths, *shares, strict=True):
            record_estimate(findings, accuracy, **here, measure="soft-match", variant=name, k=k)
            record_estimate(findings, diversity, **here, measure="soft-match-types", variant=name, k=k)
    return findings


def _rank_guesses(words: PredictedWords, embedding: Embedding) -> tuple[list[NDArray[np.uint8]], list[Counter[str]]]:
    """Return the ranks of all guesses by part, a byte each; and the targets and guesses without a vector."""
    ranks, lost = [], [Counter[str](), Counter[str]()]
    language = embedding.provenance.language or "english"
    for table in words.parts("target", "guess", "hit1"):
        ranking = soft_ranks(table.rename({"target": "word"}), embedding, language=language)
        ranks.append(ranking.ranks.astype(np.uint8))
        lost[0].update(ranking.missing_targets)
        lost[1].update(ranking.missing_guesses)
    return ranks, lost


def _within(ranks: Sequence[NDArray[np.uint8]]) -> Hits:
    return lambda number, _: [(ranks[number] > 0) & (ranks[number] <= k) for k in DEPTHS]


def _similar(rule: Similarity) -> Hits:
    return lambda _, table: [similar(table.rename({"target": "word"}), rule)]


def _record_missing(findings: Findings, where: Keys, name: str, which: str, missing: Counter[str]) -> None:
    """Record the words of misses that have no vector, which count as misses, and how often each occurs."""
    if missing:
        words, counts = zip(*sorted(missing.items(), key=lambda one: (-one[1], one[0])), strict=True)
        reason = f"{which} of a miss not in {name}"
        findings.item("word_lists", **where, list=name, word=words, count=counts, skipped=reason)

"""The use of rare words: is a sentence with a word nearer to that with its hypernym than one with a sibling is?

The triples are published ones, or drawn from a text and WordNet by the paper's protocol (Dudy & Bedrick 2020, C): the
word is rare or common, its hypernym and the hypernym's sibling are common, and the sentence is one of the text that
holds the word. Nobody has read the drawn ones: they are many and rough where the published ones are few and chosen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.pairs import Paraphrases, Triple
from wordworth.catalog.read.wordnet import WordNet
from wordworth.contexts import Context, split_sentences
from wordworth.contexts.sentences import LONGEST, SHORTEST, count_tokens
from wordworth.encode import LanguageModel, encode_shards
from wordworth.encode.encoding import checked_layers
from wordworth.errors import WordworthError
from wordworth.measure import bert_score

MIN_COMMON_COUNT = 50.0
"""Occurrences from which on a word is common: the paper's “mid/high”."""
DRAWN_TRIPLES = 50
_VOWELS = frozenset("aeiou")
BATCH_TRIPLES = 16
"""Triples encoded at a time, so that memory does not grow with the probe."""


@dataclass(frozen=True)
class Relation:
    """A word with its hypernym and a sibling of the hypernym."""

    word: str
    hypernym: str
    sibling: str

    @property
    def one_article(self) -> bool:
        """Return whether one of “a” and “an” goes before all three."""
        return len({word[0] in _VOWELS for word in (self.word, self.hypernym, self.sibling)}) == 1


def find_relation(word: str, wordnet: WordNet, frequencies: Frequencies) -> Relation | None:
    """Return the hypernym and sibling of a noun, both common, or None.

    Only words that are nouns and nothing else are taken, by their first sense. Of the siblings that are common, it
    is the one whose frequency is nearest to the hypernym's, so that frequency does not tell them apart.
    """
    if any((word, kind) in wordnet.senses for kind in "var"):
        return None
    counts = frequencies.counts
    for parent in wordnet.hypernyms[wordnet.senses[word, "n"][0]]:
        hypernym = _common_name(wordnet.words[parent], word, counts)
        if hypernym is None:
            continue
        synsets = {synset for above in wordnet.hypernyms[parent] for synset in wordnet.hyponyms[above]} - {parent}
        siblings = {_common_name(wordnet.words[synset], word, counts) for synset in synsets} - {None, hypernym}
        own = log(counts[hypernym])
        nearest = min(((abs(log(counts[name]) - own), name) for name in siblings if name), default=None)
        if nearest:
            return Relation(word, hypernym, nearest[1])
    return None


def _common_name(names: tuple[str, ...], word: str, counts: Mapping[str, float]) -> str | None:
    """Return the first name of a synset if it is one plain common word that neither holds the word nor is in it."""
    name = names[0]
    if not name.isalpha() or counts.get(name, 0) < MIN_COMMON_COUNT or name in word or word in name:
        return None
    return name


def draw_triples(
    lines: Iterable[str],
    wordnet: WordNet,
    frequencies: Frequencies,
    which: Literal["rare", "common"],
    *,
    name: str,
    seed: int = 0,
) -> Paraphrases:
    """Draw up to 50 triples, a word each, at random from all that the text gives, each in its first sentence."""
    relate = cache(lambda word: find_relation(word, wordnet, frequencies))
    triples: dict[str, Triple] = {}
    for sentence in _sentences(lines):
        words = sentence.split()
        for at, word in enumerate(words):
            if word in triples or words.count(word) > 1 or (word, "n") not in wordnet.senses:
                continue
            frequency = frequencies.counts.get(word, 0.0)
            if not word.isalpha() or not word.islower() or (frequency >= MIN_COMMON_COUNT) != (which == "common"):
                continue
            related = relate(word)
            if related is None or (at and words[at - 1].lower() in ("a", "an") and not related.one_article):
                continue
            three = (word, related.hypernym, related.sibling)
            triples[word] = Triple(*(" ".join([*words[:at], one, *words[at + 1 :]]) for one in three))
    if not triples:
        raise WordworthError(f"the text holds no {which} noun with a common hypernym and sibling; give more text")
    drawable = sorted(triples)
    numbers = np.random.default_rng(seed).choice(len(drawable), min(DRAWN_TRIPLES, len(drawable)), replace=False)
    return Paraphrases(name, tuple(triples[drawable[at]] for at in sorted(numbers.tolist())))


def _sentences(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for sentence in split_sentences(line):
            if SHORTEST <= count_tokens(sentence) <= LONGEST:
                yield sentence


@dataclass(frozen=True)
class ParaphraseRanks:
    """The triples of a probe in one layer."""

    layer: int
    triples: tuple[Triple, ...]
    near: NDArray[np.float64]
    """BERTScore F1 of (hypernym, word), a value per triple."""
    far: NDArray[np.float64]
    """BERTScore F1 of (hypernym, sibling)."""

    @property
    def hits(self) -> NDArray[np.bool_]:
        return self.near > self.far


def default_layer(model: LanguageModel) -> int:
    """Return the layer three quarters up, where BERTScore's authors found most agreement with people (9 of 12)."""
    return -(-3 * model.layers // 4)


def paraphrase(
    model: LanguageModel, probe: Paraphrases, layers: Sequence[int] = ()
) -> tuple[list[ParaphraseRanks], list[tuple[Triple, str]]]:
    """Return BERTScores of the pairs of every triple in some layers, and the triples that cannot be encoded, with why.

    Tokens that the model adds ([CLS], <s>) are not matched.
    """
    chosen = checked_layers(model, layers or [default_layer(model)])
    if not probe.triples:
        raise WordworthError(f"{probe.name} has no triples to probe with; give three sentences a triple")
    used: list[Triple] = []
    failed: list[tuple[Triple, str]] = []
    scores: list[list[tuple[float, float]]] = [[] for _ in chosen]
    for start in range(0, len(probe.triples), BATCH_TRIPLES):
        part = probe.triples[start : start + BATCH_TRIPLES]
        sentences = [sentence for one in part for sentence in (one.word, one.hypernym, one.sibling)]
        contexts = [Context(sentence, sentence, 0, len(sentence)) for sentence in sentences]  # each is one span
        (shard,) = encode_shards(model, [contexts], chosen)
        reasons = {failure.row: failure.reason for failure in shard.failures}
        states = shard.states.float().numpy()
        starts = [0, *accumulate(shard.subwords)]
        for at, triple in enumerate(part):
            rows = range(3 * at, 3 * at + 3)
            wrong = next((reasons[row] for row in rows if row in reasons), None)
            if wrong is not None:
                failed.append((triple, wrong))
                continue
            used.append(triple)
            for layer, pairs in enumerate(scores):
                word, hypernym, sibling = (states[layer, starts[row] : starts[row + 1]] for row in rows)
                pairs.append((bert_score(hypernym, word), bert_score(hypernym, sibling)))
    probed = [
        ParaphraseRanks(layer, tuple(used), *np.array(pairs, dtype=np.float64).reshape(-1, 2).T)
        for layer, pairs in zip(chosen, scores, strict=True)
    ]
    return probed, failed

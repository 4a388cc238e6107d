"""Probe the use of rare words: is a sentence with a word nearer to one with its hypernym than one with a sibling is?

The triples are published, or drawn from a text and WordNet by the paper's protocol (Dudy & Bedrick 2020, C). The word
is rare or common, its hypernym and the hypernym's sibling are common, and the sentence is from the text. Published
triples are few and selected by hand; drawn ones are many, and nobody has checked them.
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
"""Minimum number of occurrences of a common word: the paper's “mid/high”."""
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
        """Return whether all three words take the same of “a” and “an”."""
        return len({word[0] in _VOWELS for word in (self.word, self.hypernym, self.sibling)}) == 1


def find_relation(word: str, wordnet: WordNet, frequencies: Frequencies) -> Relation | None:
    """Return the hypernym and sibling of a noun, both common, or None.

    Only words that are nouns and no other part of speech count, in their first sense. The sibling is the common one
    whose frequency is nearest to the hypernym's, so that frequency does not distinguish them.
    """
    if any((word, part_of_speech) in wordnet.senses for part_of_speech in "var"):
        return None
    counts = frequencies.counts
    for parent in wordnet.hypernyms[wordnet.senses[word, "n"][0]]:
        hypernym = _common_name(wordnet.words[parent], word, counts)
        if hypernym is None:
            continue
        synsets = {synset for ancestor in wordnet.hypernyms[parent] for synset in wordnet.hyponyms[ancestor]} - {parent}
        siblings = {_common_name(wordnet.words[synset], word, counts) for synset in synsets} - {None, hypernym}
        target_frequency = log(counts[hypernym])
        nearest = min(((abs(log(counts[name]) - target_frequency), name) for name in siblings if name), default=None)
        if nearest:
            return Relation(word, hypernym, nearest[1])
    return None


def _common_name(names: tuple[str, ...], word: str, counts: Mapping[str, float]) -> str | None:
    """Return the first name of a synset if it is a common word that neither contains the word nor is part of it."""
    name = names[0]
    if not name.isalpha() or counts.get(name, 0) < MIN_COMMON_COUNT or name in word or word in name:
        return None
    return name


def draw_triples(
    lines: Iterable[str],
    wordnet: WordNet,
    frequencies: Frequencies,
    band: Literal["rare", "common"],
    *,
    name: str,
    seed: int = 0,
) -> Paraphrases:
    """Draw up to 50 triples of different words at random from a text, each word in its first sentence."""
    relate = cache(lambda word: find_relation(word, wordnet, frequencies))
    triples: dict[str, Triple] = {}
    for sentence in _sentences(lines):
        words = sentence.split()
        for i, word in enumerate(words):
            if word in triples or words.count(word) > 1 or (word, "n") not in wordnet.senses:
                continue
            frequency = frequencies.counts.get(word, 0.0)
            if not word.isalpha() or not word.islower() or (frequency >= MIN_COMMON_COUNT) != (band == "common"):
                continue
            relation = relate(word)
            if relation is None or (i and words[i - 1].lower() in ("a", "an") and not relation.one_article):
                continue
            forms = (word, relation.hypernym, relation.sibling)
            triples[word] = Triple(*(" ".join([*words[:i], form, *words[i + 1 :]]) for form in forms))
    if not triples:
        raise WordworthError(f"the text has no {band} noun with a common hypernym and sibling; give more text")
    drawable = sorted(triples)
    numbers = np.random.default_rng(seed).choice(len(drawable), min(DRAWN_TRIPLES, len(drawable)), replace=False)
    return Paraphrases(name, tuple(triples[drawable[i]] for i in sorted(numbers.tolist())))


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
    """BERTScore F1 of (hypernym, word), one value per triple."""
    far: NDArray[np.float64]
    """BERTScore F1 of (hypernym, sibling)."""

    @property
    def hits(self) -> NDArray[np.bool_]:
        return self.near > self.far


def default_layer(model: LanguageModel) -> int:
    """Return the layer at three quarters of the depth, where BERTScore agreed best with people (9 of 12)."""
    return -(-3 * model.layers // 4)


def paraphrase(
    model: LanguageModel, probe: Paraphrases, layers: Sequence[int] = ()
) -> tuple[list[ParaphraseRanks], list[tuple[Triple, str]]]:
    """Return BERTScores of each triple's pairs per layer, and the triples that cannot be encoded, with reasons.

    Tokens that the model adds ([CLS], <s>) are not matched.
    """
    layer_numbers = checked_layers(model, layers or [default_layer(model)])
    if not probe.triples:
        raise WordworthError(f"{probe.name} has no triples; give three sentences per triple")
    encoded_triples: list[Triple] = []
    failures: list[tuple[Triple, str]] = []
    scores: list[list[tuple[float, float]]] = [[] for _ in layer_numbers]
    for start in range(0, len(probe.triples), BATCH_TRIPLES):
        batch = probe.triples[start : start + BATCH_TRIPLES]
        sentences = [sentence for triple in batch for sentence in (triple.word, triple.hypernym, triple.sibling)]
        contexts = [Context(sentence, sentence, 0, len(sentence)) for sentence in sentences]  # each is one span
        (shard,) = encode_shards(model, [contexts], layer_numbers)
        reasons = {failure.row: failure.reason for failure in shard.failures}
        states = shard.states.float().numpy()
        starts = [0, *accumulate(shard.subwords)]
        for number, triple in enumerate(batch):
            rows = range(3 * number, 3 * number + 3)
            reason = next((reasons[row] for row in rows if row in reasons), None)
            if reason is not None:
                failures.append((triple, reason))
                continue
            encoded_triples.append(triple)
            for layer, pairs in enumerate(scores):
                word, hypernym, sibling = (states[layer, starts[row] : starts[row + 1]] for row in rows)
                pairs.append((bert_score(hypernym, word), bert_score(hypernym, sibling)))
    ranks = [
        ParaphraseRanks(layer, tuple(encoded_triples), *np.array(pairs, dtype=np.float64).reshape(-1, 2).T)
        for layer, pairs in zip(layer_numbers, scores, strict=True)
    ]
    return ranks, failures

"""Paraphrase triples drawn from a text and WordNet, as the paper's protocol has it (Dudy & Bedrick 2020, C).

The word is rare or common, its hypernym and the hypernym's sibling are common; the sentence is one of the text that
holds the word. No person has read them: they are many and rough where the published ones are few and chosen.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np

from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.paraphrases import Paraphrases, Triple
from wordworth.catalog.read.wordnet import WordNet
from wordworth.contexts import split_sentences
from wordworth.contexts.sentences import LONGEST, SHORTEST, count_tokens
from wordworth.errors import WordworthError

COMMON = 50.0
"""Occurrences from which on a word is common: the paper's “mid/high”."""
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True)
class Relation:
    """A word with its hypernym and a sibling of the hypernym."""

    word: str
    hypernym: str
    sibling: str

    @property
    def one_article(self) -> bool:
        """Whether one of “a” and “an” goes before all three."""
        return len({word[0] in _VOWELS for word in (self.word, self.hypernym, self.sibling)}) == 1


def relation(word: str, wordnet: WordNet, frequencies: Frequencies) -> Relation | None:
    """The hypernym and sibling of a noun, both common, or None.

    Only words that are nouns and nothing else are taken, by their first sense. Of the siblings that are common, it
    is the one whose frequency is nearest to the hypernym's, so that frequency does not tell them apart.
    """
    if any((word, kind) in wordnet.senses for kind in "var"):
        return None
    for parent in wordnet.hypernyms[wordnet.senses[word, "n"][0]]:
        hypernym = _common(wordnet.words[parent], word, frequencies)
        if hypernym is None:
            continue
        aside = [
            sibling
            for above in wordnet.hypernyms[parent]
            for synset in wordnet.hyponyms[above]
            if synset != parent and (sibling := _common(wordnet.words[synset], word, frequencies)) is not None
        ]
        own = log(frequencies.counts[hypernym])
        apart = {
            sibling: (abs(log(frequencies.counts[sibling]) - own), sibling) for sibling in aside if sibling != hypernym
        }
        if apart:
            return Relation(word, hypernym, min(apart, key=lambda sibling: apart[sibling]))
    return None


def _common(names: tuple[str, ...], word: str, frequencies: Frequencies) -> str | None:
    """The first name of a synset, if it is one plain word, common, and neither holds the word nor is held by it."""
    name = names[0]
    if not name.isalpha() or frequencies.counts.get(name, 0) < COMMON or name in word or word in name:
        return None
    return name


def draw_triples(
    lines: Iterable[str],
    wordnet: WordNet,
    frequencies: Frequencies,
    which: Literal["rare", "common"],
    *,
    count: int = 50,
    seed: int = 0,
    name: str = "",
) -> Paraphrases:
    """Up to `count` triples, a word each, drawn at random from all that the text gives, each in its first sentence."""
    if count < 1:
        raise WordworthError(f"{count} triples cannot be drawn; ask for at least 1")
    triples: dict[str, Triple] = {}
    known: dict[str, Relation | None] = {}
    for sentence in _sentences(lines):
        words = sentence.split()
        for at, word in enumerate(words):
            if word in triples or words.count(word) > 1 or (word, "n") not in wordnet.senses:
                continue
            frequency = frequencies.counts.get(word, 0.0)
            if not word.isalpha() or not word.islower() or (frequency >= COMMON) != (which == "common"):
                continue
            if word not in known:
                known[word] = relation(word, wordnet, frequencies)
            related = known[word]
            if related is None or (at and words[at - 1].lower() in ("a", "an") and not related.one_article):
                continue
            three = (word, related.hypernym, related.sibling)
            triples[word] = Triple(*(" ".join([*words[:at], one, *words[at + 1 :]]) for one in three))
    if not triples:
        raise WordworthError(f"the text holds no {which} noun with a common hypernym and sibling; give more text")
    chosen = sorted(triples)
    rng = np.random.default_rng(seed)
    picked = sorted(rng.choice(len(chosen), min(count, len(chosen)), replace=False).tolist())
    return Paraphrases(name or which, tuple(triples[chosen[at]] for at in picked))


def _sentences(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for sentence in split_sentences(line):
            if SHORTEST <= count_tokens(sentence) <= LONGEST:
                yield sentence

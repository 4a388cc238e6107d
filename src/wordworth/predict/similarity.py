"""What may count as near enough to the target, beside its neighbours in an embedding: any function of two words."""

from collections.abc import Callable
from functools import lru_cache

from wordworth.catalog.read.wordnet import WordNet
from wordworth.predict.forms import bare

Similarity = Callable[[str, str], bool]
"""(target, guess) → whether the guess may pass for the target."""


def synonyms(wordnet: WordNet) -> Similarity:
    """The two words share a synset of WordNet, in any of their base forms."""
    synsets = lru_cache(maxsize=None)(wordnet.synsets)
    return lambda target, guess: not synsets(bare(target)).isdisjoint(synsets(bare(guess)))


def shared_lemma(wordnet: WordNet) -> Similarity:
    """The two words have a base form in common: inflections of one word."""
    lemmas = lru_cache(maxsize=None)(wordnet.lemmas)
    return lambda target, guess: not lemmas(bare(target)).isdisjoint(lemmas(bare(guess)))


BUILT_IN: dict[str, Callable[[WordNet], Similarity]] = {"synonyms": synonyms, "lemma": shared_lemma}
"""Those that need WordNet alone."""

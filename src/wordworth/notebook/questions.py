"""One question to one embedding."""

from typing import NamedTuple

from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.measure import sc_weat as effect_size
from wordworth.measure import sc_weat_p
from wordworth.study.valnorm import ValnormSettings
from wordworth.task.valence import permuted
from wordworth.task.words import poles_in, spelling_of


class Association(NamedTuple):
    """SC-WEAT of one word: above 0 it is nearer to the pleasant words."""

    word: str
    effect: float
    p: float


def sc_weat(embedding: Embedding | Layers, word: str, *, language: str = "english") -> Association:
    """The association of one word with pleasant against unpleasant words: its effect size d, and its one-sided p."""
    layers = Layers.of(embedding) if isinstance(embedding, Embedding) else embedding
    settings = ValnormSettings()
    target = layers.select([word], spelling_of(language, settings))
    if not len(target):
        raise WordworthError(f"{layers.name} has no word {word!r}")
    (slot, *_) = layers.slots
    vectors, high, low = (group.read(slot) for group in (target, *poles_in(layers, polar_words(language), settings)))
    p = sc_weat_p(vectors, high, low, **permuted(settings)).p
    return Association(word, float(effect_size(vectors, high, low)[0]), float(p[0]))

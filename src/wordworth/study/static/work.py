"""What the study has to do with a model, for the estimate of an audit."""

from typing import Any

from wordworth.catalog.read.pairs import load_pairs
from wordworth.encode import LanguageModel, is_sentence_encoder
from wordworth.study.cost import Work
from wordworth.study.language_models import measured_layers
from wordworth.study.static import EXPERIMENTS, PAIRS, StaticSettings

SENTENCE, TO_THE_WORD = 31, 22
"""Tokens of a sentence; up to the last word that is looked for."""
THERE = 15_000
"""Sentences that `enwiki-sample` has for the words of the four sets of pairs."""
FEW = 760
"""Sentences for the words of the lists at one context a word; they grow with the square root of the contexts."""
LISTED = 120_000
"""Values in a resample of the estimators of bias."""
VECTORS = 3.0
"""Seconds for word vectors."""


def static_work(model: Any, settings: StaticSettings) -> Work:
    """Tokens of the sentences, and ranks of the intervals of similarity."""
    if not isinstance(model, LanguageModel) or is_sentence_encoder(model):
        return Work(seconds=VECTORS)
    asked = settings.experiments or EXPERIMENTS
    pairs = sum(len(load_pairs(name)) for name in settings.pairs or PAIRS)
    if settings.alone:
        return Work(
            tokens=TO_THE_WORD * pairs, ranks=pairs * len(measured_layers(model, settings)) * settings.resamples
        )
    sentences = min(max(settings.sentences), THERE) if "quality" in asked else 0
    values = pairs * (2 + sum(stop < sentences for stop in settings.sentences))  # those alone too
    if {"bias", "agreement"} & set(asked):
        sentences += round(FEW * settings.per_word**0.5)
        values += LISTED
    ranks = values * len(measured_layers(model, settings)) * settings.resamples
    return Work(tokens=sentences * (TO_THE_WORD if model.left_only else SENTENCE), ranks=ranks)

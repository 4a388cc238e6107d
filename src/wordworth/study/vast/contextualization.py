"""Experiment 1: where a vector turns from the word to its context (VAST, Figure 1; dominance and arousal, Figure 6)."""

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.measure import sc_weat, valence, valence_spearman
from wordworth.study.vast.recording import record_layers, record_missing, record_words
from wordworth.study.vast.scale import Scale
from wordworth.study.vast.scales import Scales, greedy_poles

AFFECTS = ("dominance", "arousal")


def contextualization(
    scales: Scales, lexica: list[Lexicon], anew: Lexicon | None, experiment: str = "contextualization"
) -> None:
    """Valence by lexicon, setting and layer; dominance and arousal where the lexicon rates them."""
    layers = scales.encodings.layers
    drawn = {"resamples": scales.options.resamples, "seed": scales.options.seed}
    for lexicon in lexica:
        for setting in scales.settings:
            scale = scales.of(lexicon, setting)
            where = scales.where(experiment, lexicon.name, setting)
            effects = scale.by_layer(layers, scales.pooling)
            found = valence(effects, scale.ratings(), **drawn)
            record_layers(scales.findings, where, "valence", layers, found)
            ranks = valence_spearman(effects, scale.ratings(), **drawn)
            record_layers(scales.findings, where, "valence:spearman", layers, ranks)
            record_words(scales.findings, where, scale.words, layers, effects, scale.ratings())
            for label, group in (("pleasant", scale.high), ("unpleasant", scale.low)):
                record_missing(scales.findings, where, group, label)
            for affect in AFFECTS:
                if anew is not None and affect in lexicon.ratings:
                    _affect(scales, scale, anew, affect, where)


def _affect(scales: Scales, scale: Scale, anew: Lexicon, affect: str, where: dict[str, str]) -> None:
    """ρ for dominance or arousal: poles are the 25 highest and lowest of ANEW, taken out of the lexicon."""
    row_of = {word: row for row, word in enumerate(scale.words.found())}
    sides = greedy_poles(anew.words, anew.ratings[affect].tolist())
    high, low = ([row_of[word] for word in side if word in row_of] for side in sides)
    if min(len(high), len(low)) < 2:
        scales.findings.warn(f"{affect} has no score on {scale.lexicon.name} {scale.setting}: its poles are not there.")
        return
    rest = np.setdiff1d(np.arange(len(row_of)), [*high, *low])
    layers = scales.encodings.layers
    effects = []
    for layer in layers:
        vectors = scale.words.vectors(layer, scales.pooling)
        effects.append(sc_weat(vectors[rest], vectors[high], vectors[low]))
    ratings = scale.ratings(affect)[rest]
    found = valence(np.stack(effects), ratings, resamples=scales.options.resamples, seed=scales.options.seed)
    record_layers(scales.findings, where, affect, layers, found)

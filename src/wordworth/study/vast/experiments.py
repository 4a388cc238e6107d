"""The experiments of VAST on vectors: each takes the words of one model and language and adds to the findings."""

import numpy as np
import polars as pl

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.embedding import Layers
from wordworth.run import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.words import WordsInSettings, greedy_poles
from wordworth.task.association import association
from wordworth.task.isotropy import isotropy, variance_shares
from wordworth.task.similarity import similarity, words_of
from wordworth.task.valence import drawn, effect_sizes, record_slots, valence
from wordworth.task.words import TooFewWordsError
from wordworth.transform import nullified

AFFECTS = ("dominance", "arousal")


def contextualization(
    findings: Findings,
    words: WordsInSettings,
    lexica: list[Lexicon],
    anew: Lexicon | None,
    experiment: str = "contextualization",
) -> None:
    """Experiment 1: where a vector turns from the word to its context (Figure 1); dominance and arousal (Figure 6)."""
    for lexicon in lexica:
        for setting in words.settings:
            layers, poles = words.rated(lexicon, setting).layers(words.pooling)
            findings.add(valence(layers, poles, lexicon, words.chosen), experiment=experiment)
            for affect in AFFECTS:
                if anew is not None and affect in lexicon.ratings:
                    findings.add(_affect(words, layers, lexicon, anew, affect), experiment=experiment)


def _affect(words: WordsInSettings, layers: Layers, lexicon: Lexicon, anew: Lexicon, affect: str) -> Findings:
    """ρ for dominance or arousal: poles are the 25 highest and lowest of ANEW, taken out of the lexicon."""
    findings = Findings()
    sides = greedy_poles(anew.words, anew.ratings[affect].tolist())
    high, low = ([layers.index[word] for word in side if word in layers.index] for side in sides)
    if min(len(high), len(low)) < 2:
        findings.warn(f"{affect} has no score on {lexicon.name} {layers.setting}: its poles are not there.")
        return findings
    rest = np.setdiff1d(np.arange(len(layers)), [*high, *low])
    rated = layers.rows(rest)
    effects = effect_sizes(rated, (layers.rows(np.array(high)), layers.rows(np.array(low))))
    ratings = lexicon.ratings[affect][layers.positions[rest]]
    where = {**layers.columns, "language": words.language, "dataset": lexicon.name, "measure": affect}
    record_slots(findings, where, layers, pearson(effects, ratings, items=rated.words, **drawn(words.chosen)))
    return findings


def isolation(findings: Findings, words: WordsInSettings, lexica: list[Lexicon]) -> None:
    """Experiment 3: word meaning under the top principal components (Table 1 and Figure 3).

    ρ with vectors as they are (`pcs` blank) and with 0 … k components nullified, in the best and the top layer, each
    setting. Mean and components are those of the lexicon's words followed by the polar words. Beside ρ: the mean
    cosine of word pairs, and the share of length that the largest neurons hold.
    """
    for lexicon in lexica:
        for setting in words.settings:
            layers, poles = words.rated(lexicon, setting).layers(words.pooling)
            groups = [_present(group.only(words.chosen_layers(lexicon))) for group in (layers, *poles)]
            (isolated, high, low), components = nullified(groups, words.chosen.components)
            findings.add(
                valence(isolated, (high, low), lexicon, words.chosen, measures=("valence",)), experiment="isolation"
            )
            findings.add(isotropy(isolated, lexicon.name, words.language), experiment="isolation")
            where = {"language": words.language, "dataset": lexicon.name, "n": sum(map(len, groups))}
            findings.add(variance_shares(isolated, components, where), experiment="isolation")


def _present(layers: Layers) -> Layers:
    """Only the words that are there: those missing were recorded with the words as they are."""
    return layers.rows(np.arange(len(layers)))


def validation(findings: Findings, words: WordsInSettings, tasks: list[Pairs], lexicon: Lexicon) -> None:
    """Experiment 5: word similarity from the best and the top layer, raw and isolated (Figure 4).

    Words are bleached; the best layer is that of the lexicon; mean and components are those of the task's own words.
    """
    for pairs in tasks:
        layers = words.encoded("bleached", words_of(pairs)).layers(words.pooling)
        (isolated,), _ = nullified([layers.only(words.chosen_layers(lexicon))], words.chosen.components)
        findings.add(similarity(isolated, pairs, words.chosen), experiment="validation")


def bias(findings: Findings, words: WordsInSettings, tests: list[AssociationTest], lexicon: Lexicon) -> None:
    """Experiment 6: association tests on bleached vectors, by layer and by components nullified (Figure 5).

    d and p of every test in every layer, and with 0 … k components nullified in the best layer (of the lexicon) and
    the top one. Mean and components are those of the words of all tests.
    """
    every = tuple(dict.fromkeys(word for test in tests for group in test.groups for word in group))
    layers = words.encoded("bleached", every).layers(words.pooling)
    (isolated,), _ = nullified([layers], words.chosen.components, words.chosen_layers(lexicon))
    held = isolated.in_memory()
    for test in tests:
        asked = bool(words.chosen.tests)
        with findings.part(TooFewWordsError, asked=asked, model=words.model.name, dataset=test.name):
            findings.add(association(held, test, words.chosen), experiment="bias")


def languages_mean(findings: Findings, model: str) -> None:
    """The mean of ρ over the languages, by setting and layer (Figure 20)."""
    mine = (pl.col("experiment") == "languages") & (pl.col("model") == model) & (pl.col("measure") == "valence")
    means = (
        findings.scores.filter(mine)
        .group_by("setting", "pooling", "layer", maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().alias("n"))
    )
    for row in means.iter_rows(named=True):
        findings.score(experiment="languages", model=model, measure="valence:mean", **row)

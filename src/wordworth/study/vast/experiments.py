"""The experiments of VAST on vectors: each takes the words of one model and language and adds to the findings."""

from dataclasses import replace

import numpy as np
import polars as pl

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.run import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.components import ComponentWords, weat_words
from wordworth.study.vast.words import WordsInSettings, greedy_poles
from wordworth.task.association import association
from wordworth.task.geometry import isotropy, variance_shares
from wordworth.task.similarity import similarity, words_of
from wordworth.task.valence import drawn, effect_sizes, record_slots, valence
from wordworth.task.words import Poles, TooFewWordsError, record_missing
from wordworth.transform import fit_layers, nullified

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
            rated = words.rated(lexicon, setting)
            layers, poles = rated.layers(words.pooling)
            effects = rated.effects(words.pooling)
            findings.add(valence(layers, poles, lexicon, words.chosen, effects=effects), experiment=experiment)
            for affect in affects_of(lexicon, anew):
                held = affect_poles(words.pole_words(lexicon, setting), lexicon, anew, affect)
                findings.add(affective(words, layers, held, lexicon, affect), experiment=experiment)


def affects_of(lexicon: Lexicon, anew: Lexicon | None) -> tuple[str, ...]:
    """Dominance and arousal where the lexicon rates them, and ANEW is there to pick their poles."""
    return tuple(affect for affect in AFFECTS if anew is not None and affect in lexicon.ratings)


def affect_poles(words: Layers, lexicon: Lexicon, anew: Lexicon | None, affect: str) -> Poles:
    """The 25 highest and the 25 lowest words of ANEW, in the text that poles stand in."""
    if anew is None:
        raise TypeError(f"the poles of {affect} are words of ANEW")
    high, low = (words.select(side) for side in greedy_poles(anew.words, anew.ratings[affect].tolist()))
    return _named_missing(high, lexicon), _named_missing(low, lexicon)


def _named_missing(pole: Layers, lexicon: Lexicon) -> Layers:
    why = {at: f"not in {lexicon.name}" if reason == NOT_FOUND else reason for at, reason in pole.reasons.items()}
    return replace(pole, reasons=why)


def affective(words: WordsInSettings, layers: Layers, poles: Poles, lexicon: Lexicon, affect: str) -> Findings:
    """ρ for dominance or arousal: the poles are taken out of the lexicon."""
    findings = Findings()
    where = {**layers.columns, "language": words.language, "dataset": lexicon.name}
    for end, pole in zip(("high", "low"), poles, strict=True):
        record_missing(findings, where, pole, f"{affect}: {end}")
    if min(map(len, poles)) < 2:
        findings.warn(f"{affect} has no score on {lexicon.name} {layers.setting}: its poles are not there.")
        return findings
    polar = {form for pole in poles for form in pole.resolved}
    rest = np.array([row for row, form in enumerate(layers.resolved) if form not in polar])
    rated = layers.rows(rest)
    effects = effect_sizes(rated, poles)
    people = dict(zip(lexicon.words, lexicon.ratings[affect].tolist(), strict=True))
    ratings = np.array([people[word] for word in rated.words])
    rho = pearson(effects, ratings, items=rated.words, **drawn(words.chosen))
    record_slots(findings, {**where, "measure": affect}, layers, rho)
    return findings


def isolation(
    findings: Findings,
    words: WordsInSettings,
    lexica: list[Lexicon],
    anew: Lexicon | None,
    fitted_on: ComponentWords | None,
) -> None:
    """Experiment 3: word meaning under the top principal components (Table 1, Figure 3; Figure 7: dominance, arousal).

    ρ with vectors as they are (`pcs` blank) and with 0 … k components nullified, in the best and the top layer, each
    setting. Mean and components are fitted on the words `fitted_on`, or, without them, on the lexicon's words followed
    by the polar words. Also: the mean cosine of word pairs, and the share of length that the largest neurons hold.
    """
    # Words without a vector are recorded once: by contextualization, where that is run too.
    asked = words.chosen.experiments
    kept = _present if not asked or "contextualization" in asked else _as_it_is
    every_layer = sorted({layer for lexicon in lexica for layer in words.chosen_layers(lexicon)})
    for lexicon in lexica:
        for setting in words.settings:
            layers, poles = words.rated(lexicon, setting).layers(words.pooling)
            chosen = words.chosen_layers(lexicon)
            groups = [kept(group.only(chosen)) for group in (layers, *poles)]
            if fitted_on is None:
                components, count = fit_layers(groups, words.chosen.components), sum(map(len, groups))
            else:
                components, count = fitted_on.fit(setting, every_layer), fitted_on.count(setting)
            isolated, high, low = (nullified(group, components) for group in groups)
            findings.add(
                valence(isolated, (high, low), lexicon, words.chosen, measures=("valence",)), experiment="isolation"
            )
            polar = words.pole_words(lexicon, setting).only(chosen)
            for affect in affects_of(lexicon, anew):
                up, down = (nullified(kept(pole), components) for pole in affect_poles(polar, lexicon, anew, affect))
                findings.add(affective(words, isolated, (up, down), lexicon, affect), experiment="isolation")
            findings.add(isotropy(isolated, lexicon.name, words.language), experiment="isolation")
            where = {"language": words.language, "dataset": lexicon.name, "n": count}
            shares = variance_shares(isolated, {layer: components[layer] for layer in chosen}, where)
            findings.add(shares, experiment="isolation")


def _present(layers: Layers) -> Layers:
    """Only the words that are there, without those that are missing."""
    return layers.rows(np.arange(len(layers)))


def _as_it_is(layers: Layers) -> Layers:
    return layers


def validation(findings: Findings, words: WordsInSettings, tasks: list[Pairs], lexicon: Lexicon) -> None:
    """Experiment 5: word similarity from the best and the top layer, raw and isolated (Figure 4).

    Words are bleached; the best layer is that of the lexicon; mean and components are those of the task's own words.
    """
    for pairs in tasks:
        layers = words.encoded("bleached", words_of(pairs)).layers(words.pooling).only(words.chosen_layers(lexicon))
        isolated = nullified(layers, fit_layers([layers], words.chosen.components))
        findings.add(similarity(isolated, pairs, words.chosen), experiment="validation")


def bias(
    findings: Findings,
    words: WordsInSettings,
    tests: list[AssociationTest],
    lexicon: Lexicon,
    fitted_on: ComponentWords | None,
) -> None:
    """Experiment 6: association tests on bleached vectors, by layer and by components nullified (Figure 5).

    d and p of every test in every layer, and with 0 … k components nullified in the best layer (of the lexicon) and
    the top one. Mean and components are fitted on the words `fitted_on`, or, without them, on the words of WEAT 1 to 10
    (in a language without them: on the polar words), so that a test's d does not depend on which others are run.
    """
    chosen = words.chosen_layers(lexicon)
    every = tuple(dict.fromkeys(word for test in tests for group in test.groups for word in group))
    layers = words.encoded("bleached", every).layers(words.pooling).in_memory()
    if fitted_on is None:
        sets = weat_words(words) or {"polar words": (*words.polar.pleasant, *words.polar.unpleasant)}
        findings.used_words(f"the components of bias ({words.language})", sets)
        fixed = tuple(dict.fromkeys(word for group in sets.values() for word in group))
        base = words.encoded("bleached", fixed).layers(words.pooling)
        components = fit_layers([base], words.chosen.components, chosen)
    else:
        components = fitted_on.fit("bleached", chosen)
    held = nullified(layers, components).in_memory()
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
        .filter(pl.col("n") > 1)
    )
    for row in means.iter_rows(named=True):
        findings.score(experiment="languages", model=model, measure="valence:mean", **row)

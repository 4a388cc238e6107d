"""Experiments 3, 5 and 6 of VAST: valence, similarity and bias with the top principal components nullified.

VAST's authors fit the components on every word that they encoded: their three lexica and the WEATs, followed by the
polar words. The words of one lexicon do not do: Bellezza's are very pleasant or very unpleasant, so that their first
component *is* valence, and nullifying it removes what is measured.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wordworth.catalog.read.association_tests import AssociationTest, load_test, translated
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.contexts import polar_ratings
from wordworth.embedding import Layers
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study.vast.contextualization import affect_poles, affective, affects_of
from wordworth.study.vast.words import WordsInSettings, nine_points
from wordworth.task.association import association
from wordworth.task.geometry import isotropy, variance_shares
from wordworth.task.similarity import similarity, words_of
from wordworth.task.valence import valence
from wordworth.task.words import TooFewWordsError
from wordworth.transform import Components, LayerComponents, fit_layers, nullified

LEXICA = ("bellezza", "anew", "warriner")
TESTS = tuple("vast-weat3" if number == 3 else f"weat{number}" for number in range(1, 11))
"""WEAT 1 to 10, with the names of VAST's appendix."""
SAMPLE_WORDS = 2_500
NEUTRAL_RATING = 5.0
"""The rating on 1–9 of a WEAT word that no lexicon rates, in aligned and misaligned (the authors' choice)."""


@dataclass(eq=False)
class ComponentWords:
    """The words of one model and language that mean and components are fitted on, once per context and layer."""

    words: WordsInSettings
    sources: Mapping[str, Sequence[str]]
    """Name of a lexicon, test or word set → its words."""
    ratings: Mapping[str, float]
    """On 1–9, for the aligned and misaligned texts."""
    _fitted: dict[tuple[str, int], Components] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)

    def fit(self, setting: str, layers: Sequence[int]) -> LayerComponents:
        """Return mean and components per layer in a setting. Polar words stay aligned in misaligned."""
        missing = [layer for layer in layers if (setting, layer) not in self._fitted]
        if missing:
            polar = self.words.polar
            groups = [
                self._encode(setting, self._chosen_words(), missing),
                self._encode(setting, (*polar.pleasant, *polar.unpleasant), missing, polar=True),
            ]
            self._counts[setting] = sum(map(len, groups))
            fitted = fit_layers(groups, self.words.chosen.components, missing)
            self._fitted |= {(setting, layer): fitted[layer] for layer in missing}
        return {layer: self._fitted[setting, layer] for layer in layers}

    def count(self, setting: str) -> int:
        """Return the number of vectors that the components of a setting were fitted on."""
        return self._counts[setting]

    def _chosen_words(self) -> list[str]:
        every = list(dict.fromkeys(word for words in self.sources.values() for word in words))
        if self.words.chosen.component_words == "sample" and len(every) > SAMPLE_WORDS:
            rows = np.random.default_rng(0).choice(len(every), SAMPLE_WORDS, replace=False)
            return [every[row] for row in sorted(rows.tolist())]
        return every

    def _encode(self, setting: str, words: Sequence[str], layers: Sequence[int], *, polar: bool = False) -> Layers:
        ratings = None
        if setting in ("aligned", "misaligned"):
            ratings = [self.ratings.get(word, NEUTRAL_RATING) for word in words]
        encoded = self.words.encoded(setting, words, ratings, polar=polar, layers=tuple(layers))
        return encoded.layers(self.words.pooling)


def component_words(
    findings: Findings, words: WordsInSettings, load: Callable[[str], Lexicon], own: Lexicon | None
) -> ComponentWords:
    """Collect the paper's three lexica (in another language: its `own`), the words of WEAT 1 to 10 and the polar words.

    They do not depend on the lexica and tests that are run. A lexicon that cannot be had is skipped with a warning.
    """
    lexica = [own] if own else []
    for name in () if own else LEXICA:
        try:
            lexica.append(load(name))
        except WordworthError as error:
            findings.warn(f"The principal components are fitted without the words of {name}: {error}.")
    ratings: dict[str, float] = {}
    if any(words.templates.has(setting) for setting in ("aligned", "misaligned")):
        for lexicon in reversed(lexica):  # Warriner's rating first, as the authors take it
            ratings = nine_points(lexicon) | ratings
        ratings = polar_ratings(words.polar.pleasant, words.polar.unpleasant, ratings) | ratings
    sources = {lexicon.name: lexicon.words for lexicon in lexica} | weat_words(words)
    sources["polar words"] = (*words.polar.pleasant, *words.polar.unpleasant)
    findings.used_words(f"the principal components ({words.language})", sources)
    chosen = ComponentWords(words, sources, ratings)
    sample = f"a fixed sample of {SAMPLE_WORDS:,} of " if words.chosen.component_words == "sample" else ""
    findings.note(
        f"Mean and principal components of isolation and bias are fitted on {sample}the words of "
        f"{', '.join(sources)}, whichever lexica and tests are run ({words.model.name}, {words.language})."
    )
    return chosen


def weat_words(words: WordsInSettings) -> dict[str, Sequence[str]]:
    """Return the words of WEAT 1 to 10 per test; none in a language that WEAT is not translated into."""
    try:
        tests = [in_language(load_test(name), words.language) for name in TESTS]
    except WordworthError:
        return {}
    return {test.name: tuple(word for group in test.groups for word in group) for test in tests}


def in_language(test: AssociationTest, language: str) -> AssociationTest:
    """Return the test in the words' language: English words in Spanish templates would measure nothing."""
    return test if test.language == language else translated(test, language)


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

"""The words that the principal components of `isolation` and `bias` are fitted on.

VAST's authors fit them on every word that they encoded: their three lexica and the WEATs, followed by the polar words.
The words of one lexicon do not do: Bellezza's are very pleasant or very unpleasant, so that their first component *is*
valence, and nullifying it removes what is measured.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wordworth.catalog.read.association_tests import AssociationTest, load_test, translated
from wordworth.catalog.read.lexica import Lexicon
from wordworth.contexts import polar_ratings
from wordworth.embedding import Layers
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.vast.words import WordsInSettings, nine_points
from wordworth.transform import Components, LayerComponents, fit_layers

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

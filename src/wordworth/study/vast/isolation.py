"""Experiments 3, 5 and 6 of VAST: valence, similarity and bias with the top principal components nullified.

VAST's authors fit the components on every word that they encoded: their three lexica and the WEATs, followed by the
polar words. The words of one lexicon do not do: Bellezza's are very pleasant or very unpleasant, so that their first
component *is* valence, and nullifying it removes what is measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordworth.catalog.read.association_tests import AssociationTest, load_test, load_tests, translated
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import load_pairs, usual_pairs
from wordworth.contexts import polar_ratings
from wordworth.embedding import Layers
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.study.vast.contextualization import score_affects
from wordworth.study.vast.tokenization import score_single_tokens
from wordworth.study.vast.words import BY_RATING, LEXICA, EncodedWords, load_anew, record_lexicon, rescale_ratings
from wordworth.task.association import score_association
from wordworth.task.geometry import score_isotropy, score_variance_shares
from wordworth.task.similarity import list_words, score_similarity
from wordworth.task.valence import score_valence
from wordworth.task.words import TooFewWordsError
from wordworth.transform import LayerComponents, fit_layers, nullified

PAIRS = ("ws-353", "simlex-999", "rw", "men")
TESTS = tuple("vast-weat3" if number == 3 else f"weat{number}" for number in range(1, 11))
"""WEAT 1 to 10, with the names of VAST's appendix."""
SAMPLE_WORDS = 2_500
NEUTRAL_RATING = 5.0
"""The rating on 1–9 of a WEAT word that no lexicon rates, in aligned and misaligned (the authors' choice)."""


@dataclass(frozen=True, eq=False)
class ComponentWords:
    """The words of one model and language that mean and components are fitted on, besides the polar words."""

    words: EncodedWords
    names: Sequence[str]
    ratings: Mapping[str, float]
    """On 1–9, for the aligned and misaligned texts."""

    def fit(self, context: str, layers: tuple[int, ...]) -> tuple[LayerComponents, int]:
        """Return mean and components per layer in a context, and the number of vectors that they are fitted on."""
        groups = [
            self._encode(context, self.names, layers),
            self._encode(context, self.words.poles, layers, is_polar=True),
        ]
        return fit_layers(groups, self.words.settings.components, layers), sum(map(len, groups))

    def _encode(self, context: str, names: Sequence[str], layers: tuple[int, ...], *, is_polar: bool = False) -> Layers:
        ratings = [self.ratings.get(name, NEUTRAL_RATING) for name in names] if context in BY_RATING else None
        encoded = self.words.encode(context, names, ratings, is_polar=is_polar, layers=layers)
        return encoded.layers(self.words.pooling)


def select_component_words(findings: Findings, words: EncodedWords) -> ComponentWords | None:
    """Return the words that components are fitted on; None where the settings say that the scored words are.

    They are those of the paper's three lexica (in another language: of its own), of WEAT 1 to 10, and the polar words,
    whichever lexica and tests are run. A lexicon that cannot be had is skipped with a notice.
    """
    if words.settings.component_words == "scored":
        return None
    place = {"model": words.model.name, "language": words.language}
    lexica = [] if words.language == "english" else [record_lexicon(findings, words)]
    for name in () if lexica else LEXICA:
        try:
            lexica.append(load_lexicon(name))
        except WordworthError as error:
            reason = f"the principal components are fitted without its words: {error}"
            findings.notice("reduced", reason, dataset=name, **place)
    ratings: dict[str, float] = {}
    if any(map(words.templates.has, BY_RATING)):
        for lexicon in reversed(lexica):  # Warriner's rating first, as the authors take it
            ratings = rescale_ratings(lexicon) | ratings
        ratings = polar_ratings(words.polar.pleasant, words.polar.unpleasant, ratings) | ratings
    sources = {lexicon.name: lexicon.words for lexicon in lexica} | load_test_words(words)
    sources["polar words"] = words.poles
    findings.add_words(f"the principal components ({words.language})", sources)
    names, sample = _merge(sources), ""
    if words.settings.component_words == "sample" and len(names) > SAMPLE_WORDS:
        rows = np.random.default_rng(0).choice(len(names), SAMPLE_WORDS, replace=False)
        names, sample = [names[row] for row in sorted(rows.tolist())], f"a fixed sample of {SAMPLE_WORDS:,} of "
    reason = (
        f"mean and principal components of isolation and bias are fitted on {sample}the words of "
        f"{', '.join(sources)}, whichever lexica and tests are run"
    )
    findings.notice("info", reason, **place)
    return ComponentWords(words, names, ratings)


def _merge(sets: Mapping[str, Sequence[str]]) -> list[str]:
    """Return each word of the sets once."""
    return list(dict.fromkeys(word for words in sets.values() for word in words))


def load_test_words(words: EncodedWords) -> dict[str, Sequence[str]]:
    """Return the words of WEAT 1 to 10 per test; none in a language that WEAT is not translated into."""
    try:
        tests = [put_into(load_test(name), words.language) for name in TESTS]
    except WordworthError:
        return {}
    return {test.name: tuple(word for group in test.groups for word in group) for test in tests}


def put_into(test: AssociationTest, language: str) -> AssociationTest:
    """Return the test in the words' language: English words in Spanish templates would measure nothing."""
    return test if test.language == language else translated(test, language)


def score_isolation(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score word meaning without the top components (Table 1, Figure 3; Figure 7: dominance, arousal).

    ρ with vectors as they are (`components` blank) and with 0 … k components nullified, in the best and the top layer,
    in each context. Without words to fit components on, they are fitted on the lexicon's words and the polar words.
    Also: the mean cosine of word pairs, and the share of length that the largest neurons hold.
    """
    anew, component_words = load_anew(words, lexica), select_component_words(findings, words)
    chosen = {lexicon.name: words.choose_layers(lexicon) for lexicon in lexica}
    every = tuple(sorted({layer for layers in chosen.values() for layer in layers}))
    for context in words.contexts:
        fitted = component_words.fit(context, every) if component_words else None
        for lexicon in lexica:
            _isolate(findings, words, lexicon, context, chosen[lexicon.name], fitted, anew)


def _isolate(
    findings: Findings,
    words: EncodedWords,
    lexicon: Lexicon,
    context: str,
    chosen: tuple[int, ...],
    fitted: tuple[LayerComponents, int] | None,
    anew: Lexicon | None,
) -> None:
    # Words without a vector are recorded once: by contextualization, where that is run too.
    requested = words.settings.experiments
    is_recorded = not requested or "contextualization" in requested

    def restrict(layers: Layers) -> Layers:
        some = layers.only(chosen)
        return some.rows(np.arange(len(some))) if is_recorded else some

    layers, poles = words.read_rated(lexicon, context)
    groups = [restrict(group) for group in (layers, *poles)]
    components, count = fitted or (fit_layers(groups, words.settings.components), sum(map(len, groups)))
    isolated, high, low = (nullified(group, components) for group in groups)
    affects = score_affects(words, layers, lexicon, anew, lambda group: nullified(restrict(group), components))
    place = {"language": words.language, "dataset": lexicon.name, "n": count}
    for part in (
        score_valence(isolated, (high, low), lexicon, words.settings, with_spearman=False),
        affects,
        score_isotropy(isolated, lexicon.name, words.language),
        score_variance_shares(isolated, {layer: components[layer] for layer in chosen}, place),
    ):
        findings.add(part, experiment="isolation")


def score_validation(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score word similarity in the best and the top layer, raw and isolated (Figure 4).

    Words are bleached; the best layer is that of the first lexicon; mean and components are those of the pairs' words.
    The share of these words that are one token is scored too: a pair of a whole and a split word mixes two kinds.
    """
    default = PAIRS if words.language == "english" else usual_pairs(words.language)
    chosen = words.choose_layers(lexica[0])
    for pairs in [load_pairs(name, language=words.language) for name in words.settings.pairs or default]:
        findings.add_data(pairs, len(pairs))
        encoded = words.encode("bleached", list_words(pairs))
        findings.add(score_single_tokens(words, encoded, pairs.name), experiment="validation")
        layers = encoded.layers(words.pooling).only(chosen)
        isolated = nullified(layers, fit_layers([layers], words.settings.components))
        findings.add(score_similarity(isolated, pairs, words.settings), experiment="validation")


def score_bias(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score association tests on bleached vectors, by layer and by components nullified (Figure 5).

    d and p of every test in every layer, and with 0 … k components nullified in the best layer (of the first lexicon)
    and the top one. Without other words to fit components on, they are fitted on those of WEAT 1 to 10 (in a language
    without them: on the polar words), so that a test's d does not depend on which others are run.
    """
    requested, place = words.settings.tests, {"model": words.model.name, "language": words.language}
    is_requested = bool(requested) or set(words.settings.experiments) == {"bias"}
    named = [test for name in requested or TESTS for test in load_tests(name)]
    with findings.part(is_requested=is_requested, experiment="bias", **place):
        tests = [put_into(test, words.language) for test in named]
        chosen = words.choose_layers(lexica[0])
        names = tuple(dict.fromkeys(word for test in tests for group in test.groups for word in group))
        layers = words.encode("bleached", names).layers(words.pooling).in_memory()
        component_words = select_component_words(findings, words)
        if component_words:
            components, _ = component_words.fit("bleached", chosen)
        else:
            sets = load_test_words(words) or {"polar words": words.poles}
            findings.add_words(f"the components of bias ({words.language})", sets)
            base = words.encode("bleached", _merge(sets)).layers(words.pooling)
            components = fit_layers([base], words.settings.components, chosen)
        isolated = nullified(layers, components).in_memory()
        for test in tests:
            with findings.part(TooFewWordsError, is_requested=bool(requested), dataset=test.name, **place):
                findings.add(score_association(isolated, test, words.settings), experiment="bias")

"""VAST's experiments on layers of a language model.

Experiments 1 and 7 measure valence, dominance and arousal by layer and context, in English and in seven languages. The
control `untrained` is the same network with random weights, which shows what the texts reveal by themselves; `shuffled`
and `poles-out` are those of every lexicon (`task/valence.py`).

Experiments 3, 5 and 6 measure valence, similarity and bias with the top principal components nullified. VAST's authors
fit the components on all encoded words: three lexica, the WEATs and the polar words. One lexicon is not enough: the
first component of Bellezza's very pleasant and very unpleasant words *is* valence, and nullifying it removes what is
measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import load_pairs, usual_pairs
from wordworth.catalog.read.word_sets import load_test, load_tests, translate_test
from wordworth.catalog.registry import entry, knows
from wordworth.contexts import polar_ratings
from wordworth.embedding import Layers
from wordworth.encode import LanguageModel, as_read, is_sentence_encoder
from wordworth.encode.named import randomize_weights
from wordworth.errors import WordworthError
from wordworth.measure import VALENCE
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import Caution
from wordworth.statistics.correlation import correlation_difference, pearson
from wordworth.study.inputs import load_model, record_model
from wordworth.study.vast import BLEACHED_ONLY, CONTROLS, LANGUAGES, TOKEN_EXPERIMENTS, VAST_EXPERIMENTS, VastSettings
from wordworth.study.vast.tokens import score_mixed_poles, score_probes, score_single_tokens, score_tokenization
from wordworth.study.vast.words import (
    BY_RATING,
    PAPER_LEXICA,
    EncodedWords,
    load_lexica,
    load_words,
    record_lexicon,
    rescale_ratings,
    score_affects,
)
from wordworth.task.association import score_association
from wordworth.task.geometry import score_isotropy, score_variance_shares
from wordworth.task.similarity import list_words, score_similarity
from wordworth.task.valence import (
    RatedEffects,
    compute_effect_sizes,
    record_slots,
    score_shuffled,
    score_valence,
    score_without_poles,
)
from wordworth.task.words import TooFewWordsError
from wordworth.transform import LayerComponents, fit_layers, nullify_layers

PAPER_PAIRS = ("ws-353", "simlex-999", "rw", "men")
PAPER_TESTS = ("weat1", "weat2", "vast-weat3", "weat4", "weat5", "weat6", "weat7", "weat8", "weat9", "weat10")
"""WEAT 1 to 10, with the names of VAST's appendix."""
SAMPLE_WORDS = 2_500
NEUTRAL_RATING = 5.0
"""The rating on 1–9 of a WEAT word that no lexicon rates, in aligned and misaligned (the authors' choice)."""


def measure(models: Sequence[str | Path | LanguageModel], settings: VastSettings) -> Findings:
    """Run the experiments on each model."""
    if not models:
        raise WordworthError("name a language model, such as smollm2-135m (`wordworth ls models`)")
    findings = Findings("vast")
    for given_model in models:
        model = load_model(given_model, settings)
        record_model(findings, model)
        _run_experiments(findings, model, settings)
    return findings


def _run_experiments(findings: Findings, model: LanguageModel, settings: VastSettings) -> None:
    words = load_words(findings, model, settings, settings.language)
    lexica = load_lexica(findings, words)
    functions = {
        "contextualization": score_contextualization,
        "tokenization": score_tokenization,
        "isolation": score_isolation,
        "probes": score_probes,
        "validation": score_validation,
        "bias": score_bias,
        "languages": score_languages,
    }
    requested = settings.experiments
    is_multilingual = knows(model.name, "models") and entry(model.name, "models").language == "several"
    for name in VAST_EXPERIMENTS:
        if name not in requested if requested else name == "languages" and not is_multilingual:
            continue
        reason = why_impossible(name, words)
        if reason and set(requested) == {name}:
            raise WordworthError(f"the experiment {name} cannot be run: {reason}; choose another --experiment")
        if reason:
            findings.notice("skipped", reason, experiment=name, model=model.name)
        else:
            functions[name](findings, words, lexica)


def why_impossible(experiment: str, words: EncodedWords) -> str:
    """Return why an experiment cannot be run; blank if it can."""
    settings, language = words.settings, words.settings.language
    if experiment in TOKEN_EXPERIMENTS and is_sentence_encoder(words.model):
        return f"{words.model.name} is a sentence encoder, which has one vector per text and none of a word in it"
    if experiment in BLEACHED_ONLY and not words.templates.has("bleached"):
        return f"the templates {words.templates.name} have no bleached text"
    if experiment == "validation" and not settings.pairs and language != "english" and not usual_pairs(language):
        return f"the catalog has no word pairs in {language}"
    if experiment == "probes" and not settings.experiments and language != "english":
        return f"its sentences are English, and the language is {language}"
    if experiment == "probes" and not settings.experiments and not here("cola", entry("cola", "corpora").sources):
        return "CoLA is not on this machine (`wordworth show cola` says where to get it)"
    return ""


def score_contextualization(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score valence, dominance and arousal in every context and layer (Figures 1 and 6), and the controls."""
    scored_contexts = []
    for lexicon in lexica:
        for context in words.contexts:
            rated_effects = _score_context(findings, words, lexicon, context, "contextualization")
            findings.add(score_affects(words, rated_effects.layers, lexicon), experiment="contextualization")
            scored_contexts.append(rated_effects)
    if "none" not in words.settings.controls:
        _score_controls(findings, words, scored_contexts)


def _score_context(
    findings: Findings, words: EncodedWords, lexicon: Lexicon, context: str, experiment: str
) -> RatedEffects:
    layers, poles = words.read_rated(lexicon, context)
    effects = compute_effect_sizes(layers, poles)
    findings.add(score_valence(layers, poles, lexicon, words.settings, effects=effects), experiment=experiment)
    return RatedEffects(layers, lexicon, effects)


def _score_controls(findings: Findings, words: EncodedWords, scored_contexts: list[RatedEffects]) -> None:
    """Score each control in every context; the untrained network only on the first lexicon, which it encodes again."""
    requested, model, seed = words.settings.controls, words.model.name, words.settings.seed
    controls, untrained_words, first_lexicon = requested or CONTROLS, None, scored_contexts[0].lexicon
    place: dict[str, Any] = {"experiment": "control", "model": model}
    if "untrained" in controls:
        with findings.part(is_requested="untrained" in requested, control="untrained", **place):
            untrained_words = replace(words, model=randomize_weights(words.model, seed), _places={})  # the same texts
            reason = f"the network has {untrained_words.model.source}, and is measured on {first_lexicon.name} only"
            findings.notice("info", reason, control="untrained", **place)
    for rated_effects in scored_contexts:
        for control in controls:
            # A control that cannot be computed must not stop the others.
            place |= {"dataset": rated_effects.lexicon.name, "context": rated_effects.layers.context}
            with findings.part(control=control, **place):
                if control == "shuffled":
                    score_shuffled(findings, rated_effects, words.settings)
                elif control == "poles-out":
                    polar = as_read(words.model.tokenizer, words.poles)
                    score_without_poles(findings, rated_effects, polar, words.settings)
                elif untrained_words is not None and rated_effects.lexicon is first_lexicon:
                    _score_untrained(findings, rated_effects, untrained_words)


def _score_untrained(findings: Findings, rated_effects: RatedEffects, untrained_words: EncodedWords) -> None:
    """Score ρ of the untrained network, and how far ρ is above it, by a paired bootstrap over words."""
    layers, poles = untrained_words.read_rated(rated_effects.lexicon, str(rated_effects.layers.context))
    control = RatedEffects(layers, rated_effects.lexicon, compute_effect_sizes(layers, poles))
    options = untrained_words.settings.bootstrap
    rho = pearson(control.effects, rated_effects.people, items=rated_effects.names, **options)
    record_slots(findings, rated_effects.place("untrained"), rated_effects.layers, rho)
    effects_of_both = np.stack([rated_effects.effects, control.effects], axis=1)
    difference = correlation_difference(effects_of_both, rated_effects.people, **options)
    differences = difference.values[:, 0] - difference.values[:, 1]
    for index, slot in enumerate(rated_effects.layers.slots):
        value, low, high = (float(series[index]) for series in (differences, difference.low, difference.high))
        place = {**rated_effects.place("untrained", "above-control"), **slot._asdict(), "n": len(rated_effects.people)}
        findings.score(**place, value=value, low=low, high=high)


def score_languages(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score valence in the paper's seven languages with a multilingual model (Figures 20 to 22), and the mean ρ.

    With the experiments tokenization and isolation, each language also has words by their tokens (Figures 23 to 25),
    and components nullified in the two top layers (Figures 26 and 27). A language that fails is recorded as failed.
    """
    model, settings = words.model, words.settings
    experiments = settings.experiments or VAST_EXPERIMENTS
    for language in LANGUAGES:
        with findings.part(model=model.name, experiment="languages", language=language):
            own_findings = Findings("vast")
            own_words = load_words(own_findings, model, settings, language)
            lexicon = record_lexicon(own_findings, own_words, "anew" if language == "english" else None)
            for context in own_words.contexts:
                _score_context(own_findings, own_words, lexicon, context, "languages")
            if "tokenization" in experiments and not is_sentence_encoder(model):
                score_mixed_poles(own_findings, own_words, lexicon)
            if "isolation" in experiments:
                _isolate_in_language(own_findings, own_words, lexicon)
            own_findings.add_cautions([Caution.MACHINE_TRANSLATED] if own_words.polar.by_machine else [])
            findings.add(own_findings)
    columns = {"experiment": "languages", "model": model.name, "measure": VALENCE}
    means = (
        findings.scores.filter(pl.col("variant").is_null() | (pl.col("variant") == "mixed-poles"), **columns)
        .group_by("context", "pooling", "layer", "subset", "components", maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().alias("n"))
        .filter(pl.col("n") > 1)
    )
    for row in means.iter_rows(named=True):
        findings.score(**columns, variant="mean", **row)


def _isolate_in_language(findings: Findings, words: EncodedWords, lexicon: Lexicon) -> None:
    """Score valence with 0 … k components nullified in the two top layers, in the plainest context."""
    top_layers, context = words.layers[-2:], "bleached" if "bleached" in words.contexts else words.contexts[0]
    layers, poles = words.read_rated(lexicon, context)
    groups = [group.only(top_layers) for group in (layers, *poles)]
    component_words = select_component_words(findings, words)
    fitted_pair = component_words.fit(context, top_layers)[0] if component_words else None
    components = fitted_pair or fit_layers(groups, words.settings.components)
    isolated_layers, *sides = (nullify_layers(group, components) for group in groups)
    slots = tuple(slot for slot in isolated_layers.slots if slot.components is not None)
    isolated_layers = replace(isolated_layers, slots=slots)
    effects = compute_effect_sizes(isolated_layers, (sides[0], sides[1]))
    ratings = lexicon.valence[isolated_layers.positions]
    rho = pearson(effects, ratings, items=isolated_layers.words, **words.settings.bootstrap)
    place = {**isolated_layers.columns, "language": words.language, "dataset": lexicon.name, "measure": VALENCE}
    record_slots(findings, {**place, "experiment": "languages"}, isolated_layers, rho)


@dataclass(frozen=True, eq=False)
class ComponentWords:
    """Hold the words that mean and components are fitted on, in addition to the polar words."""

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
        encoding = self.words.encode(context, names, ratings, is_polar=is_polar, layers=layers)
        return encoding.layers(self.words.pooling)


def select_component_words(findings: Findings, words: EncodedWords) -> ComponentWords | None:
    """Return the words that components are fitted on; None if the settings choose the scored words.

    They are those of the paper's three lexica (in another language: of its own), of WEAT 1 to 10, and the polar words,
    whichever lexica and tests are run. An unavailable lexicon is skipped with a notice.
    """
    if words.settings.component_words == "scored":
        return None
    place = {"model": words.model.name, "language": words.language}
    lexica = [] if words.language == "english" else [record_lexicon(findings, words)]
    for name in () if lexica else PAPER_LEXICA:
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
        tests = [translate_test(load_test(name), words.language) for name in PAPER_TESTS]
    except WordworthError:
        return {}
    return {test.name: tuple(word for group in test.groups for word in group) for test in tests}


def score_isolation(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score word meaning without the top components (Table 1, Figure 3; Figure 7: dominance, arousal).

    ρ with vectors as they are (`components` blank) and with 0 … k components nullified, in the best and the top layer,
    in each context. Without words to fit components on, they are fitted on the lexicon's words and the polar words.
    Also: the mean cosine of word pairs, and the share of length that the largest neurons hold.
    """
    component_words = select_component_words(findings, words)
    layers_by_lexicon = {lexicon.name: words.choose_layers(lexicon) for lexicon in lexica}
    all_layers = tuple(sorted({layer for layers in layers_by_lexicon.values() for layer in layers}))
    for context in words.contexts:
        fitted_components = component_words.fit(context, all_layers) if component_words else None
        for lexicon in lexica:
            _isolate(findings, words, lexicon, context, layers_by_lexicon[lexicon.name], fitted_components)


def _isolate(
    findings: Findings,
    words: EncodedWords,
    lexicon: Lexicon,
    context: str,
    chosen_layers: tuple[int, ...],
    fitted_components: tuple[LayerComponents, int] | None,
) -> None:
    # Words without a vector are recorded once: by contextualization, where that is run too.
    requested = words.settings.experiments
    is_recorded = not requested or "contextualization" in requested

    def restrict(layers: Layers) -> Layers:
        kept_layers = layers.only(chosen_layers)
        return kept_layers.rows(np.arange(len(kept_layers))) if is_recorded else kept_layers

    layers, poles = words.read_rated(lexicon, context)
    groups = [restrict(group) for group in (layers, *poles)]
    components, count = fitted_components or (fit_layers(groups, words.settings.components), sum(map(len, groups)))
    isolated_layers, high, low = (nullify_layers(group, components) for group in groups)
    affects = score_affects(words, layers, lexicon, lambda group: nullify_layers(restrict(group), components))
    place = {"language": words.language, "dataset": lexicon.name, "n": count}
    for findings_part in (
        score_valence(isolated_layers, (high, low), lexicon, words.settings, with_spearman=False),
        affects,
        score_isotropy(isolated_layers, lexicon.name, words.language),
        score_variance_shares(isolated_layers, {layer: components[layer] for layer in chosen_layers}, place),
    ):
        findings.add(findings_part, experiment="isolation")


def score_validation(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score word similarity in the best and the top layer, raw and isolated (Figure 4).

    Words are bleached; the best layer is that of the first lexicon; mean and components are those of the pairs' words.
    The share of these words that are one token is scored too: a pair of a whole and a split word mixes two kinds.
    """
    default_names = PAPER_PAIRS if words.language == "english" else usual_pairs(words.language)
    chosen_layers = words.choose_layers(lexica[0])
    for pairs in [load_pairs(name, language=words.language) for name in words.settings.pairs or default_names]:
        findings.add_data(pairs)
        encoding = words.encode("bleached", list_words(pairs))
        findings.add(score_single_tokens(words, encoding, pairs.name), experiment="validation")
        layers = encoding.layers(words.pooling).only(chosen_layers)
        isolated_layers = nullify_layers(layers, fit_layers([layers], words.settings.components))
        findings.add(score_similarity(isolated_layers, pairs, words.settings), experiment="validation")


def score_bias(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score association tests on bleached vectors, by layer and by components nullified (Figure 5).

    d and p of every test in every layer, and with 0 … k components nullified in the best layer (of the first lexicon)
    and the top one. Without other words to fit components on, they are fitted on those of WEAT 1 to 10 (in a language
    without them: on the polar words), so that a test's d does not depend on which others are run.
    """
    requested, place = words.settings.tests, {"model": words.model.name, "language": words.language}
    is_requested = bool(requested) or set(words.settings.experiments) == {"bias"}
    all_tests = [test for name in requested or PAPER_TESTS for test in load_tests(name)]
    with findings.part(is_requested=is_requested, experiment="bias", **place):
        # English words in Spanish templates would measure nothing.
        tests = [translate_test(test, words.language) for test in all_tests]
        chosen_layers = words.choose_layers(lexica[0])
        names = tuple(dict.fromkeys(word for test in tests for group in test.groups for word in group))
        layers = words.encode("bleached", names).layers(words.pooling).in_memory()
        component_words = select_component_words(findings, words)
        if component_words:
            components, _ = component_words.fit("bleached", chosen_layers)
        else:
            sets = load_test_words(words) or {"polar words": words.poles}
            findings.add_words(f"the components of bias ({words.language})", sets)
            base_layers = words.encode("bleached", _merge(sets)).layers(words.pooling)
            components = fit_layers([base_layers], words.settings.components, chosen_layers)
        isolated_layers = nullify_layers(layers, components).in_memory()
        for test in tests:
            with findings.part(TooFewWordsError, is_requested=bool(requested), dataset=test.name, **place):
                findings.add(score_association(isolated_layers, test, words.settings), experiment="bias")

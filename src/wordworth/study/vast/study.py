"""The study `vast`: a grid over models, settings, layers, poolings and lexica, by experiment."""

from collections.abc import Callable, Sequence
from pathlib import Path

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.association_tests import load_tests
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import polar_words
from wordworth.catalog.registry import entry, knows
from wordworth.contexts import load_templates
from wordworth.encode import LanguageModel
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.language_models import corpus_in, loaded, record_model, usual_pooling
from wordworth.study.vast import EXPERIMENTS, SETTINGS, VastSettings
from wordworth.study.vast.experiments import bias, contextualization, isolation, languages_mean, validation
from wordworth.study.vast.probes import probes
from wordworth.study.vast.tokenization import tokenization
from wordworth.study.vast.words import WordsInSettings, balanced

LEXICA = ("bellezza", "anew", "warriner")
PAIRS = ("ws-353", "simlex-999", "rw", "men")
TESTS = tuple(f"weat{number}" for number in range(1, 11))
LANGUAGES = ("english", "chinese", "turkish", "polish", "french", "spanish", "portuguese")
"""The paper's seven (Figures 20 to 22)."""


def vast(models: Sequence[str | Path | LanguageModel], settings: VastSettings) -> Findings:
    """Runs the experiments on each model."""
    findings = Findings("vast")
    if not models:
        raise WordworthError("name a language model, such as smollm2-135m (`wordworth ls models`)")
    for named in models:
        model = loaded(named, settings)
        record_model(findings, model)
        _one_model(findings, model, settings)
    return findings


def _one_model(findings: Findings, model: LanguageModel, settings: VastSettings) -> None:
    words = _words(findings, model, settings, settings.language)
    names = settings.lexica or (LEXICA if settings.language == "english" else (settings.language,))
    lexica = [_lexicon(findings, name, settings.language, settings) for name in names]
    widest, narrow = max(lexica, key=len), lexica[0]

    def similar() -> None:
        language = settings.language
        default = PAIRS if language == "english" else (f"multisimlex-{language}",)
        tasks = [load_pairs(name, language=language) for name in settings.pairs or default]
        for pairs in tasks:
            findings.used_data(pairs, len(pairs.scores))
        validation(findings, words, tasks, narrow)

    def associated() -> None:
        tests = [test for name in settings.tests or TESTS for test in load_tests(name)]
        bias(findings, words, tests, narrow)

    runs: dict[str, Callable[[], None]] = {
        "contextualization": lambda: contextualization(findings, words, lexica, _anew(settings, lexica)),
        "tokenization": lambda: tokenization(findings, words, widest, _anew(settings)),
        "isolation": lambda: isolation(findings, words, lexica, _anew(settings, lexica)),
        "probes": lambda: probes(findings, words),
        "validation": similar,
        "bias": associated,
        "languages": lambda: _languages(findings, model, settings),
    }
    asked = settings.experiments
    for name in EXPERIMENTS:
        wanted = name in asked if asked else name != "languages" or _multilingual(model)
        if not wanted:
            continue
        if name == "probes" and not asked and not here("cola", entry("cola", "corpora").sources):
            findings.warn("probes were left out: CoLA is not here (`wordworth show cola` says where to get it).")
            continue
        runs[name]()


def _languages(findings: Findings, model: LanguageModel, settings: VastSettings) -> None:
    """Experiment 7: valence in the paper's seven languages with a multilingual model."""
    for language in LANGUAGES:
        words = _words(findings, model, settings, language)
        # Random contexts are drawn from a corpus of one language; the others have templates alone.
        words.settings = tuple(setting for setting in words.settings if setting != "random")
        lexicon = _lexicon(findings, "anew" if language == "english" else language, language, settings)
        contextualization(findings, words, [lexicon], None, "languages")
    languages_mean(findings, model.name)


def _anew(settings: VastSettings, lexica: Sequence[Lexicon] | None = None) -> Lexicon | None:
    """ANEW, which picks the poles of dominance, of arousal and of split words, all English; only where it is needed."""
    rated = lexica is None or any("dominance" in lexicon.ratings for lexicon in lexica)
    return load_lexicon("anew") if settings.language == "english" and rated else None


def _multilingual(model: LanguageModel) -> bool:
    return knows(model.name, "models") and entry(model.name, "models").language == "several"


def _words(findings: Findings, model: LanguageModel, settings: VastSettings, language: str) -> WordsInSettings:
    names = settings.settings or SETTINGS
    corpus = None
    if str(settings.contexts) == "none":
        names = tuple(name for name in names if name != "random")
    elif "random" in names and language == settings.language:
        corpus = corpus_in(findings, settings.contexts, language)
    polar = polar_words(language)
    for word in polar.dropped:
        findings.note(f"The polar word {word!r} ({language}) was published twice and is used once.")
    if settings.balance or language != "english":
        polar = balanced(findings, polar, settings.seed)
    pooling = settings.pooling or usual_pooling(model)
    templates = load_templates(settings.templates, language)
    return WordsInSettings(model, language, templates, corpus, polar, names, pooling, settings)


def _lexicon(findings: Findings, name: str | Path, language: str, settings: VastSettings) -> Lexicon:
    own = not (isinstance(name, str) and knows(name, "lexica"))
    lexicon = load_lexicon(
        name,
        language=language,
        word_column=settings.word_column if own else None,
        rating_column=settings.rating_column if own else None,
        scale=settings.scale if own else None,
    )
    if lexicon.language != language:
        raise WordworthError(f"{lexicon.name} is a lexicon of {lexicon.language} words and the language is {language}")
    findings.used_data(lexicon, len(lexicon))
    return lexicon

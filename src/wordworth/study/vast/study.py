"""The study `vast`: a grid over models, settings, layers, poolings and lexica, by experiment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.language_models import ModelPlace, locate_language_model
from wordworth.catalog.read.association_tests import load_tests
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import polar_words
from wordworth.catalog.registry import entry, knows
from wordworth.contexts import load_templates
from wordworth.encode import LanguageModel, load_model
from wordworth.errors import WordworthError, nearest
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.vast.bias import bias
from wordworth.study.vast.contextualization import contextualization
from wordworth.study.vast.encodings import Encodings
from wordworth.study.vast.isolation import isolation
from wordworth.study.vast.languages import LANGUAGES, languages_mean
from wordworth.study.vast.probes import probes
from wordworth.study.vast.scales import Scales, balanced
from wordworth.study.vast.tokenization import tokenization
from wordworth.study.vast.validation import validation

EXPERIMENTS = ("contextualization", "tokenization", "isolation", "probes", "validation", "bias", "languages")
SETTINGS = ("random", "bleached", "aligned", "misaligned")
LEXICA = ("bellezza", "anew", "warriner")
PAIRS = ("ws-353", "simlex-999", "rw", "men")
TESTS = tuple(f"weat{number}" for number in range(1, 11))
CONTEXTS = "enwiki-sample"


class Chosen(TypedDict, total=False):
    """What may be asked of the study, by name; what is not asked is as in `Choices`."""

    lexica: Sequence[str | Path]
    language: str
    experiments: Sequence[str]
    settings: Sequence[str]
    pooling: str
    contexts: str | Path
    templates: str
    pairs: Sequence[str | Path]
    tests: Sequence[str | Path]
    components: int
    scale: tuple[float, float] | None
    word_column: str | None
    rating_column: str | None


@dataclass(frozen=True)
class Choices:
    """What is asked of the study, with the paper's values where nothing is."""

    lexica: Sequence[str | Path] = ()
    language: str = "english"
    experiments: Sequence[str] = ()
    settings: Sequence[str] = ()
    pooling: str = ""
    contexts: str | Path = CONTEXTS
    templates: str = "vast"
    pairs: Sequence[str | Path] = ()
    tests: Sequence[str | Path] = ()
    components: int = 12
    scale: tuple[float, float] | None = None
    word_column: str | None = None
    rating_column: str | None = None


def vast(
    models: Sequence[str | Path | LanguageModel],
    *,
    device: str = "auto",
    dtype: str = "float32",
    options: Options | None = None,
    **chosen: Unpack[Chosen],
) -> Findings:
    """Runs the study on language models.

    Blank choices are the paper's: Bellezza, ANEW and Warriner; the random, bleached, aligned and misaligned settings;
    the last subword for models that read left to right, the mean for others; WS-353, SimLex, RW and MEN; WEAT 1 to 10.
    The experiment `languages` runs when it is asked for, or when the model is declared as multilingual.
    """
    choices, options = Choices(**chosen), options or Options()
    findings = Findings("vast")
    if not models:
        raise WordworthError("name a language model, such as smollm2-135m (`wordworth ls models`)")
    _check(choices)
    for named in models:
        place, model = _loaded(named, device, dtype)
        if model.name in findings.models:
            raise WordworthError(f"two models are called {model.name}; name one LABEL=PATH to tell them apart")
        findings.used_language_model(model.name, model.source, model.weights, _facts(model))
        _one_model(findings, model, place, choices, options)
    return findings


def _facts(model: LanguageModel) -> dict[str, object]:
    return {
        "family": model.family,
        "layers": model.layers,
        "dimensions": model.dim,
        "precision": model.dtype,
        "device": str(model.device),
        "tokenizer_sha256": model.vocabulary,
        "shares_prefixes": model.reuses_kv_cache,
    }


def _loaded(named: str | Path | LanguageModel, device: str, dtype: str) -> tuple[ModelPlace, LanguageModel]:
    if isinstance(named, LanguageModel):
        return ModelPlace(named.name, named.source, ""), named
    place = locate_language_model(named)
    return place, load_model(place.place, device=device, dtype=dtype, name=place.name)


def _check(choices: Choices) -> None:
    if choices.components < 0:
        raise WordworthError(f"--components is {choices.components}; it must be a whole number from 0 up")
    for kind, asked, known in (
        ("experiment", choices.experiments, EXPERIMENTS),
        ("setting", choices.settings, (*SETTINGS, "decontextualized")),
    ):
        for name in asked:
            if name not in known:
                told = nearest(name, list(known)) or f"; there are {', '.join(known)}"
                raise WordworthError(f"there is no {kind} {name!r}{told}")


def _one_model(findings: Findings, model: LanguageModel, place: ModelPlace, choices: Choices, options: Options) -> None:
    asked = choices.experiments
    main = _scales(findings, model, choices, choices.language, options)
    lexica = _lexica(findings, choices, choices.language)
    widest = max(lexica, key=len)
    narrow = lexica[0]

    def similar() -> None:
        names = choices.pairs or (PAIRS if choices.language == "english" else (f"multisimlex-{choices.language}",))
        every = [load_pairs(name, language=choices.language) for name in names]
        for pairs in every:
            findings.used_data(pairs, len(pairs.scores))
        validation(main, every, narrow)

    def associated() -> None:
        tests = [test for name in choices.tests or TESTS for test in load_tests(name)]
        bias(main, tests, narrow)

    def spoken() -> None:
        for language in LANGUAGES:
            there = _scales(findings, model, choices, language, options)
            # Random contexts are drawn from a corpus of one language; the others have templates alone.
            there.settings = tuple(setting for setting in there.settings if setting != "random")
            own = [_one_lexicon(findings, "anew" if language == "english" else language, language, choices)]
            contextualization(there, own, None, "languages")
        languages_mean(findings, model.name)

    runs: dict[str, Callable[[], None]] = {
        "contextualization": lambda: contextualization(main, lexica, _anew(choices, lexica)),
        "tokenization": lambda: tokenization(main, widest, _anew(choices)),
        "isolation": lambda: isolation(main, lexica),
        "probes": lambda: probes(main),
        "validation": similar,
        "bias": associated,
        "languages": spoken,
    }
    for name in EXPERIMENTS:
        wanted = name in asked if asked else name != "languages" or _multilingual(place)
        if not wanted:
            continue
        if name == "probes" and not asked and not _at_hand("cola"):
            findings.warn("probes were left out: CoLA is not here (`wordworth show cola` says where to get it).")
            continue
        runs[name]()


def _anew(choices: Choices, lexica: Sequence[Lexicon] | None = None) -> Lexicon | None:
    """ANEW, which picks the poles of dominance, of arousal and of split words, all English; only where it is needed."""
    rated = lexica is None or any("dominance" in lexicon.ratings for lexicon in lexica)
    return load_lexicon("anew") if choices.language == "english" and rated else None


def _multilingual(place: ModelPlace) -> bool:
    return knows(place.name, "models") and entry(place.name, "models").language == "several"


def _at_hand(corpus: str) -> bool:
    return here(corpus, entry(corpus, "corpora").sources) is not None


def _scales(findings: Findings, model: LanguageModel, choices: Choices, language: str, options: Options) -> Scales:
    settings = tuple(choices.settings) or SETTINGS
    corpus = None
    if str(choices.contexts) == "none":
        settings = tuple(setting for setting in settings if setting != "random")
    elif "random" in settings and language == choices.language:
        corpus = load_corpus(choices.contexts, language=language)
        if corpus.language != language:
            raise WordworthError(
                f"{corpus.name} is {corpus.language} text and the words are {language}; give --contexts, or none"
            )
        findings.used_data(corpus, corpus.count)
    templates = load_templates(choices.templates, language)
    polar = polar_words(language)
    for word in polar.dropped:
        findings.note(f"The polar word {word!r} ({language}) was published twice and is used once.")
    if options.balance or language != "english":
        polar = balanced(findings, polar, options.seed)
    # What the paper found best: the last subword reads the whole word in a causal model, the mean does in the others.
    pooling = choices.pooling or ("last" if model.left_only else "mean")
    encodings = Encodings(model, templates, language, corpus, options.seed)
    return Scales(findings, encodings, polar, settings, pooling, choices.components, options)


def _lexica(findings: Findings, choices: Choices, language: str) -> list[Lexicon]:
    names = choices.lexica or (LEXICA if language == "english" else (language,))
    return [_one_lexicon(findings, name, language, choices) for name in names]


def _one_lexicon(findings: Findings, name: str | Path, language: str, choices: Choices) -> Lexicon:
    own = not (isinstance(name, str) and knows(name, "lexica"))
    word, rating = (choices.word_column, choices.rating_column) if own else (None, None)
    lexicon = load_lexicon(
        name, language=language, word_column=word, rating_column=rating, scale=choices.scale if own else None
    )
    if lexicon.language != language:
        raise WordworthError(f"{lexicon.name} is a lexicon of {lexicon.language} words and the language is {language}")
    findings.used_data(lexicon, len(lexicon))
    return lexicon

"""VAST (Wolfe & Caliskan 2022): what a language model knows about a word, layer by layer."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from wordworth.catalog.registry import entries, entry, knows
from wordworth.errors import WordworthError, nearest
from wordworth.study.base import Study
from wordworth.task.settings import (
    COMPONENTS,
    CORPUS,
    HOW,
    LEXICON,
    MEASURED,
    ON,
    PAIRS,
    POOLING,
    TEST,
    ByLayer,
    Intervals,
    Named,
    Permuted,
    setting,
    two_numbers,
)

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from wordworth.encode import LanguageModel
    from wordworth.results.findings import Findings
    from wordworth.results.run import Run
    from wordworth.results.table import Table
    from wordworth.study.vast.words import EncodedWords

EXPERIMENTS = ("contextualization", "tokenization", "isolation", "probes", "validation", "bias", "languages")
DEFAULT_CONTEXTS = ("random", "bleached", "aligned", "misaligned")
SENTENCE_CONTEXTS = ("decontextualized", "bleached", "aligned", "misaligned")
"""Those of a sentence encoder, whose vector of a random context is of the whole text and hardly of the word."""
CONTROLS = ("untrained", "shuffled", "poles-out")
BLEACHED_ONLY = ("tokenization", "validation", "bias")
"""Experiments that put words into the bleached text, whatever the contexts."""
TOKEN_EXPERIMENTS = ("tokenization", "probes")
"""Experiments on the tokens of a word, or on a word among others, which a sentence encoder does not have."""
LANGUAGES = ("english", "chinese", "turkish", "polish", "french", "spanish", "portuguese")
"""The paper's seven (Figures 20 to 22)."""

CHOSEN: dict[str, Any] = {"group": MEASURED, "may_differ": True}


class VastSettings(ByLayer, Permuted, Intervals):
    """Blank choices are the paper's."""

    lexica: tuple[Named, ...] = setting(
        (), f"{LEXICON}. Bellezza, ANEW and Warriner unless given.", option="lexicon", catalog="lexica", **CHOSEN
    )
    experiments: tuple[str, ...] = setting(
        (),
        "What is run; all unless given, but `languages` only on a multilingual model.",
        option="experiment",
        choices=EXPERIMENTS,
        **CHOSEN,
    )
    contexts: tuple[str, ...] = setting(
        (),
        "Text that the words are in; the paper's four unless given, for a sentence encoder decontextualized instead of "
        "random.",
        option="context",
        choices=(*DEFAULT_CONTEXTS, "decontextualized"),
        **CHOSEN,
    )
    pairs: tuple[Named, ...] = setting(
        (), f"{PAIRS}, for validation; WordSim, SimLex, RareWord and MEN unless given.", catalog="pairs", **CHOSEN
    )
    tests: tuple[Named, ...] = setting(
        (), f"{TEST}; WEAT 1 to 10 unless given.", option="test", catalog="tests", **CHOSEN
    )
    controls: tuple[str, ...] = setting(
        (),
        "What contextualization is compared with: a network with random weights, shuffled ratings, no polar words in "
        "the lexicon; all three unless given, or none.",
        option="control",
        choices=(*CONTROLS, "none"),
        **CHOSEN,
    )
    language: str = setting(
        "english", "Language of the words: lexicon, polar words and templates.", ON, catalog="languages"
    )
    corpus: Named = setting(
        "enwiki-sample",
        f"{CORPUS} that random contexts are drawn from, or none.",
        ON,
        metavar="NAME|FILE|none",
        catalog="corpora",
    )
    language_corpus: tuple[Named, ...] = setting(
        (),
        "Text of the random contexts of one of `languages`: LANGUAGE=NAME or LANGUAGE=FILE.",
        ON,
        metavar="LANGUAGE=NAME|FILE",
    )
    templates: str = setting("vast", "vast, vast-code (the authors' wording), or a TOML file.", ON, catalog="templates")
    word_column: str | None = setting(None, "Column of the words in your own lexicon.", ON)
    rating_column: str | None = setting(None, "Column of the ratings in your own lexicon.", ON)
    scale: tuple[float, float] | None = setting(
        None, "Scale of your own lexicon.", ON, metavar="LOW,HIGH", parse=two_numbers
    )
    pooling: str = setting("", group=HOW, **POOLING)
    components: int = setting(12, group=HOW, **COMPONENTS)
    component_words: str = setting(
        "all",
        "Words that components are fitted on: all words of the language's lexica (English: Bellezza, ANEW, Warriner), "
        "WEAT 1 to 10 and the poles; a fixed sample of 2,500 of them; or only the scored words.",
        HOW,
        choices=("all", "sample", "scored"),
    )
    balance: bool = setting(False, "Cut word sets at random to the size of the shorter one: the polar words.", ON)

    def model_post_init(self, context: Any) -> None:
        for text in self.language_corpus:
            label = str(text).partition("=")[0]
            if label not in LANGUAGES:
                near = nearest(label, list(LANGUAGES)) or f"; write LANGUAGE=PATH with one of {', '.join(LANGUAGES)}"
                raise WordworthError(f"--language-corpus {text} is of none of the languages{near}")


def languages() -> list[str]:
    """Return the languages, besides English, that the catalog has polar words, templates and a lexicon in."""
    from wordworth.catalog.read.word_sets import polar_languages

    lexica, templates = ({one.language for one in entries(kind)} for kind in ("lexica", "templates"))
    return [one for one in polar_languages() if one != "english" and one in lexica & templates and knows(one, "lexica")]


class Vast(Study):
    """The study `vast`."""

    name = "vast"
    summary = "What a language model knows about a word, layer by layer and context by context (VAST)."
    settings = VastSettings
    main = "lexica"
    kinds = frozenset({"causal", "masked", "encoder", "sentence"})
    papers = ("wolfe2022", "toney2021")
    method = (
        "VAST. ValNorm’s valence in every layer of a language model, with words in random, bleached (“This is "
        "WORD”), aligned and misaligned contexts, held against the same network with random weights, against "
        "shuffled ratings, and without the polar words in the lexicon; the mean and the top principal components "
        "taken out of the vectors; association tests and word similarity on bleached vectors. Mean and components "
        "are fitted on the words of the language's lexica, the WEATs and the poles, whichever lexica and tests are"
        " run; for word similarity on the words of the pairs."
    )
    example = "wordworth run vast smollm2-135m --lexicon bellezza --experiment contextualization"
    quick = MappingProxyType(
        {
            "lexica": ("bellezza",),
            "experiments": ("contextualization", "isolation", "validation", "bias"),
            "pairs": ("ws-353",),
            "controls": ("shuffled", "poles-out"),
            "component_words": "sample",
            "resamples": 300,
        }
    )
    training = MappingProxyType(
        {
            "lexica": ("bellezza",),
            "experiments": ("contextualization", "bias"),
            "contexts": ("bleached",),
            "tests": ("weat1", "vast-weat3", "weat6", "weat8"),
            "controls": ("none",),
            "components": 0,
            "component_words": "scored",
            "resamples": 300,
        }
    )
    non_english_settings = MappingProxyType({"corpus": "none"})

    def measure(self, models: "Sequence[str | Path | LanguageModel]", settings: VastSettings) -> "Findings":
        """Run the experiments on each model."""
        from wordworth.results.findings import Findings
        from wordworth.study.inputs import load_model, record_model

        if not models:
            raise WordworthError("name a language model, such as smollm2-135m (`wordworth ls models`)")
        findings = Findings("vast")
        for named in models:
            model = load_model(named, settings)
            record_model(findings, model)
            _run_experiments(findings, model, settings)
        return findings

    def tables(self, run: "Run") -> "Iterator[Table]":
        """Yield the tables of the experiments that were run, for each model and language."""
        for (model, language), scores in run.scores.group_by(["model", "language"], maintain_order=True):
            name = " · ".join(str(part) for part in (model, language) if part and part != "english")
            yield from _layer_tables(name, scores)
            yield from _other_tables(name, scores)

    def languages(self) -> list[str] | None:
        """Return the languages, besides English, that the catalog has polar words, templates and a lexicon in."""
        from wordworth.catalog.read.word_sets import polar_languages

        lexica, templates = ({one.language for one in entries(kind)} for kind in ("lexica", "templates"))
        known = [one for one in polar_languages() if one in lexica & templates and knows(one, "lexica")]
        return [one for one in known if one != "english"]


STUDY = Vast()


def _run_experiments(findings: "Findings", model: "LanguageModel", settings: VastSettings) -> None:
    from wordworth.study.vast.contextualization import score_contextualization, score_languages
    from wordworth.study.vast.isolation import score_bias, score_isolation, score_validation
    from wordworth.study.vast.probes import score_probes
    from wordworth.study.vast.tokenization import score_tokenization
    from wordworth.study.vast.words import load_lexica, load_words

    words = load_words(findings, model, settings, settings.language)
    lexica = load_lexica(findings, words)
    run = {
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
    for name in EXPERIMENTS:
        if name not in requested if requested else name == "languages" and not is_multilingual:
            continue
        reason = why_impossible(name, words)
        if reason and set(requested) == {name}:
            raise WordworthError(f"the experiment {name} cannot be run: {reason}; choose another --experiment")
        if reason:
            findings.notice("skipped", reason, experiment=name, model=model.name)
        else:
            run[name](findings, words, lexica)


def why_impossible(experiment: str, words: "EncodedWords") -> str:
    """Return why an experiment cannot be run; blank where it can."""
    from wordworth.catalog.fetch.sources import here
    from wordworth.catalog.read.pairs import usual_pairs
    from wordworth.encode import is_sentence_encoder

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


def _layer_tables(name: str, scores: "pl.DataFrame") -> "Iterator[Table]":
    """Yield valence by layer and context, and how far it is above that of the untrained network."""
    from wordworth.measure import VALENCE
    from wordworth.study.tables import pivot

    valence = scores.filter(measure=VALENCE)
    is_whole = valence["experiment"].is_in(["contextualization", "languages"]) & valence["variant"].is_null()
    for (dataset,), some in valence.filter(is_whole).group_by(["dataset"], maintain_order=True):
        yield pivot(some, "layer", "context", f"{name} · valence {dataset} by layer")
    above = valence.filter(control="untrained", variant="above-control")
    for (dataset,), some in above.group_by(["dataset"], maintain_order=True):
        yield pivot(some, "layer", "context", f"{name} · valence {dataset} above the same network untrained, by layer")


def _other_tables(name: str, scores: "pl.DataFrame") -> "Iterator[Table]":
    """Yield valence, similarity and bias by components nullified, valence by tokenization, and the probes."""
    import polars as pl

    from wordworth.measure import VALENCE
    from wordworth.study.tables import pivot

    isolated = scores.filter(scores["variant"].is_null(), experiment="isolation", measure=VALENCE)
    for (dataset, layer), some in isolated.group_by(["dataset", "layer"], maintain_order=True):
        title = f"{name} · valence {dataset}, layer {layer}, by components nullified"
        yield pivot(some, "components", "context", title)
    whole = scores.filter(measure="single-token")
    if len(whole):
        yield pivot(whole, "dataset", "measure", f"{name} · share of words that are one token")
    validated = scores.filter(experiment="validation", measure="similarity")
    for (layer,), some in validated.group_by(["layer"], maintain_order=True):
        yield pivot(some, "components", "dataset", f"{name} · similarity, layer {layer}, by components nullified")
    biased = scores.filter(experiment="bias")
    if len(biased):
        top = biased.filter(biased["layer"] == biased["layer"].max())
        yield pivot(top, "dataset", "components", f"{name} · weat d, top layer, by components nullified")
    tokenized = scores.filter(scores["variant"].is_null(), experiment="tokenization")
    for (context,), some in tokenized.group_by(["context"], maintain_order=True):
        named = some.with_columns(set=pl.concat_str("subset", "pooling", separator=" "))
        yield pivot(named, "layer", "set", f"{name} · valence by tokenization and pooling, {context}")
    probed = scores.filter(experiment="probes")
    for (measure, subset), some in probed.group_by(["measure", "subset"], maintain_order=True):
        named = some.with_columns(pl.col("variant").fill_null("whole vector"))
        title = f"{name} · weighted F1 of {measure} from the {subset}, by components"
        yield pivot(named, "variant", "components", title)

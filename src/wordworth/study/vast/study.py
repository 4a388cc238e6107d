"""The study `vast`: a grid over models, settings, layers, poolings and lexica, by experiment; and its tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.association_tests import load_tests
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import load_pairs, usual_pairs
from wordworth.catalog.read.templates import Templates
from wordworth.catalog.read.word_sets import PolarWords, polar_words
from wordworth.catalog.registry import entry, knows
from wordworth.catalog.resolve import split_label
from wordworth.contexts import load_templates
from wordworth.embedding.spelling import in_script
from wordworth.encode import LanguageModel, as_read, is_sentence_encoder
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.results.flags import BY_MACHINE
from wordworth.study.declaration import Table
from wordworth.study.inputs import corpus_in, lexicon_of, loaded, own_lexicon, record_model, usual_pooling
from wordworth.study.tables import pivot
from wordworth.study.vast import EXPERIMENTS, IN_BLEACHED, LANGUAGES, OF_SENTENCES, SETTINGS, VastSettings
from wordworth.study.vast.contextualization import contextualization, controls, languages_mean
from wordworth.study.vast.isolation import (
    LEXICA,
    TESTS,
    ComponentWords,
    bias,
    component_words,
    in_language,
    isolation,
    validation,
)
from wordworth.study.vast.probes import probes
from wordworth.study.vast.tokenization import tokenization
from wordworth.study.vast.words import WordsInSettings, balanced
from wordworth.task.settings import Named
from wordworth.task.words import merge_words

PAIRS = ("ws-353", "simlex-999", "rw", "men")
OF_TOKENS = ("tokenization", "probes")
"""Experiments on the tokens of a word, or on a word among others."""


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
    if settings.lexica or settings.language == "english":
        lexica = [_lexicon(findings, name, settings, words) for name in settings.lexica or LEXICA]
    else:
        lexica = [_own(findings, settings, words)]
    widest, narrow = max(lexica, key=len), lexica[0]
    asked = settings.experiments

    @cache
    def fitted_on() -> ComponentWords | None:
        if settings.component_words == "scored":
            return None
        own = None if settings.language == "english" else _own(findings, settings, words)
        return component_words(findings, words, load_lexicon, own)

    def similar() -> None:
        language = settings.language
        default = PAIRS if language == "english" else usual_pairs(language)
        tasks = [load_pairs(name, language=language) for name in settings.pairs or default]
        for pairs in tasks:
            findings.used_data(pairs, len(pairs.scores))
        validation(findings, words, tasks, narrow)

    def associated() -> None:
        named = [test for name in settings.tests or TESTS for test in load_tests(name)]
        by_name = set(asked) == {"bias"} or bool(settings.tests)
        with findings.part(asked=by_name, model=model.name, experiment="bias", language=settings.language):
            tests = [in_language(test, settings.language) for test in named]
            bias(findings, words, tests, narrow, fitted_on())

    def contextualized() -> None:
        contextualization(findings, words, lexica, _anew(settings, lexica))
        if "none" not in settings.controls:
            controls(findings, words, lexica)

    runs: dict[str, Callable[[], None]] = {
        "contextualization": contextualized,
        "tokenization": lambda: tokenization(findings, words, widest, _anew(settings)),
        "isolation": lambda: isolation(findings, words, lexica, _anew(settings, lexica), fitted_on()),
        "probes": lambda: probes(findings, words),
        "validation": similar,
        "bias": associated,
        "languages": lambda: _languages(findings, model, settings),
    }
    for name in EXPERIMENTS:
        wanted = name in asked if asked else name != "languages" or _multilingual(model)
        if not wanted:
            continue
        reason = "" if set(asked) == {name} else _why_not(name, words, settings)
        if is_sentence_encoder(model) and name in OF_TOKENS:
            reason = f"{model.name} is a sentence encoder, which has one vector a text and none of a word in it"
            if set(asked) == {name}:
                raise WordworthError(f"the experiment {name} cannot be run: {reason}; choose another --experiment")
        if reason:
            findings.warn(f"{name} {'were' if name == 'probes' else 'was'} left out: {reason}.")
        else:
            runs[name]()


def _why_not(experiment: str, words: WordsInSettings, settings: VastSettings) -> str:
    """Why an experiment that is not all that was asked for cannot be run; blank where it can."""
    language = settings.language
    if experiment == "probes" and not settings.experiments:
        if language != "english":
            return f"their sentences are English, and the language is {language}"
        if not here("cola", entry("cola", "corpora").sources):
            return "CoLA is not here (`wordworth show cola` says where to get it)"
    if experiment in IN_BLEACHED and not words.templates.has("bleached"):
        return f"the templates {words.templates.name} have no bleached text"
    if experiment == "validation" and not settings.pairs and language != "english":
        return "" if usual_pairs(language) else f"the catalog has no word pairs in {language}"
    return ""


def _languages(findings: Findings, model: LanguageModel, settings: VastSettings) -> None:
    """Experiment 7: valence in the paper's seven languages with a multilingual model; one that fails is left out."""
    for language in LANGUAGES:
        with findings.part(model=model.name, experiment="languages", language=language):
            found = Findings("vast")
            words = _words(found, model, settings, language)
            if words.corpus is None:
                words.settings = tuple(setting for setting in words.settings if setting != "random")
            english = language == "english"
            lexicon = _lexicon(found, "anew", settings, words) if english else _own(found, settings, words)
            contextualization(found, words, [lexicon], None, "languages")
            found.flag(BY_MACHINE if words.polar.by_machine else "")
            findings.add(found)
    languages_mean(findings, model.name)


def _anew(settings: VastSettings, lexica: Sequence[Lexicon] | None = None) -> Lexicon | None:
    """ANEW, which picks the poles of dominance, of arousal and of split words, all English; only where it is needed."""
    rated = lexica is None or any("dominance" in lexicon.ratings for lexicon in lexica)
    return load_lexicon("anew") if settings.language == "english" and rated else None


def _multilingual(model: LanguageModel) -> bool:
    return knows(model.name, "models") and entry(model.name, "models").language == "several"


def _words(findings: Findings, model: LanguageModel, settings: VastSettings, language: str) -> WordsInSettings:
    templates = load_templates(settings.templates, language)
    usual = OF_SENTENCES if is_sentence_encoder(model) else SETTINGS
    names = settings.settings or tuple(filter(templates.has, usual))
    if "random" in names and "random" not in usual:
        raise WordworthError(
            f"{model.name} is a sentence encoder: its vector of a random context is of the whole text; choose "
            f"--setting {', '.join(usual)}"
        )
    if lacking := [name for name in usual if not settings.settings and name not in names]:
        findings.warn(f"The templates {templates.name} have no text for {' and '.join(lacking)}: left out.")
    text = _text(settings, language)
    corpus = None
    if str(text) == "none":
        names = tuple(name for name in names if name != "random")
    elif "random" in names and text:
        corpus = corpus_in(findings, text, language)
    polar = polar_words(language)
    for word in polar.dropped:
        findings.note(f"The polar word {word!r} ({language}) was published twice and is used once.")
    polar = in_one_script(findings, polar, templates)
    if settings.balance or language != "english":
        polar = balanced(findings, polar, settings.seed)
    pooling = settings.pooling or usual_pooling(model)
    return WordsInSettings(model, language, templates, corpus, polar, names, pooling, settings)


def _text(settings: VastSettings, language: str) -> Named:
    """The text of a language's random contexts; blank where none was given."""
    for named in settings.language_corpus:
        label, target = split_label(named)
        if label == language:
            return target
    return settings.corpus if language == settings.language else ""


def _own(findings: Findings, settings: VastSettings, words: WordsInSettings) -> Lexicon:
    """Return the lexicon of the words' language, or one that stands in for it."""
    return _recorded(findings, own_lexicon(findings, words.language, load_lexicon), words)


def _recorded(findings: Findings, lexicon: Lexicon, words: WordsInSettings) -> Lexicon:
    """Record a lexicon, and return it in the templates' script, with words merged that the tokenizer reads alike."""
    lexicon = lexicon_in_script(findings, lexicon, words.templates)
    findings.used_data(lexicon, len(lexicon))
    forms = dict(zip(lexicon.words, as_read(words.model.tokenizer, lexicon.words), strict=True))
    return merge_words(findings, words.model.name, lexicon, forms)


def _lexicon(findings: Findings, name: str | Path, settings: VastSettings, words: WordsInSettings) -> Lexicon:
    lexicon = lexicon_of(name, words.language, settings)
    return _recorded(findings, lexicon, words)


def script_of(words: Sequence[str]) -> str:
    """Traditional or Simplified: the script that more of the words stay as they are in."""
    changed = {
        script: sum(in_script(word, script) != word for word in words) for script in ("simplified", "traditional")
    }
    return "simplified" if changed["simplified"] < changed["traditional"] else "traditional"


def in_one_script(findings: Findings, polar: PolarWords, templates: Templates) -> PolarWords:
    """Polar words in the script of the templates, where the language has two."""
    if polar.language != "chinese":
        return polar
    wanted, published = script_of((templates.bleached, *templates.aligned)), (*polar.pleasant, *polar.unpleasant)
    pleasant, unpleasant = (
        tuple(in_script(word, wanted) for word in side) for side in (polar.pleasant, polar.unpleasant)
    )
    changed = sum(old != new for old, new in zip(published, (*pleasant, *unpleasant), strict=True))
    if changed:
        findings.note(
            f"{changed} of the {len(published)} Chinese polar words were put into {wanted.capitalize()} script, which "
            f"the templates are in."
        )
    return replace(polar, pleasant=pleasant, unpleasant=unpleasant)


def lexicon_in_script(findings: Findings, lexicon: Lexicon, templates: Templates) -> Lexicon:
    """A lexicon in the script of the templates, where the language has two; of words that become one, the first."""
    wanted = script_of((templates.bleached, *templates.aligned))
    if lexicon.language != "chinese" or script_of(lexicon.words) == wanted:
        return lexicon
    words = [in_script(word, wanted) for word in lexicon.words]
    rows = [at for at, word in enumerate(words) if word not in words[:at]]
    findings.note(
        f"{lexicon.name} was put into {wanted.capitalize()} script, which the templates are in; "
        f"{len(words) - len(rows)} words became the same as another."
    )
    return replace(lexicon.chosen(rows, lexicon.name, lexicon.left_out), words=tuple(words[at] for at in rows))


def layer_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """For each model and language, the tables of the experiments that were run."""
    for (model, language), mine in scores.group_by(["model", "language"], maintain_order=True):
        name = " · ".join(str(part) for part in (model, language) if part and part != "english")
        yield from _by_layer(name, mine)
        isolated = mine.filter(pl.col("experiment") == "isolation", pl.col("measure") == "valence")
        for (dataset, layer), some in isolated.group_by(["dataset", "layer"], maintain_order=True):
            yield pivot(some, "pcs", "setting", f"{name} · valence {dataset}, layer {layer}, by components nullified")
        validated = mine.filter(pl.col("experiment") == "validation")
        for (layer,), some in validated.group_by(["layer"], maintain_order=True):
            yield pivot(some, "pcs", "dataset", f"{name} · similarity, layer {layer}, by components nullified")
        biased = mine.filter(pl.col("experiment") == "bias", pl.col("layer") == pl.col("layer").max())
        if len(biased):
            yield pivot(biased, "dataset", "pcs", f"{name} · weat d, top layer, by components nullified")
        tokens = mine.filter(pl.col("experiment") == "tokenization", pl.col("measure") == "valence")
        for (setting,), some in tokens.group_by(["setting"], maintain_order=True):
            labelled = some.with_columns(set=pl.concat_str(pl.col("dataset"), pl.lit(" "), pl.col("pooling")))
            yield pivot(labelled, "layer", "set", f"{name} · valence by tokenization and pooling, {setting}")
        probed = mine.filter(pl.col("experiment") == "probes")
        if len(probed):
            labelled = probed.with_columns(task=pl.concat_str(pl.col("measure"), pl.lit(" from "), pl.col("setting")))
            yield pivot(labelled, "task", "pcs", f"{name} · weighted F1 of probes, by components")


def _by_layer(name: str, scores: pl.DataFrame) -> Iterator[Table]:
    shown = scores.filter(
        pl.col("experiment").is_in(["contextualization", "languages"]),
        pl.col("pcs").is_null(),
        pl.col("measure") == "valence",
    )
    for (dataset,), some in shown.group_by(["dataset"], maintain_order=True):
        yield pivot(some, "layer", "setting", f"{name} · valence {dataset or ''} by layer")
    above = scores.filter(pl.col("experiment") == "control", pl.col("measure") == "valence:above")
    untrained = above.filter(pl.col("setting").str.starts_with("untrained:"))
    for (dataset,), some in untrained.group_by(["dataset"], maintain_order=True):
        yield pivot(some, "layer", "setting", f"{name} · valence {dataset} above the same network untrained, by layer")

"""The study `isotropy`: models × lexica × settings, in every layer, raw and with components nullified."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wordworth.catalog.embeddings import load_embeddings
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.contexts import Context, contexts_in, load_templates, random_contexts
from wordworth.embedding import SAME_VECTOR, Embedding, Layers
from wordworth.encode import LanguageModel, in_contexts, is_sentence_encoder
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.isotropy import STUDY, IsotropySettings
from wordworth.study.language_models import corpus_in, is_static, loaded, measured_layers, record_model, usual_pooling
from wordworth.task import isotropy as task
from wordworth.task.words import TooFewWordsError, spelling_of
from wordworth.transform import fit_layers, nullified

LEAST = 3
"""Words whose components can be told from one another."""


def isotropy(models: Sequence[str | Path | LanguageModel | Embedding], settings: IsotropySettings) -> Findings:
    """Runs the study on word vectors and language models alike."""
    if not models:
        raise WordworthError("name a model, such as glove-6b-50d or minilm-l6 (`wordworth ls models`)")
    findings = STUDY.findings()
    lexica = [_lexicon(findings, name, settings.language) for name in settings.lexica]
    contexts: dict[str, Context | None] = {}
    for named in models:
        if is_static(named):
            for embedding in [named] if isinstance(named, Embedding) else load_embeddings(named):  # type: ignore[arg-type]
                findings.used_embedding(embedding, settings.language)
                for lexicon in lexica:
                    spelled = spelling_of(settings.language, settings)
                    _measure(findings, Layers.of(embedding).select(lexicon.words, spelled), lexicon, settings)
            continue
        model = loaded(named, settings)  # type: ignore[arg-type]
        record_model(findings, model)
        if not is_sentence_encoder(model):
            contexts = contexts or _random_contexts(findings, lexica, settings)
        for lexicon in lexica:
            for layers in _encoded(model, lexicon, contexts, settings):
                _measure(findings, layers, lexicon, settings)
    return findings


def _lexicon(findings: Findings, name: str | Path, language: str) -> Lexicon:
    lexicon = load_lexicon(name, language=language)
    if lexicon.language != language:
        raise WordworthError(f"{lexicon.name} is a lexicon of {lexicon.language} words and the language is {language}")
    findings.used_data(lexicon, len(lexicon))
    return lexicon


def _settings(settings: IsotropySettings, *, alone: bool = False) -> tuple[str, ...]:
    """The contextual settings that there is text for; `alone`: of a sentence encoder, which reads no random text."""
    if alone and set(settings.settings) == {"random"}:
        raise WordworthError("a sentence encoder's vector of a random context is of the whole text; name a --setting")
    kept = [name for name in settings.settings if name != "random" or (str(settings.corpus) != "none" and not alone)]
    if not kept:
        raise WordworthError("random contexts are drawn from a text, and --corpus is none; name one, or a --setting")
    return tuple(kept)


def _random_contexts(
    findings: Findings, lexica: Sequence[Lexicon], settings: IsotropySettings
) -> dict[str, Context | None]:
    """One random context for each word that the text holds, in one pass over it; the same for all models."""
    if "random" not in _settings(settings):
        return {}
    corpus = corpus_in(findings, settings.corpus, settings.language)
    words = list(dict.fromkeys(word for lexicon in lexica for word in lexicon.words))
    drawn = random_contexts(words, corpus, seed=settings.seed, language=settings.language)
    return dict.fromkeys(words) | {context.word: context for context in drawn.contexts}


def _encoded(
    model: LanguageModel, lexicon: Lexicon, drawn: dict[str, Context | None], settings: IsotropySettings
) -> Iterator[Layers]:
    """The lexicon's words in each setting."""
    for name in _settings(settings, alone=is_sentence_encoder(model)):
        templates = load_templates("vast", settings.language) if name == "bleached" else None
        contexts = contexts_in(name, lexicon.words, templates=templates, random=drawn)
        encoded = in_contexts(model, lexicon.words, contexts, name, measured_layers(model, settings))
        yield encoded.layers(settings.pooling or usual_pooling(model), settings.language)


def _measure(findings: Findings, layers: Layers, lexicon: Lexicon, settings: IsotropySettings) -> None:
    once = layers.distinct()
    if len(once) < len(layers):
        merged = len(layers) - len(once)
        findings.note(f"{layers.name}: {merged} words of {lexicon.name} were {SAME_VECTOR}.")
    layers = once
    if len(layers) < LEAST:
        raise TooFewWordsError(
            f"{layers.name} has vectors of {len(layers)} of the {len(lexicon)} words of {lexicon.name}, and {LEAST} "
            f"are needed; are they words of its language{', and in the text' if layers.setting == 'random' else ''}?"
        )
    components = fit_layers([layers], settings.components)
    raw_and_nullified = nullified(layers, components)
    where = {"language": settings.language, "dataset": lexicon.name, "n": len(layers)}
    for found in (
        task.isotropy(raw_and_nullified, lexicon.name, settings.language, whole=True),
        task.variance_shares(layers, components, where),
    ):
        findings.add(found, experiment="isotropy")

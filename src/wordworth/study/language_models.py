"""Language models of a study: loaded by name, and what a run records of them."""

from pathlib import Path

from wordworth.catalog.kinds import kind_of
from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.embedding import Embedding
from wordworth.encode import LanguageModel, checked_layers, load_named
from wordworth.encode.identity import hash_config, hash_tokenizer
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.task.settings import ByLayer, Named, Placement


def is_static(named: str | Path | LanguageModel | Embedding) -> bool:
    """Whether these are word vectors, and not a language model."""
    return isinstance(named, Embedding) or (not isinstance(named, LanguageModel) and kind_of(named) == "static")


def loaded(named: str | Path | LanguageModel, settings: Placement) -> LanguageModel:
    """A language model by name or path; one that is loaded already stays. Layers that it does not have are an error."""
    if isinstance(named, LanguageModel):
        model = named
    else:
        model = load_named(named, device=settings.device, dtype=settings.precision)
    if isinstance(settings, ByLayer):
        measured_layers(model, settings)
    return model


def measured_layers(model: LanguageModel, settings: ByLayer) -> tuple[int, ...]:
    """The layers that are measured, lowest first."""
    return tuple(sorted(checked_layers(model, settings.layers or None)))


def record_model(findings: Findings, model: LanguageModel) -> None:
    """A language model in the manifest."""
    findings.used_model(
        model.name,
        {
            "source": model.source,
            "weights": model.weights,
            "config_sha256": hash_config(model.network.config),
            "family": model.family,
            "layers": model.layers,
            "dimensions": model.dim,
            "precision": model.dtype,
            "device": str(model.device),
            "tokenizer_sha256": hash_tokenizer(model.tokenizer),
        },
    )


def usual_pooling(model: LanguageModel) -> str:
    """What VAST found best: the last subword reads the whole word in a causal model, the mean does in the others."""
    return "last" if model.left_only else "mean"


def corpus_in(findings: Findings, named: Named, language: str) -> Corpus:
    """The text that random contexts are drawn from, recorded; text in another language is an error."""
    corpus = load_corpus(named, language=language)
    if corpus.language != language:
        raise WordworthError(
            f"{corpus.name} is {corpus.language} text and the words are {language}; give --corpus, or none"
        )
    findings.used_data(corpus, corpus.count)
    return corpus

"""The word vectors that a study is run on, with their languages; and the data in those languages."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wordworth.catalog.embeddings import load_embeddings
from wordworth.catalog.kinds import kind_of
from wordworth.catalog.read.association_tests import AssociationTest, languages, load_tests, translated
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.embedding_settings import OfEmbeddings
from wordworth.task.settings import either


def vectors_of(findings: Findings, models: Sequence[Any], settings: OfEmbeddings) -> Iterator[tuple[Layers, str]]:
    """Each model as words to select from, one at a time, recorded; with its language: the given one, its own, English.

    A model is a static embedding, or a sentence encoder, which encodes each word alone when it is selected.
    """
    named = list(settings.languages)
    if len(named) > 1 and len(named) != len(models):
        raise WordworthError(
            f"{len(named)} languages were given for {len(models)} models; give one for all, or one a model in order"
        )
    given = named * len(models) if len(named) == 1 else named or [""] * len(models)
    for model, language in zip(models, given, strict=True):
        if of_sentences(model):
            yield asked_alone(findings, model, language or "english"), language or "english"
            continue
        for embedding in _embeddings(model, language, settings):
            own = language or embedding.provenance.language or "english"
            findings.used_embedding(embedding, own)
            yield Layers.of(embedding), own


def of_sentences(model: Any) -> bool:
    """Whether it is a sentence encoder, by name or loaded."""
    if isinstance(model, Embedding):
        return False
    return kind_of(model) == "sentence" if isinstance(model, str | Path) else getattr(model, "family", "") == "sentence"


def asked_alone(findings: Findings, model: Any, language: str) -> Layers:
    """A sentence encoder as an embedding of the words that it is asked for, recorded."""
    from wordworth.encode.sentence.words import words_alone  # torch, which word vectors in files do without
    from wordworth.study.language_models import record_model

    layers = words_alone(model, language)
    record_model(findings, layers.model)
    findings.note(f"{layers.name} is a sentence encoder: each word is encoded alone.")
    return layers


def _embeddings(model: str | Path | Embedding, language: str, settings: OfEmbeddings) -> Iterable[Embedding]:
    if isinstance(model, Embedding):
        return [model]
    return load_embeddings(model, language=language, on_bad=settings.on_bad, file_format=settings.file_format)


def tests_in(
    findings: Findings, settings: OfEmbeddings, default: Sequence[str], language: str, *, asked: bool
) -> Iterator[AssociationTest]:
    """The tests in a language; one that was not asked for by name and cannot be put into it is reported."""
    lacking: list[str] = []
    for name in settings.tests or default:
        for test in load_tests(name):
            if not asked and language not in (test.language, *languages()):
                lacking.append(test.name)
                continue
            try:
                put = test if test.language == language else translated(test, language)
            except WordworthError as error:
                if asked:
                    raise
                findings.warn(f"{test.name} was not run on {language}: {error}.")
                continue
            yield put
    if lacking:
        were = "was" if len(lacking) == 1 else "were"
        findings.warn(
            f"{either(lacking, 'and')} {were} not run on {language}: XWEAT, which puts tests into other languages, has "
            f"{either(languages(), 'and')}."
        )

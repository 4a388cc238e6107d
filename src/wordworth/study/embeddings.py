"""The embeddings that a study of word vectors is run on, with their languages; and the data in those languages."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wordworth.catalog.embeddings import load_embeddings
from wordworth.catalog.read.association_tests import AssociationTest, languages, load_tests, translated
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.embedding_settings import OfEmbeddings
from wordworth.task.settings import either


def embeddings(models: Sequence[str | Path | Embedding], settings: OfEmbeddings) -> Iterable[tuple[Embedding, str]]:
    """Each embedding, one at a time, with its language: the one given, its own, or English."""
    named = list(settings.languages)
    if len(named) > 1 and len(named) != len(models):
        raise WordworthError(
            f"{len(named)} languages were given for {len(models)} models; give one for all, or one a model in order"
        )
    given = named * len(models) if len(named) == 1 else named or [""] * len(models)
    for model, language in zip(models, given, strict=True):
        if isinstance(model, Embedding):
            yield model, language or model.provenance.language or "english"
            continue
        options = {"on_bad": settings.on_bad, "file_format": settings.file_format}
        for embedding in load_embeddings(model, language=language, **options):  # type: ignore[arg-type]
            yield embedding, language or embedding.provenance.language or "english"


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

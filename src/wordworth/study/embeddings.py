"""The embeddings that a study of word vectors is run on, with their languages; and the data in those languages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.embeddings import load_embeddings
from wordworth.catalog.read.association_tests import AssociationTest, load_tests, translated
from wordworth.embedding import Embedding
from wordworth.embedding.flaws import OnBad
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.task.settings import MEASURED, ON, Named, Settings, setting


@dataclass(frozen=True, kw_only=True)
class OfEmbeddings(Settings):
    """Settings of studies that take word vectors in files."""

    tests: tuple[Named, ...] = setting(
        (), "Association test: a name (weat1 … weat10) or a TOML file.", MEASURED, option="test", may_differ=True
    )
    languages: tuple[str, ...] = setting(
        (), "Language of the models: one for all, or one a model in order.", ON, option="language", may_differ=True
    )
    on_bad: OnBad = setting(
        "stop",
        "Rows of an embedding that are NaN, zero, repeated …: stop or drop.",
        ON,
        choices=("stop", "drop"),
        may_differ=True,
    )
    file_format: str | None = setting(
        None,
        "Format of the embedding files, where the files do not show it.",
        ON,
        option="format",
        may_differ=True,
    )


def embeddings(models: Sequence[str | Path | Embedding], settings: OfEmbeddings) -> Iterable[tuple[Embedding, str]]:
    """Each embedding, one at a time, with its language: the one given, its own, or English."""
    languages = settings.languages
    if len(languages) > 1 and len(languages) != len(models):
        raise WordworthError(
            f"{len(languages)} languages were given for {len(models)} models; give one for all, or one a model in order"
        )
    given = list(languages) * len(models) if len(languages) == 1 else list(languages) or [""] * len(models)
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
    for name in settings.tests or default:
        for test in load_tests(name):
            try:
                put = test if test.language == language else translated(test, language)
            except WordworthError as error:
                if asked:
                    raise
                findings.warn(f"{test.name} was not run on {language}: {error}.")
                continue
            yield put

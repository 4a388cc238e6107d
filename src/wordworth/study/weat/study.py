"""Any association tests on any embeddings."""

from collections.abc import Sequence
from pathlib import Path

from wordworth.catalog.read.association_tests import languages
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.embeddings import tests_in, vectors_of
from wordworth.study.weat import WeatSettings
from wordworth.task.association import association
from wordworth.task.sensitivity import association_sensitivity
from wordworth.task.variants import vector_versions
from wordworth.task.words import TooFewWordsError

TESTS = tuple(f"weat{number}" for number in range(1, 11))


def weat(models: Sequence[str | Path | Embedding], settings: WeatSettings) -> Findings:
    """Runs association tests; of the ten, one that an embedding has no words for is reported and skipped."""
    findings = Findings("weat")
    if not models:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`)")
    for layers, language in vectors_of(findings, models, settings):
        tests = list(tests_in(findings, settings, TESTS, language, asked=bool(settings.tests)))
        if not tests:
            raise WordworthError(
                f"none of the tests can be put into {language}, the language of {layers.name} (XWEAT has "
                f"{', '.join(languages())}); give tests of your own with --test"
            )
        failed = len(findings.failed)
        versions = vector_versions(layers)
        for number, test in enumerate(tests, start=1):
            # Where every test fails, the last says why.
            asked = bool(settings.tests) or (number == len(tests) and len(findings.failed) - failed == number - 1)
            with findings.part(TooFewWordsError, asked=asked, model=layers.name, dataset=test.name):
                findings.add(association(layers, test, settings), experiment="weat")
                if settings.sensitivity:
                    tried = association_sensitivity(layers, test, settings, versions)
                    findings.add(tried, experiment="sensitivity")
    return findings

"""Any association tests on any embeddings: the ten of WEAT, SEAT's, or a user's own from a TOML file."""

from collections.abc import Sequence
from pathlib import Path

from wordworth.catalog.read.association_tests import load_tests
from wordworth.embedding import Embedding
from wordworth.embedding.flaws import OnBad
from wordworth.errors import WordworthError
from wordworth.study.association import run_test
from wordworth.study.findings import Findings
from wordworth.study.options import Options, TooFewWordsError
from wordworth.study.valnorm import embeddings, in_language

TESTS = tuple(f"weat{number}" for number in range(1, 11))


def weat_study(
    models: Sequence[str | Path | Embedding],
    *,
    tests: Sequence[str | Path] = (),
    languages: Sequence[str] = (),
    on_bad: OnBad = "stop",
    file_format: str | None = None,
    options: Options | None = None,
) -> Findings:
    """Runs association tests; blank `tests` is WEAT 1 to 10. `languages` as in `valnorm`."""
    options = options or Options()
    findings = Findings("weat")
    if not models:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`)")
    loaded = [test for name in tests or TESTS for test in load_tests(name)]
    for embedding, language in embeddings(models, languages, on_bad, file_format):
        findings.used_model(embedding, language)
        failed = []
        for test in loaded:
            try:
                run_test(findings, embedding, in_language(test, language), options)
            except TooFewWordsError as error:  # one of the ten that the embedding has no words for is told
                failed.append(error)
                if tests or len(failed) == len(loaded):
                    raise
                findings.warn(f"Not run: {error}")
    return findings

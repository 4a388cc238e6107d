"""Run the study `weat`: association tests on word vectors, and their sensitivity to choices."""

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from wordworth.catalog.read.word_sets import AssociationTest, languages
from wordworth.catalog.resolve import Origin
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.measure import WEAT
from wordworth.results.findings import Findings
from wordworth.study.inputs import load_tests_in, load_vectors
from wordworth.study.shared_settings import ALL_LANGUAGES
from wordworth.study.weat import PAPER_TESTS, WeatSettings
from wordworth.task.association import score_association
from wordworth.task.sensitivity import VectorVariants, make_vector_variants, score_association_variants
from wordworth.task.words import TooFewWordsError

MIN_LARGE_EFFECT, SIGNIFICANCE_LEVEL = 0.8, 0.05
"""ValNorm's rule: a large effect size (Cohen), and the level of a one-sided p at either end."""


def measure(models: Sequence[Origin | Embedding], settings: WeatSettings) -> Findings:
    """Run association tests; skip, with a notice, one of the ten that an embedding has too few words for."""
    if not models:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`)")
    findings = Findings("weat")
    is_requested = settings.languages != (ALL_LANGUAGES,)
    for layers, language in load_vectors(findings, models, settings, ["english", *languages()]):
        with findings.part(is_requested=is_requested, model=layers.name, language=language):
            _score_language(findings, layers, language, settings)
    return findings


def _score_language(findings: Findings, layers: Layers, language: str, settings: WeatSettings) -> None:
    tests = list(load_tests_in(findings, settings, PAPER_TESTS, language, is_requested=bool(settings.tests)))
    if not tests:
        raise WordworthError(
            f"none of the tests is available in {language}, the language of {layers.name} (they are available in "
            f"{', '.join(languages())}); give tests of your own with --test"
        )
    variants = make_vector_variants(layers) if settings.sensitivity else None
    if not score_tests(findings, layers, tests, settings, variants):
        raise WordworthError(findings.notices[-1].reason)


def score_tests(
    findings: Findings, layers: Layers, tests: Iterable[AssociationTest], settings: Any, variants: VectorVariants | None
) -> bool:
    """Score association tests, and where requested their sensitivity; return whether any could be scored.

    A test that was not requested and has too few words is reported.
    """
    test_findings, is_requested = Findings(findings.study), bool(settings.tests)
    for test in tests:
        with findings.part(TooFewWordsError, is_requested=is_requested, model=layers.name, dataset=test.name):
            test_findings.add(score_association(layers, test, settings), experiment="weat")
            if variants is not None:
                scores = score_association_variants(layers, test, settings, variants)
                findings.add(scores, experiment="sensitivity")
    findings.add(test_findings)
    if settings.sides == "one" and len(set(test_findings.scores["dataset"])) > 1:
        _score_valnorm_rule(findings, test_findings.scores)
    return not test_findings.scores.is_empty()


def _score_valnorm_rule(findings: Findings, scores: pl.DataFrame) -> None:
    """Score the share of tests that ValNorm calls a biased association: a large d with a significant p."""
    size, p = pl.col("value").abs(), pl.col("p")
    is_biased = (size >= MIN_LARGE_EFFECT) & ((p <= SIGNIFICANCE_LEVEL) | (p >= 1 - SIGNIFICANCE_LEVEL))
    for (model, language), tests in scores.group_by(["model", "language"], maintain_order=True):
        place = {"experiment": "weat", "model": model, "language": language}
        share = float(tests.select(is_biased.mean()).item())
        findings.score(**place, measure=WEAT, variant="valnorm-rule", value=share, n=len(tests))

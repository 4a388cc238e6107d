"""Association tests (Caliskan et al. 2017): the ten of WEAT, SEAT's, or a user's own from a TOML file."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from wordworth.errors import WordworthError
from wordworth.study.base import Study
from wordworth.study.shared_settings import ALL, OfEmbeddings
from wordworth.task.settings import Sensitive, WordLookup

if TYPE_CHECKING:
    from wordworth.catalog.read.word_sets import AssociationTest
    from wordworth.catalog.resolve import Resolved
    from wordworth.embedding import Embedding, Layers
    from wordworth.results.findings import Findings
    from wordworth.task.sensitivity import VectorVariants

TESTS = ("weat1", "weat2", "weat3", "weat4", "weat5", "weat6", "weat7", "weat8", "weat9", "weat10")


class WeatSettings(OfEmbeddings, WordLookup, Sensitive):
    """Blank tests are WEAT 1 to 10."""


class Weat(Study):
    """The study `weat`."""

    name = "weat"
    summary = "Association tests (WEAT): effect size and permutation p; the ten of the paper, or your own."
    settings = WeatSettings
    example = "wordworth run weat glove-6b-50d --test weat6 --test weat7"
    main = "tests"
    kinds = frozenset({"static", "sentence"})
    papers = ("caliskan2017",)
    method = (
        "WEAT. d = (mean s(x) − mean s(y)) / σ of s over X ∪ Y, with s(w) = mean cos(w, a) − mean cos(w, b); p is "
        "the share of partitions of X ∪ Y with as large a difference, the observed one among them, exact wherever they "
        "can be counted. The interval of d is over the words of the four sets."
    )

    def measure(self, models: "Sequence[Resolved | Embedding]", settings: WeatSettings) -> "Findings":
        """Run association tests; of the ten, one that an embedding has no words for is skipped with a notice."""
        from wordworth.catalog.read.word_sets import languages
        from wordworth.results.findings import Findings
        from wordworth.study.inputs import load_vectors

        if not models:
            raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`)")
        findings = Findings("weat")
        is_requested = settings.languages != (ALL,)
        for layers, language in load_vectors(findings, models, settings, ["english", *languages()]):
            with findings.part(is_requested=is_requested, model=layers.name, language=language):
                _measure(findings, layers, language, settings)
        return findings

    def languages(self) -> list[str] | None:
        """Return the languages, besides English, that its words can be had in."""
        from wordworth.catalog.read.word_sets import xweat_languages

        return xweat_languages()


STUDY = Weat()


def _measure(findings: "Findings", layers: "Layers", language: str, settings: WeatSettings) -> None:
    from wordworth.catalog.read.word_sets import languages
    from wordworth.study.inputs import load_tests_in
    from wordworth.task.sensitivity import make_vector_variants

    tests = list(load_tests_in(findings, settings, TESTS, language, is_requested=bool(settings.tests)))
    if not tests:
        raise WordworthError(
            f"none of the tests is available in {language}, the language of {layers.name} (they are available in "
            f"{', '.join(languages())}); give tests of your own with --test"
        )
    if not score_tests(
        findings, layers, tests, settings, make_vector_variants(layers) if settings.sensitivity else None
    ):
        raise WordworthError(findings.notices[-1].reason)


def score_tests(
    findings: "Findings",
    layers: "Layers",
    tests: "Iterable[AssociationTest]",
    settings: Any,
    variants: "VectorVariants | None",
) -> bool:
    """Score association tests, and where requested their sensitivity; return whether any could be scored.

    One that was not requested, and that the embedding has too few words for, is reported.
    """
    from wordworth.task.association import score_association
    from wordworth.task.sensitivity import score_association_variants
    from wordworth.task.words import TooFewWordsError

    is_scored, is_requested = False, bool(settings.tests)
    for test in tests:
        with findings.part(TooFewWordsError, is_requested=is_requested, model=layers.name, dataset=test.name):
            findings.add(score_association(layers, test, settings), experiment="weat")
            if variants is not None:
                scores = score_association_variants(layers, test, settings, variants)
                findings.add(scores, experiment="sensitivity")
            is_scored = True
    return is_scored

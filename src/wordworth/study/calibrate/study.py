"""The study `calibrate`: association tests with a bias injected, on word vectors or a layer of a language model."""

from collections.abc import Iterator, Sequence
from typing import Any

from wordworth.catalog.read.word_sets import AssociationTest, languages
from wordworth.catalog.resolve import Origin
from wordworth.contexts import contexts_in, load_templates
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.study.calibrate import CalibrateSettings
from wordworth.study.inputs import (
    default_pooling,
    is_sentence_encoder,
    is_static,
    load_model,
    load_tests_in,
    load_vectors,
    record_model,
)
from wordworth.study.weat import PAPER_TESTS
from wordworth.task.calibration import score_calibration
from wordworth.task.words import TooFewWordsError


def measure(models: Sequence[Any], settings: CalibrateSettings) -> Findings:
    """Calibrate the measures on each model and test; of the ten, one without words is skipped with a notice."""
    if not models:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`)")
    findings = Findings("calibrate")
    is_requested = bool(settings.tests)
    for layers, tests in _load_words(findings, models, settings):
        for test in tests:
            with findings.part(TooFewWordsError, is_requested=is_requested, model=layers.name, dataset=test.name):
                findings.add(score_calibration(layers, test, settings), experiment="calibration")
    return findings


def _load_words(
    findings: Findings, models: Sequence[Any], settings: CalibrateSettings
) -> Iterator[tuple[Layers, list[AssociationTest]]]:
    """Yield each model as words to select from, with its tests; a language model in one layer, words bleached."""
    for model in models:
        if isinstance(model, Embedding) or is_static(model) or is_sentence_encoder(model):
            for layers, language in load_vectors(findings, [model], settings, ["english", *languages()]):
                yield layers, _load_tests(findings, settings, language)
        else:
            language = settings.languages[0] if settings.languages else "english"
            tests = _load_tests(findings, settings, language)
            yield _encode(findings, model, tests, language, settings), tests


def _load_tests(findings: Findings, settings: CalibrateSettings, language: str) -> list[AssociationTest]:
    return list(load_tests_in(findings, settings, PAPER_TESTS, language, is_requested=bool(settings.tests)))


def _encode(
    findings: Findings, named: Origin, tests: Sequence[AssociationTest], language: str, settings: CalibrateSettings
) -> Layers:
    """Return the words of the tests in “This is WORD”, in one layer."""
    from wordworth.encode import in_contexts

    model = load_model(named, settings)
    record_model(findings, model)
    layer = model.layers // 4 if settings.layer is None else settings.layer
    words = tuple(dict.fromkeys(word for test in tests for group in test.groups for word in group))
    contexts = contexts_in("bleached", words, templates=load_templates(language=language))
    return in_contexts(model, words, contexts, "bleached", (layer,)).layers(default_pooling(model), language)

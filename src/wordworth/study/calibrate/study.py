"""The study `calibrate`: a bias injected into word vectors, a layer of a language model, or what an NLI model reads."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wordworth.catalog.models import kind_of
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
from wordworth.task.calibration import Behave, score_calibration
from wordworth.task.words import TooFewWordsError

if TYPE_CHECKING:  # torch, which word vectors do without
    from wordworth.nli.nli import NliModel

_Test = tuple[AssociationTest, Behave | None]
"""A test, and what a model does with its words, where that is calibrated too."""


def measure(models: Sequence[Any], settings: CalibrateSettings) -> Findings:
    """Calibrate the measures on each model and test; of the ten, one without words is skipped with a notice."""
    if not models:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`)")
    findings = Findings("calibrate")
    is_requested = bool(settings.tests or settings.probes)
    for layers, tests in _load_words(findings, models, settings):
        for test, behave in tests:
            with findings.part(TooFewWordsError, is_requested=is_requested, model=layers.name, dataset=test.name):
                findings.add(score_calibration(layers, test, settings, behave), experiment="calibration")
    return findings


def _load_words(
    findings: Findings, models: Sequence[Any], settings: CalibrateSettings
) -> Iterator[tuple[Layers, list[_Test]]]:
    """Yield each model as words to select from, with its tests; a language model in one layer, words bleached."""
    for model in models:
        if isinstance(model, Embedding) or is_static(model) or is_sentence_encoder(model):
            for layers, language in load_vectors(findings, [model], settings, ["english", *languages()]):
                yield layers, [(test, None) for test in _load_tests(findings, settings, language)]
        elif kind_of(model) == "nli" if isinstance(model, Origin) else hasattr(model, "probabilities"):
            yield _load_inferences(findings, model, settings)
        else:
            language = settings.languages[0] if settings.languages else "english"
            tests = _load_tests(findings, settings, language)
            yield _encode(findings, model, tests, language, settings), [(test, None) for test in tests]


def _load_inferences(
    findings: Findings, named: "Origin | NliModel", settings: CalibrateSettings
) -> tuple[Layers, list[_Test]]:
    """Return the vectors that an NLI model reads, with its probes as tests."""
    from wordworth.nli.loading import load
    from wordworth.nli.pairs import PairSet
    from wordworth.nli.probe import load_probe
    from wordworth.study.infer.study import record_model as record_nli_model
    from wordworth.task.nli_calibration import WordInferences, make_test

    model = load(named, settings.device)
    if settings.tests:
        raise WordworthError(
            f"{model.name} is an NLI model, whose words are those of a probe; give --probe, not --test"
        )
    probes = [load_probe(name) for name in settings.probes or ("gender",)]
    inferences = [WordInferences.of(model, probe, settings.sentences, settings.seed) for probe in probes]
    record_nli_model(findings, model, [PairSet.of(item.probe) for item in inferences])
    vectors = inferences[0].vectors
    vectors = replace(vectors, provenance=replace(vectors.provenance, name=model.name))
    return Layers.of(vectors), [(make_test(item.probe), item) for item in inferences]


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

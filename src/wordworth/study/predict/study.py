"""Run the study `predict`: measure hits, surprisal and never-predicted words of models on a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from wordworth.catalog.read.corpora import HEADINGS, JOINED, load_corpus
from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.pairs import Paraphrases
from wordworth.catalog.read.wordnet import load_wordnet
from wordworth.catalog.registry import code_of, is_spaced
from wordworth.catalog.resolve import NameLike, Origin
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.study.inputs import record_word_model
from wordworth.study.predict import PredictSettings
from wordworth.task.prediction import (
    DRAWN_TRIPLES,
    CountedText,
    load_paraphrase_sets,
    open_predicted_words,
    record_errors,
    score_paraphrases,
    score_predictions,
)
from wordworth.task.soft_match import Near, load_similarities, score_soft_match
from wordworth.whole_words.finetune import Training, fine_tune
from wordworth.whole_words.frequency import Bands, assign_bands, frequencies_of, parse_edges
from wordworth.whole_words.model import WordModel, load_word_model
from wordworth.whole_words.predict import scan_words
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.soft_match import BUILT_IN
from wordworth.whole_words.splitting import WordSplitter, icu_words

ENDS = "end"
"""The band of a blank guess: the model ends the line or the text."""
WORDNET = "wordnet-3.0"


def choose_splitter(settings: PredictSettings, language: str) -> WordSplitter:
    """Return how lines of a language become words."""
    if is_spaced(language):
        return WordSplitter(settings.punctuation)
    if settings.segmentation == "spaces":
        return WordSplitter(settings.punctuation, unspaced=True)
    if settings.punctuation == "attached":
        raise WordworthError(
            "where ICU finds the words, punctuation marks are words of their own; leave out --punctuation attached"
        )
    return WordSplitter("apart", icu_words(code_of(language)), unspaced=True)


@dataclass(frozen=True, eq=False)
class _ReadText:
    """Hold the text and the data that all models are measured on."""

    text: CountedText
    frequencies: Frequencies
    bands: Bands
    similarities: Mapping[str, Near]
    triples: Sequence[Paraphrases]


def measure(models: Sequence[Origin | WordModel], settings: PredictSettings) -> Findings:
    """Measure causal and masked language models."""
    findings = Findings("predict")
    data = _load_data(findings, settings)
    for origin in models:
        model = origin if settings.fine_tune is None else _train(findings, origin, settings.fine_tune, settings)
        if not isinstance(model, WordModel):
            model = load_word_model(model, settings.device, settings.precision)
        _record_model(findings, model, origin, settings.fine_tune)
        findings.add(_measure_model(model, data, settings))
    return findings


def _load_data(findings: Findings, settings: PredictSettings) -> _ReadText:
    """Read and record the text, the frequencies, and what soft match and the paraphrase probe need."""
    corpus = load_corpus(settings.corpus, language=settings.language)
    language = corpus.language
    splitter = choose_splitter(settings, language)
    text = CountedText(corpus, settings.words, splitter)
    training_text = corpus if settings.fine_tune is None else load_corpus(settings.fine_tune, language=language)
    frequencies = frequencies_of(settings.frequency_source, splitter, language=language)
    edges = parse_edges(settings.bands) if isinstance(settings.bands, str) else settings.bands
    names = [name for name in settings.soft_match if name != "none"]
    probes = settings.paraphrases
    needs_wordnet = {name for name in names if isinstance(name, str)} & BUILT_IN.keys() or DRAWN_TRIPLES in probes
    wordnet = load_wordnet(WORDNET) if needs_wordnet else None
    similarities = load_similarities(names, training_text, splitter, wordnet, settings.seed)
    triples = load_paraphrase_sets(probes, corpus, frequencies, wordnet, settings.seed) if probes else []
    _describe_text(findings, text, frequencies.name, frequencies.unit)
    findings.add_data(corpus, rows=text.words)
    for data in (frequencies, wordnet, *triples):
        if data is not None and data.sha256 != corpus.sha256:
            findings.add_data(data)
    _caution_language(findings, language, f"the frequencies {frequencies.name}", frequencies.language)
    for similarity in similarities.values():
        if isinstance(similarity, Embedding):
            findings.add_embedding(similarity, similarity.provenance.language)
            _caution_language(findings, language, f"the embedding {similarity.name}", similarity.provenance.language)
    return _ReadText(text, frequencies, Bands(tuple(edges)), similarities, triples)


def _measure_model(model: WordModel, data: _ReadText, settings: PredictSettings) -> Findings:
    findings = Findings()
    corpus = data.text.corpus
    splitter = data.text.splitter
    rule_values = (settings.top, settings.boundary, settings.beginning, settings.punctuation, splitter.unspaced)
    predictions = scan_words(
        model,
        data.text,
        PredictionRules(*rule_values),
        split=splitter.split,
        documents=data.text.documents(),
        by_document=settings.by_document,
    )
    place = {"model": model.name, "language": corpus.language, "dataset": corpus.name}
    predictions = _with_columns(predictions, data)
    scored_words = predictions.filter(pl.col("left_out").is_null())
    with open_predicted_words(scored_words) as words:
        findings.add(score_predictions(predictions, words, place, settings.top, data.bands, settings))
        findings.add(score_soft_match(words, place, data.similarities, settings))
    findings.add(record_errors(place, scored_words))
    if data.triples:
        findings.add(score_paraphrases(model.reader.base, data.triples, settings.layers))
    return findings


def _with_columns(predictions: pl.LazyFrame, data: _ReadText) -> pl.LazyFrame:
    """Add the bands of the word and of the guess, and the cluster, lazily."""
    columns = [predictions.select(name).unique().collect(engine="streaming").to_series() for name in ("word", "guess")]
    words = pl.concat(columns).unique().drop_nulls()
    spellings = words.cast(pl.String)
    band_of = assign_bands(spellings, data.frequencies, data.bands) | {"": ENDS}
    bands = pl.Series([band_of[word] for word in spellings], dtype=pl.Enum([*data.bands.names, ENDS]))
    return predictions.with_columns(
        band=_look_up("word", words, bands),
        guess_band=_look_up("guess", words, bands),
        cluster=pl.col(data.text.clusters),
    )


def _look_up(column: str, words: pl.Series, values: pl.Series) -> pl.Expr:
    """Return the value of each word by its category number; polars' own replacement would load all rows."""
    numbers = words.to_physical().to_numpy()
    positions = np.full(int(numbers.max(initial=0)) + 2, len(values))  # the last is for none
    positions[numbers] = np.arange(len(values))
    with_none = values.extend_constant(None, 1)

    def of(column_words: pl.Series) -> pl.Series:
        numbers_of_words = column_words.cast(words.dtype).to_physical().fill_null(len(positions) - 1)
        return with_none.gather(positions[numbers_of_words.to_numpy()])

    return pl.col(column).map_batches(of, return_dtype=values.dtype, is_elementwise=True)


def _train(findings: Findings, model: Origin | WordModel, training: NameLike, settings: PredictSettings) -> str:
    """Train a model on a text, and return `LABEL=FOLDER` of its weights."""
    if isinstance(model, WordModel):
        raise WordworthError("a model that is loaded already cannot be trained here; give its name or path")
    text = load_corpus(training)
    result = fine_tune(model, text, Training(seed=settings.seed), device=settings.device)
    label = f"{model.name}+{text.name}"
    findings.add_data(text, rows=text.count)
    reason = (
        f"trained on {text.name} in one pass: {result.steps:,} steps, {result.tokens:,} tokens predicted, mean loss "
        f"{result.loss:.3f}; its weights are in the cache, `trained/{result.folder.name}`"
    )
    findings.notice("info", reason, model=label)
    return f"{label}={result.folder}"


def _describe_text(findings: Findings, text: CountedText, frequencies: str, unit: str) -> None:
    place = {"dataset": text.corpus.name}
    findings.notice("info", f"words were read, in {text.count:,} lines", count=text.words, **place)
    if heading_count := text.tally.get(HEADINGS):
        findings.notice("info", "headings were skipped", count=heading_count, **place)
    if joined_count := text.tally.get(JOINED):
        findings.notice("info", "marks such as `@-@` were joined to the words around them", count=joined_count, **place)
    findings.notice("info", f"bands of frequency are by {frequencies} ({unit})")
    findings.notice("info", f"intervals resample {text.clusters}s; those of T are 1.96 bootstrap standard errors")
    if text.splitter.unspaced:
        reason = (
            f"{text.corpus.language} text does not mark where a word ends: a word counts as predicted as soon as the "
            "prediction begins with it, and its probability is the product over its units"
        )
        findings.notice("info", reason, **place)
    for flaw in text.flaws:
        findings.notice("reduced", f"{flaw}; the rest was used", **place)


def _caution_language(findings: Findings, language: str, source: str, own_language: str) -> None:
    if own_language and own_language != language:
        reason = f"the text is {language} and {source} {own_language}; name another, or most words will have no match"
        findings.notice("caution", reason)


def _record_model(findings: Findings, model: WordModel, given_model: Origin | WordModel, text: NameLike | None) -> None:
    other_facts: dict[str, Any] = {}
    if text is not None and not isinstance(given_model, WordModel):
        other_facts = {"fine_tuned": load_corpus(text).name, "base": given_model.name}
    record_word_model(findings, model, **other_facts)

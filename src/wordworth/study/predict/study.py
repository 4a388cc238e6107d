"""The study `predict`: models × a text, with their hits, their surprise, and the words that they never say."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.catalog.language_models import locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.paraphrases import Paraphrases
from wordworth.catalog.read.wordnet import load_wordnet
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.predict.finetune import Training, fine_tune
from wordworth.predict.frequency import EDGES, Bands, banded, frequencies_of
from wordworth.predict.model import WordModel, load_word_model
from wordworth.predict.predict import predict_words
from wordworth.predict.search import Boundary, PredictionRules
from wordworth.predict.similarity import BUILT_IN, Similarity
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.predict.nearness import load_near, soft_match
from wordworth.study.predict.paraphrasing import DRAWN, load_probes, paraphrasing
from wordworth.study.predict.scoring import items_of, predicted_of, scores_of
from wordworth.study.predict.texts import Text, read
from wordworth.study.predict.views import error_view

CORPUS, FREQUENCIES, EMBEDDING = "enwiki-sample", "wordfreq", "glove-6b-50d"
WORDS = 5_000
"""Words of the text that are read if nothing is said: about two minutes for `smollm2-135m` on two cores."""
ENDS = "end"
"""The band of a blank guess: the model would end the line or the text."""


def predict(
    models: Sequence[str | Path | WordModel],
    *,
    corpus: str | Path = CORPUS,
    words: int = WORDS,
    k: int = 10,
    boundary: Boundary = "required",
    by_document: bool = False,
    context: int | None = None,
    split: Callable[[str], list[str]] = str.split,
    frequencies: str | Path = FREQUENCIES,
    edges: Sequence[float] = EDGES,
    near: Sequence[str | Path | Embedding] = (EMBEDDING,),
    similarities: Mapping[str, Similarity] | None = None,
    wordnet: str | Path = "wordnet-3.0",
    probes: Sequence[str | Path | Paraphrases] | None = None,
    layers: Sequence[int] = (),
    idf: bool = False,
    training: str | Path | None = None,
    trained_as: Training | None = None,
    language: str = "english",
    device: str = "auto",
    dtype: str = "float32",
    options: Options | None = None,
) -> Findings:
    """Runs the study on causal and masked language models.

    The first `words` words of a text (0: all) are predicted, each from the left of its line (or of
    its document). `near` names embeddings
    for soft match, `word2vec` (trained on the corpus), `synonyms` or `lemma`; `similarities` are functions (target,
    guess) → bool by their name. `probes`, where given, are paraphrase triples, scored in `layers`: `rare` and `common`
    if none is named; `drawn` draws them from the corpus and WordNet. With `training`, a text, each model is trained
    on it first.
    """
    options, findings = options or Options(), Findings("predict")
    if not models:
        raise WordworthError("name a language model, such as smollm2-135m (`wordworth ls models`)")
    bands = Bands(tuple(edges))
    text = read(load_corpus(corpus, language=language), words, split)
    listed = frequencies_of(frequencies, language=text.corpus.language)
    words_known = load_wordnet(wordnet) if {*near} & BUILT_IN.keys() or DRAWN in (probes or ()) else None
    nearby = load_near(near, similarities or {}, text.corpus, words_known, options.seed)
    triples = None if probes is None else load_probes(probes, text.corpus, listed, words_known, options.seed)
    clusters, kind = text.clusters()
    _note(findings, text, listed.name, listed.unit, kind)
    findings.used_data(text.corpus, text.words)
    if listed.sha256 != text.corpus.sha256:
        findings.used_data(listed, len(listed))
    if words_known is not None:
        findings.used_data(words_known, len(words_known))
    _warn_of_language(findings, text.corpus.language, f"the frequencies {listed.name}", listed.language)
    for one in nearby.values():
        if isinstance(one, Embedding):
            findings.used_model(one, one.provenance.language)
            _warn_of_language(findings, text.corpus.language, f"the embedding {one.name}", one.provenance.language)
    for probe in triples or ():
        findings.used_data(probe, len(probe))
    for named in models:
        given = named if training is None else _trained(findings, named, training, trained_as, options, device)
        model = given if isinstance(given, WordModel) else load_word_model(given, device, dtype)
        _record_model(findings, model)
        predictions = predict_words(
            model,
            text.lines,
            PredictionRules(k=k, boundary=boundary, context=context),
            split=split,
            documents=text.documents if by_document else None,
            by_document=by_document,
        )
        where = {"model": model.name, "language": text.corpus.language, "dataset": text.corpus.name}
        band_of = banded([*predictions["word"], *predictions["guess"].drop_nulls()], listed, bands) | {"": ENDS}
        predictions = predictions.with_columns(
            band=pl.col("word").replace_strict(band_of, return_dtype=pl.String),
            guess_band=pl.col("guess").replace_strict(band_of, default=None, return_dtype=pl.String),
            cluster=clusters[predictions["line"].to_numpy()],
        )
        items_of(findings, where | {"experiment": "prediction"}, predictions, k)
        predicted = predicted_of(predictions, model.name, text.corpus.name)
        scores_of(findings, where, predicted, k, bands, options)
        soft_match(findings, where, predicted, nearby, options)
        error_view(findings, where, predicted)
        if triples is not None:
            paraphrasing(findings, model.reader.base, triples, layers, idf=idf)
    return findings


def _trained(
    findings: Findings,
    named: str | Path | WordModel,
    training: str | Path,
    trained_as: Training | None,
    options: Options,
    device: str,
) -> str:
    """The folder of the trained weights, labelled with the model's name and that of the text."""
    if isinstance(named, WordModel):
        raise WordworthError("a model that is loaded already cannot be trained here; give its name or path")
    text = load_corpus(training)
    made = fine_tune(named, text, trained_as or Training(seed=options.seed), device=device)
    label = f"{locate_language_model(named).name}+{text.name}"
    findings.used_data(text, text.count)
    findings.note(
        f"{label} was trained on {text.name} in one pass: {made.steps:,} steps, {made.tokens:,} tokens predicted, mean "
        f"loss {made.loss:.3f}; its weights are kept in {made.folder.name} under the cache's folder `trained`."
    )
    return f"{label}={made.folder}"


def _note(findings: Findings, text: Text, frequencies: str, unit: str, clusters: str) -> None:
    findings.note(f"The first {text.words:,} words of {text.corpus.name} were read, in {len(text.lines):,} lines.")
    findings.note(f"Bands of frequency are by {frequencies} ({unit}).")
    findings.note(f"Intervals resample {clusters}; those of T are 1.96 bootstrap standard errors.")
    for flaw in text.flaws:
        findings.warn(f"{flaw}; the rest was used.")


def _warn_of_language(findings: Findings, language: str, what: str, other: str) -> None:
    if other and other != language:
        findings.warn(f"The text is {language} and {what} {other}; name another, or most words will not be found.")


def _record_model(findings: Findings, model: WordModel) -> None:
    if model.name in findings.models:
        raise WordworthError(f"two models are called {model.name}; name one LABEL=PATH to tell them apart")
    facts: dict[str, Any] = {
        "family": model.family,
        "precision": model.dtype,
        "device": str(model.device),
        "units": model.reader.width,
        "begins_with": list(model.tokenizer.convert_ids_to_tokens(list(model.before))),
    }
    findings.used_language_model(model.name, model.source, model.weights, facts)

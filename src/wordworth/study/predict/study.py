"""The study `predict`: models × a text, with their hits, their surprise, and the words that they never say."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.corpora import Corpus, documents, load_corpus
from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.layouts import HEADINGS, JOINED, Report
from wordworth.catalog.read.paraphrases import Paraphrases
from wordworth.catalog.read.wordnet import load_wordnet
from wordworth.catalog.registry import code_of, is_spaced
from wordworth.embedding import Embedding
from wordworth.engine.cache import key_of
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study.predict import PredictSettings
from wordworth.task.paraphrase import DRAWN, load_probes, paraphrasing
from wordworth.task.prediction import error_view, predicted_words, prediction
from wordworth.task.soft_match import Near, load_near, soft_match
from wordworth.whole_words.finetune import Training, fine_tune
from wordworth.whole_words.frequency import Bands, assign_bands, frequencies_of, parse_edges
from wordworth.whole_words.model import WordModel, load_word_model
from wordworth.whole_words.parting import Parting, icu_words
from wordworth.whole_words.predict import scan_words
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.soft_match import BUILT_IN

ENDS = "end"
"""The band of a blank guess: the model would end the line or the text."""

DOCUMENTS = 10
"""Fewer documents than this are too few to resample."""


@dataclass(frozen=True)
class Text:
    """Lines of a corpus in their order, and the sentences that tell of lines that could not be read."""

    corpus: Corpus
    most: int
    """Words after which it is cut; 0: nowhere."""
    parting: Parting
    words: int = 0
    count: int = 0
    """Lines."""
    parted: int = 0
    """Documents."""
    flaws: tuple[str, ...] = ()
    tally: Mapping[str, int] = field(default_factory=dict)
    """What was left out or joined where it was read, by `documents`."""

    @property
    def lines(self) -> "Lines":
        """The last one is cut where the words are reached."""
        return Lines(self)

    @property
    def documents(self) -> Iterator[int]:
        """The document that each line belongs to."""
        return (number for number, _, _ in cut(self, lambda _: None))

    @property
    def clusters(self) -> str:
        """What is drawn anew for the intervals: documents, or lines where those are few."""
        return "document" if self.parted >= DOCUMENTS else "line"


@dataclass(frozen=True)
class Lines:
    """The lines of a text, of which there are so many."""

    text: Text

    def __len__(self) -> int:
        return self.text.count

    def __iter__(self) -> Iterator[str]:
        return (line for _, line, _ in cut(self.text, lambda _: None))


def cut(text: Text, report: Report, tally: Counter[str] | None = None) -> Iterator[tuple[int, str, int]]:
    """The number of each line's document, the line, and how many words it has."""
    count = 0
    for number, line in documents(text.corpus, report, tally):
        parted = text.parting(line)
        words = len(parted.words)
        left = min(words, text.most - count) if text.most else words
        yield number, line if left == words else parted.first(left), left
        count += left
        if text.most and count >= text.most:
            return


def parting_of(settings: PredictSettings, language: str) -> Parting:
    """How lines of a language become words, by these settings."""
    if is_spaced(language):
        if settings.segmentation == "icu":
            raise WordworthError(f"{language} is written with spaces; leave out --segmentation, or name the --language")
        return Parting(settings.punctuation)
    if settings.segmentation == "spaces":
        return Parting(settings.punctuation, unspaced=True)
    if settings.punctuation == "attached":
        raise WordworthError("where ICU finds the words, punctuation stands apart; leave out --punctuation attached")
    return Parting("apart", icu_words(language, code_of(language)), unspaced=True)


def read(corpus: Corpus, words: int, parting: Parting = Parting()) -> Text:  # noqa: B008 - frozen
    """The first `words` words (0: all), counted."""
    flaws: list[str] = []
    tally: Counter[str] = Counter()
    text = Text(corpus, words, parting)
    lines = counted = parted = 0
    last = -1
    for document, _, length in cut(text, flaws.append, tally):
        lines += 1
        counted += length
        parted += document != last
        last = document
    if not counted:
        raise WordworthError(f"{corpus.name} has no words; give another text with --corpus")
    return replace(text, words=counted, count=lines, parted=parted, flaws=tuple(flaws), tally=tally)


@dataclass(frozen=True, eq=False)
class _Data:
    """What every model of the study is measured on."""

    text: Text
    frequencies: Frequencies
    bands: Bands
    near: Mapping[str, Near]
    triples: Sequence[Paraphrases] | None


def predict(models: Sequence[str | Path | WordModel], settings: PredictSettings) -> Findings:
    """Runs the study on causal and masked language models."""
    findings = Findings("predict")
    data = _data(findings, settings)
    for named in models:
        given = named if settings.fine_tune is None else _trained(findings, named, settings.fine_tune, settings)
        model = given if isinstance(given, WordModel) else load_word_model(given, settings.device, settings.precision)
        _record_model(findings, model, settings.fine_tune)
        findings.add(_one_model(model, data, settings))
    return findings


def _data(findings: Findings, settings: PredictSettings) -> _Data:
    """Reads the text, the frequencies, and what soft match and the paraphrase probe need, and records them."""
    edges = settings.bands if not isinstance(settings.bands, str) else parse_edges(settings.bands)
    bands = Bands(tuple(edges))
    corpus = load_corpus(settings.corpus, language=settings.language)
    language = corpus.language
    parting = parting_of(settings, language)
    text = read(corpus, settings.words, parting)
    trained = text.corpus if settings.fine_tune is None else load_corpus(settings.fine_tune, language=language)
    listed = frequencies_of(settings.counted, parting, language=language)
    soft = [name for name in settings.soft_match if name != "none"]
    probes = settings.paraphrases
    needs_wordnet = {name for name in soft if isinstance(name, str)} & BUILT_IN.keys() or DRAWN in probes
    wordnet = load_wordnet(settings.wordnet) if needs_wordnet else None
    near = load_near(soft, trained, parting, wordnet, settings.seed)
    triples = load_probes(probes, text.corpus, listed, wordnet, settings.seed) if probes else None
    _note(findings, text, listed.name, listed.unit)
    findings.used_data(text.corpus, text.words)
    if listed.sha256 != text.corpus.sha256:
        findings.used_data(listed, len(listed))
    if wordnet is not None:
        findings.used_data(wordnet, len(wordnet))
    _warn_of_language(findings, language, f"the frequencies {listed.name}", listed.language)
    for one in near.values():
        if isinstance(one, Embedding):
            findings.used_embedding(one, one.provenance.language)
            _warn_of_language(findings, language, f"the embedding {one.name}", one.provenance.language)
    for probe in triples or ():
        findings.used_data(probe, len(probe))
    return _Data(text, listed, bands, near, triples)


def _one_model(model: WordModel, data: _Data, settings: PredictSettings) -> Findings:
    findings = Findings()
    corpus = data.text.corpus
    predictions = scan_words(
        model,
        data.text.lines,
        PredictionRules(
            settings.top,
            settings.boundary,
            settings.beginning,
            settings.punctuation,
            data.text.parting.unspaced,
            context=settings.context,
        ),
        split=data.text.parting.split,
        documents=data.text.documents,
        by_document=settings.by_document,
    )
    where = {"model": model.name, "language": corpus.language, "dataset": corpus.name}
    predictions = _with_columns(predictions, data)
    predicted = predictions.filter(pl.col("left_out").is_null())
    with predicted_words(predicted) as words:
        findings.add(prediction(predictions, words, where, settings.top, data.bands, settings))
        findings.add(soft_match(words, where, data.near, settings))
    findings.add(error_view(where, predicted))
    if data.triples is not None:
        findings.add(paraphrasing(model.reader.base, data.triples, settings.layers, idf=settings.idf))
    return findings


def _with_columns(predictions: pl.LazyFrame, data: _Data) -> pl.LazyFrame:
    """With the bands of the word and of the guess, and the cluster; found when the rows are read."""
    columns = [predictions.select(name).unique().collect(engine="streaming").to_series() for name in ("word", "guess")]
    words = pl.concat(columns).unique().drop_nulls()
    spelled = words.cast(pl.String)
    band_of = assign_bands(spelled, data.frequencies, data.bands) | {"": ENDS}
    bands = pl.Series([band_of[word] for word in spelled], dtype=pl.Enum([*data.bands.names, ENDS]))
    return predictions.with_columns(
        band=_looked_up("word", words, bands),
        guess_band=_looked_up("guess", words, bands),
        cluster=pl.col(data.text.clusters),
    )


def _looked_up(column: str, words: pl.Series, values: pl.Series) -> pl.Expr:
    """The value of each word, by its number among the categories: polars' own replacement would hold all rows."""
    numbers = words.to_physical().to_numpy()
    places = np.full(int(numbers.max(initial=0)) + 2, len(values))  # the last is for none
    places[numbers] = np.arange(len(values))
    with_none = values.extend_constant(None, 1)

    def of(some: pl.Series) -> pl.Series:
        known = some.cast(words.dtype).to_physical().fill_null(len(places) - 1)
        return with_none.gather(places[known.to_numpy()])

    return pl.col(column).map_batches(of, return_dtype=values.dtype, is_elementwise=True)


def _trained(findings: Findings, named: str | Path | WordModel, training: str | Path, settings: PredictSettings) -> str:
    """The folder of the trained weights, labelled with the model's name and that of the text."""
    if isinstance(named, WordModel):
        raise WordworthError("a model that is loaded already cannot be trained here; give its name or path")
    text = load_corpus(training)
    trained = fine_tune(named, text, Training(seed=settings.seed), device=settings.device)
    label = f"{locate_language_model(named).name}+{text.name}"
    findings.used_data(text, text.count)
    findings.note(
        f"{label} was trained on {text.name} in one pass: {trained.steps:,} steps, {trained.tokens:,} tokens "
        f"predicted, mean loss {trained.loss:.3f}; its weights are in the cache, `trained/{trained.folder.name}`."
    )
    return f"{label}={trained.folder}"


def _note(findings: Findings, text: Text, frequencies: str, unit: str) -> None:
    findings.note(f"The first {text.words:,} words of {text.corpus.name} were read, in {text.count:,} lines.")
    if text.corpus.layout == "wikitext":
        findings.note(
            f"Of {text.corpus.name}, {text.tally.get(HEADINGS, 0):,} headings were left out, and "
            f"{text.tally.get(JOINED, 0):,} marks such as `@-@` joined to the words around them."
        )
    findings.note(f"Bands of frequency are by {frequencies} ({unit}).")
    findings.note(f"Intervals resample {text.clusters}s; those of T are 1.96 bootstrap standard errors.")
    if text.parting.unspaced:
        findings.note(
            f"Nothing in {text.corpus.language} text shows where a word ends: a word counts as said as soon as what is "
            "said begins with it, and its probability is the product over its units."
        )
    for flaw in text.flaws:
        findings.warn(f"{flaw}; the rest was used.")


def _warn_of_language(findings: Findings, language: str, what: str, other: str) -> None:
    if other and other != language:
        findings.warn(f"The text is {language} and {what} {other}; name another, or most words will not be found.")


def _record_model(findings: Findings, model: WordModel, text: str | Path | None) -> None:
    findings.used_model(
        model.name,
        {
            **({"fine_tuned": load_corpus(text).name} if text is not None else {}),
            "source": model.source,
            "weights": key_of(model.identity),
            "family": model.family,
            "precision": model.dtype,
            "device": str(model.device),
            "units": model.reader.width,
            "begins_with": list(model.tokenizer.convert_ids_to_tokens(list(model.before))),
        },
    )

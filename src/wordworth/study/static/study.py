"""Run the study `static`: similarity and bias by layer, pooling and number of sentences; and export vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.tables import read_text
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.catalog.resolve import Origin
from wordworth.contexts import make_decontextualized
from wordworth.contexts.sampling import Draw, draw, load_texts
from wordworth.embedding import Embedding, Layers, save
from wordworth.encode import SUBWORD, Aggregates, Aggregating, LanguageModel, in_contexts, over_sentences, split_pooling
from wordworth.encode.layers import NO_VECTOR
from wordworth.errors import WordworthError, nearest
from wordworth.results.findings import Findings
from wordworth.study.inputs import (
    is_sentence_encoder,
    is_static,
    load_model,
    load_sentence_encoder,
    record_model,
    select_layers,
)
from wordworth.study.static import (
    EXPERIMENTS,
    PAIRS,
    PER_WORD,
    SIMILARITY,
    ExportSettings,
    StaticSettings,
    is_without_text,
)
from wordworth.task.bias import Replicates, score_agreement, score_bias
from wordworth.task.similarity import list_words, score_similarity
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists
from wordworth.transform import fit_components, nullify

PAPERS_POOLINGS = ("mean/mean", "mean")
"""The paper's choices of f and g, which get intervals and items."""


def measure(models: Sequence[Origin | LanguageModel | Embedding], settings: StaticSettings) -> Findings:
    """Measure language models, and static embeddings for comparison."""
    if not models:
        raise WordworthError("name a language model, such as minilm-l6 (`wordworth ls models`)")
    findings, experiments = Findings("static"), settings.experiments or EXPERIMENTS
    pairs = [load_pairs(name) for name in settings.pairs or PAIRS] if "quality" in experiments else []
    findings.add_data(*pairs)
    lists = load_bias_lists() if {"bias", "agreement"} & set(experiments) else None
    if lists is not None:
        findings.add_words("Bommasani et al.", lists.sets(), "bommasani2020")
    corpora: list[Corpus] = []
    reduced_layers: list[Layers] = []
    replicates: list[Replicates] = []
    for given_model in models:
        if is_static(given_model) or is_sentence_encoder(given_model):
            _score_static(findings, given_model, pairs, lists if "bias" in experiments else None, settings)
            continue
        if not corpora and not settings.is_without_text:  # static embeddings need no text
            corpora = load_texts(settings.corpus, "english")
            for corpus in corpora:
                findings.add_data(corpus, rows=corpus.count)
        model = load_model(given_model, settings)  # type: ignore[arg-type]
        record_model(findings, model)
        source = _Source(findings, model, corpora, settings)
        if pairs:
            source.score_quality(pairs)
        if lists is not None:
            reduced_layers.append(source.reduce(lists))
            replicates.append({})
            if "bias" in experiments:
                findings.add(score_bias(reduced_layers[-1], lists, settings, replicates[-1]), experiment="bias")
    if "agreement" in experiments and lists is not None:
        with findings.part(is_requested="agreement" in settings.experiments, experiment="agreement"):
            findings.add(score_agreement(reduced_layers, lists, settings, replicates), experiment="agreement")
    return findings


def _score_static(
    findings: Findings, model: Any, pairs: Sequence[Pairs], lists: BiasLists | None, settings: StaticSettings
) -> None:
    """Score word vectors, or a sentence encoder, which has one vector per word too."""
    embeddings = [model] if isinstance(model, Embedding) else list(load_embeddings(model)) if is_static(model) else []
    for embedding in embeddings:
        findings.add_embedding(embedding, "english")
    for layers in map(Layers.of, embeddings) if embeddings else [load_sentence_encoder(findings, model, "english")]:
        for pair_set in pairs:
            place = {"experiment": "quality", "model": layers.name, "dataset": pair_set.name}
            with findings.part(TooFewWordsError, is_requested=bool(settings.pairs), **place):
                findings.add(score_similarity(layers, pair_set, settings), experiment="quality")
        if lists is not None:
            findings.add(score_bias(layers, lists, settings), experiment="bias")


@dataclass(frozen=True, eq=False)
class _Source:
    """Hold a language model, and the texts that its words are read in."""

    findings: Findings
    model: LanguageModel
    corpora: Sequence[Corpus]
    settings: StaticSettings

    def score_quality(self, pairs: Sequence[Pairs]) -> None:
        """Score similarity by layer, pooling and number of sentences (Tables 1, 2, 4–7; Figures 1, 3–10)."""
        findings, settings = self.findings, self.settings
        words = tuple(dict.fromkeys(word for pair_set in pairs for word in list_words(pair_set)))
        if settings.is_without_text:
            all_layers = self._encode_without_text(words, SUBWORD)
        else:
            stops = sorted(set(settings.sentences))
            sampling = Draw(count=stops[-1], seed=settings.seed, lower_case=settings.lower_case)
            aggregating = Aggregating(snapshots=stops, layers=select_layers(self.model, settings))
            source = self._aggregate(words, sampling, aggregating, "quality")
            for aggregates in source.aggregates:
                sentences = None if aggregates is source.whole else aggregates.sentences
                place = {"experiment": "quality", "model": self.model.name, "context": "aggregated"}
                count = float(aggregates.contexts.sum())
                findings.score(**place, measure="contexts", sentences=sentences, value=count, n=aggregates.sentences)
            all_layers = source.every()
        for layers in all_layers:
            is_papers = layers.pooling in PAPERS_POOLINGS
            options = {"with_interval": is_papers, "with_items": is_papers and layers.sentences is None}
            in_memory = layers.in_memory()
            for pair_set in pairs:
                scores = score_similarity(in_memory, pair_set, settings, with_best=True, **options)
                findings.add(scores, experiment="quality")

    def reduce(self, lists: BiasLists) -> Layers:
        """Return the lists' words over a few contexts each, mean/mean, in every layer."""
        settings = self.settings
        if settings.is_without_text:
            return next(self._encode_without_text(lists.words, ("mean",)))
        sampling = Draw(per_word=settings.per_word, seed=settings.seed, lower_case=settings.lower_case)
        aggregating = Aggregating(poolings=("mean/mean",), layers=select_layers(self.model, settings))
        return self._aggregate(lists.words, sampling, aggregating, "bias").pool_contexts("mean/mean")

    def _encode_without_text(self, words: Sequence[str], poolings: Sequence[str]) -> Iterator[Layers]:
        """Return the words without a text, under each pooling of their subwords."""
        contexts, layers = make_decontextualized(words), select_layers(self.model, self.settings)
        source = in_contexts(self.model, words, contexts, "decontextualized", layers)
        if count := len(source.reasons):
            place = {"model": self.model.name, "context": "decontextualized"}
            self.findings.notice("skipped", "words have no vector of their own", count=count, total=len(words), **place)
        return (source.layers(pooling, "english") for pooling in poolings)

    def _aggregate(self, words: Sequence[str], sampling: Draw, aggregating: Aggregating, experiment: str) -> Aggregates:
        """Aggregate words over a sample of sentences; record its size, unreadable lines, and words without a context.

        A sentence is a context of each word of the vocabulary in it.
        """
        findings, sample = self.findings, draw(self.corpora, words, sampling)
        if self.settings.count == "contexts" and aggregating.snapshots:
            sample, stops = sample.with_contexts(aggregating.snapshots)
            aggregating = replace(aggregating, snapshots=stops)
        source = over_sentences(self.model, words, sample, aggregating)
        place: dict[str, Any] = {"experiment": experiment, "model": self.model.name, "context": "aggregated"}
        whole, total = source.whole, len(words)
        contexts = int(whole.contexts.sum())
        reason = (
            f"sentences were drawn from {sample.lines:,} lines of text; they have {contexts:,} contexts of the words"
        )
        findings.notice("info", reason, count=sample.sentences, total=sample.eligible, **place)
        for flaw in sample.flaws:
            findings.notice("skipped", f"{flaw}; the rest was used", **place)
        if sample.broken > len(sample.flaws):
            findings.notice("skipped", "lines of the text could not be read", count=sample.broken, **place)
        if source.never_met:
            findings.item("word_lists", **place, list="never met", word=list(source.never_met))
            reason = "words do not occur in the text; their decontextualized vectors are used"
            findings.notice("substituted", reason, count=len(source.never_met), total=total, **place)
        if source.without_vector:
            findings.item("word_lists", **place, word=list(source.without_vector), skipped=NO_VECTOR)
        if whole.windowed:
            reason = f"contexts are longer than the {self.model.max_length} tokens that the model admits, and were cut"
            findings.notice("reduced", reason, count=whole.windowed, **place)
        if whole.failed:
            words, counts = zip(*sorted(whole.failed.items()), strict=True)
            findings.item("word_lists", **place, list="not located", word=list(words), count=list(counts))
            reason = f"contexts could not be located among the tokens ({words[0]!r}: {whole.reasons[words[0]]})"
            findings.notice("info", reason, count=sum(counts), **place)
        return source


@dataclass(frozen=True)
class ExportResult:
    """Hold the exported embedding, and what a user should know about it."""

    embedding: Embedding
    layer: int
    sentences: int = 0
    never_met: tuple[str, ...] = ()
    """Words that have their decontextualized vector."""
    dropped: tuple[str, ...] = ()
    """Words that have no vector, each with the reason."""
    windowed: int = 0
    broken: tuple[str, ...] = ()
    """Lines of the text that could not be read."""

    def save(self, path: str | Path) -> Self:
        """Write the vectors to a file that other programs read: .vec, .txt, .bin, .npz or .safetensors."""
        save(self.embedding, path)
        return self

    def __repr__(self) -> str:
        return f"<ExportResult {self.embedding!r}, {len(self.dropped):,} words without a vector>"


def export_layer(model: Any, settings: ExportSettings) -> ExportResult:
    """Return one vector per word from one layer of a language model."""
    per_word, sentences, without_text = settings.per_word, settings.sentences, is_without_text(settings.corpus)
    if per_word is not None and sentences is not None:
        raise WordworthError("--per-word and --sentences are two ways to draw; give one of them")
    if without_text and (per_word or sentences):
        raise WordworthError("--corpus none draws nothing; leave --per-word and --sentences out, or name a text")
    corpora = [] if without_text else load_texts(settings.corpus, settings.language)
    words = load_vocabulary(settings.vocabulary)
    network = load_model(model, settings)
    layer = network.layers // 4 if settings.layer is None else settings.layer
    facts: dict[str, Any] = {}
    if without_text:
        encoding = in_contexts(network, words, make_decontextualized(words), "decontextualized", (layer,))
        layers, source = encoding.layers(split_pooling(settings.pooling)[0]), "words without text"
        reasons = {encoding.words[position]: reason for position, reason in encoding.reasons.items()}
    else:
        per_word = PER_WORD if sentences is None and per_word is None else per_word
        sampling = Draw(sentences, per_word, settings.language, settings.seed, settings.lower_case)
        sample = draw(corpora, words, sampling)
        aggregates = over_sentences(network, words, sample, Aggregating((settings.pooling,), (layer,)))
        layers, reasons = aggregates.pool_contexts(settings.pooling), aggregates.without_vector
        sample_in_words = f"{sentences:,} sentences" if sentences is not None else f"{per_word} contexts per word"
        source = f"{sample_in_words} of {' and '.join(corpus.name for corpus in corpora)}, seed {settings.seed}"
        facts = {"sentences": sample.sentences, "never_met": aggregates.never_met}
        facts |= {"windowed": aggregates.whole.windowed, "broken": sample.flaws}
    (slot,) = layers.slots
    steps = [f"layer {slot.layer}", f"pooling {settings.pooling}", source]
    vectors = np.asarray(layers.read(slot), dtype=np.float32)
    component_count = settings.components
    if component_count is not None:
        vectors = nullify(vectors, fit_components(vectors, component_count), component_count).astype(np.float32)
        steps.append(f"all but the top {component_count}")
    dropped = tuple(f"{word!r}: {reason}" for word, reason in reasons.items())
    provenance = replace(layers.provenance, language=settings.language, steps=tuple(steps), dropped=dropped)
    return ExportResult(Embedding(layers.words, vectors, provenance), slot.layer or 0, dropped=dropped, **facts)


def load_vocabulary(name_or_path: str | Path) -> Sequence[str]:
    """Return the words of `similarity`, of a lexicon or word set of the catalog, or of a file."""
    name = str(name_or_path)
    if name == SIMILARITY:
        pairs = [load_pairs(data) for data in PAIRS]
        return tuple(dict.fromkeys(word for data in pairs for side in (data.first, data.second) for word in side))
    if knows(name, "lexica"):
        return tuple(dict.fromkeys(load_lexicon(name).words))
    if knows(name, "word_sets"):
        return load_word_set(name).words
    path = Path(name_or_path).expanduser()
    if not path.is_file():
        known_names = [SIMILARITY, *(item.name for kind in ("lexica", "word_sets") for item in entries(kind))]
        raise WordworthError(
            f"there is no vocabulary {name!r}{nearest(name, known_names)}; give {SIMILARITY}, a lexicon, a word set or "
            "a file with one word per line"
        )
    words = tuple(dict.fromkeys(line.strip() for line in read_text(path).splitlines() if line.strip()))
    if not words:
        raise WordworthError(f"{path} has no words; write one per line")
    return words

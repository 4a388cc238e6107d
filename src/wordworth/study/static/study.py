"""The study `static`: models × (f, g, layer, sentences) × similarity, and × estimators of bias; and the export."""

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
from wordworth.study.inputs import encode_alone, is_sentence_encoder, is_static, load_model, record_model, select_layers
from wordworth.study.static import EXPERIMENTS, PAIRS, PER_WORD, SIMILARITY, ExportSettings, StaticSettings, alone
from wordworth.task.bias import Replicates, score_agreement, score_bias
from wordworth.task.similarity import list_words, score_similarity
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists
from wordworth.transform import fit_components, nullify

PAPERS_POOLINGS = ("mean/mean", "mean")
"""The paper's choice of f and g, which is given intervals and items."""


def measure(models: Sequence[Origin | LanguageModel | Embedding], settings: StaticSettings) -> Findings:
    """Measure language models, and static embeddings next to them where some are named."""
    if not models:
        raise WordworthError("name a language model, such as minilm-l6 (`wordworth ls models`)")
    findings, wanted = Findings("static"), settings.experiments or EXPERIMENTS
    pairs = [load_pairs(name) for name in settings.pairs or PAIRS] if "quality" in wanted else []
    findings.add_data(*pairs)
    lists = load_bias_lists() if {"bias", "agreement"} & set(wanted) else None
    if lists is not None:
        findings.add_words("Bommasani et al.", lists.sets(), "bommasani2020")
    corpora: list[Corpus] = []
    reduced: list[Layers] = []
    replicates: list[Replicates] = []
    for named in models:
        if is_static(named) or is_sentence_encoder(named):
            _score_static(findings, named, pairs, lists if "bias" in wanted else None, settings)
            continue
        if not corpora and not settings.alone:  # static embeddings need no text
            corpora = load_texts(settings.corpus, "english")
            for corpus in corpora:
                findings.add_data(corpus, rows=corpus.count)
        model = load_model(named, settings)  # type: ignore[arg-type]
        record_model(findings, model)
        source = _Source(findings, model, corpora, settings)
        if pairs:
            source.score_quality(pairs)
        if lists is not None:
            reduced.append(source.reduce(lists))
            replicates.append({})
            if "bias" in wanted:
                findings.add(score_bias(reduced[-1], lists, settings, replicates[-1]), experiment="bias")
    if "agreement" in wanted and lists is not None:
        with findings.part(is_requested="agreement" in settings.experiments, experiment="agreement"):
            findings.add(score_agreement(reduced, lists, settings, replicates), experiment="agreement")
    return findings


def _score_static(
    findings: Findings, named: Any, pairs: Sequence[Pairs], lists: BiasLists | None, settings: StaticSettings
) -> None:
    """Score word vectors, or a sentence encoder, which has one vector per word too."""
    every = [named] if isinstance(named, Embedding) else list(load_embeddings(named)) if is_static(named) else []
    for embedding in every:
        findings.add_embedding(embedding, "english")
    for layers in map(Layers.of, every) if every else [encode_alone(findings, named, "english")]:
        for one in pairs:
            place = {"experiment": "quality", "model": layers.name, "dataset": one.name}
            with findings.part(TooFewWordsError, is_requested=bool(settings.pairs), **place):
                findings.add(score_similarity(layers, one, settings), experiment="quality")
        if lists is not None:
            findings.add(score_bias(layers, lists, settings), experiment="bias")


@dataclass(frozen=True, eq=False)
class _Source:
    """A language model, and the texts that its words are read in."""

    findings: Findings
    model: LanguageModel
    corpora: Sequence[Corpus]
    settings: StaticSettings

    def score_quality(self, pairs: Sequence[Pairs]) -> None:
        """Score similarity by layer, pooling and number of sentences (Tables 1, 2, 4–7; Figures 1, 3–10)."""
        findings, settings = self.findings, self.settings
        words = tuple(dict.fromkeys(word for one in pairs for word in list_words(one)))
        if settings.alone:
            every = self._encode_alone(words, SUBWORD)
        else:
            stops = sorted(set(settings.sentences))
            how = Draw(count=stops[-1], seed=settings.seed, lower_case=settings.lower_case)
            aggregating = Aggregating(snapshots=stops, layers=select_layers(self.model, settings))
            source = self._aggregate(words, how, aggregating, "quality")
            for over in source.aggregates:
                sentences = None if over is source.whole else over.sentences
                place = {"experiment": "quality", "model": self.model.name, "context": "aggregated"}
                count = float(over.contexts.sum())
                findings.score(**place, measure="contexts", sentences=sentences, value=count, n=over.sentences)
            every = source.every()
        for layers in every:
            is_papers = layers.pooling in PAPERS_POOLINGS
            options = {"with_interval": is_papers, "with_items": is_papers and layers.sentences is None}
            in_memory = layers.in_memory()
            for one in pairs:
                scores = score_similarity(in_memory, one, settings, with_best=True, **options)
                findings.add(scores, experiment="quality")

    def reduce(self, lists: BiasLists) -> Layers:
        """Return the lists' words over a few contexts each, mean/mean, in every layer."""
        settings = self.settings
        if settings.alone:
            return next(self._encode_alone(lists.words, ("mean",)))
        how = Draw(per_word=settings.per_word, seed=settings.seed, lower_case=settings.lower_case)
        aggregating = Aggregating(poolings=("mean/mean",), layers=select_layers(self.model, settings))
        return self._aggregate(lists.words, how, aggregating, "bias").pool_contexts("mean/mean")

    def _encode_alone(self, words: Sequence[str], poolings: Sequence[str]) -> Iterator[Layers]:
        """Return the words without a text, under each pooling of their subwords."""
        contexts, layers = make_decontextualized(words), select_layers(self.model, self.settings)
        source = in_contexts(self.model, words, contexts, "decontextualized", layers)
        if count := len(source.reasons):
            place = {"model": self.model.name, "context": "decontextualized"}
            self.findings.notice("skipped", "words have no vector of their own", count=count, total=len(words), **place)
        return (source.layers(pooling, "english") for pooling in poolings)

    def _aggregate(self, words: Sequence[str], how: Draw, aggregating: Aggregating, experiment: str) -> Aggregates:
        """Aggregate words over a sample of sentences; record its size, unreadable lines, and words without a context.

        A sentence is a context of each word of the vocabulary in it.
        """
        findings, sample = self.findings, draw(self.corpora, words, how)
        if self.settings.count == "contexts" and aggregating.snapshots:
            sample, stops = sample.with_contexts(aggregating.snapshots)
            aggregating = replace(aggregating, snapshots=stops)
        source = over_sentences(self.model, words, sample, aggregating)
        place: dict[str, Any] = {"experiment": experiment, "model": self.model.name, "context": "aggregated"}
        whole, total = source.whole, len(words)
        reason = (
            f"sentences with a word of the vocabulary were drawn from {sample.lines:,} lines of text; its words have "
            f"{int(whole.contexts.sum()):,} contexts in them"
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
    """The embedding, and what a user should know about it."""

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
    per_word, sentences, without_text = settings.per_word, settings.sentences, alone(settings.corpus)
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
        encoded = in_contexts(network, words, make_decontextualized(words), "decontextualized", (layer,))
        layers, source = encoded.layers(split_pooling(settings.pooling)[0]), "words alone"
        reasons = {encoded.words[at]: reason for at, reason in encoded.reasons.items()}
    else:
        per_word = PER_WORD if sentences is None and per_word is None else per_word
        how = Draw(sentences, per_word, settings.language, settings.seed, settings.lower_case)
        sample = draw(corpora, words, how)
        aggregated = over_sentences(network, words, sample, Aggregating((settings.pooling,), (layer,)))
        layers, reasons = aggregated.pool_contexts(settings.pooling), aggregated.without_vector
        drawn = f"{sentences:,} sentences" if sentences is not None else f"{per_word} contexts per word"
        source = f"{drawn} of {' and '.join(corpus.name for corpus in corpora)}, seed {settings.seed}"
        facts = {"sentences": sample.sentences, "never_met": aggregated.never_met}
        facts |= {"windowed": aggregated.whole.windowed, "broken": sample.flaws}
    (slot,) = layers.slots
    steps = [f"layer {slot.layer}", f"pooling {settings.pooling}", source]
    vectors = np.asarray(layers.read(slot), dtype=np.float32)
    top = settings.components
    if top is not None:
        vectors = nullify(vectors, fit_components(vectors, top), top).astype(np.float32)
        steps.append(f"all but the top {top}")
    dropped = tuple(f"{word!r}: {reason}" for word, reason in reasons.items())
    provenance = replace(layers.provenance, language=settings.language, steps=tuple(steps), dropped=dropped)
    return ExportResult(Embedding(layers.words, vectors, provenance), slot.layer or 0, dropped=dropped, **facts)


def load_vocabulary(named: str | Path) -> Sequence[str]:
    """Return the words of `similarity`, of a lexicon or word set of the catalog, or of a file."""
    name = str(named)
    if name == SIMILARITY:
        pairs = [load_pairs(one) for one in PAIRS]
        return tuple(dict.fromkeys(word for one in pairs for both in (one.first, one.second) for word in both))
    if knows(name, "lexica"):
        return tuple(dict.fromkeys(load_lexicon(name).words))
    if knows(name, "word_sets"):
        return load_word_set(name).words
    path = Path(named).expanduser()
    if not path.is_file():
        known = [SIMILARITY, *(one.name for kind in ("lexica", "word_sets") for one in entries(kind))]
        raise WordworthError(
            f"there is no vocabulary {name!r}{nearest(name, known)}; give {SIMILARITY}, a lexicon, a word set, or a "
            "file with one word per line"
        )
    words = tuple(dict.fromkeys(line.strip() for line in read_text(path).splitlines() if line.strip()))
    if not words:
        raise WordworthError(f"{path} has no words; write one per line")
    return words

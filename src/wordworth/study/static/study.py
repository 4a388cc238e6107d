"""The study `static`: models × (f, g, layer, sentences) × similarity, and × estimators of bias."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.contexts import decontextualized
from wordworth.contexts.drawing import Draw, draw, load_texts
from wordworth.contexts.sampling import Sample
from wordworth.embedding import Embedding, Layers
from wordworth.encode import SUBWORD, Aggregated, Aggregating, LanguageModel, in_contexts, over_sentences
from wordworth.encode.layers import NEVER_MET, NO_VECTOR
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.embeddings import asked_alone, of_sentences
from wordworth.study.language_models import is_static, loaded, measured_layers, record_model
from wordworth.study.static import EXPERIMENTS, PAIRS, StaticSettings
from wordworth.task.bias import agreement, bias
from wordworth.task.similarity import Recorded, similarity, words_of
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists

PRECISE = ("mean/mean", "mean")
"""The paper's choice of f and g, which is given intervals and items."""


def static(models: Sequence[str | Path | LanguageModel | Embedding], settings: StaticSettings) -> Findings:
    """Runs the study on language models, with static embeddings beside them where some are named."""
    if not models:
        raise WordworthError("name a language model, such as minilm-l6 (`wordworth ls models`)")
    findings = Findings("static")
    wanted = settings.experiments or EXPERIMENTS
    pairs = [load_pairs(name) for name in settings.pairs or PAIRS] if "quality" in wanted else []
    for one in pairs:
        findings.used_data(one, len(one))
    lists = load_bias_lists() if {"bias", "agreement"} & set(wanted) else None
    if lists is not None:
        findings.used_words("Bommasani et al.", lists.sets(), "bommasani2020")
    corpora: list[Corpus] = []
    reduced: list[Layers] = []
    for named in models:
        if is_static(named):
            for embedding in [named] if isinstance(named, Embedding) else load_embeddings(named):  # type: ignore[arg-type]
                findings.used_embedding(embedding, "english")
                _static_already(findings, Layers.of(embedding), pairs, lists if "bias" in wanted else None, settings)
            continue
        if of_sentences(named):
            encoded = asked_alone(findings, named, "english")
            _static_already(findings, encoded, pairs, lists if "bias" in wanted else None, settings)
            continue
        if not corpora and not settings.alone:  # static embeddings alone need no text
            corpora = load_texts(settings.corpus, "english")
            for corpus in corpora:
                findings.used_data(corpus, corpus.count)
        model = loaded(named, settings)  # type: ignore[arg-type]
        record_model(findings, model)
        if pairs:
            _quality(findings, model, corpora, pairs, settings)
        if lists is not None:
            layers = _few_contexts(findings, model, corpora, lists, settings)
            reduced.append(layers)
            if "bias" in wanted:
                findings.add(bias(layers, lists, settings), experiment="bias")
    if "agreement" in wanted and lists is not None:
        with findings.part(asked="agreement" in settings.experiments, experiment="agreement"):
            findings.add(agreement(reduced, lists, settings), experiment="agreement")
    return findings


def _static_already(
    findings: Findings, layers: Layers, pairs: Sequence[Pairs], lists: BiasLists | None, settings: StaticSettings
) -> None:
    """Word vectors, and sentence encoders, which have one vector a word alone."""
    for one in pairs:
        with findings.part(TooFewWordsError, asked=bool(settings.pairs), model=layers.name, dataset=one.name):
            findings.add(similarity(layers, one, settings), experiment="quality")
    if lists is not None:
        findings.add(bias(layers, lists, settings), experiment="bias")


def _quality(
    findings: Findings,
    model: LanguageModel,
    corpora: Sequence[Corpus],
    pairs: Sequence[Pairs],
    settings: StaticSettings,
) -> None:
    """Similarity by layer, pooling and number of sentences (Tables 1, 2, 4–7; Figures 1, 3–10)."""
    words = tuple(dict.fromkeys(word for one in pairs for word in words_of(one)))
    if settings.alone:
        for layers in _alone(findings, model, words, SUBWORD, settings):
            for one in pairs:
                recorded = Recorded(interval=layers.pooling in PRECISE, best=True, items=layers.pooling in PRECISE)
                findings.add(similarity(layers, one, settings, recorded), experiment="quality")
        return
    stops = sorted(set(settings.sentences))
    how = Draw(count=stops[-1], seed=settings.seed, lower_case=settings.lower_case)
    sample = draw(corpora, words, how)
    note_sample(findings, "quality", sample)
    source = over_sentences(model, words, sample, Aggregating(snapshots=stops, layers=measured_layers(model, settings)))
    record_aggregated(findings, source, "quality")
    for over in source.aggregates:
        setting = "aggregated" if over is source.whole else f"aggregated:{over.sentences}"
        where = {"experiment": "quality", "model": model.name, "setting": setting}
        findings.score(**where, measure="contexts", value=float(over.contexts.sum()), n=over.sentences)
    for layers in source.every():
        precise = layers.pooling in PRECISE
        items = precise and layers.setting in ("aggregated", "decontextualized")
        held = layers.in_memory()
        for one in pairs:
            recorded = Recorded(interval=precise, best=True, items=items)
            findings.add(similarity(held, one, settings, recorded), experiment="quality")


def _few_contexts(
    findings: Findings, model: LanguageModel, corpora: Sequence[Corpus], lists: BiasLists, settings: StaticSettings
) -> Layers:
    """The lists' words over a few contexts each, mean/mean, in every layer."""
    if settings.alone:
        return next(_alone(findings, model, lists.words, ("mean",), settings))
    how = Draw(per_word=settings.per_word, seed=settings.seed, lower_case=settings.lower_case)
    sample = draw(corpora, lists.words, how)
    note_sample(findings, "bias", sample)
    how_pooled = Aggregating(poolings=("mean/mean",), layers=measured_layers(model, settings))
    source = over_sentences(model, lists.words, sample, how_pooled)
    record_aggregated(findings, source, "bias")
    return source.aggregated("mean/mean")


def _alone(
    findings: Findings, model: LanguageModel, words: Sequence[str], poolings: Sequence[str], settings: StaticSettings
) -> Iterator[Layers]:
    """The words without a text: each alone, under each pooling of its subwords."""
    contexts = decontextualized(words)
    source = in_contexts(model, words, contexts, "decontextualized", measured_layers(model, settings))
    if source.reasons:
        findings.warn(f"{model.name}: {len(source.reasons):,} of {len(words):,} words have no vector alone.")
    return (source.layers(pooling, "english") for pooling in poolings)


def note_sample(findings: Findings, what: str, sample: Sample) -> None:
    """What was drawn, and what could not be read."""
    findings.note(
        f"{what}: {sample.sentences:,} sentences drawn of {sample.eligible:,} that hold a word of the vocabulary "
        f"({sample.lines:,} lines of text)."
    )
    for flaw in sample.flaws:
        findings.warn(f"{flaw}; the rest was used.")
    if sample.broken > len(sample.flaws):
        findings.warn(f"{sample.broken:,} lines in all could not be read.")


def record_aggregated(findings: Findings, source: Aggregated, experiment: str) -> None:
    """N by sentences and contexts; which words the text does not hold, or have no vector; which were windowed.

    A sentence is a context of each word of the vocabulary in it. The authors' N counts sentences (the paper: contexts).
    """
    contexts = int(source.whole.contexts.sum())
    findings.note(
        f"{experiment}: the setting `aggregated` is over {source.whole.sentences:,} sentences, {contexts:,} contexts."
    )
    where = {"experiment": experiment, "model": source.model.name, "setting": "aggregated"}
    name = f"{source.model.name}, {experiment}"
    if source.never_met:
        findings.item(**where, item=list(source.never_met), group=NEVER_MET)
        findings.warn(
            f"{name}: {len(source.never_met):,} of {len(source.words):,} words are never met in the text, and their "
            "decontextualized vectors stand for them (listed in items.parquet)."
        )
    if source.without_vector:
        findings.item(**where, item=list(source.without_vector), left_out=NO_VECTOR)
    whole = source.whole
    if whole.windowed:
        findings.warn(
            f"{name}: {whole.windowed:,} contexts are longer than the {source.model.max_length} tokens it admits; "
            "their words were taken in as much of them as fits."
        )
    if whole.failed:
        words = sorted(whole.failed)
        counts = [whole.failed[word] for word in words]
        findings.item(**where, item=words, group="not located in some context", value=counts)
        findings.note(
            f"{name}: {sum(counts):,} contexts of {len(words):,} words could not be located among the tokens "
            f"({words[0]!r}: {whole.reasons[words[0]]})."
        )

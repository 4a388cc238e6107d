"""The study `static`: models × (f, g, layer, sentences) × similarity, and × estimators of bias; and the export."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.tables import read_text
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.contexts import decontextualized
from wordworth.contexts.sampling import Draw, Sample, draw, load_texts
from wordworth.embedding import Embedding, Layers
from wordworth.encode import SUBWORD, Aggregated, Aggregating, LanguageModel, in_contexts, over_sentences, split_pooling
from wordworth.encode.layers import NEVER_MET, NO_VECTOR
from wordworth.errors import WordworthError, nearest
from wordworth.results import Findings
from wordworth.results.flags import legend
from wordworth.study.declaration import Table
from wordworth.study.inputs import asked_alone, is_static, loaded, measured_layers, of_sentences, record_model
from wordworth.study.static import EXPERIMENTS, PAIRS, PER_WORD, SIMILARITY, ExportSettings, StaticSettings, alone
from wordworth.study.tables import cell, marked, pivot
from wordworth.task.bias import agreement, bias
from wordworth.task.similarity import similarity, words_of
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists
from wordworth.transform import fit_components, nullify

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
                precise = layers.pooling in PRECISE
                found = similarity(layers, one, settings, interval=precise, best=True, items=precise)
                findings.add(found, experiment="quality")
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
            found = similarity(held, one, settings, interval=precise, best=True, items=items)
            findings.add(found, experiment="quality")


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


def static_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """The best layers, bias a quarter of the way up, and the agreement of the estimators."""
    best = scores.filter(
        (pl.col("measure") == "similarity:best")
        | ((pl.col("experiment") == "quality") & (pl.col("measure") == "similarity") & pl.col("layer").is_null())
    )
    if len(best):
        mean = best.filter(pl.col("pooling").is_null() | pl.col("pooling").is_in(["mean", "mean/mean"]))
        yield _best_layers(mean, "setting", "similarity by sentences, mean/mean: best layer in brackets")
        pooled = best.filter(pl.col("setting").is_in(["aggregated", "decontextualized"]))
        yield _best_layers(pooled, "pooling", "similarity by pooling (subwords/contexts): best layer in brackets")
    biased = scores.filter(pl.col("experiment") == "bias")
    top, count = pl.col("layer").max().over("model"), pl.col("layer").n_unique().over("model")
    every = biased.drop_nulls("layer").select((count == top + 1).all()).item()
    where = "a quarter of the way up" if every else "the highest layer measured"
    chosen = biased.filter(pl.col("layer").is_null() | (pl.col("layer") == (top // 4 if every else top)))
    for name in ("professions", "adjectives"):
        some = chosen.filter(pl.col("dataset").str.ends_with(name))
        if len(some):
            attribute = pl.col("dataset").str.replace(f"/{name}", "")
            labelled = some.with_columns(definition=pl.concat_str(attribute, pl.lit(" "), pl.col("measure")))
            yield pivot(labelled, "definition", "model", f"bias of {name}, {where}")
    agreed = scores.filter(pl.col("measure") == "agreement").with_columns(pl.col("model").fill_null("all models"))
    if len(agreed):
        rows = [[row["model"], row["dataset"], cell(row)] for row in agreed.iter_rows(named=True)]
        title = "agreement of the estimators: mean rank correlation over layers, [95% over resampled lists]"
        flagged = agreed.select("dataset", "flags").iter_rows()
        yield Table(title, ["model", "bias", "ρ"], rows, [2], legend(flagged))


def _best_layers(scores: pl.DataFrame, by: str, title: str) -> Table:
    datasets = scores.get_column("dataset").unique(maintain_order=True).to_list()
    rows = []
    for (model, key), group in scores.group_by(["model", by], maintain_order=True):
        cells = {
            row["dataset"]: marked(row) + (f" ({row['layer']})" if row["layer"] is not None else "")
            for row in group.iter_rows(named=True)
        }
        rows.append([str(model), str(key or ""), *(cells.get(dataset, "") for dataset in datasets)])
    note = legend(scores.select("dataset", "flags").iter_rows())
    return Table(title, ["model", by, *datasets], rows, range(2, len(datasets) + 2), note)


@dataclass(frozen=True)
class Exported:
    """The embedding, and what a user should know of it."""

    embedding: Embedding
    layer: int
    sentences: int = 0
    never_met: tuple[str, ...] = ()
    """Words whose decontextualized vector stands in."""
    dropped: tuple[str, ...] = ()
    """Words that have no vector, each with the reason."""
    windowed: int = 0
    broken: tuple[str, ...] = ()
    """Lines of the text that could not be read."""


_Taken = tuple[Layers, list[str], dict[str, Any]]
"""Vectors in the one layer, how they came about, and what a user should know of it."""


def export(model: Any, **chosen: Any) -> Exported:
    """One vector a word from one layer of a language model (a name, a path, or one that is loaded).

    The settings are those of `ExportSettings`.
    """
    return exported(model, ExportSettings.of("export", chosen))


def exported(model: Any, settings: ExportSettings) -> Exported:
    """One vector a word from one layer of a language model."""
    without_text = alone(settings.corpus)
    if settings.per_word is not None and settings.sentences is not None:
        raise WordworthError("--per-word and --sentences are two ways to draw; give one of them")
    if without_text and (settings.per_word or settings.sentences):
        raise WordworthError("--corpus none draws nothing; leave --per-word and --sentences out, or name a text")
    corpora = [] if without_text else load_texts(settings.corpus, settings.language)
    words = load_vocabulary(settings.vocabulary)
    network = loaded(model, settings)
    layer = network.layers // 4 if settings.layer is None else settings.layer
    if without_text:
        layers, how, facts = _export_alone(network, words, layer, settings)
    else:
        layers, how, facts = _export_over_sentences(network, words, layer, corpora, settings)
    (slot,) = layers.slots
    steps = [f"layer {slot.layer}", f"pooling {settings.pooling}", *how]
    vectors = np.asarray(layers.read(slot), dtype=np.float32)
    top = settings.components
    if top is not None:
        vectors = nullify(vectors, fit_components(vectors, top), top).astype(np.float32)
        steps.append(f"all but the top {top}")
    provenance = replace(
        layers.provenance, language=settings.language, steps=tuple(steps), dropped=facts.get("dropped", ())
    )
    return Exported(Embedding(layers.words, vectors, provenance), slot.layer or 0, **facts)


def _export_over_sentences(
    network: Any, words: Sequence[str], layer: int, corpora: Sequence[Corpus], settings: ExportSettings
) -> _Taken:
    per_word = PER_WORD if settings.per_word is None and settings.sentences is None else settings.per_word
    how = Draw(settings.sentences, per_word, settings.language, settings.seed, settings.lower_case)
    sample = draw(corpora, words, how)
    aggregating = Aggregating((settings.pooling,), (layer,))
    source = over_sentences(network, words, sample, aggregating)
    drawn = f"{settings.sentences:,} sentences" if settings.sentences is not None else f"{per_word} contexts a word"
    text = " and ".join(corpus.name for corpus in corpora)
    steps = [f"{drawn} of {text}, seed {settings.seed}"]
    dropped = tuple(f"{word!r}: {reason}" for word, reason in source.without_vector.items())
    facts = {"sentences": sample.sentences, "never_met": source.never_met, "dropped": dropped}
    facts |= {"windowed": source.whole.windowed, "broken": sample.flaws}
    return source.aggregated(settings.pooling), steps, facts


def _export_alone(network: Any, words: Sequence[str], layer: int, settings: ExportSettings) -> _Taken:
    source = in_contexts(network, words, decontextualized(words), "decontextualized", (layer,))
    dropped = tuple(f"{source.words[at]!r}: {reason}" for at, reason in source.reasons.items())
    return source.layers(split_pooling(settings.pooling)[0]), ["words alone"], {"dropped": dropped}


def load_vocabulary(named: str | Path) -> Sequence[str]:
    """`similarity`, a lexicon or a word set of the catalog, or a file with a word a line."""
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
            "file with a word a line"
        )
    words = tuple(dict.fromkeys(line.strip() for line in read_text(path).splitlines() if line.strip()))
    if not words:
        raise WordworthError(f"{path} holds no words; write one a line")
    return words

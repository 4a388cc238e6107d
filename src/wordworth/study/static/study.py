"""The study `static`: models × (f, g, layer, sentences) × similarity, and × estimators of bias."""

from collections.abc import Sequence
from pathlib import Path

from wordworth.catalog.embeddings import load_embeddings
from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.embedding import Embedding
from wordworth.encode import LanguageModel
from wordworth.errors import WordworthError, nearest
from wordworth.study.findings import Findings
from wordworth.study.intrinsic import similarity_of
from wordworth.study.options import Options
from wordworth.study.static.agreement import agreement
from wordworth.study.static.bias import bias
from wordworth.study.static.lists import Lists, Space, load_lists, restricted, space_of, space_of_embedding
from wordworth.study.static.quality import quality
from wordworth.study.static.reduction import is_static, loaded, record_model, record_reduction, reduce
from wordworth.study.static.texts import PAIRS, draw, load_texts, note_sample, words_of_pairs

EXPERIMENTS = ("quality", "bias", "agreement")
SENTENCES = (10_000, 50_000, 100_000, 500_000, 1_000_000)
"""The paper's N."""
PER_WORD = 20
"""Contexts of a word in the bias experiments (paper, A.5)."""


def static(
    models: Sequence[str | Path | LanguageModel | Embedding],
    *,
    contexts: Sequence[str | Path] = (),
    sentences: Sequence[int] = (),
    per_word: int = PER_WORD,
    pairs: Sequence[str | Path] = (),
    experiments: Sequence[str] = (),
    lower_case: bool = False,
    device: str = "auto",
    dtype: str = "float32",
    options: Options | None = None,
) -> Findings:
    """Runs the study on language models, with static embeddings beside them where some are named.

    Blank choices are the paper's: RG-65, WS-353, SimLex and SimVerb; 10K to 1M sentences as far as the text goes;
    20 contexts a word for bias. The text is `enwiki-sample`, since it is at hand everywhere.
    """
    options, findings = options or Options(), Findings("static")
    _check(models, sentences, per_word, experiments)
    wanted = tuple(experiments) or EXPERIMENTS
    chosen = [load_pairs(name) for name in pairs or PAIRS]
    corpora: list[Corpus] = []
    if "quality" in wanted:
        for one in chosen:
            findings.used_data(one, len(one))
    lists = load_lists(findings) if {"bias", "agreement"} & set(wanted) else None
    stops = sorted(set(sentences)) or list(SENTENCES)
    spaces: list[tuple[Space, Lists]] = []
    for named in models:
        if isinstance(named, Embedding) or (not isinstance(named, LanguageModel) and is_static(named)):
            given = [named] if isinstance(named, Embedding) else load_embeddings(named)
            for embedding in given:
                _one_embedding(findings, embedding, wanted, chosen, lists, options)
            continue
        if not corpora:  # static embeddings alone need no text
            corpora = load_texts(contexts, "english")
            for corpus in corpora:
                findings.used_data(corpus, corpus.count)
        model = loaded(named, device, dtype)
        record_model(findings, model)
        if "quality" in wanted:
            words = words_of_pairs(chosen)
            sample = draw(corpora, words, language="english", seed=options.seed, count=stops[-1], lower_case=lower_case)
            note_sample(findings, "quality", sample)
            reduction = reduce(model, words, sample, snapshots=stops)
            findings.note(f"quality: the setting `aggregated` is over {sample.sentences:,} sentences.")
            record_reduction(findings, reduction, "quality")
            quality(findings, reduction, chosen, options)
        if lists is not None:
            few = draw(
                corpora, lists.words, language="english", seed=options.seed, per_word=per_word, lower_case=lower_case
            )
            note_sample(findings, "bias", few)
            reduction = reduce(model, lists.words, few, poolings=("mean/mean",))
            record_reduction(findings, reduction, "bias")
            space = space_of(reduction)
            usable = restricted(findings, space, lists)
            spaces.append((space, usable))
            if "bias" in wanted:
                bias(findings, space, usable, options)
    if "agreement" in wanted:
        agreement(findings, spaces, options)
    return findings


def _one_embedding(
    findings: Findings,
    embedding: Embedding,
    wanted: tuple[str, ...],
    pairs: Sequence[Pairs],
    lists: Lists | None,
    options: Options,
) -> None:
    if embedding.name in findings.models:
        raise WordworthError(f"two models are called {embedding.name}; name one LABEL=PATH to tell them apart")
    findings.used_model(embedding, "english")
    if "quality" in wanted:
        for one in pairs:
            similarity_of(findings, embedding, one, options, experiment="quality")
    if lists is not None and "bias" in wanted:
        space = space_of_embedding(findings, embedding, lists)
        bias(findings, space, restricted(findings, space, lists), options)


def _check(
    models: Sequence[str | Path | LanguageModel | Embedding],
    sentences: Sequence[int],
    per_word: int,
    experiments: Sequence[str],
) -> None:
    if not models:
        raise WordworthError("name a language model, such as minilm-l6 (`wordworth ls models`)")
    for name in experiments:
        if name not in EXPERIMENTS:
            told = nearest(name, list(EXPERIMENTS)) or f"; there are {', '.join(EXPERIMENTS)}"
            raise WordworthError(f"there is no experiment {name!r}{told}")
    for option, number in (("sentences", min(sentences, default=1)), ("per-word", per_word)):
        if number < 1:
            raise WordworthError(f"--{option} is {number}; it must be a whole number from 1 up")

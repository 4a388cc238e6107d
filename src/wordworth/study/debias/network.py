"""Remove a bias from a language model, and measure what a removal does to inferences.

A language model is changed in its subword embeddings, and measured as the `original`, after the method, and without
random directions instead of the bias (`random`). An NLI network stays as it was trained and reads changed word vectors;
the paper trains it again on them: the study `infer` compares such networks.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.catalog.registry import entry
from wordworth.catalog.resolve import NameLike, Origin
from wordworth.contexts import load_templates, make_bleached
from wordworth.embedding import Embedding
from wordworth.encode import checked_layers, in_contexts
from wordworth.encode.heads import HeadModel
from wordworth.encode.model import wrap
from wordworth.errors import WordworthError
from wordworth.nli.attention import AttentionNli
from wordworth.nli.loading import load_attention_nli
from wordworth.repair.checkpoint import RepairJob, load_whole, repair_network
from wordworth.repair.subwords import embed_subwords
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import ORIGINAL
from wordworth.study.debias import CONTROLS_OF_NETWORK, HARD, DebiasSettings
from wordworth.study.debias.study import (
    GEOMETRY,
    LANGUAGE,
    choose_treatment,
    is_english,
    load_task_data,
    make_controls,
    measure_version,
    measure_versions,
    without_intervals,
)
from wordworth.study.infer import STUDY as INFER
from wordworth.study.inputs import default_pooling
from wordworth.study.mitigation import EQUALIZE, SPECIFIC, Change, list_bias_words, load_pairs, load_words
from wordworth.study.predict import STUDY as PREDICT
from wordworth.task.nli import score_nli_probe
from wordworth.transform import with_lengths_of
from wordworth.whole_words.model import wrap_word_model


def debias_network(origin: Origin, settings: DebiasSettings) -> Findings:
    """Remove a bias from a language model of English words, and measure before and after.

    The rows of its subword matrix are treated as word vectors; words of one piece are their own rows. The product is
    the network, whose `save(folder)` writes it as an ordinary checkpoint.
    """
    findings = Findings("debias")
    headed = load_whole(origin, device=settings.device)
    facts = {"source": headed.source, "weights": headed.weights, "class": type(headed.network).__name__}
    findings.add_model(headed.name, facts)
    table = embed_subwords(headed, _forms(settings))
    rows = np.flatnonzero(np.linalg.norm(table.matrix, axis=1))  # a vector of zeros, such as padding's, is not changed
    pieces = replace(table, words=[table.words[row] for row in rows.tolist()], matrix=table.matrix[rows])
    treatment = choose_treatment(findings, pieces, settings)
    if treatment is None:
        findings.product = RepairJob(headed, None, settings.mitigate, "nothing")
        return findings

    def change(treat: Change, *, keeps_lengths: bool = False) -> Embedding:
        treated = treat(pieces)
        matrix = table.matrix.copy()
        matrix[rows] = (with_lengths_of(treated, pieces) if keeps_lengths else treated).matrix
        return replace(table, matrix=matrix, provenance=treated.provenance)

    # The network was trained on vectors of many lengths, and hard debiasing gives them one length.
    repair = change(treatment.treat, keeps_lengths=settings.mitigate == HARD)
    description = f"subword embeddings, {repair.provenance.steps[-1]}"
    findings.notice("info", description, model=headed.name)
    findings.product = RepairJob(headed, repair.matrix, settings.mitigate, description, treatment.subspace)
    if is_english(findings, headed.name, origin.language or LANGUAGE):
        controls = [change(control) for control in make_controls(pieces, treatment, settings, CONTROLS_OF_NETWORK)]
        _measure_versions(findings, headed, repair, controls, settings)
    return findings


def _forms(settings: DebiasSettings) -> list[str]:
    """Return every word to look up among the pieces, in each case."""
    words = list_bias_words(settings)
    if settings.mitigate == HARD:
        words += [*load_words(settings.specific or SPECIFIC), *chain(*load_pairs(settings.equalize or EQUALIZE))]
    cases: Sequence[Callable[[str], str]] = (str, str.lower, str.title, str.capitalize, str.upper)
    return list(dict.fromkeys(change(word) for word in words for change in cases))


TRAIN, TEST = "sick-train", "sick-test"


def _measure_versions(
    findings: Findings, headed: HeadModel, repair: Embedding, controls: Sequence[Embedding], settings: DebiasSettings
) -> None:
    measured_parts = set(settings.measured_parts)
    whole: Any = headed.network
    if "prediction" in measured_parts and whole.get_output_embeddings() is None:
        findings.notice("skipped", "it has no head for words", model=headed.name, experiment="prediction")
        measured_parts.remove("prediction")
    labelled_sets: list[NliData] = []
    if "nli" in measured_parts and _are_here(findings, headed.name, TRAIN, TEST):
        labelled_sets = [load_nli(TRAIN), load_nli(TEST)]
    findings.add_data(*labelled_sets)
    data = load_task_data(findings, settings) if measured_parts & set(GEOMETRY) else None
    if not (labelled_sets or data or "prediction" in measured_parts):
        return

    def measure_one(repair: Embedding | None, is_control: bool) -> Findings:
        network, scores = repair_network(headed.network, None if repair is None else repair.matrix), Findings()
        version_settings = without_intervals(settings) if is_control else settings
        origin_facts: dict[str, Any] = {"name": headed.name, "source": headed.source}
        if "prediction" in measured_parts:
            words = wrap_word_model(network, headed.tokenizer, **origin_facts)
            model = words.reader.base
            options = {name: getattr(version_settings, name) for name in ("corpus", "words", "seed", "resamples")}
            predictions = PREDICT.measure([words], PREDICT.settings(soft_match=("none",), **options))
            predictions.models = {}
            is_shown = pl.col("experiment") == "prediction"
            scores.add(predictions.select(lambda row: row["experiment"] == "prediction", is_shown))
        else:
            model = wrap(network, headed.tokenizer, **origin_facts)
        layers = sorted(checked_layers(model, settings.layers or (model.layers // 2,)))
        if data is not None:
            words_of_tasks = data.words()
            texts = make_bleached(words_of_tasks, load_templates())
            source = in_contexts(model, words_of_tasks, texts, "bleached", layers)
            vectors = source.layers(default_pooling(model), "english").in_memory()
            scores.add(measure_version(vectors, data, version_settings))
        for layer in layers if labelled_sets and not is_control else ():
            scores.add(score_nli_probe(model, labelled_sets[0], labelled_sets[1], layer))
        return scores

    versions = ((ORIGINAL, None), (settings.mitigate, repair))
    measure_versions(findings, f"Measuring {headed.name}", versions, (len(controls), controls), measure_one)


def _are_here(findings: Findings, model: str, *names: str) -> bool:
    """Return whether labelled pairs are available; add a notice if they are not."""
    missing_names = [name for name in names if not here(name, entry(name, "nli").sources)]
    if missing_names:
        reason = f"{missing_names[0]} is not on this machine (`wordworth show {missing_names[0]}`)"
        findings.notice("skipped", reason, model=model, experiment="accuracy")
    return not missing_names


MODEL = "nli-glove"
LABELLED_PAIRS = "snli-test"
PROBES_BY_BIAS = {"dev-demonyms_train": "nationality", "dev-adherents_train": "religion"}
"""Word set of a bias → its probe; gender for any other."""


def choose_probes(settings: DebiasSettings) -> list[str]:
    """Return the probes that fit what is removed."""
    word_sets = [str(word_set) for word_set in settings.bias_words]
    probes = [PROBES_BY_BIAS[name] for name in word_sets if name in PROBES_BY_BIAS]
    if settings.directions or settings.bias_pairs or settings.concept or len(probes) < len(word_sets) or not word_sets:
        probes.insert(0, "gender")
    return probes


def find_reader(findings: Findings, embedding: Embedding, nli_name: NameLike | None) -> AttentionNli | None:
    """Return the network that was trained on these vectors; otherwise None with a notice, or raise if it was named."""
    model = load_attention_nli(nli_name or MODEL)
    vectors = model.word_vectors
    if vectors is not None and vectors.provenance.sha256 and vectors.provenance.sha256 == embedding.provenance.sha256:
        return model
    vectors_read = vectors.name if vectors is not None else "contextual vectors"
    mismatch = (
        f"{model.name} reads {vectors_read}, not {embedding.name}; train a network over these vectors "
        "(`wordworth train-nli --vectors …`) and name it with --nli"
    )
    if nli_name is not None:
        raise WordworthError(mismatch)
    findings.notice("skipped", mismatch, model=embedding.name, experiment="accuracy")
    return None


def infer_versions(
    findings: Findings,
    model: AttentionNli,
    versions: Sequence[tuple[str, Embedding]],
    controls: Sequence[Change],
    settings: DebiasSettings,
) -> None:
    """Measure every probe and the labelled pairs on the versions, and the probes without random subspaces."""
    labelled_sets = (LABELLED_PAIRS,) if _are_here(findings, model.name, LABELLED_PAIRS) else ()
    original = versions[0][1]
    options = INFER.settings(
        probes=settings.probes or tuple(choose_probes(settings)),
        sample=settings.sample,
        mitigate=(),
        random=0,
        farthest=0,
        swaps=0,
        seed=settings.seed,
        resamples=settings.resamples,
    )

    def measure_one(embedding: Embedding, is_control: bool) -> Findings:
        accuracy = () if is_control else labelled_sets
        result = INFER.measure([model.with_vectors(embedding)], options.model_copy(update={"accuracy": accuracy}))
        findings.experiments = {*findings.experiments, *result.experiments}  # a probe of the user's own
        return result

    embeddings = [(name, with_lengths_of(vectors, original) if name == HARD else vectors) for name, vectors in versions]
    controlled = (control(original) for control in controls)
    measure_versions(findings, f"Inferring with {model.name}", embeddings, (len(controls), controlled), measure_one)

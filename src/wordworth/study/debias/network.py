"""Remove a bias from a language model, and measure what a removal does to inferences.

A language model is changed in its subword embeddings, and measured as the `original`, after the method, and without
random directions instead of the bias (`random`). An NLI network stays as it was trained and reads changed word vectors;
the paper trains it again on them: the study `infer` compares such networks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from transformers import PreTrainedModel

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.catalog.registry import entry
from wordworth.catalog.resolve import resolve
from wordworth.contexts import bleached, load_templates
from wordworth.embedding import Embedding
from wordworth.encode import LanguageModel, checked_layers, in_contexts
from wordworth.encode.heads import Headed
from wordworth.encode.model import wrap
from wordworth.errors import WordworthError
from wordworth.nli.loading import load_attention_nli
from wordworth.nli.over_vectors import AttentionNli
from wordworth.progress import progress
from wordworth.repair.checkpoint import InSubwords, Repaired, load_whole, repair_network
from wordworth.repair.subwords import every_piece
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import ORIGINAL
from wordworth.study.debias import CONTROLS_OF_NETWORK, HARD, DebiasSettings
from wordworth.study.debias.study import (
    LANGUAGE,
    WITHOUT_INTERVALS,
    add_draws,
    add_version,
    load_task_data,
    measure_version,
)
from wordworth.study.infer import STUDY as INFER
from wordworth.study.inputs import default_pooling
from wordworth.study.mitigation import (
    EQUALIZE,
    SPECIFIC,
    Change,
    learn,
    list_bias_words,
    load_pairs,
    load_words,
    make_treatment,
)
from wordworth.study.predict import STUDY as PREDICT
from wordworth.task.nli import score_nli_probe
from wordworth.transform import NothingToRemoveError, Subspace, random_directions, with_lengths_of
from wordworth.whole_words.model import wrap_word_model


@dataclass(frozen=True)
class _Plan:
    """What changes the network, and what the controls change."""

    repair: InSubwords
    subspace: Subspace
    controls: Sequence[InSubwords]
    description: str


def debias_network(named: str | Path, settings: DebiasSettings) -> Findings:
    """Remove a bias from a language model of English words, and measure before and after.

    The product is the network, whose `save(folder)` writes it as an ordinary checkpoint.
    """
    findings = Findings("debias")
    headed = load_whole(named, device=settings.device)
    facts = {"source": headed.source, "weights": headed.weights, "class": type(headed.network).__name__}
    findings.add_model(headed.name, facts)
    try:
        plan = _in_subwords(headed, settings, findings)
    except NothingToRemoveError as nothing:  # debiased twice is debiased once
        findings.notice("skipped", f"nothing to remove: {nothing}", model=headed.name, experiment="subspace")
        findings.product = Repaired(headed, None, settings.mitigate, "nothing")
        return findings
    subspace = plan.subspace
    findings.add_words(f"the subspace {subspace.name}", {"words": subspace.words})
    where = {"experiment": "subspace", "model": headed.name, "dataset": subspace.name}
    findings.score(**where, measure="dimensions", value=len(subspace), n=len(subspace.words))
    findings.notice("info", plan.description, model=headed.name)
    findings.product = Repaired(headed, plan.repair, settings.mitigate, plan.description, subspace)
    entry = resolve(named).entry
    language = (entry.language if entry else "") or LANGUAGE
    if language != LANGUAGE:
        reason = f"only {LANGUAGE} words are measured, and the model is {language}"
        findings.notice("skipped", reason, model=headed.name)
        return findings
    _measure(findings, headed, plan, settings)
    return findings


def _measure(findings: Findings, headed: Headed, plan: _Plan, settings: DebiasSettings) -> None:
    measuring = Measuring(headed, findings, settings)
    if not measuring.wanted:
        return
    with progress(f"Measuring {headed.name}", 2 + len(plan.controls)) as advance:
        for name, repair in ((ORIGINAL, None), (settings.mitigate, plan.repair)):
            version = measuring.measure(repair_network(headed.network, repair), settings)
            add_version(findings, version, name)
            advance(1)
        # Only the value of a control is used: it needs neither p nor an interval.
        quick = settings.model_copy(update=WITHOUT_INTERVALS)
        results = []
        for repair in plan.controls:
            network = repair_network(headed.network, repair)
            results.append(measuring.measure(network, quick, with_inference=False))
            advance(1)
    add_draws(findings, results)


def _count(settings: DebiasSettings) -> int:
    return CONTROLS_OF_NETWORK if settings.random is None else settings.random


def _in_subwords(headed: Headed, settings: DebiasSettings, findings: Findings) -> _Plan:
    """Treat the rows of the subword matrix as word vectors; words of one piece are their own rows."""
    every = every_piece(headed, _forms(settings))
    there = np.flatnonzero(np.linalg.norm(every.matrix, axis=1))  # a vector of zeros, such as padding's, is not changed
    pieces = replace(every, words=[every.words[at] for at in there.tolist()], matrix=every.matrix[there])
    subspace = learn(pieces, settings, findings)
    chosen = make_treatment(pieces, subspace, settings, findings)

    def changed(treat: Change, *, made_unit: bool = False) -> InSubwords:
        after = treat(pieces)
        matrix = every.matrix.copy()
        matrix[there] = (with_lengths_of(after, pieces) if made_unit else after).matrix
        return InSubwords(matrix, after.provenance.steps[-1])

    # The network knows vectors of many lengths, and hard debiasing makes them all alike.
    repair = changed(chosen.treat, made_unit=settings.mitigate == HARD)
    subspaces = random_directions(pieces.dim, count=_count(settings), k=chosen.dimensions, seed=settings.seed)
    controls = [changed(chosen.control(one)) for one in subspaces]
    return _Plan(repair, subspace, controls, f"subword embeddings, {repair.step}")


def _forms(settings: DebiasSettings) -> list[str]:
    """Return every word that is looked up among the pieces, in every case that is tried."""
    words = list_bias_words(settings)
    if settings.mitigate == HARD:
        words += [*load_words(settings.specific or SPECIFIC), *chain(*load_pairs(settings.equalize or EQUALIZE))]
    cases: Sequence[Callable[[str], str]] = (str, str.lower, str.title, str.capitalize, str.upper)
    return list(dict.fromkeys(change(word) for word in words for change in cases))


GEOMETRY = ("valence", "similarity", "weat", "bias")
TRAIN, TEST = "sick-train", "sick-test"


class Measuring:
    """Measures all versions of one model on the same data."""

    def __init__(self, headed: Headed, findings: Findings, settings: DebiasSettings) -> None:
        self.headed = headed
        whole: Any = headed.network
        head = whole.get_output_embeddings()
        self.wanted = [part for part in settings.wanted if part != "stability"]
        if "prediction" in self.wanted and head is None:
            findings.notice("skipped", "it has no head for words", model=headed.name, experiment="prediction")
            self.wanted.remove("prediction")
        self.nli: tuple[NliData, ...] = ()
        if "nli" in self.wanted:
            lacking = [name for name in (TRAIN, TEST) if not here(name, entry(name, "nli").sources)]
            if lacking:
                reason = f"{lacking[0]} is not on this machine (`wordworth show {lacking[0]}`)"
                findings.notice("skipped", reason, model=headed.name, experiment="accuracy")
                self.wanted.remove("nli")
            else:
                self.nli = tuple(load_nli(name) for name in (TRAIN, TEST))
                for data in self.nli:
                    findings.add_data(data, len(data))
        self.data = load_task_data(findings, settings) if set(self.wanted) & set(GEOMETRY) else None

    def measure(self, network: PreTrainedModel, settings: DebiasSettings, *, with_inference: bool = True) -> Findings:
        """Measure one version."""
        headed, findings = self.headed, Findings()
        about: dict[str, Any] = {"name": headed.name, "source": headed.source}
        if "prediction" in self.wanted:
            words = wrap_word_model(network, headed.tokenizer, **about)
            model = words.reader.base
            chosen = PREDICT.settings(
                corpus=settings.corpus,
                words=settings.words,
                soft_match=("none",),
                seed=settings.seed,
                resamples=settings.resamples,
            )
            predicted = PREDICT.measure([words], chosen)
            predicted.models = {}
            is_prediction = pl.col("experiment") == "prediction"
            findings.add(predicted.select(lambda row: row["experiment"] == "prediction", is_prediction))
        else:
            model = wrap(network.base_model, headed.tokenizer, **about)  # type: ignore[arg-type]
        numbers = sorted(checked_layers(model, settings.layers or (model.layers // 2,)))
        if self.data is not None:
            findings.add(self._measure_geometry(model, numbers, settings))
        if self.nli and with_inference:
            train, test = self.nli
            for number in numbers:
                findings.add(score_nli_probe(model, train, test, number))
        return findings

    def _measure_geometry(self, model: LanguageModel, numbers: list[int], settings: DebiasSettings) -> Findings:
        assert self.data is not None
        words = self.data.words()
        source = in_contexts(model, words, bleached(words, load_templates()), "bleached", numbers)
        layers = source.layers(default_pooling(model), "english")
        return measure_version(layers.in_memory(), self.data, settings)


MODEL = "nli-glove"
LABELLED = "snli-test"
PROBES = {"dev-demonyms_train": "nationality", "dev-adherents_train": "religion"}
"""Word set of a bias → its probe; gender for any other."""


def choose_probes(settings: DebiasSettings) -> list[str]:
    """Return the probes that fit what is removed."""
    sets = [str(named) for named in settings.bias_words]
    found = [PROBES[name] for name in sets if name in PROBES]
    if settings.directions or settings.bias_pairs or settings.concept or len(found) < len(sets) or not sets:
        found.insert(0, "gender")
    return found


def find_reader(findings: Findings, embedding: Embedding, named: str | Path | None) -> AttentionNli | None:
    """Return the network that was trained on these vectors; without one, None with a notice, or an error if named."""
    model = load_attention_nli(named or MODEL)
    own = model.word_vectors
    if own is not None and own.provenance.sha256 and own.provenance.sha256 == embedding.provenance.sha256:
        return model
    reads = own.name if own is not None else "contextual vectors"
    mismatch = (
        f"{model.name} reads {reads}, not {embedding.name}; train a network over these vectors "
        "(`wordworth train-nli --vectors …`) and name it with --nli"
    )
    if named is not None:
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
    labelled = [LABELLED] if here(LABELLED, entry(LABELLED, "nli").sources) else []
    if not labelled:
        reason = f"{LABELLED} is not on this machine (`wordworth show {LABELLED}`)"
        findings.notice("skipped", reason, model=model.name, experiment="accuracy")
    before = versions[0][1]
    chosen: dict[str, Any] = {"probes": settings.probes or choose_probes(settings), "sample": settings.sample}
    chosen |= {"mitigate": (), "random": 0, "farthest": 0, "swaps": 0}
    chosen |= {"seed": settings.seed, "resamples": settings.resamples}
    with progress(f"Inferring with {model.name}", len(versions) + len(controls)) as advance:

        def infer(embedding: Embedding, accuracy: Sequence[str] = ()) -> Findings:
            result = INFER.measure([model.with_vectors(embedding)], INFER.settings(accuracy=tuple(accuracy), **chosen))
            findings.experiments = {*findings.experiments, *result.experiments}  # a probe of the user's own
            advance(1)
            return result

        for name, version in versions:
            # The network knows vectors of many lengths, and hard debiasing makes them all alike.
            embedding = with_lengths_of(version, before) if name == HARD else version
            result = infer(embedding, labelled)
            if name == ORIGINAL:
                findings.models |= result.models
            result.models = {}
            add_version(findings, result, name)
        add_draws(findings, [infer(control(before)) for control in controls])

"""Debiasing with networks: a bias taken out of a language model, and what it does to inferences.

A language model is changed in its subword embeddings, and measured as it was (`original`), after (the method), and
with random directions in place of the bias (`random`). An NLI network stays as it was trained and is given changed
word vectors; the paper trains it anew on them: such networks are compared by the study `infer`.
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
from wordworth.results import ORIGINAL, Findings
from wordworth.study.debias import CONTROLS_OF_NETWORK, HARD, DebiasSettings
from wordworth.study.debias.study import LANGUAGE, add_controls, add_version, load_task_data, measure
from wordworth.study.infer import STUDY as INFER
from wordworth.study.inputs import usual_pooling
from wordworth.study.mitigation import (
    EQUALIZE,
    SPECIFIC,
    Change,
    learn,
    named_words,
    pairs_named,
    treatment,
    words_named,
)
from wordworth.study.predict import STUDY as PREDICT
from wordworth.task.nli import nli_probe
from wordworth.transform import NothingToRemoveError, Subspace, random_directions, with_lengths_of
from wordworth.whole_words.model import wrap_word_model


@dataclass(frozen=True)
class _Plan:
    """What is done to the network, and what the controls do."""

    repair: InSubwords
    subspace: Subspace
    controls: Sequence[InSubwords]
    said: str


def debias_network(named: str | Path, settings: DebiasSettings) -> Findings:
    """Takes a bias out of a language model of English words, and measures before and after.

    The network is `findings.network`, whose `save(folder)` writes it as an ordinary checkpoint.
    """
    findings = Findings("debias")
    headed = load_whole(named, device=settings.device)
    facts = {"source": headed.source, "weights": headed.weights, "class": type(headed.network).__name__}
    findings.used_model(headed.name, facts)
    try:
        plan = _in_subwords(headed, settings, findings)
    except NothingToRemoveError as nothing:  # debiased twice is debiased once
        findings.warn(f"The model is left as it is: {nothing}.")
        findings.network = Repaired(headed, None, settings.mitigate, "nothing")
        return findings
    subspace = plan.subspace
    findings.used_words(f"the subspace {subspace.name}", {"words": subspace.words})
    where = {"experiment": "subspace", "model": headed.name, "dataset": subspace.name}
    findings.score(**where, measure="dimensions", value=len(subspace), n=len(subspace.words))
    findings.note(f"{headed.name}: {plan.said}.")
    findings.network = Repaired(headed, plan.repair, settings.mitigate, plan.said, subspace)
    entry = resolve(named).entry
    language = (entry.language if entry else "") or LANGUAGE
    if language != LANGUAGE:
        findings.warn(f"{headed.name} is {language} and the report measures {LANGUAGE} words, so it is left out.")
        return findings
    _measure(findings, headed, plan, settings)
    return findings


def _measure(findings: Findings, headed: Headed, plan: _Plan, settings: DebiasSettings) -> None:
    measuring = Measuring(headed, findings, settings)
    if not measuring.wanted:
        return
    with progress(f"Measuring {headed.name}", 2 + len(plan.controls)) as advance:
        for setting, repair in ((ORIGINAL, None), (settings.mitigate, plan.repair)):
            version = measuring.version(repair_network(headed.network, repair), settings)
            add_version(findings, version, setting)
            advance(1)
        # Of a control only the value is used, so that neither p nor an interval is worth its time.
        quick = replace(settings, resamples=1, permutations=1, p_method="monte-carlo")
        results = []
        for repair in plan.controls:
            network = repair_network(headed.network, repair)
            results.append(measuring.version(network, quick, inferring=False))
            advance(1)
    add_controls(findings, results)


def _count(settings: DebiasSettings) -> int:
    return CONTROLS_OF_NETWORK if settings.random is None else settings.random


def _in_subwords(headed: Headed, settings: DebiasSettings, findings: Findings) -> _Plan:
    """The rows of the subword matrix are treated as word vectors are; words of one piece stand for themselves."""
    every = every_piece(headed, _forms(settings))
    there = np.flatnonzero(np.linalg.norm(every.matrix, axis=1))  # a vector of zeros, as padding's, stays as it is
    pieces = replace(every, words=[every.words[at] for at in there.tolist()], matrix=every.matrix[there])
    subspace = learn(pieces, settings, findings)
    chosen = treatment(pieces, subspace, settings, findings)

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
    """Every word that must be found among the pieces, in the cases that it is tried in."""
    words = named_words(settings)
    if settings.mitigate == HARD:
        words += [*words_named(settings.specific or SPECIFIC), *chain(*pairs_named(settings.equalize or EQUALIZE))]
    cases: Sequence[Callable[[str], str]] = (str, str.lower, str.title, str.capitalize, str.upper)
    return list(dict.fromkeys(change(word) for word in words for change in cases))


GEOMETRY = ("valence", "similarity", "weat", "bias")
TRAIN, TEST = "sick-train", "sick-test"


class Measuring:
    """All versions of one model are measured on the same data."""

    def __init__(self, headed: Headed, findings: Findings, settings: DebiasSettings) -> None:
        self.headed = headed
        whole: Any = headed.network
        head = whole.get_output_embeddings()
        self.wanted = [part for part in settings.wanted if part != "stability"]
        if "prediction" in self.wanted and head is None:
            findings.warn(f"Prediction was not measured: {headed.name} has no head for words.")
            self.wanted.remove("prediction")
        self.nli: tuple[NliData, ...] = ()
        if "nli" in self.wanted:
            lacking = [name for name in (TRAIN, TEST) if not here(name, entry(name, "nli").sources)]
            if lacking:
                findings.warn(f"Inference was not measured: {lacking[0]} is not here (`wordworth show {lacking[0]}`).")
                self.wanted.remove("nli")
            else:
                self.nli = tuple(load_nli(name) for name in (TRAIN, TEST))
                for data in self.nli:
                    findings.used_data(data, len(data))
        self.data = load_task_data(findings, settings) if set(self.wanted) & set(GEOMETRY) else None

    def version(self, network: PreTrainedModel, settings: DebiasSettings, *, inferring: bool = True) -> Findings:
        """What is found on one version."""
        headed, findings = self.headed, Findings()
        about: dict[str, Any] = {"name": headed.name, "source": headed.source}
        if "prediction" in self.wanted:
            words = wrap_word_model(network, headed.tokenizer, **about)
            model = words.reader.base
            chosen = {"corpus": settings.corpus, "words": settings.words, "soft_match": ("none",)}
            found = PREDICT([words], **chosen, seed=settings.seed, resamples=settings.resamples)
            found.models = {}
            kept = found.where(lambda row: row["experiment"] == "prediction", pl.col("experiment") == "prediction")
            findings.add(kept)
        else:
            model = wrap(network.base_model, headed.tokenizer, **about)  # type: ignore[arg-type]
        numbers = sorted(checked_layers(model, settings.layers or (model.layers // 2,)))
        if self.data is not None:
            findings.add(self._geometry(model, numbers, settings))
        if self.nli and inferring:
            train, test = self.nli
            for number in numbers:
                findings.add(nli_probe(model, train, test, number))
        return findings

    def _geometry(self, model: LanguageModel, numbers: list[int], settings: DebiasSettings) -> Findings:
        assert self.data is not None
        words = self.data.words()
        source = in_contexts(model, words, bleached(words, load_templates()), "bleached", numbers)
        layers = replace(source.layers(usual_pooling(model), "english"), setting=None)
        return measure(layers.in_memory(), self.data, settings)


MODEL = "nli-glove"
LABELLED = "snli-test"
PROBES = {"dev-demonyms_train": "nationality", "dev-adherents_train": "religion"}
"""The probe of what the words of a set stand for; gender is that of all else."""


def probes_of(settings: DebiasSettings) -> list[str]:
    """The probes that fit what is taken out."""
    sets = [str(named) for named in settings.bias_words]
    found = [PROBES[name] for name in sets if name in PROBES]
    if settings.directions or settings.bias_pairs or settings.concept or len(found) < len(sets) or not sets:
        found.insert(0, "gender")
    return found


def reader_of(findings: Findings, embedding: Embedding, named: str | Path | None) -> AttentionNli | None:
    """The network that was trained on these very vectors. Without one, what was not asked for by name is reported."""
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
    findings.warn(f"Inference was not measured: {mismatch}.")
    return None


def inference(
    findings: Findings,
    model: AttentionNli,
    versions: Sequence[tuple[str, Embedding]],
    controls: Sequence[Change],
    settings: DebiasSettings,
) -> None:
    """Every probe and the labelled pairs on the versions, the original first; the probes without random subspaces."""
    labelled = [LABELLED] if here(LABELLED, entry(LABELLED, "nli").sources) else []
    if not labelled:
        findings.warn(f"Accuracy was not measured: {LABELLED} is not here (`wordworth show {LABELLED}`).")
    before = versions[0][1]
    chosen = {"probes": settings.probes or probes_of(settings), "sample": settings.sample}
    chosen |= {"mitigate": (), "random": 0, "farthest": 0, "swaps": 0}
    chosen |= {"seed": settings.seed, "resamples": settings.resamples}
    with progress(f"Inferring with {model.name}", len(versions) + len(controls)) as advance:

        def measured(embedding: Embedding, accuracy: Sequence[str] = ()) -> Findings:
            result = INFER([model.with_vectors(embedding)], accuracy=accuracy, **chosen)
            findings.experiments = {**findings.experiments, **result.experiments}  # a probe of the user's own
            advance(1)
            return result

        for setting, version in versions:
            # The network knows vectors of many lengths, and hard debiasing makes them all alike.
            embedding = with_lengths_of(version, before) if setting == HARD else version
            result = measured(embedding, labelled)
            if setting == ORIGINAL:
                findings.models |= result.models
            result.models = {}
            add_version(findings, result, setting)
        add_controls(findings, [measured(control(before)) for control in controls])

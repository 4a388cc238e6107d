"""A bias taken out of a language model's subword embeddings, and what that costs.

Every measure is taken on the model as it was (`original`), as it is after (the method), and, as the control, with
random directions in the place of the bias (`random`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from wordworth.catalog.resolve import resolve
from wordworth.encode.heads import Headed
from wordworth.progress import progress
from wordworth.repair.checkpoint import InSubwords, Repaired, folded, load_whole
from wordworth.repair.subwords import every_piece
from wordworth.run import ORIGINAL, Findings
from wordworth.study.bias_words import named_words, pairs_named, words_named
from wordworth.study.debias import CONTROLS_OF_NETWORK, HARD, DebiasSettings
from wordworth.study.debias.merge import add_controls, add_version
from wordworth.study.debias.tasks import LANGUAGE
from wordworth.study.debias.treatment import EQUALIZE, SPECIFIC, Change, learn, treatment
from wordworth.study.debias.versions import Measuring
from wordworth.transform import NothingToRemoveError, Subspace, random_directions, with_lengths_of


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
            version = measuring.version(folded(headed.network, repair), settings)
            add_version(findings, version, setting)
            advance(1)
        # Of a control only the value is used, so that neither p nor an interval is worth its time.
        quick = replace(settings, resamples=1, permutations=1, p_method="monte-carlo")
        results = []
        for repair in plan.controls:
            network = folded(headed.network, repair)
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

"""A bias taken out of an embedding, and what that cost: Tables 7 to 17 of Dev et al. 2020 as one table.

Every measure is taken on the embedding as it was (`original`), as it is after (the method), and, as the control,
without a random subspace of as many dimensions (`random`, the mean of eight).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wordworth.catalog.kinds import kind_of
from wordworth.catalog.models import load_embeddings
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.run import ORIGINAL, Findings
from wordworth.study.debias import CONTROLS, DebiasSettings
from wordworth.study.debias.merge import add_controls, add_version
from wordworth.study.debias.tasks import LANGUAGE, load_task_data, measure
from wordworth.study.debias.treatment import Change, Treatment, learn, treatment
from wordworth.task.geometry import subspace_stability
from wordworth.transform import NothingToRemoveError, random_directions, vanished

Versions = Sequence[tuple[str, Embedding]]
"""(setting, embedding): the original, and what the method made of it."""


def debias(models: Sequence[str | Path | Embedding], settings: DebiasSettings) -> Findings:
    """Takes a subspace out of every vector of an embedding of English words, and measures before and after.

    The embedding without it is `findings.embedding`; of a language model, `findings.network` is the network.
    """
    if len(models) != 1:
        raise WordworthError("debias takes one model, such as glove-6b-50d (`wordworth ls models`)")
    if isinstance(models[0], str | Path) and kind_of(models[0]) != "static":
        from wordworth.study.debias.network import debias_network  # torch, for language models alone

        return debias_network(models[0], settings)
    findings = Findings("debias")
    embedding = models[0] if isinstance(models[0], Embedding) else one_embedding(models[0])
    language = embedding.provenance.language or LANGUAGE
    findings.used_embedding(embedding, language)
    try:
        subspace = learn(embedding, settings, findings)
        chosen = treatment(embedding, subspace, settings, findings)
    except NothingToRemoveError as nothing:  # debiased twice is debiased once
        findings.warn(f"The vectors are left as they are: {nothing}.")
        findings.embedding = embedding
        return findings
    findings.used_words(f"the subspace {subspace.name}", {"words": subspace.words})
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name}
    findings.score(**where, measure="dimensions", value=len(subspace), n=len(subspace.words))
    after = findings.embedding = chosen.treat(embedding)
    findings.note(f"{embedding.name}: {after.provenance.steps[-1]}.")
    lost = vanished(embedding, after)
    if lost:
        some = ", ".join(lost[:8]) + (", …" if len(lost) > 8 else "")
        findings.warn(f"Nothing is left of the vectors of {len(lost):,} words ({some}): they lay in the subspace.")
    if language != LANGUAGE:
        findings.warn(
            f"{embedding.name} has {language} words and the report measures {LANGUAGE} ones, so it is left out."
        )
        return findings
    if "stability" in settings.wanted:
        findings.add(subspace_stability(embedding))
    _measure(
        findings, ((ORIGINAL, embedding), (settings.mitigate, after)), _controls(embedding, chosen, settings), settings
    )
    return findings


def one_embedding(named: str | Path) -> Embedding:
    """The only embedding of a name or file."""
    embeddings = list(load_embeddings(named))
    if len(embeddings) != 1:
        raise WordworthError(f"{named} holds {len(embeddings)} embeddings; name one of them")
    return embeddings[0]


def _measure(findings: Findings, versions: Versions, controls: Sequence[Change], settings: DebiasSettings) -> None:
    if {"valence", "similarity", "weat", "bias"} & set(settings.wanted):
        _geometry(findings, versions, controls, settings)
    if "nli" in settings.wanted:
        from wordworth.study.debias.inference import inference, reader_of  # torch, for this part alone

        reader = reader_of(findings, versions[0][1], settings.nli)
        if reader is not None:
            inference(findings, reader, versions, controls, settings)


def _controls(embedding: Embedding, chosen: Treatment, settings: DebiasSettings) -> list[Change]:
    count = CONTROLS if settings.random is None else settings.random
    if not count:
        return []
    subspaces = random_directions(embedding.dim, count=count, k=chosen.dimensions, seed=settings.seed)
    return [chosen.control(one) for one in subspaces]


def _geometry(findings: Findings, versions: Versions, controls: Sequence[Change], settings: DebiasSettings) -> None:
    """What is measured on the vectors themselves."""
    data = load_task_data(findings, settings)
    forms = list(data.forms())
    # Only the words that are looked up: a random subspace is then taken out of thousands of vectors, not of millions.
    few = [(setting, version.restrict(forms)) for setting, version in versions]
    with progress(f"Measuring {few[0][1].name}", len(few) + len(controls)) as advance:
        for setting, version in few:
            add_version(findings, measure(version, data, settings), setting)
            advance(1)
        # Of a control only the value is used, so that neither p nor an interval is worth its time.
        quick = replace(settings, resamples=1, permutations=1, p_method="monte-carlo")
        results = []
        for control in controls:
            results.append(measure(control(few[0][1]), data, quick))
            advance(1)
    add_controls(findings, results)

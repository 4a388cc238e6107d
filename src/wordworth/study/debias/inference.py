"""What taking a bias out does to inferences: neutrality on a probe and accuracy, by a network over the vectors.

The network stays as it was trained and is given the changed vectors. The paper trains it anew on them: such networks
are compared by the study `infer`.
"""

from collections.abc import Sequence
from pathlib import Path

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.registry import entry
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.infer.loading import load_attention_nli
from wordworth.infer.over_vectors import AttentionNli
from wordworth.progress import progress
from wordworth.run import ORIGINAL, Findings
from wordworth.study.debias import HARD, DebiasSettings
from wordworth.study.debias.merge import add_controls, add_version
from wordworth.study.debias.treatment import Change
from wordworth.study.infer import STUDY as INFER
from wordworth.transform import with_lengths_of

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

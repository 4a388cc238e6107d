"""How well defined the subspaces are in the vectors that a network reads (Dev et al. 2020, Tables 7 and 12)."""

from wordworth.errors import WordworthError
from wordworth.infer.contextual import ElmoVectors
from wordworth.infer.nli import MitigableNli, NliModel
from wordworth.infer.over_vectors import AttentionNli
from wordworth.run import Findings
from wordworth.study.elmo_layers import Say, means_by_layer
from wordworth.study.infer import InferSettings
from wordworth.study.infer.settings import elmo_of
from wordworth.task.geometry import stability_words, subspace_stability


def stability_of(model: NliModel, settings: InferSettings, say: Say) -> Findings:
    """Of word vectors, of a transformer's subwords, or of each chosen layer of ELMo."""
    if not isinstance(model, MitigableNli):
        raise WordworthError(f"{model.name} has no vectors that could be looked at; leave --stability out")
    if settings.only_first:
        elmo = isinstance(model, AttentionNli) and isinstance(model.embedder, ElmoVectors)
        return subspace_stability(model.vectors_of(stability_words()), model.name, 1 if elmo else None)
    findings = Findings()
    means = means_by_layer(elmo_of(model, settings)[0], stability_words(), settings, settings.seed, say)
    for layer, vectors in means.items():
        findings.add(subspace_stability(vectors, model.name, layer))
    return findings

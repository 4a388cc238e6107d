"""Measure how well defined bias subspaces are (Dev et al. 2020, Tables 7 and 12), and how even a vector space is."""

from collections.abc import Callable, Mapping

import numpy as np

from wordworth.catalog.read.word_sets import load_word_set
from wordworth.embedding import NOT_FOUND, Embedding, Layers
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.results.findings import Findings, Keys
from wordworth.transform import (
    Components,
    Subspace,
    class_means,
    difference_direction,
    pair_components,
    set_components,
    stability,
)

Learn = Callable[[Embedding], Subspace]


def _set(name: str, components: int) -> tuple[Learn, Learn]:
    train, test = load_word_set(f"dev-{name}_train").words, load_word_set(f"dev-{name}_test").words
    return (
        lambda embedding: set_components(embedding, [*train, *test], name=name),
        lambda embedding: set_components(embedding, train, components, name=f"{name}, training words"),
    )


def _he_she(embedding: Embedding) -> Subspace:
    return difference_direction(embedding, "he", "she")


def load_bias_kinds() -> dict[str, tuple[Learn, Learn]]:
    """Return for each bias what learns the subspace of all its words, and the one that the paper removes.

    Gendered pairs, and names by their two means, and he − she; demonyms and the first component of eight; adherents
    and the first two of eight.
    """
    pairs = load_word_set("dev-gendered_pairs").pairs
    men, women = load_word_set("ea_name_male").words, load_word_set("ea_name_female").words
    return {
        "gendered": (lambda embedding: pair_components(embedding, pairs, name="gendered pairs"), _he_she),
        "names": (lambda embedding: class_means(embedding, {"men": men, "women": women}, name="names"), _he_she),
        "demonyms": _set("demonyms", 1),
        "adherents": _set("adherents", 2),
    }


def list_stability_words() -> tuple[str, ...]:
    """Return all words that the subspaces are learnt from, for vectors that are computed on request."""
    pairs = load_word_set("dev-gendered_pairs").pairs
    sets = [f"dev-{name}_{part}" for name in ("demonyms", "adherents") for part in ("train", "test")]
    words = [word for name in (*sets, "ea_name_male", "ea_name_female") for word in load_word_set(name).words]
    return tuple(dict.fromkeys(["he", "she", *(word for pair in pairs for word in pair), *words]))


def score_stability(embedding: Embedding, model: str = "", layer: int | None = None) -> Findings:
    """Score how well defined each kind of bias is. A kind whose words the embedding lacks is recorded as failed.

    `model` and `layer` say whose vectors they are, where that is not the embedding's name.
    """
    findings = Findings()
    place: Keys = {"experiment": "stability", "model": model or embedding.name, "language": "english"}
    for name, (learn_full, learn_derived) in load_bias_kinds().items():
        place |= {"dataset": name, "layer": layer}
        with findings.part(**place):
            full, derived = learn_full(embedding), learn_derived(embedding)
            values = stability(full, derived)
            for k, ratio in enumerate(values.ratios, start=2):
                findings.score(**place, measure="principal", k=k, value=ratio, n=len(full.words))
            findings.score(**place, measure="cosine", value=values.cosine, n=len(derived.words))
            if full.missing:
                findings.item("word_lists", **place, list=name, word=list(full.missing), skipped=NOT_FOUND)
    return findings


NEURONS = (1, 2, 4, 8, 16)


def score_isotropy(layers: Layers, dataset: str, language: str) -> Findings:
    """Score `anisotropy` in every slot, and `neuron-share` of the vectors as they are."""
    findings = Findings()
    for slot, matrix in layers.each():
        place: Keys = {**layers.columns, "language": language, "dataset": dataset, **slot._asdict()}
        place["n"] = len(layers)
        vectors = np.asarray(matrix, dtype=np.float64)
        findings.score(**place, measure="anisotropy", value=anisotropy(vectors))
        if slot.components is None:
            shares = neuron_share(vectors, min(max(NEURONS), vectors.shape[1])).tolist()
            for k in NEURONS:
                if k <= len(shares):
                    findings.score(**place, measure="neuron-share", k=k, value=shares[k - 1])
    return findings


def score_variance_shares(layers: Layers, components: Mapping[int | None, Components], where: Keys) -> Findings:
    """Score the part of the total variance along each component that can be nullified."""
    findings = Findings()
    for layer, basis in components.items():
        place: Keys = {**layers.columns, **where, "layer": layer, "measure": "variance-share"}
        for number, share in enumerate(basis.shares.tolist(), start=1):
            findings.score(**place, components=number, value=share)
    return findings

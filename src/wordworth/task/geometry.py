"""The space of vectors: how well-defined bias subspaces are (Dev et al. 2020, Tables 7 and 12), and how even it is."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wordworth.catalog.read.word_sets import load_word_set
from wordworth.embedding import NOT_FOUND, Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.results import Findings
from wordworth.transform import (
    Components,
    Subspace,
    class_means,
    difference_direction,
    pair_components,
    set_components,
    stability,
)

ORDINALS = ("2nd", "3rd", "4th")


Learn = Callable[[Embedding], Subspace]


def _set(name: str, components: int) -> tuple[Learn, Learn]:
    train, test = load_word_set(f"dev-{name}_train").words, load_word_set(f"dev-{name}_test").words
    return (
        lambda embedding: set_components(embedding, [*train, *test], name=name),
        lambda embedding: set_components(embedding, train, components, name=f"{name}, training words"),
    )


def _he_she(embedding: Embedding) -> Subspace:
    return difference_direction(embedding, "he", "she")


def kinds() -> dict[str, tuple[Learn, Learn]]:
    """Return for each bias the subspace of all its words, and the one that the paper takes out.

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


def stability_words() -> tuple[str, ...]:
    """All words that the kinds are learnt from, for vectors that are made when they are asked for."""
    pairs = load_word_set("dev-gendered_pairs").pairs
    sets = [f"dev-{name}_{part}" for name in ("demonyms", "adherents") for part in ("train", "test")]
    words = [word for name in (*sets, "ea_name_male", "ea_name_female") for word in load_word_set(name).words]
    return tuple(dict.fromkeys(["he", "she", *(word for pair in pairs for word in pair), *words]))


def subspace_stability(embedding: Embedding, model: str = "", layer: int | None = None) -> Findings:
    """A row a kind and figure. A kind whose words the embedding lacks is reported and left out.

    `model` and `layer` are whose vectors they are, where that is not what the embedding is called.
    """
    findings = Findings()
    for name, (learn_full, learn_derived) in kinds().items():
        where: dict[str, Any] = {"experiment": "stability", "model": model or embedding.name, "language": "english"}
        where |= {"dataset": name, "layer": layer}
        try:
            full, derived = learn_full(embedding), learn_derived(embedding)
        except WordworthError as error:
            findings.warn(f"stability of {name} was not measured: {error}.")
            continue
        values = stability(full, derived)
        for ordinal, ratio in zip(ORDINALS, values.ratios, strict=False):
            findings.score(**where, measure=f"principal:{ordinal}", value=ratio, n=len(full.words))
        findings.score(**where, measure="cosine", value=values.cosine, n=len(derived.words))
        if full.missing:
            findings.item(**where, item=list(full.missing), left_out=NOT_FOUND)
    return findings


NEURONS = (1, 2, 4, 8, 16)


def isotropy(layers: Layers, dataset: str, language: str) -> Findings:
    """Score `anisotropy` in every slot, and `neuron-share:k` of the vectors as they are."""
    findings = Findings()
    where = {**layers.columns, "language": language, "dataset": dataset, "n": len(layers)}
    for slot, matrix in layers.each():
        vectors = np.asarray(matrix, dtype=np.float64)
        findings.score(**where, **slot._asdict(), measure="anisotropy", value=anisotropy(vectors))
        if slot.pcs is None:
            shares = neuron_share(vectors, min(max(NEURONS), vectors.shape[1]))
            for count in NEURONS:
                if count <= len(shares):
                    share = float(shares[count - 1])
                    findings.score(**where, **slot._asdict(), measure=f"neuron-share:{count}", value=share)
    return findings


def variance_shares(
    layers: Layers, components: Mapping[int | None, Components], where: Mapping[str, object]
) -> Findings:
    """`variance-share`: of the total variance, the part along each component that can be nullified."""
    findings = Findings()
    for layer, fitted in components.items():
        for k, share in enumerate(fitted.shares.tolist(), start=1):
            findings.score(**layers.columns, **where, layer=layer, pcs=k, measure="variance-share", value=share)
    return findings

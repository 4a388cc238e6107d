"""What is done to a model's vectors before it is probed: nothing, a mitigation, or a random direction as control.

The network stays as it was trained; only the vectors it looks up change: those of words, or the subword embeddings of a
transformer. The paper retrains networks on the changed vectors: such a network is a model of its own, named beside this
one (`against`).
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from wordworth.catalog.read.word_sets import load_word_set
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError, nearest
from wordworth.infer.model.contextual import ElmoVectors
from wordworth.infer.model.cross_encoder import CrossEncoder
from wordworth.infer.model.nli import NliModel
from wordworth.infer.model.over_vectors import EmbeddedNli
from wordworth.infer.model.projection import piece_vectors
from wordworth.infer.model.vocabulary import StaticVectors, words_of
from wordworth.infer.probe.pairs import PairSet
from wordworth.infer.probe.probe import SubspaceWords
from wordworth.run import ORIGINAL, RANDOM
from wordworth.transform import (
    Subspace,
    difference_direction,
    hard_debias,
    random_directions,
    remove,
    set_components,
    with_lengths_of,
)

MITIGATIONS = ("projection", "hard-debias", "inlp")


@dataclass(frozen=True)
class Setting:
    """A version of a model."""

    name: str
    """As `setting` has it: original, projection, …, random:1."""
    model: Callable[[], NliModel]
    """Made when its turn comes, so that one at a time is in memory."""
    key: str = ""
    """Tells versions apart in the cache that have one identity."""
    told: str = ""
    """What was taken out, for a reader of the scores."""


def subspace_of(embedding: Embedding, words: SubspaceWords) -> Subspace:
    """he − she, or the first components of the training words."""
    if not words.components:
        first, second = words.words
        return difference_direction(embedding, first, second)
    return set_components(embedding, words.words, words.components, name=words.name)


def settings(
    model: NliModel, pairs: PairSet, mitigate: Sequence[str], random: int, seed: int, texts: Sequence[str] = ()
) -> Iterator[Setting]:
    """The model itself, each mitigation, and `random` random subspaces of as many dimensions as the one taken out.

    The versions read the probe's sentences, and `texts`.
    """
    _check(mitigate, random)
    yield Setting(ORIGINAL, lambda: model)
    if not (mitigate or random):
        return
    words = pairs.probe.subspace
    if words is None:
        raise WordworthError(
            f"the probe {pairs.probe.name} names no subspace to take out; add subspace = … to it, "
            "or ask for --mitigate none --random 0"
        )
    if isinstance(model, EmbeddedNli) and isinstance(model.embedder, StaticVectors):
        read = [*texts, *(text for side in pairs.fragments() for text in side)]
        yield from _over_words(model, model.embedder.embedding, read, words, mitigate, random, seed)
    elif isinstance(model, EmbeddedNli) and isinstance(model.embedder, ElmoVectors):
        yield from _inside(
            model, model.embedder.static(words.words), partial(_elmo, model), words, mitigate, random, seed
        )
    elif isinstance(model, CrossEncoder):
        forms = [form for word in words.words for form in dict.fromkeys((word, word.lower(), word.capitalize()))]
        pieces = piece_vectors(model.headed, forms)
        yield from _inside(model, pieces, model.with_projection, words, mitigate, random, seed)
    else:
        raise WordworthError(
            f"{model.name} has no vectors that could be changed, so {', '.join(mitigate) or RANDOM} cannot be had; "
            "probe it with --mitigate none --random 0, and name a mitigated model with --against"
        )


def _check(mitigate: Sequence[str], random: int) -> None:
    for name in mitigate:
        if name not in MITIGATIONS:
            close = nearest(name, list(MITIGATIONS)) or f"; there are {', '.join(MITIGATIONS)}"
            raise WordworthError(f"there is no mitigation {name!r}{close}")
    if random < 0:
        raise WordworthError(f"--random is {random}; it must be a whole number from 0 up")


def _over_words(
    model: EmbeddedNli,
    embedding: Embedding,
    texts: Sequence[str],
    words: SubspaceWords,
    mitigate: Sequence[str],
    random: int,
    seed: int,
) -> Iterator[Setting]:
    """Versions over changed word vectors; only the words that the sentences hold are changed and kept."""
    subspace = subspace_of(embedding, words)
    needed = embedding.restrict(_tokens(texts, embedding))

    def version(name: str, changed: Embedding, told: str = "") -> Setting:
        matrix = np.ascontiguousarray(changed.matrix, dtype=np.float32)
        key = hashlib.sha256(matrix.tobytes() + "\0".join(changed.words).encode()).hexdigest()
        return Setting(name, lambda: model.with_vectors(changed), key, told)

    for name in mitigate:
        yield version(name, *_mitigated(embedding, needed, subspace, name, seed))
    for control in random_directions(embedding.dim, count=random, k=len(subspace), seed=seed):
        yield version(control.name, remove(needed, control.basis, f"{control.name}, seed {seed}"))


def _told(subspace: Subspace) -> str:
    lacking = f"; without {', '.join(subspace.missing)}, which have no vector" if subspace.missing else ""
    return f"{subspace.name}, {len(subspace)} of {subspace.basis.shape[1]} dimensions{lacking}"


def _mitigated(full: Embedding, needed: Embedding, subspace: Subspace, name: str, seed: int) -> tuple[Embedding, str]:
    """The vectors of the words needed, changed as the whole embedding would be; and what was done."""
    if name == "projection":
        return remove(needed, subspace.basis, subspace.name), _told(subspace)
    if name == "hard-debias":
        # The sets of Bolukbasi et al.: what is gendered by definition is not neutralized, and pairs are equalized.
        if len(subspace.words) != 2:
            raise WordworthError(
                "hard debiasing has word lists for gender only; take projection or inlp for this probe"
            )
        specific = load_word_set("bolukbasi-gender_specific_full").words
        pairs = load_word_set("bolukbasi-equalize_pairs").pairs
        words = dict.fromkeys([*needed.words, *(form for pair in pairs for form in _cases(pair))])
        before = full.restrict(words)
        made = hard_debias(before, subspace, specific, pairs)
        # The network learnt from vectors of all lengths, and hard debiasing leaves unit ones.
        kept = with_lengths_of(made.embedding, before)
        return kept, f"{_told(subspace)}; lengths kept, {len(made.equalized)} pairs equalized"
    from wordworth.transform.inlp import inlp, leaning_words

    found = inlp(*leaning_words(full, subspace.basis[0]), seed=seed, name=f"inlp along {subspace.name}")
    hits = f"a classifier's hits went from {found.accuracies[0]:.1%} to {found.accuracies[-1]:.1%}"
    return remove(needed, found.subspace.basis, found.subspace.name), f"{_told(found.subspace)}; {hits}"


def _cases(pair: tuple[str, str]) -> list[str]:
    return [change(word) for word in pair for change in (str, str.lower, str.title, str.upper)]


def _tokens(texts: Sequence[str], embedding: Embedding) -> list[str]:
    """The words of the embedding that texts hold: as written, in lower case, and the parts of hyphened ones."""
    words = [form for text in texts for word in words_of(text) for form in (word, *word.split("-"))]
    return [form for word in dict.fromkeys(words) for form in dict.fromkeys((word.lower(), word)) if form in embedding]


def _inside(
    model: NliModel,
    embedding: Embedding,
    without: Callable[[Subspace], NliModel],
    words: SubspaceWords,
    mitigate: Sequence[str],
    random: int,
    seed: int,
) -> Iterator[Setting]:
    """Versions with a subspace taken out of the context-free vectors inside a network, where they are looked up."""
    refused = next((name for name in mitigate if name != "projection"), None)
    if refused is not None:
        raise WordworthError(
            f"{refused} changes a file of word vectors, and {model.name} reads none; ask for projection"
        )
    subspace = subspace_of(embedding, words)
    if mitigate:
        yield Setting("projection", partial(without, subspace), told=_told(subspace))
    for control in random_directions(embedding.dim, count=random, k=len(subspace), seed=seed):
        yield Setting(control.name, partial(without, control))


def _elmo(model: EmbeddedNli, subspace: Subspace) -> EmbeddedNli:
    """ELMo with a subspace taken out of layer 1, before its LSTMs read it; layers 2 and 3 follow from that."""
    basis = torch.from_numpy(subspace.basis).float()
    key = hashlib.sha256(subspace.basis.tobytes()).hexdigest()[:12]

    def first(x: Tensor) -> Tensor:
        return x - (x @ basis.T) @ basis

    if not isinstance(model.embedder, ElmoVectors):
        raise TypeError(f"{model.name} is not over ELMo")
    return replace(model, embedder=model.embedder.changed(f"projected out: {subspace.name} {key}", first=first))

"""A static embedding out of a contextual model, for any program that reads word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordworth.catalog.read.pairs import load_pairs
from wordworth.embedding import Embedding, Provenance
from wordworth.encode import LanguageModel, Weighting
from wordworth.errors import WordworthError
from wordworth.study.static.reduction import loaded, reduce
from wordworth.study.static.texts import PAIRS, SIMILARITY, draw, load_texts, load_vocabulary
from wordworth.transform import fit_components, nullify

PER_WORD = 100


@dataclass(frozen=True)
class Exported:
    """The embedding, and what a user should know of it."""

    embedding: Embedding
    layer: int
    sentences: int
    never_met: tuple[str, ...]
    """Words whose decontextualized vector stands in."""
    dropped: tuple[str, ...]
    """Words that have no vector, each with the reason."""
    windowed: int
    broken: tuple[str, ...]
    """Lines of the text that could not be read."""


def export(
    model: str | Path | LanguageModel,
    *,
    layer: int | None = None,
    contexts: Sequence[str | Path] = (),
    vocabulary: str | Path = SIMILARITY,
    per_word: int | None = None,
    sentences: int | None = None,
    pooling: str = "mean/mean",
    weighting: Weighting = "uniform",
    all_but_the_top: int | None = None,
    language: str = "english",
    lower_case: bool = False,
    device: str = "auto",
    dtype: str = "float32",
    seed: int = 0,
) -> Exported:
    """Vectors of a vocabulary from one layer, by default ⌊L/4⌋ as the paper's, over `per_word` contexts a word (100).

    `sentences` instead draws that many in all. `all_but_the_top` takes the mean and so many principal components of
    the vectors off (Mu & Viswanath 2018; they advise dim / 100).
    """
    if per_word is not None and sentences is not None:
        raise WordworthError("--per-word and --sentences are two ways to draw; give one of them")
    corpora = load_texts(contexts, language)
    words = load_vocabulary(vocabulary, [load_pairs(name) for name in PAIRS] if vocabulary == SIMILARITY else [])
    network = loaded(model, device, dtype)
    chosen = network.layers // 4 if layer is None else layer
    drawn = PER_WORD if per_word is None and sentences is None else per_word
    sample = draw(corpora, words, language=language, seed=seed, count=sentences, per_word=drawn, lower_case=lower_case)
    reduction = reduce(network, words, sample, poolings=[pooling], layers=[chosen], weighting=weighting)
    (layer,) = reduction.layers
    matrix = reduction.aggregated(layer, pooling)
    there = ~np.isnan(matrix[:, 0])
    lacking = {failure.word: failure.reason for failure in reduction.alone.failures}
    kept = [word for word, has in zip(words, there.tolist(), strict=True) if has]
    dropped = tuple(f"{word!r}: {lacking[word]}" for word, has in zip(words, there.tolist(), strict=True) if not has)
    told = f"{sentences:,} sentences" if sentences is not None else f"{drawn} contexts a word"
    text = " and ".join(corpus.name for corpus in corpora)
    steps = [f"layer {layer}", f"pooling {pooling}", f"{told} of {text}, seed {seed}", f"weighting {weighting}"]
    vectors = matrix[there]
    if all_but_the_top is not None:
        vectors = nullify(vectors, fit_components(vectors, all_but_the_top), all_but_the_top).astype(np.float32)
        steps.append(f"all but the top {all_but_the_top}")
    provenance = Provenance(network.name, network.source, network.weights, language, tuple(steps), dropped)
    return Exported(
        Embedding(kept, vectors, provenance),
        layer,
        sample.sentences,
        tuple(word for word in reduction.never_met if word not in lacking),
        dropped,
        reduction.aggregates[-1].windowed,
        sample.flaws,
    )

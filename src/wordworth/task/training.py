"""Vectors trained on a text with gensim."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import require


def train_vectors(
    model: Literal["Word2Vec", "FastText"], sentences: Iterable[list[str]], provenance: Provenance, **options: Any
) -> Embedding | None:
    """Train vectors with gensim, in one thread, so that the seed decides; None where no word occurs often enough."""
    require("vectors trained on a text")
    from gensim import models

    network = getattr(models, model)(workers=1, **options)
    network.build_vocab(sentences)
    words = list(network.wv.index_to_key)
    if not words:
        return None
    network.train(sentences, total_examples=network.corpus_count, epochs=network.epochs)
    return Embedding(words, np.asarray(network.wv.vectors, dtype=np.float32), provenance)

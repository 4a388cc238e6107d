"""Loading word vectors, and analogies on the real GloVe: against gensim."""

import os
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common import Result, best_of
from benchmarks.measures import analogy_answers
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.pairs import load_analogies
from wordworth.embedding import Embedding, load, save


def glove() -> Embedding:
    (found,) = load_embeddings("glove-6b-50d")
    return found


def second_load() -> Result:
    """GloVe 6B 50d as word2vec text: the second load of the file, words and word index included, against gensim's."""
    from gensim.models import KeyedVectors

    embedding = glove()
    before = os.environ.get("WORDWORTH_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "glove.txt"
        save(embedding, text)
        os.environ["WORDWORTH_CACHE"] = str(Path(folder) / "cache")
        try:
            first, _ = best_of(1, lambda: load(text))
            ours, again = best_of(5, lambda: load(text))
            indexed, _ = best_of(3, lambda: len(load(text).index))
        finally:
            if before is None:
                del os.environ["WORDWORTH_CACHE"]
            else:
                os.environ["WORDWORTH_CACHE"] = before
        plain, vectors = best_of(1, lambda: KeyedVectors.load_word2vec_format(str(text)))
        assert list(again.words) == vectors.index_to_key
        np.testing.assert_array_equal(again.matrix, vectors.vectors)
    note = f"gensim's text load; our first load {first:.2g} s, second with the word index {indexed:.2g} s"
    return Result("second load of GloVe 6B 50d", plain, ours, 50, None, note)


def glove_analogies() -> Result:
    """Google's questions over all 400,000 words."""
    embedding = glove()
    questions = [tuple(word.lower() for word in question) for question in load_analogies().questions]
    known = [question for question in questions if all(word in embedding.index for word in question)]
    return analogy_answers(np.asarray(embedding.matrix), embedding.words, known)

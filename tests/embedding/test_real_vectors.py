"""Real files of the development data."""

import numpy as np
import pytest

from wordworth.embedding import load


def test_google_news_subset(data):
    read = load(data / "vectors/word2vec_googlenews_subset.npz")
    assert read.matrix.shape == (13_784, 300)
    assert read.words[:3] == ["in", "for", "that"]
    assert read.provenance.dropped == ()
    cosine = read["king"] @ read["queen"] / np.linalg.norm(read["king"]) / np.linalg.norm(read["queen"])
    assert cosine == pytest.approx(0.6511, abs=1e-3)  # as gensim gives for the full Google News vectors

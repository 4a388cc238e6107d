import numpy as np
import pytest

from wordworth.embedding import Embedding, Provenance

WORDS = ["the", "café", "naïve", "狗", "汉语", "don't", "well-known", '"quoted', "null", "1,5", "\u00a0", "\ufefffirst"]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def words():
    return list(WORDS)


@pytest.fixture
def embedding():
    """Words with accents, Chinese, apostrophes, hyphens; vectors of all sizes."""
    rng = np.random.default_rng(0)
    scale = 10.0 ** rng.integers(-15, 15, (len(WORDS), 1))
    matrix = (rng.normal(size=(len(WORDS), 7)) * scale).astype(np.float32)
    return Embedding(list(WORDS), matrix, Provenance("made"))

"""The task isotropy: scores by slot, and items where they are asked for."""

import numpy as np
import polars as pl
import pytest

from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.task.isotropy import isotropy
from wordworth.transform import nullified


def test_items_are_the_words_of_the_vectors_as_they_are() -> None:
    words = [f"word{number}" for number in range(20)]
    matrix = np.random.default_rng(0).normal(size=(20, 6)) + 1
    whole = Layers.of(Embedding(words, matrix, Provenance("made")))
    (layers,), _ = nullified([whole.select([*words[:15], "gone"])], 2)
    findings = isotropy(layers, "mine", "english", items=True)
    used = findings.items.filter(pl.col("left_out").is_null())
    assert used.get_column("pcs").unique().to_list() == [None]
    raw = findings.scores.filter(pl.col("measure") == "anisotropy", pl.col("pcs").is_null())
    assert used.get_column("value").mean() == pytest.approx(raw.get_column("value").item())
    assert (len(used), raw.get_column("n").item()) == (15, 15)
    assert findings.items.filter(pl.col("left_out").is_not_null()).get_column("item").to_list() == ["gone"]
    assert isotropy(layers, "mine", "english").items.is_empty()

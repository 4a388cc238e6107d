"""The task isotropy: scores by slot, and items where they are asked for."""

import numpy as np
import polars as pl
import pytest

from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.task.isotropy import isotropy
from wordworth.transform import fit_layers, nullified


def test_the_whole_of_it_lists_words_and_has_shares_in_every_slot() -> None:
    words = [f"word{number}" for number in range(20)]
    matrix = np.random.default_rng(0).normal(size=(20, 6)) + 1
    whole = Layers.of(Embedding(words, matrix, Provenance("made")))
    some = whole.select([*words[:15], "gone"])
    layers = nullified(some, fit_layers([some], 2))
    findings = isotropy(layers, "mine", "english", whole=True)
    used = findings.items.filter(pl.col("left_out").is_null())
    assert used.get_column("pcs").unique().to_list() == [None]
    raw = findings.scores.filter(pl.col("measure") == "anisotropy", pl.col("pcs").is_null())
    assert used.get_column("value").mean() == pytest.approx(raw.get_column("value").item())
    assert (len(used), raw.get_column("n").item()) == (15, 15)
    assert findings.items.filter(pl.col("left_out").is_not_null()).get_column("item").to_list() == ["gone"]
    plain = isotropy(layers, "mine", "english")
    assert plain.items.is_empty()
    shares = [found.scores.filter(pl.col("measure") == "neuron-share:1") for found in (findings, plain)]
    assert [share.get_column("pcs").to_list() for share in shares] == [[None, 0, 1, 2], [None]]

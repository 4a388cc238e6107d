"""A language that is declared in TOML alone runs through the studies: Dutch."""

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Embedding, Provenance
from wordworth.study import study

QUICK = {"resamples": 20, "permutations": 100}


@pytest.mark.index
def test_valnorm_on_a_made_embedding() -> None:
    """Vectors laid along one direction by the ratings give a high valence, and their reverse a low one."""
    lexicon, polar = load_lexicon("dutch"), polar_words("dutch")
    worth = dict(zip(lexicon.words, (lexicon.valence - 4).tolist(), strict=True))
    worth |= dict.fromkeys(polar.pleasant, 2.0) | dict.fromkeys(polar.unpleasant, -2.0)
    matrix = np.random.default_rng(0).normal(size=(len(worth), 8))
    matrix[:, 0] = [2 * value for value in worth.values()]
    embedding = Embedding(list(worth), matrix, Provenance("made", language="dutch"))
    findings = study("valnorm")([embedding], experiments=["valence"], lexica=["dutch"], **QUICK)
    (row,) = findings.scores.filter(pl.col("measure") == "valence").to_dicts()
    assert (row["language"], row["dataset"], row["n"]) == ("dutch", "dutch", 1000)
    assert row["value"] > 0.8


@pytest.mark.index
def test_vast_on_a_real_model() -> None:
    chosen = {"language": "dutch", "experiments": ["contextualization"], "corpus": "none"}
    scores = study("vast")(["minilm-l6"], **chosen, resamples=20).scores
    assert set(scores.filter(measure="valence")["setting"]) == {"bleached", "aligned", "misaligned"}
    assert set(scores["language"]) == {"dutch"}
    aligned = scores.filter(measure="valence", setting="aligned", layer=6)
    assert (aligned["n"].item(), aligned["dataset"].item()) == (1000, "dutch")
    assert scores.filter(measure="valence", setting="misaligned", layer=6)["value"].item() < aligned["value"].item()

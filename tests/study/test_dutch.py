"""A language that is declared in TOML alone runs through the studies: Dutch."""

import numpy as np
import pytest

from typed_runs import one, rows, values_by
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
    run = study("valnorm")([embedding], experiments=["valence"], lexica=["dutch"], **QUICK)
    row = one(run.scores, measure="valence")
    assert (row["language"], row["dataset"], row["n"]) == ("dutch", "dutch", 1000)
    assert row["value"] > 0.8


@pytest.mark.index
def test_vast_on_a_real_model() -> None:
    chosen = {"language": "dutch", "experiments": ["contextualization"], "corpus": "none"}
    run = study("vast")(["minilm-l6"], **chosen, resamples=20)
    top = values_by(run, "context", measure="valence", layer=6)
    assert set(top) == {"bleached", "aligned", "misaligned"}
    assert top["misaligned"] < top["aligned"]
    assert set(rows(run.scores, measure="valence")["dataset"]) == {"dutch"}
    assert set(run.scores["language"]) == {"dutch"}
    assert one(run.scores, measure="valence", layer=6, context="aligned")["n"] == 1000

"""What a study's findings rest on, as BibTeX."""

from dataclasses import replace

from wordworth.embedding import Embedding
from wordworth.study import study


def test_papers_data_and_models_are_cited_once(small: Embedding) -> None:
    models = [
        Embedding(small.words, small.matrix, replace(small.provenance, name=name)) for name in ("glove-6b-50d", "mine")
    ]
    chosen = {"lexica": ["bellezza"], "experiments": ["valence"], "resamples": 5, "permutations": 20}
    found = study("valnorm")(models, **chosen).about.references
    assert list(found) == ["toney2021", "caliskan2017", "bellezza1986", "pennington2014"]
    assert found["toney2021"].startswith("@inproceedings{toney2021,")

"""Wherever memory runs out, the tables are the same."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
import torch

from wordworth.whole_words import PredictionRules, WordModel
from wordworth.whole_words.chunks import Chunk, chunks
from wordworth.whole_words.parting import Parting
from wordworth.whole_words.pipeline import predict_chunks
from wordworth.whole_words.words import numbered

Tiny = Callable[[str], tuple[WordModel, Any]]
TEXT = "the old café was naïve and the river is pleasant to think of when friends are happy"
WORDS = TEXT.split()
LINES = [" ".join(WORDS[at % 5 : 4 + at % 5 + at % 11]) for at in range(50)]
RULES = PredictionRules(k=10)


@pytest.fixture
def model(tiny_word_model: Tiny, monkeypatch: pytest.MonkeyPatch) -> WordModel:
    """Of batches so small that there are many."""
    tiny = tiny_word_model("llama-bpe")[0]
    monkeypatch.setattr(tiny.reader.budget, "tokens", 24)
    return tiny


def some_chunks(model: WordModel) -> list[Chunk]:
    every = list(chunks(model, numbered(LINES, None, Parting()), 40, 10, by_document=False))
    assert len(every) > 3
    return every


def same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    near = ["logp", "logp_naive"]
    assert one.drop(near).equals(other.drop(near))
    for name in near:
        assert (one[name] - other[name]).abs().max() < 1e-5


def test_memory_that_runs_out_among_paths(model: WordModel, monkeypatch: pytest.MonkeyPatch) -> None:
    every = some_chunks(model)
    whole = list(predict_chunks(model, every, RULES))
    reader: Any = model.reader
    extend, refused = reader.extend, []

    def short(state: Any, nodes: list[Any]) -> Any:
        if len({node.text for node in nodes}) > 2:
            refused.append(len(nodes))
            raise torch.OutOfMemoryError("no memory is left")
        return extend(state, nodes)

    monkeypatch.setattr(reader, "extend", short)
    for one, other in zip(predict_chunks(model, every, RULES), whole, strict=True):
        same(one, other)
    assert refused

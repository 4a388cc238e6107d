"""However the work on batches overlaps, and wherever memory runs out, the tables are the same."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
import torch

from wordworth.predict import PredictionRules, WordModel, pipeline
from wordworth.predict.chunks import Chunk, chunks
from wordworth.predict.parting import Parting
from wordworth.predict.pipeline import Limits, predict_chunks
from wordworth.predict.words import numbered

Tiny = Callable[[str], tuple[WordModel, Any]]
TEXT = "the old café was naïve and the river is pleasant to think of when friends are happy"
WORDS = TEXT.split()
LINES = [" ".join(WORDS[at % 5 : 4 + at % 5 + at % 11]) for at in range(150)]
RULES = PredictionRules(k=20)


@pytest.fixture
def model(tiny_word_model: Tiny, monkeypatch: pytest.MonkeyPatch) -> WordModel:
    """Of batches so small that there are many."""
    tiny = tiny_word_model("llama-bpe")[0]
    monkeypatch.setattr(tiny.reader.budget, "tokens", 64)
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


@pytest.mark.parametrize(
    "limits", [Limits(1 << 30, 2, thread=True), Limits(1, 2, thread=False), Limits(50_000, 1, True)]
)
def test_what_overlaps_says_the_same(model: WordModel, limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    every = some_chunks(model)
    alone = [table for chunk in every for table in predict_chunks(model, [chunk], RULES)]
    together: list[int] = []
    reader: Any = model.reader
    join = reader.join

    def counted(states: list[Any]) -> Any:
        together.append(len(states))
        return join(states)

    monkeypatch.setattr(reader, "join", counted)
    monkeypatch.setattr(pipeline, "limits_of", lambda *_: limits)
    found = list(predict_chunks(model, iter(every), RULES))
    assert len(found) == len(every)
    for one, other in zip(found, alone, strict=True):
        same(one, other)
    assert max(together) > 1 if limits.held > 1 else max(together) == 1


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
    monkeypatch.setattr(pipeline, "limits_of", lambda *_: Limits(1 << 30, 2, thread=False))
    for one, other in zip(predict_chunks(model, every, RULES), whole, strict=True):
        same(one, other)
    assert refused

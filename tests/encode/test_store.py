"""The store: resumed after a kill, never trusted when damaged, never confused between models."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from wordworth.contexts import Context, in_template
from wordworth.encode import POOLINGS, LanguageModel, encode, encode_to_store, encoding, store
from wordworth.encode.encoding import shards
from wordworth.errors import WordworthError
from wordworth.files import cache_dir

Tiny = Callable[[str], LanguageModel]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 contexts a chunk, the least there is."""
    monkeypatch.setattr(encoding, "SHARD_BYTES", 1)


@pytest.fixture
def contexts(words: list[str]) -> list[Context]:
    templates = ("This is WORD", "It is pleasant to think of WORD", "It is unpleasant to think of WORD")
    return [in_template(template, word) for template in templates for word in words]


def chunks() -> list[Path]:
    return sorted((cache_dir() / "vectors").glob("*/*/*.safetensors"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of contexts of each shard that was computed."""
    counted: list[int] = []
    plain = store.encode_shards

    def counting(
        model: LanguageModel, shards: Iterable[list[Context]], *args: object, **named: object
    ) -> Iterator[object]:
        def count_shards() -> Iterator[list[Context]]:
            for shard in shards:
                counted.append(len(shard))
                yield shard

        return plain(model, count_shards(), *args, **named)

    monkeypatch.setattr(store, "encode_shards", counting)
    return counted


def test_equals_encode(tiny_model: Tiny, contexts: list[Context]) -> None:
    model = tiny_model("gpt2")
    steps: list[float] = []
    kept = encode_to_store(model, [*contexts, contexts[5]], advance=steps.append)
    expected = encode(model, [*contexts, contexts[5]], POOLINGS)
    assert len(chunks()) == 2
    assert sum(steps) == len(contexts)
    assert kept.rows.tolist() == expected.rows.tolist()
    assert kept.subwords.tolist() == expected.subwords.tolist()
    for pooling in POOLINGS:
        for layer in range(model.layers + 1):
            vectors = kept.vectors(layer, pooling)
            assert vectors.dtype == np.float32
            np.testing.assert_allclose(vectors, expected.vectors[pooling][:, layer], rtol=1e-4, atol=1e-4)


def test_a_second_run_computes_nothing(tiny_model: Tiny, contexts: list[Context], made: list[int]) -> None:
    model = tiny_model("gpt2")
    first = encode_to_store(model, contexts).vectors(2, "mean")
    assert made == [64, len(contexts) - 64]
    again = encode_to_store(model, contexts[::-1])
    assert len(made) == 2
    assert (again.vectors(2, "mean") == first[::-1]).all()


def test_all_that_matters_is_in_the_key(tiny_model: Tiny, contexts: list[Context]) -> None:
    from dataclasses import replace

    model = tiny_model("gpt2")
    other_text = [*contexts[1:], in_template("That is WORD", "love")]
    moved = [*contexts[1:], Context("think", "It is pleasant to think of love", 18, 23)]
    folders = {
        encode_to_store(one, some, layers).folder
        for one, some, layers in [
            (model, contexts, None),
            (replace(model, max_length=8), contexts, None),
            (model, contexts, [0, 1]),
            (model, other_text, None),
            (model, moved, None),
        ]
    }
    assert len(folders) == 5


def test_texts_are_not_torn_apart() -> None:
    text = "word " * 70
    spans = [Context("word", text, 5 * at, 5 * at + 4) for at in range(70)]
    runs = shards([*spans, Context("a", "a", 0, 1)], values=1 << 40)
    assert [len(run) for run in runs] == [70, 1]


def _killed(contexts: list[Context], model: LanguageModel) -> None:
    """Encodes, and is killed as its first chunk is told done."""
    encode_to_store(model, contexts, advance=lambda _: os.kill(os.getpid(), signal.SIGKILL))


def test_killed_and_started_again(
    tiny_model: Tiny, contexts: list[Context], made: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was done before the kill −9 is not done again, and the numbers are those of an unbroken run."""
    model = tiny_model("gpt2")
    process = multiprocessing.get_context("fork").Process(target=_killed, args=(contexts, model))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    (done,) = chunks()
    written = done.stat().st_mtime_ns
    resumed = encode_to_store(model, contexts)
    assert made == [len(contexts) - 64]
    assert done.stat().st_mtime_ns == written
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "other"))
    unbroken = encode_to_store(model, contexts)
    assert made == [len(contexts) - 64, 64, len(contexts) - 64]
    for layer in range(4):
        assert (resumed.vectors(layer) == unbroken.vectors(layer)).all()


@pytest.mark.parametrize("ahead", [1, 3])
def test_a_shard_that_fails_leaves_nothing_locked(
    tiny_model: Tiny, contexts: list[Context], monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    """Whether one shard was claimed, or all that there are: what came before is kept, and the rest can be made."""
    model, plain = tiny_model("gpt2"), store.encode_shards

    def failing(model: LanguageModel, shards: Iterable[list[Context]], **options: object) -> Iterator[object]:
        given = iter(shards)
        claimed = list(islice(given, ahead))
        yield from plain(model, claimed[:1], **options)
        claimed += given
        raise WordworthError("the device is gone")

    monkeypatch.setattr(store, "encode_shards", failing)
    with pytest.raises(WordworthError, match="the device is gone"):
        encode_to_store(model, contexts)
    assert len(chunks()) == 1
    monkeypatch.setattr(store, "encode_shards", plain)
    expected = encode(model, contexts).vectors["last"][:, 2]
    np.testing.assert_allclose(encode_to_store(model, contexts).vectors(2), expected, rtol=1e-4, atol=1e-4)

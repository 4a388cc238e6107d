"""`encode`: contexts in, word vectors of every layer and pooling out; of a sentence encoder, one vector per text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.contexts import Context
from wordworth.encode.forward import on_device
from wordworth.encode.model import LanguageModel, is_sentence_encoder
from wordworth.encode.passes import inference
from wordworth.encode.pooling import checked_poolings, pool
from wordworth.encode.spans import Failure
from wordworth.encode.units import SubwordStates, check_finite, through, work_for
from wordworth.engine.batching import PassTally, budget_for, by_length
from wordworth.engine.engines import current
from wordworth.errors import WordworthError

SHARD_BYTES = 64 << 20
"""A shard, if every word were one token: a second or two of work, so that little is lost by a kill."""
MIN_SHARD_CONTEXTS = 64
"""Contexts in a shard at the least, however large the model."""


@dataclass(frozen=True)
class WordVectors:
    """Vectors of the contexts whose word was located, in the order given."""

    rows: NDArray[np.intp]
    """Their places in the list of contexts."""
    vectors: dict[str, NDArray[np.float32]]
    """For each pooling, words × layers × dim."""
    subwords: NDArray[np.intp]
    """The number of tokens of each: 1 for a singly tokenized word."""
    failures: tuple[Failure, ...]
    tally: PassTally


def checked_layers(model: LanguageModel, layers: Sequence[int] | None) -> tuple[int, ...]:
    """Return all layers, 0…L, or those chosen; −1 is the last."""
    if model.only_last:
        raise WordworthError(f"{model.name} has no vectors of words in every layer; use another model")
    if layers is None:
        return tuple(range(model.layers + 1))
    for layer in layers:
        if not -model.layers - 1 <= layer <= model.layers:
            raise WordworthError(f"{model.name} has layers 0 to {model.layers}, not {layer}")
    return tuple(dict.fromkeys(layer % (model.layers + 1) for layer in layers))


def encode_shards(
    model: LanguageModel,
    shards: Iterable[Sequence[Context]],
    layers: Sequence[int] | None = None,
    *,
    batch_tokens: int | None = None,
    share_prefixes: bool = True,
) -> Iterator[SubwordStates]:
    """Lists of contexts in, the states of their words' tokens out, in order. Shards are independent of one another.

    On a GPU several go through together, and more are taken than were given back: it works on some while the next are
    prepared.
    """
    numbers = checked_layers(model, layers)
    if is_sentence_encoder(model):
        return sentence_shards(model, shards, batch_tokens)
    work = work_for(model, batch_tokens)
    return through(model, shards, numbers, work, share_prefixes=share_prefixes)


def encode(
    model: LanguageModel,
    contexts: Sequence[Context],
    poolings: Sequence[str] = ("last",),
    layers: Sequence[int] | None = None,
    *,
    batch_tokens: int | None = None,
    share_prefixes: bool = True,
) -> WordVectors:
    """Return all in memory; for many words see `encode_to_store`. Equal contexts are computed once."""
    numbers = checked_layers(model, layers)
    names = checked_poolings(poolings)
    distinct, place = unique(contexts)
    blocks_of: dict[str, list[NDArray[np.float32]]] = {name: [] for name in names}
    subwords: list[int] = []
    failures: list[Failure] = []
    tally = PassTally()
    blocks = shards(distinct, values_of(model))
    stream = partial(encode_shards, layers=numbers, batch_tokens=batch_tokens, share_prefixes=share_prefixes)
    for shard in current().map(stream, model, blocks, f"encoding words with {model.name}"):
        present = torch.tensor([count for count in shard.subwords if count], dtype=torch.long)
        for name in names:
            blocks_of[name].append(pool(shard.states, present, name).float().transpose(0, 1).numpy())
        failures += [replace(failure, row=len(subwords) + failure.row) for failure in shard.failures]
        subwords += shard.subwords
        tally.add(shard.tally)
    counts = np.array(subwords, dtype=np.intp)
    rows = np.flatnonzero(counts[place])
    take = (np.cumsum(counts > 0) - 1)[place[rows]]
    empty = np.empty((0, len(numbers), model.dim), dtype=np.float32)
    return WordVectors(
        rows=rows,
        vectors={name: np.concatenate([*blocks_of[name], empty])[take] for name in names},
        subwords=counts[place[rows]],
        failures=every_failure(contexts, place, failures),
        tally=tally,
    )


def values_of(model: LanguageModel) -> int:
    """The numbers that a token has in all layers. Whichever layers are asked for, shards and with them batches are the
    same: the rounding of a product depends on what goes through with it."""
    return model.dim * (model.layers + 1)


def shards(distinct: list[Context], values: int) -> list[list[Context]]:
    """Split contexts into runs of about `SHARD_BYTES`, and by nothing else; those of one text stay together."""
    size = max(MIN_SHARD_CONTEXTS, SHARD_BYTES // (4 * values))
    runs: list[list[Context]] = []
    for context in distinct:
        if not runs or (len(runs[-1]) >= size and runs[-1][-1].text != context.text):
            runs.append([])
        runs[-1].append(context)
    return runs


def unique(contexts: Sequence[Context]) -> tuple[list[Context], NDArray[np.intp]]:
    """Return the distinct (text, span) sorted by text, and where each context is among them.

    Sorting brings the words of a template together, and makes the order they were asked in irrelevant.
    """
    keys = [(context.text, context.start, context.end) for context in contexts]
    index = {key: at for at, key in enumerate(sorted(set(keys)))}
    first = dict(zip(reversed(keys), reversed(contexts), strict=True))
    return [first[key] for key in index], np.array([index[key] for key in keys], dtype=np.intp)


def every_failure(
    contexts: Sequence[Context], place: NDArray[np.intp], failures: Sequence[Failure]
) -> tuple[Failure, ...]:
    """Failures of distinct contexts, reported for every context that they represent."""
    reasons = {failure.row: failure.reason for failure in failures}
    rows = enumerate(zip(contexts, place.tolist(), strict=True))
    return tuple(Failure(row, context.word, reasons[at]) for row, (context, at) in rows if at in reasons)


UNKNOWN_CHARACTERS = "the tokenizer does not know its characters"


def sentence_shards(
    model: LanguageModel, shards: Iterable[Sequence[Context]], batch_tokens: int | None = None
) -> Iterator[SubwordStates]:
    """Yield the vectors of each list's texts. A text with characters that the tokenizer does not know has none."""
    for contexts in shards:
        ids = pieces_of(model, [context.text for context in contexts])
        usable = [at for at, text in enumerate(ids) if model.tokenizer.unk_token_id not in text]
        tally = PassTally(sentences=len(usable))
        states = _run_texts(model, [ids[at] for at in usable], batch_tokens, tally)
        counts = np.zeros(len(contexts), dtype=np.intp)
        counts[usable] = 1
        starts = np.concatenate([[0], np.cumsum(counts)]).tolist()
        check_finite(model, states, contexts, starts, (0,))
        failures = [Failure(at, contexts[at].word, UNKNOWN_CHARACTERS) for at in np.flatnonzero(counts == 0).tolist()]
        yield SubwordStates(counts.tolist(), failures, states, tally)


def pieces_of(model: LanguageModel, texts: Sequence[str]) -> list[list[int]]:
    """Return the pieces of each text, between the marks of its beginning and end."""
    return [encoding.ids for encoding in model.tokenizer.backend_tokenizer.encode_batch(list(texts))]


def _run_texts(model: LanguageModel, ids: Sequence[list[int]], batch_tokens: int | None, tally: PassTally) -> Tensor:
    """1 × texts × dim."""
    states = torch.empty((1, len(ids), model.dim), dtype=model.network.dtype)
    lengths = [len(text) for text in ids]

    def run(batch: list[int]) -> Tensor:
        width = max(lengths[at] for at in batch)
        inputs = np.zeros((2, len(batch), width), dtype=np.int64)
        for row, at in enumerate(batch):
            inputs[0, row, : lengths[at]] = ids[at]
            inputs[1, row, : lengths[at]] = 1
        vectors: Tensor = model.network(*on_device(inputs, model.device)).cpu()
        return vectors

    with inference():
        for batch, vectors in by_length(run, lengths, budget_for(model.device, batch_tokens), tally):
            states[0, batch] = vectors
    return states

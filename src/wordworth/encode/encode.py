"""`encode`: contexts in, word vectors of every layer and pooling out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.contexts import Context
from wordworth.encode.batches import Tally, budget_for
from wordworth.encode.forward import States, run
from wordworth.encode.model import LanguageModel
from wordworth.encode.pooling import checked_poolings, pool
from wordworth.encode.spans import Failure, tokenize
from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Encoded:
    """Vectors of the contexts whose word was located, in the order given."""

    words: tuple[str, ...]
    rows: NDArray[np.intp]
    """Their places in the list of contexts."""
    layers: tuple[int, ...]
    vectors: dict[str, NDArray[np.float32]]
    """For each pooling, words × layers × dim."""
    subwords: NDArray[np.intp]
    """The number of tokens of each: 1 for a singly tokenized word."""
    failures: tuple[Failure, ...]
    tally: Tally


@dataclass(frozen=True)
class Shard:
    """The subword states of a list of contexts: what one chunk of the store holds."""

    subwords: list[int]
    """The tokens of each context; 0 where the word was not located."""
    failures: list[Failure]
    states: Tensor
    """layers × tokens × dim, in the order of the contexts."""
    tally: Tally = field(default_factory=Tally)


def checked_layers(model: LanguageModel, layers: Sequence[int] | None) -> tuple[int, ...]:
    """All layers, 0…L, or those chosen; −1 is the last."""
    if layers is None:
        return tuple(range(model.layers + 1))
    for layer in layers:
        if not -model.layers - 1 <= layer <= model.layers:
            raise WordworthError(f"{model.name} has layers 0 to {model.layers}, not {layer}")
    return tuple(dict.fromkeys(layer % (model.layers + 1) for layer in layers))


def encode_shard(
    model: LanguageModel,
    contexts: Sequence[Context],
    layers: Sequence[int] | None = None,
    *,
    batch_tokens: int | None = None,
    share_prefixes: bool = True,
) -> Shard:
    """A list of contexts in, the states of their words' tokens out. Shards are independent of one another."""
    chosen, tally = checked_layers(model, layers), Tally()
    sentences, failures = tokenize(model.tokenizer, contexts, model.max_length, with_types=model.takes_types)
    subwords = [0] * len(contexts)
    for sentence in sentences:
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            subwords[row] = end - start
    starts = np.cumsum([0, *subwords])
    states = torch.empty(len(chosen), int(starts[-1]), model.dim, dtype=model.network.dtype)
    budget = budget_for(model.device, batch_tokens)
    for found in run(model, sentences, chosen, budget, tally, share_prefixes=share_prefixes):
        check_finite(model, found, contexts, chosen)
        places = np.concatenate([np.arange(starts[row], starts[row + 1]) for row in found.rows])
        states[:, torch.from_numpy(places)] = found.vectors
    return Shard(subwords, failures, states, tally)


def encode_batches(
    model: LanguageModel,
    contexts: Sequence[Context],
    layers: Sequence[int] | None = None,
    *,
    batch_tokens: int | None = None,
    share_prefixes: bool = True,
    failures: list[Failure] | None = None,
) -> Iterator[States]:
    """The same as a stream, one batch at a time in no set order, for whoever accumulates and keeps nothing.

    Words that were not located are added to `failures`.
    """
    chosen = checked_layers(model, layers)
    sentences, failed = tokenize(model.tokenizer, contexts, model.max_length, with_types=model.takes_types)
    if failures is not None:
        failures += failed
    for found in run(
        model, sentences, chosen, budget_for(model.device, batch_tokens), Tally(), share_prefixes=share_prefixes
    ):
        check_finite(model, found, contexts, chosen)
        yield found


def encode(
    model: LanguageModel,
    contexts: Sequence[Context],
    poolings: Sequence[str] = ("last",),
    layers: Sequence[int] | None = None,
    *,
    batch_tokens: int | None = None,
    share_prefixes: bool = True,
) -> Encoded:
    """All in memory; for many words see `encode_to_store`. Equal contexts are computed once."""
    chosen = checked_layers(model, layers)
    wanted = checked_poolings(poolings)
    distinct, place = unique(contexts)
    shard = encode_shard(model, distinct, chosen, batch_tokens=batch_tokens, share_prefixes=share_prefixes)
    counts = np.array(shard.subwords, dtype=np.intp)
    located = np.flatnonzero(counts[place])
    row_of = np.cumsum(counts > 0) - 1
    take = row_of[place[located]]
    present = torch.from_numpy(counts[counts > 0])
    return Encoded(
        words=tuple(contexts[row].word for row in located.tolist()),
        rows=located,
        layers=chosen,
        vectors={name: pool(shard.states, present, name).float().numpy().transpose(1, 0, 2)[take] for name in wanted},
        subwords=counts[place[located]],
        failures=every_failure(contexts, place, shard.failures),
        tally=shard.tally,
    )


def unique(contexts: Sequence[Context]) -> tuple[list[Context], NDArray[np.intp]]:
    """The distinct (text, span) sorted by text, and where each context stands among them.

    Sorting brings the words of a template together, and makes the order they were asked in irrelevant.
    """
    keys = [(context.text, context.start, context.end) for context in contexts]
    index = {key: at for at, key in enumerate(sorted(set(keys)))}
    first = dict(zip(reversed(keys), reversed(contexts), strict=True))
    return [first[key] for key in index], np.array([index[key] for key in keys], dtype=np.intp)


def every_failure(
    contexts: Sequence[Context], place: NDArray[np.intp], failures: Sequence[Failure]
) -> tuple[Failure, ...]:
    """Failures of distinct contexts, told for every context that they stand for."""
    reasons = {failure.row: failure.reason for failure in failures}
    return tuple(
        Failure(row, context.word, reasons[at])
        for row, (context, at) in enumerate(zip(contexts, place.tolist(), strict=True))
        if at in reasons
    )


def check_finite(model: LanguageModel, states: States, contexts: Sequence[Context], layers: Sequence[int]) -> None:
    """Stops at the first word and layer that is not a number: every measure after it would be nonsense."""
    if bool(torch.isfinite(states.vectors).all()):
        return
    bad = (~torch.isfinite(states.vectors)).any(-1)
    layer, token = (int(at) for at in torch.nonzero(bad)[0])
    word = contexts[states.rows[int(np.searchsorted(np.cumsum(states.counts), token, side="right"))]].word
    remedy = "its weights are damaged" if model.dtype == "float32" else "use float32"
    raise WordworthError(
        f"{model.name} in {model.dtype} gives no finite values for {word!r} in layer {layers[layer]}; {remedy}"
    )

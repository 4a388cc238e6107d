"""Texts through a sentence encoder: as the states of a language model's words, with one state a text."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from wordworth.contexts import Context
from wordworth.encode.forward import on_device
from wordworth.encode.model import LanguageModel
from wordworth.encode.spans import Failure
from wordworth.encode.units import SubwordStates, check_finite
from wordworth.engine.batching import PassTally, budget_for, by_length

UNKNOWN = "the tokenizer does not know its characters"


def is_sentence_encoder(model: LanguageModel) -> bool:
    """Whether it has one vector a text, and none of a token."""
    return model.family == "sentence"


def sentence_shards(
    model: LanguageModel, shards: Iterable[Sequence[Context]], batch_tokens: int | None = None
) -> Iterator[SubwordStates]:
    """The vectors of each list's texts. A text with characters that the tokenizer does not know has none."""
    for contexts in shards:
        ids = pieces_of(model, [context.text for context in contexts])
        known = [at for at, text in enumerate(ids) if model.tokenizer.unk_token_id not in text]
        tally = PassTally(sentences=len(known))
        states = _run(model, [ids[at] for at in known], batch_tokens, tally)
        counts = np.zeros(len(contexts), dtype=np.intp)
        counts[known] = 1
        starts = np.concatenate([[0], np.cumsum(counts)]).tolist()
        check_finite(model, states, contexts, starts, (0,))
        failures = [Failure(at, contexts[at].word, UNKNOWN) for at in np.flatnonzero(counts == 0).tolist()]
        yield SubwordStates(counts.tolist(), failures, states, tally)


def pieces_of(model: LanguageModel, texts: Sequence[str]) -> list[list[int]]:
    """The pieces of each text, between the marks of its beginning and end."""
    return [encoding.ids for encoding in model.tokenizer.backend_tokenizer.encode_batch(list(texts))]


def _run(model: LanguageModel, ids: Sequence[list[int]], batch_tokens: int | None, tally: PassTally) -> Tensor:
    """1 × texts × dim."""
    states = torch.empty((1, len(ids), model.dim), dtype=model.network.dtype)
    lengths = [len(text) for text in ids]

    def run(batch: list[int]) -> Tensor:
        width = max(lengths[at] for at in batch)
        padded = np.zeros((2, len(batch), width), dtype=np.int64)
        for row, at in enumerate(batch):
            padded[0, row, : lengths[at]] = ids[at]
            padded[1, row, : lengths[at]] = 1
        vectors: Tensor = model.network(*on_device(padded, model.device)).cpu()
        return vectors

    with torch.inference_mode():
        for batch, vectors in by_length(run, lengths, budget_for(model.device, batch_tokens), tally):
            states[0, batch] = vectors
    return states

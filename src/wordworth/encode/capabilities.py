"""What a network can do with context, found by trying it and not by its name."""

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from wordworth.encode.passes import accepted, hidden_states, run_prefixes, run_tokens
from wordworth.errors import WordworthError

TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 1e-2}
"""Largest difference in a vector, relative to its largest value, that is rounding and not a different computation."""
NONE_AT_ALL = 1e-6
"""The same where masked tokens must add exactly nothing: a looser bound could hide a faint look to the right."""


def looks_left_only(network: PreTrainedModel, ids: Sequence[int]) -> bool:
    """Whether a token's states ignore what comes after it: the last of `ids` is changed, the others must not move."""
    # Two passes of one shape, not one batch of two: the rows of a batch may differ by rounding.
    texts = (ids, [*ids[:-1], ids[0]])
    with torch.inference_mode():
        one, other = (hidden_states(network, torch.tensor([text], device=network.device)) for text in texts)
    return all(_same(left[0, :-1], right[0, :-1], NONE_AT_ALL) for left, right in zip(one, other, strict=True))


def refuse_unmeasurable(network: PreTrainedModel, ids: Sequence[int], name: str) -> None:
    """Stop at networks whose words have no vector of their own in every layer, or another one each time."""
    with torch.inference_mode():
        text = torch.tensor([ids], device=network.device)
        # What is no number is refused where it has a word's name.
        one, other = ([states.nan_to_num() for states in hidden_states(network, text)] for _ in range(2))
    if any(states.shape[1] != len(ids) for states in one):
        raise WordworthError(f"{name} pools tokens between its layers, so words have no vectors; use another model")
    if not _all_same(one, other):
        raise WordworthError(f"{name} gives other vectors for the same text each time; use another model")


def ignores_padding(network: PreTrainedModel, ids: Sequence[int], pad: int, *, left_only: bool) -> bool:
    """Return whether a text has the same states alone and next to a longer one, padded on the right.

    Networks that mix or convolve neighbours (FNet, ConvBERT) see the padding in spite of its mask.
    """
    if not left_only and "attention_mask" not in accepted(network):
        return False
    length = len(ids) // 2
    rows = torch.tensor([[*ids[:length], *[pad] * (len(ids) - length)], ids], device=network.device)
    mask = torch.ones_like(rows)
    mask[0, length:] = 0
    more = {} if left_only else {"attention_mask": mask}
    with torch.inference_mode():
        alone, together = hidden_states(network, rows[:1, :length]), hidden_states(network, rows, None, **more)
    return _all_same(alone, [states[:1, :length] for states in together])


def reuses_kv_cache(network: PreTrainedModel, ids: Sequence[int]) -> bool:
    """Whether a prefix run once and read by later tokens gives the states of a plain pass; two tokens are tried."""
    if "past_key_values" not in accepted(network):
        return False
    with torch.inference_mode():
        plain = hidden_states(network, torch.tensor([ids], device=network.device))
        prefix = run_prefixes(network, torch.tensor([ids[:-2]], device=network.device))
        if prefix is None or len(prefix) != network.config.num_hidden_layers:
            return False
        one, two = torch.tensor(ids[-2:], device=network.device)
        first, longer = run_tokens(network, one[None], prefix)
        second, _ = run_tokens(network, two[None], longer)
        return all(
            _same(expected[0, -2:], torch.cat(both, dim=1)[0], TOLERANCE[expected.dtype])
            for expected, *both in zip(plain, first, second, strict=True)
        )


def _all_same(expected: Sequence[Tensor], states: Sequence[Tensor]) -> bool:
    return all(_same(one, other, TOLERANCE[one.dtype]) for one, other in zip(expected, states, strict=True))


def _same(expected: Tensor, states: Tensor, tolerance: float) -> bool:
    scale = expected.abs().amax(-1)
    return bool(((expected - states).abs().amax(-1) <= tolerance * scale).all())

"""Pairs of sentences as a cross-encoder reads them: each sentence tokenized once, joined as the tokenizer would."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

from wordworth.errors import WordworthError

TRIALS = (("The doctor ate an apple.", "A woman slept."), ("Yes.", "The man bought two of the books."))

Joined = tuple[list[int], list[int]]
"""Ids and types of a pair as a model reads it."""


@dataclass(frozen=True)
class PairTemplate:
    """What a tokenizer puts before, between and behind two sentences, and all the token types."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    behind: tuple[int, ...]
    types: tuple[int, ...]
    """Of the ids of `before`, `between` and `behind`."""
    premise_type: int
    hypothesis_type: int

    @property
    def added(self) -> int:
        return len(self.before) + len(self.between) + len(self.behind)

    def join(self, premise: Sequence[int], hypothesis: Sequence[int], room: int | None) -> Joined:
        """Two sentences put together, the longer one cut at its end where both have more than `room` tokens."""
        if room is not None and len(premise) + len(hypothesis) > room:
            lengths = cut(len(premise), len(hypothesis), room)
            premise, hypothesis = premise[: lengths[0]], hypothesis[: lengths[1]]
        one, two = len(self.before), len(self.before) + len(self.between)
        first, second = [self.premise_type] * len(premise), [self.hypothesis_type] * len(hypothesis)
        ids = [*self.before, *premise, *self.between, *hypothesis, *self.behind]
        return ids, [*self.types[:one], *first, *self.types[one:two], *second, *self.types[two:]]

    def room(self, max_length: int | None) -> int | None:
        """Tokens of both sentences that a model of this length admits; None: any number."""
        return None if max_length is None else max_length - self.added


def tokenized(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> list[tuple[int, ...]]:
    """The ids of each sentence alone, without what a template adds."""
    if not sentences:
        return []
    encoded = tokenizer(list(sentences), add_special_tokens=False, return_attention_mask=False, verbose=False)
    return [tuple(ids) for ids in encoded["input_ids"]]


def pair_template(tokenizer: PreTrainedTokenizerFast, name: str) -> PairTemplate:
    """The template, read off pairs that the tokenizer joins itself; two different ones must agree on it."""
    templates = {_template(tokenizer, *trial) for trial in TRIALS}
    if None in templates or len(templates) != 1:
        raise WordworthError(
            f"the tokenizer of {name} does not put two sentences together in one fixed way, so pairs cannot be made "
            "for it; give another model"
        )
    (template,) = templates
    assert template is not None
    return template


def _template(tokenizer: PreTrainedTokenizerFast, premise: str, hypothesis: str) -> PairTemplate | None:
    first, second = tokenized(tokenizer, [premise, hypothesis])
    joined = tokenizer(premise, hypothesis, return_token_type_ids=True)
    ids, types = list(joined["input_ids"]), list(joined["token_type_ids"])
    at = _place(ids, first, 0)
    then = _place(ids, second, at + len(first)) if at is not None else None
    if at is None or then is None:
        return None
    one, two = at + len(first), then + len(second)
    added_types = [*types[:at], *types[one:then], *types[two:]]
    before, between, behind = (tuple(part) for part in (ids[:at], ids[one:then], ids[two:]))
    return PairTemplate(before, between, behind, tuple(added_types), types[at], types[then])


def _place(ids: list[int], part: tuple[int, ...], start: int) -> int | None:
    ends = range(start, len(ids) - len(part) + 1)
    return next((at for at in ends if tuple(ids[at : at + len(part)]) == part), None)


def cut(first: int, second: int, room: int) -> tuple[int, int]:
    """How many tokens of two sentences are kept in `room` tokens: the longer loses first, as tokenizers cut pairs."""
    if first + second <= room:
        return first, second
    short, long = sorted((first, second))
    long = short if short > room else max(short, room - short)
    if short + long > room:
        short = room // 2
        long = short + room % 2
    return (short, long) if first <= second else (long, short)


@dataclass(frozen=True, eq=False)
class DistinctPairs:
    """Pairs that differ to the model, and where each pair of the caller is among them."""

    tokens: list[tuple[int, ...]]
    """Of each distinct sentence."""
    pairs: NDArray[np.int64]
    """(distinct, 2): indices into `tokens`."""
    which: NDArray[np.intp]
    """For each pair of the caller, its row in `pairs`."""


def distinct(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], pairs: NDArray[np.int64]) -> DistinctPairs:
    """Sentences that come to the same tokens are one, as those that differ in case are to an uncased model."""
    if pairs.ndim != 2 or pairs.shape[1] != 2 or (pairs.size and not 0 <= pairs.min() <= pairs.max() < len(sentences)):
        raise WordworthError(
            f"pairs of shape {pairs.shape} do not point into {len(sentences)} sentences; give two indices a row"
        )
    used = np.unique(pairs)
    seen: dict[tuple[int, ...], int] = {}
    canonical = np.zeros(len(sentences), dtype=np.int64)
    for at, ids in zip(used.tolist(), tokenized(tokenizer, [sentences[at] for at in used.tolist()]), strict=True):
        canonical[at] = seen.setdefault(ids, len(seen))
    keys = canonical[pairs[:, 0]] * max(1, len(seen)) + canonical[pairs[:, 1]]
    unique, which = np.unique(keys, return_inverse=True)
    return DistinctPairs(list(seen), np.stack(np.divmod(unique, max(1, len(seen))), axis=1), which)

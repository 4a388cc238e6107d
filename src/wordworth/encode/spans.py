"""Where a word stands among the tokens: from the tokenizer's character offsets, checked against its own text.

Offsets alone cannot be trusted (some include the space before the word, some the marker, some shift when the
normaliser changes lengths), so the tokens are spelled out again and must give the word and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from transformers import PreTrainedTokenizerFast

from wordworth.contexts import Context

METASPACE = "▁"
CONTINUING = "##"


@dataclass(frozen=True, slots=True)
class Failure:
    """A context whose word has no vector, and why."""

    row: int
    """Its place in the list of contexts."""
    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One distinct text as tokens, and the words of interest in it."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """Segment numbers, for the models that take them (they change XLNet's numbers); else empty."""
    spans: tuple[tuple[int, int], ...]
    """Token spans of the words, end exclusive."""
    rows: tuple[int, ...]
    """The contexts that the spans belong to."""


def tokenize(
    tokenizer: PreTrainedTokenizerFast, contexts: Sequence[Context], max_length: int | None, *, with_types: bool
) -> tuple[list[Sentence], list[Failure]]:
    """Every distinct text once, with special tokens as the model expects them; and the words that were not located."""
    by_text: dict[str, list[int]] = {}
    for row, context in enumerate(contexts):
        by_text.setdefault(context.text, []).append(row)
    sentences: list[Sentence] = []
    failures: list[Failure] = []
    if not by_text:
        return sentences, failures
    encoded = tokenizer(
        list(by_text),
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        return_attention_mask=False,
        return_token_type_ids=with_types,
        verbose=False,
    )
    for at, (text, rows) in enumerate(by_text.items()):
        ids: list[int] = encoded["input_ids"][at]
        if max_length is not None and len(ids) > max_length:
            reason = f"its text has {len(ids)} tokens and the model admits {max_length}; shorten the text"
            failures += [Failure(row, contexts[row].word, reason) for row in rows]
            continue
        offsets: list[tuple[int, int]] = encoded["offset_mapping"][at]
        special: list[int] = encoded["special_tokens_mask"][at]
        spans: list[tuple[int, int]] = []
        placed: list[int] = []
        for row in rows:
            span = locate(tokenizer, text, contexts[row].start, contexts[row].end, ids, offsets, special)
            if isinstance(span, str):
                failures.append(Failure(row, contexts[row].word, span))
            else:
                spans.append(span)
                placed.append(row)
        if placed:
            types = tuple(encoded["token_type_ids"][at]) if with_types else ()
            sentences.append(Sentence(tuple(ids), types, tuple(spans), tuple(placed)))
    failures.sort(key=lambda failure: failure.row)
    return sentences, failures


def token_counts(tokenizer: PreTrainedTokenizerFast, contexts: Sequence[Context]) -> list[int]:
    """The tokens of each context's word, without running the model; 0 where it is not located."""
    counts = [0] * len(contexts)
    for sentence in tokenize(tokenizer, contexts, None, with_types=False)[0]:
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            counts[row] = end - start
    return counts


def locate(
    tokenizer: PreTrainedTokenizerFast,
    text: str,
    start: int,
    end: int,
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    special: Sequence[int],
) -> tuple[int, int] | str:
    """The token span of `text[start:end]`, or the reason why there is none.

    A token that is only a word marker (a lone `▁` or `Ġ`) holds nothing of the word and is not counted to it.
    """
    touching = [
        at
        for at, ((left, right), added) in enumerate(zip(offsets, special, strict=True))
        if not added and left < end and right > start
    ]
    while touching and not spelled(tokenizer, [ids[touching[0]]]):
        touching.pop(0)
    if not touching:
        return "the tokenizer drops all of its characters"
    first, last = touching[0], touching[-1]
    if any(special[first : last + 1]):
        return "special tokens stand inside it"
    pieces = list(ids[first : last + 1])
    if tokenizer.unk_token_id in pieces and tokenizer.unk_token not in text[start:end]:
        return "the tokenizer does not know its characters"
    left = min(offsets[at][0] for at in touching)
    right = max(offsets[at][1] for at in touching)
    around = text[left:start].strip() + text[end : max(end, right)]
    if around:
        return f"its tokens also cover {around!r} beside it"
    spelling, word = spelled(tokenizer, pieces), plain(tokenizer, text[start:end])
    if spelling != word:
        return f"its tokens spell {spelling!r}, not {word!r}"
    return first, last + 1


def spelled(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> str:
    """The text of tokens, without markers and spaces, after the tokenizer's normaliser."""
    text: str = tokenizer.backend_tokenizer.decode(ids, skip_special_tokens=False)
    return plain(tokenizer, text.removeprefix(CONTINUING))


def plain(tokenizer: PreTrainedTokenizerFast, text: str) -> str:
    """A text after the tokenizer's normaliser, without markers and spaces."""
    normalizer = tokenizer.backend_tokenizer.normalizer
    if normalizer is not None:
        text = normalizer.normalize_str(text)
    return "".join(text.replace(METASPACE, " ").split())

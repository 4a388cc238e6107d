"""Find a word among the tokens: from the tokenizer's character offsets, checked against its own text.

Offsets cannot be trusted by themselves (some include the space before the word, some the marker, some shift when the
normaliser changes lengths), so the tokens are spelled out again and must give the word and nothing else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from tokenizers import Encoding
from transformers import PreTrainedTokenizerFast

from wordworth.contexts import Context
from wordworth.encode.tokens import Numbers, Tokens, spell

METASPACE = "▁"
CONTINUING = "##"
SPELLINGS_KEPT = 1 << 16


@dataclass(frozen=True, slots=True)
class Failure:
    """A context whose word has no vector, and why."""

    row: int
    """Its place in the list of contexts."""
    word: str
    reason: str


def in_tokens(
    tokenizer: PreTrainedTokenizerFast, contexts: Sequence[Context], max_length: int | None, *, with_types: bool = False
) -> tuple[Tokens, list[Failure]]:
    """Tokenize every distinct text once, with the model's special tokens; also return the words not located."""
    by_text: dict[str, list[int]] = {}
    for row, context in enumerate(contexts):
        by_text.setdefault(context.text, []).append(row)
    texts: list[Encoding] = []
    words: list[tuple[int, int, int, int]] = []
    failures: list[Failure] = []
    for encoding, members in zip(spell(tokenizer, list(by_text)), by_text.values(), strict=True):
        ids, offsets, special = encoding.ids, encoding.offsets, encoding.special_tokens_mask
        located = len(words)
        for row in members:
            context = contexts[row]
            span: tuple[int, int] | str
            if max_length is not None and len(ids) > max_length:
                span = f"its text has {len(ids)} tokens and the model admits {max_length}; shorten the text"
            else:
                span = locate(tokenizer, context.text, context.start, context.end, ids, offsets, special)
            if isinstance(span, str):
                failures.append(Failure(row, context.word, span))
            else:
                words.append((len(texts), *span, row))
        if len(words) > located:
            texts.append(encoding)
    failures.sort(key=lambda failure: failure.row)
    lengths = np.array([len(encoding) for encoding in texts], dtype=np.intp)
    ids_of_all = _join(encoding.ids for encoding in texts)
    types = _join(encoding.type_ids for encoding in texts) if with_types else None
    text, first, end, rows = np.array(words, dtype=np.intp).reshape(-1, 4).T.copy()
    return Tokens(ids_of_all, types, np.cumsum(lengths) - lengths, lengths, text, first, end, rows), failures


def _join(numbers: Iterable[Sequence[int]]) -> Numbers:
    return np.fromiter(chain.from_iterable(numbers), dtype=np.intp)


def token_counts(tokenizer: PreTrainedTokenizerFast, contexts: Sequence[Context]) -> tuple[Numbers, Numbers]:
    """Count the tokens of each context's word (0 where it is not located), and the lone markers directly before it.

    GPT-2 writes " iced" as `Ġ` and `iced`: one token of the word, behind one marker. The model is not run.
    """
    tokens, _ = in_tokens(tokenizer, contexts, None)
    counts, markers = np.zeros((2, len(contexts)), dtype=np.intp)
    counts[tokens.rows] = tokens.end - tokens.first
    before = (tokens.starts[tokens.text] + tokens.first - 1)[tokens.first > 0]
    blank = {number for number in set(tokens.ids[before].tolist()) if not spell_tokens(tokenizer, (number,))}
    markers[tokens.rows[tokens.first > 0]] = [number in blank for number in tokens.ids[before].tolist()]
    return counts, markers


def locate(
    tokenizer: PreTrainedTokenizerFast,
    text: str,
    start: int,
    end: int,
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    special: Sequence[int],
) -> tuple[int, int] | str:
    """Return the token span of `text[start:end]`, or the reason why there is none.

    A token that is only a word marker (a lone `▁` or `Ġ`) holds nothing of the word and is not counted to it.
    """
    spans = enumerate(zip(offsets, special, strict=True))
    touching = [at for at, ((left, right), added) in spans if not added and left < end and right > start]
    while touching and not spell_tokens(tokenizer, (ids[touching[0]],)):
        touching.pop(0)
    if not touching:
        return "the tokenizer drops all of its characters"
    first, last = touching[0], touching[-1]
    if any(special[first : last + 1]):
        return "special tokens are inside it"
    pieces = tuple(ids[first : last + 1])
    if tokenizer.unk_token_id in pieces and tokenizer.unk_token not in text[start:end]:
        return "the tokenizer does not know its characters"
    left = min(offsets[at][0] for at in touching)
    right = max(offsets[at][1] for at in touching)
    around = text[left:start].strip() + text[end : max(end, right)]
    if around:
        return f"its tokens also cover {around!r} next to it"
    spelling, word = spell_tokens(tokenizer, pieces), plain(tokenizer, text[start:end])
    if spelling != word:
        return f"its tokens spell {spelling!r}, not {word!r}"
    return first, last + 1


@lru_cache(maxsize=SPELLINGS_KEPT)
def spell_tokens(tokenizer: PreTrainedTokenizerFast, ids: tuple[int, ...]) -> str:
    """Return the text of tokens, without markers and spaces, after the tokenizer's normaliser."""
    text: str = tokenizer.backend_tokenizer.decode(ids, skip_special_tokens=False)
    return plain(tokenizer, text.removeprefix(CONTINUING))


@lru_cache(maxsize=SPELLINGS_KEPT)
def plain(tokenizer: PreTrainedTokenizerFast, text: str) -> str:
    """Return a text after the tokenizer's normaliser, without markers and spaces."""
    normalizer = tokenizer.backend_tokenizer.normalizer
    if normalizer is not None:
        text = normalizer.normalize_str(text)
    return "".join(text.replace(METASPACE, " ").split())

"""A word in a text that is longer than the model admits: as much of the text around it as fits, in whole words."""

import re

from wordworth.contexts import Context
from wordworth.encode.model import LanguageModel

_PIECE = re.compile(r"\S+")


def fits(model: LanguageModel, text: str) -> bool:
    """Whether the model admits the text whole. Only what could be too long is tokenized: a token is a byte at least."""
    if model.max_length is None or len(text.encode()) + _specials(model) <= model.max_length:
        return True
    return _length(model, text) <= model.max_length


def window(model: LanguageModel, context: Context) -> Context | None:
    """The context cut to the whitespace words around its word that the model admits; None where not even one fits.

    The window grows by a word on either side in turn as long as it fits, found by halving.
    """
    pieces = [match.span() for match in _PIECE.finditer(context.text)]
    first = next(at for at, (_, end) in enumerate(pieces) if end > context.start)
    last = next(at for at, (_, end) in enumerate(pieces) if end >= context.end)

    def cut(width: int) -> Context:
        start = pieces[max(0, first - width)][0]
        end = pieces[min(len(pieces) - 1, last + width)][1]
        return Context(context.word, context.text[start:end], context.start - start, context.end - start)

    admitted = model.max_length or 0
    low, high = -1, len(pieces)
    while high - low > 1:
        middle = (low + high) // 2
        if _length(model, cut(middle).text) <= admitted:
            low = middle
        else:
            high = middle
    return cut(low) if low >= 0 else None


def _length(model: LanguageModel, text: str) -> int:
    return len(model.tokenizer(text, return_attention_mask=False, verbose=False)["input_ids"])


def _specials(model: LanguageModel) -> int:
    return int(model.tokenizer.num_special_tokens_to_add())

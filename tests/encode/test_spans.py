"""Words among tokens: the kinds of tokenizer and the kinds of trouble."""

from collections.abc import Callable

import pytest

from wordworth.contexts import Context
from wordworth.encode import LanguageModel
from wordworth.encode.spans import in_tokens, locate

Tiny = Callable[[str], LanguageModel]

# Every kind of tokenizer: byte-level (offsets with the space; trimmed), word BPE, WordPiece, Unigram (cased; stripped).
TOKENIZERS = ["gpt2", "roberta", "gpt", "bert", "t5", "llama-unigram", "albert"]
# text, word, which occurrence of it, and how a lower-casing, accent-stripping tokenizer spells it
CASES = [
    ("This is love", "love", 0, "love"),
    ("love is a word", "love", 0, "love"),
    ("love", "love", 0, "love"),
    ("the love of love and love", "love", 2, "love"),
    ("I don't think of it", "don't", 0, "don't"),
    ("the well-known garden", "well-known", 0, "well-known"),
    ("the garden, and so on", "garden", 0, "garden"),
    ("(garden)", "garden", 0, "garden"),
    ("Kraków and Łódź.", "Łódź", 0, "łodz"),
    ("the naïve café", "café", 0, "cafe"),
    ("the old friends' friends", "friends", 1, "friends"),
    ("this is\tlove", "love", 0, "love"),
    ("this is   love", "love", 0, "love"),
    ("this is a happy friend of mine", "happy friend", 0, "happyfriend"),
]
MARKS = ("Ġ", "▁", "##", "</w>")


def context_of(text: str, word: str, occurrence: int = 0) -> Context:
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(word, start + 1)
    return Context(word, text, start, start + len(word))


def spans_of(model: LanguageModel, *contexts: Context) -> tuple[list[list[str]], list[str]]:
    """The tokens of each located word, and the reasons of the others."""
    tokens, failures = in_tokens(model.tokenizer, contexts, None)
    found: dict[int, list[str]] = {}
    for row, text, first, end in zip(tokens.rows, tokens.text, tokens.first, tokens.end, strict=True):
        ids = tokens.ids[tokens.starts[text] :][first:end].tolist()
        found[row] = model.tokenizer.convert_ids_to_tokens(ids)
    return [found[row] for row in sorted(found)], [failure.reason for failure in failures]


def bare(tokens: list[str]) -> str:
    text = "".join(tokens)
    for mark in MARKS:
        text = text.replace(mark, "")
    return text


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize(("text", "word", "occurrence", "stripped"), CASES)
def test_every_tokenizer(tiny_model: Tiny, kind: str, text: str, word: str, occurrence: int, stripped: str) -> None:
    model = tiny_model(kind)
    context = context_of(text, word, occurrence)
    (tokens,), reasons = spans_of(model, context)
    assert not reasons
    if kind in ("gpt2", "roberta"):
        # Byte-level pieces are letters that stand for bytes: spelled out by the tokenizer.
        assert model.tokenizer.convert_tokens_to_string(tokens).strip() == word
    else:
        assert bare(tokens) in (word.replace(" ", ""), stripped)
    located, _ = in_tokens(model.tokenizer, [context], None)
    # The right occurrence: the tokens before it spell as many letters as the text before it has.
    ahead = model.tokenizer.decode(located.ids[: located.first[0]], skip_special_tokens=True)
    assert len("".join(ahead.replace("▁", "").split())) == len("".join(text[: context.start].split()))


def test_a_lone_marker_is_not_the_word(tiny_model: Tiny) -> None:
    model = tiny_model("t5")
    (tokens,), _ = spans_of(model, context_of("the Łódź", "Łódź"))
    assert "▁" in model.tokenizer.tokenize("the Łódź"), "the marker stands alone before a letter seen once"
    assert tokens[0] == "Ł"


def test_chinese_without_spaces(tiny_model: Tiny) -> None:
    for kind in ("gpt2", "bert", "t5"):
        model = tiny_model(kind)
        (tokens,), reasons = spans_of(model, context_of("這是北京。", "北京"))
        assert not reasons
        assert "".join(model.tokenizer.convert_tokens_to_string(tokens).split()) == "北京"


def test_combining_accents(tiny_model: Tiny) -> None:
    text = "the cafe\u0301 is old"
    expected = {"gpt2": "cafe\u0301", "bert": "cafe", "t5": "café", "albert": "cafe"}
    for kind, spelling in expected.items():
        model = tiny_model(kind)
        (tokens,), reasons = spans_of(model, context_of(text, "cafe\u0301"))
        assert not reasons
        assert model.tokenizer.convert_tokens_to_string(tokens).replace(" ", "") == spelling


def test_a_normaliser_that_changes_lengths(tiny_model: Tiny) -> None:
    (tokens,), reasons = spans_of(tiny_model("t5"), context_of("the oﬃce of the old ﬁne friends", "ﬁne"))
    assert not reasons
    assert bare(tokens) == "fine"


@pytest.mark.parametrize(
    ("kind", "text", "word", "reason"),
    [
        ("gpt2", "this is unhappiness", "ness", "its tokens also cover 'happi' next to it"),
        ("bert", "the 😀 word", "😀", "the tokenizer does not know its characters"),
        ("t5", "the 😀 word", "😀", "the tokenizer does not know its characters"),
        ("bert", "a \u200d word", "\u200d", "the tokenizer drops all of its characters"),
        ("bert", "a word", " ", "the tokenizer drops all of its characters"),
    ],
)
def test_not_located_never_guessed(tiny_model: Tiny, kind: str, text: str, word: str, reason: str) -> None:
    found, reasons = spans_of(tiny_model(kind), context_of(text, word))
    assert not found
    if kind == "gpt2":
        assert reasons[0].startswith("its tokens also cover ")
    else:
        assert reasons == [reason]


def test_many_at_once_equal_each_alone(model: LanguageModel) -> None:
    """All cases in one list, several words of a text among them, against `locate` on the library's own lists."""
    tokenizer = model.tokenizer
    contexts = [context_of(text, word, occurrence) for text, word, occurrence, _ in CASES]
    contexts += [context_of("the love of love and love", "love", which) for which in (1, 0)]
    contexts += [context_of("a 😀 word", word) for word in ("😀", "word", " ")]
    contexts += [context_of("this is unhappiness", "ness"), context_of("這是北京。", "北京")]
    for max_length in (None, 8):
        tokens, failures = in_tokens(tokenizer, contexts, max_length, with_types=True)
        reasons = {failure.row: failure.reason for failure in failures}
        found = dict(zip(tokens.rows.tolist(), range(len(tokens.rows)), strict=True))
        assert sorted([*reasons, *found]) == list(range(len(contexts)))
        for row, context in enumerate(contexts):
            one = tokenizer(context.text, return_offsets_mapping=True, return_special_tokens_mask=True)
            ids, offsets, special = one["input_ids"], one["offset_mapping"], one["special_tokens_mask"]
            span = locate(tokenizer, context.text, context.start, context.end, ids, offsets, special)
            if max_length is not None and len(ids) > max_length:
                assert "the model admits 8" in reasons[row]
            elif isinstance(span, str):
                assert reasons[row] == span
            else:
                word = found[row]
                text = tokens.text[word]
                of_text = slice(tokens.starts[text], tokens.starts[text] + tokens.lengths[text])
                assert tokens.ids[of_text].tolist() == ids
                assert (tokens.first[word], tokens.end[word]) == span
                if tokens.types is not None and "token_type_ids" in one:
                    assert tokens.types[of_text].tolist() == one["token_type_ids"]


def test_truncation_and_padding_of_the_tokenizer_do_not_count(tiny_model: Tiny) -> None:
    tokenizer = tiny_model("bert").tokenizer
    text = "the garden of my friends and the love of love"
    expected = tokenizer(text)["input_ids"]
    tokenizer.backend_tokenizer.enable_truncation(3)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    tokens, failures = in_tokens(tokenizer, [context_of(text, "love"), context_of("the storm", "storm")], None)
    assert not failures
    assert tokens.ids[: tokens.lengths[0]].tolist() == expected


def test_offsets_that_lie_are_caught(tiny_model: Tiny) -> None:
    tokenizer = tiny_model("bert").tokenizer
    text = "love love hatred"
    encoded = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    ids, offsets, special = encoded["input_ids"], encoded["offset_mapping"], encoded["special_tokens_mask"]
    assert locate(tokenizer, text, 10, 16, ids, offsets, special) == (3, len(ids) - 1)
    shifted = [offsets[0], *offsets[2:], offsets[-1]]
    assert isinstance(locate(tokenizer, text, 10, 16, ids, shifted, special), str)


def test_too_long_texts_are_reported_with_their_length(tiny_model: Tiny) -> None:
    model = tiny_model("bert")
    text = "love " * 70
    tokens, (failure,) = in_tokens(model.tokenizer, [context_of(text, "love")], model.max_length)
    assert not len(tokens)
    length = len(model.tokenizer(text).input_ids)
    assert f"{length} tokens and the model admits 60" in failure.reason

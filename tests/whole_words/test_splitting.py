"""One rule parts words from punctuation, and it is the same for every tokenizer."""

from typing import Any

import pytest
from truth import plain_words

from wordworth.whole_words import WordModel
from wordworth.whole_words.splitting import (
    MARK,
    WORD,
    WordSplitter,
    first_character,
    first_kind,
    kind_of,
    separate_words,
)
from wordworth.whole_words.words import FIRST, WordTokenizer, read_lines

RAW = [
    'He said: "It is the old garden, I think!" (and she laughed).',
    "The river's water isn't well-known; it cost 3.50, or so...",
]


def test_by_hand() -> None:
    found = WordSplitter()("“Tea,  don't!” he   said_")
    assert found.words == ["“", "Tea", ",", "don't", "!”", "he", "said", "_"]
    assert found.is_glued == [False, True, True, False, True, False, False, True]
    assert found.text == "“Tea, don't!” he said_"
    assert [found.first(count) for count in (0, 2, 4, 6)] == ["", "“Tea", "“Tea, don't", "“Tea, don't!” he"]
    attached = WordSplitter("attached")("“Tea,  don't!”")
    assert attached == (["“Tea,", "don't!”"], [False, False], "“Tea, don't!”")
    assert WordSplitter()("the <unk>, x").words == ["the", "<unk>", ",", "x"]
    assert WordSplitter()("").words == []


@pytest.mark.parametrize(
    "line",
    [*RAW, "❤️ नमस्ते, ‘naïve’ cafe\u0301! 3½% of e\u200dx", "𝔘nder_score—dash 北京，好。", "\u0301x \u0301, ’tis dogs’"],
)
def test_equals_a_loop_over_the_characters(line: str) -> None:
    sentence = WordSplitter()(line)
    assert (sentence.words, sentence.is_glued) == plain_words.split_words(line)
    assert sentence.first(len(sentence.words)) == " ".join(line.split())


def test_units_by_their_first_character() -> None:
    """Parts of characters stand for most of those that begin so: E2 80 are dashes and quotes, C3 letters."""
    assert [kind_of(word) for word in ("tea", "'s", "3", ",", "…")] == [WORD, WORD, WORD, MARK, MARK]
    kinds = {"word": WORD, "mark": MARK, "": None}
    for lead in range(0x80, 0x100):
        for rest in (b"", b"\x80", b"\xbf", b"\x80\x99"):
            character = first_character(bytes([lead]) + rest)
            assert first_kind(character) == kinds[plain_words.first_kind(character)]
    units = [b".com", b" (the", b"n't", b"a\xe2\x80"]
    assert [separate_words(unit) for unit in units] == [b". com", b" ( the", b"n't", b"a\xe2\x80"]


@pytest.mark.parametrize("punctuation", ["apart", "attached"])
def test_tokenizers_get_the_same_words(tiny_pair: tuple[WordModel, Any], punctuation: Any) -> None:
    """On the same raw text: the same words, and all can be predicted but the first of a line and unknown characters."""
    model, _ = tiny_pair
    lines = list(read_lines(RAW, None, WordSplitter(punctuation)))
    words = [
        word for line in RAW for word in (plain_words.split_words(line)[0] if punctuation == "apart" else line.split())
    ]
    assert [word for line in lines for word in line.words] == words
    reading = WordTokenizer(model.tokenizer, model.units.adapt(punctuation))
    entries = reading.tokenize([[line] for line in lines]).places["entry"].tolist()
    left_out = [(reading.words[~entry], reading.targets[~entry]) for entry in entries if entry < 0]
    known = {(word, reason) for word, reason in left_out if reason != "the tokenizer does not know its characters"}
    assert known == {("He", FIRST), ("The", FIRST)}

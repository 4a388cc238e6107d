"""One rule parts words from punctuation, and it is the same for every tokenizer."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from wordworth.whole_words import PredictionRules, WordModel, predict_words
from wordworth.whole_words.parting import MARK, WORD, Parting, first_character, first_kind, kind_of, spaced
from wordworth.whole_words.units import units_of
from wordworth.whole_words.words import WordTokenizer, numbered

Pair = tuple[WordModel, Any]
RAW = [
    'He said: "It is the old garden, I think!" (and she laughed).',
    "The river's water isn't well-known; it cost 3.50, or so...",
]


def test_by_hand() -> None:
    found = Parting()("“Tea,  don't!” he   said_")
    assert found.words == ["“", "Tea", ",", "don't", "!”", "he", "said", "_"]
    assert found.glued == [False, True, True, False, True, False, False, True]
    assert found.text == "“Tea, don't!” he said_"
    assert [found.first(count) for count in (0, 2, 4, 6)] == ["", "“Tea", "“Tea, don't", "“Tea, don't!” he"]
    attached = Parting("attached")("“Tea,  don't!”")
    assert attached == (["“Tea,", "don't!”"], [False, False], "“Tea, don't!”")
    assert Parting()("the <unk>, x").words == ["the", "<unk>", ",", "x"]
    assert Parting()("").words == []


@pytest.mark.parametrize(
    "line",
    [*RAW, "❤️ नमस्ते, ‘naïve’ cafe\u0301! 3½% of e\u200dx", "𝔘nder_score—dash 北京，好。", "\u0301x \u0301, ’tis dogs’"],
)
def test_equals_a_loop_over_the_characters(line: str, plain_words: ModuleType) -> None:
    found = Parting()(line)
    assert (found.words, found.glued) == plain_words.parted(line)
    assert found.first(len(found.words)) == " ".join(line.split())


def test_units_by_their_first_character(plain_words: ModuleType) -> None:
    """Parts of characters stand for most of those that begin so: E2 80 are dashes and quotes, C3 letters."""
    assert [kind_of(word) for word in ("tea", "'s", "3", ",", "…")] == [WORD, WORD, WORD, MARK, MARK]
    kinds = {"word": WORD, "mark": MARK, "": None}
    for lead in range(0x80, 0x100):
        for rest in (b"", b"\x80", b"\xbf", b"\x80\x99"):
            character = first_character(bytes([lead]) + rest)
            assert first_kind(character) == kinds[plain_words.first_kind(character)]
    assert spaced(b".com") == b". com"
    assert spaced(b" (the") == b" ( the"
    assert spaced(b"n't") == b"n't"
    assert spaced(b"a\xe2\x80") == b"a\xe2\x80"


def tokenizers() -> dict[str, PreTrainedTokenizerFast]:
    """WordPiece parts at marks and keeps no spaces; BPE is GPT-2's; the unigram model parts scripts, as sentencepiece
    does. All know the characters of the text."""
    made = {
        "wordpiece": Tokenizer(models.WordPiece(unk_token="<unk>")),
        "bpe": Tokenizer(models.BPE()),
        "unigram": Tokenizer(models.Unigram()),
    }
    made["wordpiece"].pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made["bpe"].pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    parts = [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()]
    made["unigram"].pre_tokenizer = pre_tokenizers.Sequence(parts)
    special: Any = {"special_tokens": ["<s>", "</s>", "<unk>"], "show_progress": False}
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trained_by = {
        "wordpiece": trainers.WordPieceTrainer(vocab_size=150, **special),
        "bpe": trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, **special),
        "unigram": trainers.UnigramTrainer(vocab_size=80, unk_token="<unk>", **special),
    }
    for name, tokenizer in made.items():
        tokenizer.train_from_iterator(RAW, trained_by[name])
    return {name: PreTrainedTokenizerFast(tokenizer_object=one, unk_token="<unk>") for name, one in made.items()}


@pytest.mark.parametrize("punctuation", ["apart", "attached"])
def test_every_tokenizer_is_asked_the_same_words(plain_words: ModuleType, punctuation: Any) -> None:
    """On the same raw text: the same words, and all but the first of a line can be predicted."""
    lines = list(numbered(RAW, None, Parting(punctuation)))
    words = [word for line in RAW for word in (plain_words.parted(line)[0] if punctuation == "apart" else line.split())]
    assert [word for line in lines for word in line.words] == words
    for name, tokenizer in tokenizers().items():
        reading = WordTokenizer(tokenizer, units_of(tokenizer, len(tokenizer)).parted(punctuation))
        found = reading.passages([[line] for line in lines])
        left_out = {reading.entries.words[~number] for number in found.entries.tolist() if number < 0}
        assert left_out == {"He", "The"}, name
        assert (found.entries >= 0).sum() == len(words) - len(RAW), name


def test_a_word_is_the_same_with_a_space_or_without(tiny_word_model: Callable[[str], Pair]) -> None:
    """Text whose marks stand apart already is asked the same words."""
    model, _ = tiny_word_model("gpt2")
    glued, apart = (
        predict_words(model, [line], PredictionRules(k=5)) for line in ("the old, river", "the old , river")
    )
    assert glued["word"].to_list() == apart["word"].to_list()
    assert glued["glued"].to_list() == [False, False, True, False]
    assert not apart["glued"].any()

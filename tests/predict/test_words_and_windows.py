"""Words among units, long texts in windows, and input that is not as it should be."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from wordworth.errors import WordworthError
from wordworth.predict import PREDICTIONS, PredictionRules, WordModel, load_word_model, predict_words
from wordworth.predict.model import frame
from wordworth.predict.units import units_of
from wordworth.predict.windows import MORE_UNITS, room, windows
from wordworth.predict.words import FIRST, SHORT, Word, WordTokenizer

Pair = tuple[WordModel, Any]
Tiny = Callable[[str], Pair]
TEXT = "the old café was naïve and the river is pleasant to think of"


def passage(model: WordModel, text: str) -> Any:
    words = [Word(0, 0, at, word) for at, word in enumerate(text.split())]
    (found,) = WordTokenizer(model.tokenizer, model.units).passages([words])
    return found


def test_spans_are_those_of_longer_and_longer_texts(tiny_pair: Pair) -> None:
    """The units of the first n words are the units of the text of the first n words: found without offsets."""
    model, plain = tiny_pair
    found = passage(model, TEXT)
    words = TEXT.split()
    for at, (start, end) in enumerate(found.spans):
        assert (start, end) == (len(plain.ids(words[:at])), len(plain.ids(words[: at + 1])))


def test_units_spell_the_word(tiny_pair: Pair) -> None:
    model, _ = tiny_pair
    found = passage(model, TEXT)
    assert found.targets[0] == FIRST
    for target in found.targets[1:]:
        assert not isinstance(target, str)
        assert b"".join(target.text.split()).decode() == target.form
    cased = [target.form for target in found.targets[1:]]
    lower = model.name in ("tiny-gpt", "tiny-bert", "tiny-albert")
    expected = TEXT.replace("é", "e").replace("ï", "i") if lower else TEXT
    assert cased == expected.split()[1:]


def test_case_is_the_models(tiny_word_model: Tiny) -> None:
    """An uncased model reads and says lower case; the table has the word as it stood, and its form."""
    table = predict_words(tiny_word_model("bert")[0], ["It Is PLEASANT"])
    assert table["word"].to_list() == ["It", "Is", "PLEASANT"]
    assert table["form"].to_list() == [None, "is", "pleasant"]


@pytest.mark.parametrize(("size", "context"), [(8, 2), (12, 6), (12, 11), (40, 20)])
def test_every_word_once_with_its_context(tiny_word_model: Tiny, size: int, context: int) -> None:
    model, _ = tiny_word_model("llama-unigram")
    found = passage(model, " ".join([TEXT] * 3))
    at: list[int] = []
    for window, left_out in windows(found, model.before, size, context):
        at += [word.at for word, _ in left_out]
        if window is None:
            continue
        assert len(window.ids) <= size + len(model.before)
        assert tuple(window.ids[: len(model.before)]) == model.before
        for place in window.places:
            at.append(place.word.at)
            ids = place.target.ids
            assert tuple(window.ids[place.start : place.start + len(ids)]) == ids
            whole = found.spans[place.word.at][0]
            assert place.start - len(model.before) >= min(context, whole)
    assert sorted(at) == list(range(len(found.words)))


def test_windows_equal_their_texts_alone(tiny_word_model: Tiny) -> None:
    """A word in a later window is predicted from the words of its window and no others."""
    model, plain = tiny_word_model("gpt2")
    text = " ".join(["the old river is pleasant to think of"] * 4)
    table = predict_words(model, [text], PredictionRules(window=14, context=6))
    words = text.split()
    found = passage(model, text)
    for window, _ in windows(found, model.before, 14, 6):
        assert window is not None
        for place in window.places[:1]:
            row = table.row(place.word.at, named=True)
            _, hit1, hitk, logp, _ = plain.word(window.ids[: place.start], list(place.target.ids), place.previous)
            assert (row["hit1"], row["hitk"]) == (hit1, hitk)
            assert row["logp"] == pytest.approx(logp, abs=1e-4)
    assert table["word"].to_list() == words
    assert table["left_out"].null_count() == len(words) - 1


def test_the_context_may_be_the_document(tiny_word_model: Tiny) -> None:
    """The lines of a document joined by spaces are read as one line."""
    model, _ = tiny_word_model("gpt2")
    lines = ["the old river is", "is pleasant to", "think of it"]
    apart = predict_words(model, lines, documents=[4, 4, 7], by_document=True)
    one = predict_words(model, ["the old river is is pleasant to", "think of it"])
    assert apart["document"].to_list() == [4] * 7 + [7] * 3
    assert apart["line"].to_list() == [0] * 4 + [1] * 3 + [2] * 3
    assert apart["at"].to_list() == [*range(4), *range(3), *range(3)]
    same = ["word", "guess", "hit1", "hitk", "logp", "left_out"]
    assert apart.select(same).equals(one.select(same))


def test_documents_go_along(tiny_word_model: Tiny) -> None:
    model, _ = tiny_word_model("gpt2")
    lines = ["the old river is", "a storm", "think of it"]
    table = predict_words(model, lines, documents=[0, 0, 1])
    assert table["document"].to_list() == [0] * 6 + [1] * 3
    assert predict_words(model, lines)["document"].to_list() == [0] * 4 + [1] * 2 + [2] * 3
    with pytest.raises(WordworthError, match="line 3 belongs to no document"):
        predict_words(model, lines, documents=[0, 0])
    with pytest.raises(WordworthError, match="no documents are given"):
        predict_words(model, lines, by_document=True)


def test_short_lines_are_counted(tiny_word_model: Tiny) -> None:
    model, _ = tiny_word_model("gpt2")
    table = predict_words(model, ["", "one", "two words", "the old river"])
    assert dict(table.schema) == PREDICTIONS
    assert all(kind in (pl.Categorical, pl.Int32, pl.Float64, pl.Boolean) for kind in PREDICTIONS.values())  # it grows
    assert table["left_out"].to_list() == [SHORT] * 3 + [FIRST, None, None]
    blank = table.filter(pl.col("left_out").is_not_null()).select("guess", "hit1", "hitk", "logp", "units")
    assert blank.null_count().row(0) == (4, 4, 4, 4, 4)


@pytest.mark.parametrize("lines", [[], [""], ["  ", "\t"]])
def test_an_empty_text(tiny_word_model: Tiny, lines: list[str]) -> None:
    with pytest.raises(WordworthError, match="no word of the text can be predicted: it is empty"):
        predict_words(tiny_word_model("gpt2")[0], lines)


def test_lines_of_one_word(tiny_word_model: Tiny) -> None:
    with pytest.raises(WordworthError, match=r"2 × line of fewer than 3 words; give lines of at least 3 words"):
        predict_words(tiny_word_model("gpt2")[0], ["one", "two"])


def test_unknown_words_are_counted_apart(tiny_word_model: Tiny) -> None:
    """<unk> of the text, and characters that the vocabulary lacks; they are read all the same."""
    table = predict_words(tiny_word_model("llama-unigram")[0], ["the old <unk> ☃ river is"])
    reasons = table["left_out"].to_list()
    assert reasons[2:4] == ["<unk>", "the tokenizer does not know its characters"]
    assert reasons[1] is None
    assert reasons[4:] == [None, None]
    in_bytes = predict_words(tiny_word_model("gpt2")[0], ["the old <unk> ☃ river is"])
    assert in_bytes["left_out"].to_list()[2:4] == ["<unk>", None]
    assert in_bytes.row(3, named=True)["units"] > 2


def test_special_tokens_in_the_text(tiny_word_model: Tiny) -> None:
    table = predict_words(tiny_word_model("gpt2")[0], ["the old </s> river is"])
    assert table["left_out"].to_list()[2] == "it holds a special token of the model"


def test_k_and_windows_out_of_range(tiny_word_model: Tiny) -> None:
    model, _ = tiny_word_model("gpt2")
    for k in (0, model.reader.width + 1):
        with pytest.raises(WordworthError, match=rf"k is {k}, and tiny-gpt2 has 420 units"):
            predict_words(model, [TEXT], PredictionRules(k=k))
    assert predict_words(model, [TEXT], PredictionRules(k=model.reader.width, guesses=False))["hitk"].drop_nulls().all()
    with pytest.raises(WordworthError, match=r"the window is 61 tokens, and tiny-gpt2 admits 2 to 52"):
        predict_words(model, [TEXT], PredictionRules(window=61))
    with pytest.raises(WordworthError, match="12 tokens of context do not fit a window of 12"):
        predict_words(model, [TEXT], PredictionRules(window=12, context=12))
    with pytest.raises(WordworthError, match="there is no boundary 'none'"):
        predict_words(model, [TEXT], PredictionRules(boundary="none"))
    assert room(None, 0) > 1000
    assert room(60, 2) == 58 - MORE_UNITS
    with pytest.raises(WordworthError, match="the model admits 9 tokens, too few"):
        room(9, 1)


def test_a_word_that_fits_no_window(tiny_word_model: Tiny) -> None:
    model, _ = tiny_word_model("gpt2")
    table = predict_words(model, [f"the old {'xyz' * 30} river is pleasant to think"])
    reasons = table["left_out"].to_list()
    assert "units and 13 tokens of context do not fit 52 tokens" in reasons[2]
    assert reasons[3:] == [None] * 5


def test_splitters_of_ones_own(tiny_word_model: Tiny) -> None:
    model, _ = tiny_word_model("gpt2")
    table = predict_words(model, ["the-old-river"], split=lambda line: line.split("-"))
    assert table["word"].to_list() == ["the", "old", "river"]
    with pytest.raises(WordworthError, match="line 1: the splitter gave 'the old', and a word holds no white space"):
        predict_words(model, ["the old-river-is"], split=lambda line: line.split("-"))
    with pytest.raises(WordworthError, match="line 1 holds half a character"):
        predict_words(model, ["the old \ud83d river"])


def test_frames_are_the_tokenizers(tiny_word_model: Tiny) -> None:
    """The rule for BOS: what the tokenizer puts before a text, no more and no less."""
    assert frame(tiny_word_model("gpt2")[0].tokenizer) == ((), ())
    assert frame(tiny_word_model("llama-unigram")[0].tokenizer) == ((0,), ())
    assert frame(tiny_word_model("bert")[0].tokenizer) == ((0,), (2,))


def test_a_tokenizer_without_marks() -> None:
    bare = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    bare.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(WordworthError, match="marks neither where words begin nor where they end"):
        units_of(PreTrainedTokenizerFast(tokenizer_object=bare), 2)


def test_a_tokenizer_without_offsets(tiny_word_model: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the library's fast tokenizers tell where a unit stands in the text."""
    model, plain = tiny_word_model("gpt2")
    plain.network.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    monkeypatch.setattr("wordworth.encode.loading.AutoTokenizer.from_pretrained", lambda *_, **__: object())
    with pytest.raises(WordworthError, match="has no fast tokenizer, so a word cannot be located"):
        load_word_model(tmp_path)


def test_loaded_from_a_folder(tiny_word_model: Tiny, tmp_path: Path) -> None:
    model, plain = tiny_word_model("llama-bpe")
    plain.network.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    loaded = load_word_model(tmp_path, device="cpu")
    assert (loaded.family, loaded.before, loaded.limit) == ("causal", (), 60)
    assert loaded.identity != model.identity
    one, other = (predict_words(each, [TEXT]) for each in (model, loaded))
    assert one.drop("logp", "logp_naive").equals(other.drop("logp", "logp_naive"))
    with pytest.raises(WordworthError, match=r"\(llama\) has no head that predicts words from the left as a mask"):
        load_word_model(tmp_path, family="masked")


def test_shared_units_are_left_out(tiny_word_model: Tiny) -> None:
    """A tokenizer that joins words over the space between them: neither can be predicted alone."""
    model, _ = tiny_word_model("gpt2")
    found = passage(model, TEXT)
    reading = WordTokenizer(model.tokenizer, model.units)
    words = [Word(0, 0, at, word) for at, word in enumerate(["a", "b", "c"])]
    joined = reading._passage(words, [1, 2], [(0, 1), (1, 5)])
    assert joined.targets[1:] == ["its units are also those of the word beside it"] * 2
    assert all(start < end for start, end in found.spans)
    assert all(one[1] == other[0] for one, other in pairwise(found.spans))
    assert replace(found, ids=[]).words == found.words

"""Words among units, long texts in windows, and input that is not as it should be."""

import pickle
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2LMHeadModel, PreTrainedTokenizerFast

from wordworth.errors import WordworthError
from wordworth.whole_words import PREDICTIONS, PredictionRules, WordModel, load_word_model, predict_words, scan_words
from wordworth.whole_words import chunks as in_chunks
from wordworth.whole_words.chunks import MORE_UNITS, Chunk, chunks, room
from wordworth.whole_words.model import frame
from wordworth.whole_words.parting import Parting
from wordworth.whole_words.pipeline import predict_chunks
from wordworth.whole_words.reader import split_head
from wordworth.whole_words.units import units_of
from wordworth.whole_words.words import FIRST, SHARED, SHORT, Line, Passages, Target, WordTokenizer, numbered

Pair = tuple[WordModel, Any]
Tiny = Callable[[str], Pair]
TEXT = "the old café was naïve and the river is pleasant to think of"


class Read(NamedTuple):
    words: list[str]
    spans: list[tuple[int, int]]
    targets: list[Target | str]


def read(reading: WordTokenizer, found: Passages) -> Read:
    numbers = [max(number, ~number) for number in found.entries.tolist()]
    words, targets = (
        [every[number] for number in numbers] for every in (reading.entries.words, reading.entries.targets)
    )
    return Read(words, list(pairwise([*found.starts.tolist(), len(found.ids)])), targets)


def passage(model: WordModel, text: str) -> Read:
    reading = WordTokenizer(model.tokenizer, model.units)
    return read(reading, reading.passages([[line_of(0, 0, text.split())]]))


def line_of(document: int, number: int, words: list[str]) -> Line:
    return Line(document, number, words, [False] * len(words), " ".join(words))


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


def chunk_of(model: WordModel, text: str, size: int, context: int) -> Chunk:
    (chunk,) = chunks(model, numbered([text], None, Parting()), size, context, by_document=False)
    return chunk


@pytest.mark.parametrize(("size", "context"), [(8, 2), (12, 6), (12, 11), (40, 20)])
def test_every_word_once_with_its_context(tiny_word_model: Tiny, size: int, context: int) -> None:
    model, _ = tiny_word_model("llama-unigram")
    text = " ".join([TEXT] * 3)
    found, chunk = passage(model, text), chunk_of(model, text, size, context)
    read = np.split(chunk.ids, chunk.ends[:-1])
    for ids in read:
        assert len(ids) <= size + len(model.before)
        assert tuple(ids[: len(model.before)]) == model.before
    for place in chunk.places:
        target = chunk.targets[place["entry"]]
        assert not isinstance(target, str)
        assert tuple(read[place["window"]][place["start"] :][: len(target.ids)]) == target.ids
        assert place["start"] - len(model.before) >= min(context, found.spans[place["at"]][0])
    at = [*chunk.places["at"].tolist(), *chunk.skipped["at"].tolist()]
    assert sorted(at) == list(range(len(found.words)))


def test_windows_equal_their_texts_alone(tiny_word_model: Tiny) -> None:
    """A word in a later window is predicted from the words of its window and no others."""
    model, plain = tiny_word_model("gpt2")
    text = " ".join(["the old river is pleasant to think of"] * 4)
    table = predict_words(model, [text], PredictionRules(window=14, context=6))
    words, chunk = text.split(), chunk_of(model, text, 14, 6)
    for at, ids in enumerate(np.split(chunk.ids, chunk.ends[:-1])):
        place = chunk.places[chunk.places["window"] == at][0]
        row, target = table.row(place["at"], named=True), chunk.targets[place["entry"]]
        assert not isinstance(target, str)
        before = chunk.words[place["before"]]
        assert before == words[place["at"] - 1]
        _, hit1, hitk, logp, _ = plain.word(ids[: place["start"]].tolist(), list(target.ids), before)
        assert (row["hit1"], row["hitk"]) == (hit1, hitk)
        assert row["logp"] == pytest.approx(logp, abs=1e-4)
    assert table["word"].to_list() == words
    assert table["left_out"].null_count() == len(words) - 1


@pytest.mark.parametrize("by_document", [False, True])
def test_chunks_follow_one_another_in_the_text(
    tiny_word_model: Tiny, monkeypatch: pytest.MonkeyPatch, by_document: bool
) -> None:
    """Also short lines, which are not read with the others; so that tables of chunks can be put one behind another."""
    model, _ = tiny_word_model("gpt2")
    monkeypatch.setattr(model.reader.budget, "tokens", 4)
    lines = [TEXT, "short one", TEXT, "", "one", TEXT, "two", TEXT, "last line"]
    documents = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    every = list(chunks(model, numbered(lines, documents, Parting()), 40, 10, by_document=by_document))
    assert len(every) > 2
    tables = list(predict_chunks(model, iter(every), PredictionRules(guesses=False)))
    found = [(line, at) for table in tables for line, at in table.select("line", "at").iter_rows()]
    assert found == [(line, at) for line, text in enumerate(lines) for at in range(len(text.split()))]
    assert sum(chunk.lines for chunk in every) == len(lines)


def test_words_that_were_met_may_be_forgotten(
    tiny_word_model: Tiny, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So that memory does not grow with the words of a text; and its lines may come from a file."""
    model, _ = tiny_word_model("gpt2")
    lines = [" ".join([*TEXT.split()[at:], f"w{at}"]) for at in range(8)] + ["short one"]
    (tmp_path / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    expected = predict_words(model, lines, kept=tmp_path / "one")
    monkeypatch.setattr(in_chunks, "WORDS", 5)
    monkeypatch.setattr(in_chunks, "KNOWN", 10)
    every = list(chunks(model, numbered(lines, None, Parting()), 40, 10, by_document=False))
    assert len(every) > 4
    assert sum(chunk.lines for chunk in every) == len(lines)
    with (tmp_path / "text.txt").open(encoding="utf-8") as file:
        found = scan_words(model, file, kept=tmp_path / "two").collect()
    close = ["logp", "logp_naive"]  # other batches round otherwise
    assert found.drop(close).equals(expected.drop(close))
    assert (found["logp"] - expected["logp"]).abs().max() < 1e-5


def test_heads_travel(tiny_word_model: Tiny) -> None:
    """Where the network does: a network that gave hidden states keeps hooks of its library that do not."""
    config = tiny_word_model("gpt2")[1].network.config
    head, width = split_head(GPT2LMHeadModel(config).eval())
    states = torch.randn(3, config.hidden_size)
    there = pickle.loads(pickle.dumps(head))  # noqa: S301 - our own
    with torch.inference_mode():
        assert torch.equal(there(states), head(states))
    assert width == config.vocab_size


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
    assert table["left_out"].to_list() == [SHORT] * 3 + [FIRST, None, None]
    blank = table.filter(pl.col("left_out").is_not_null()).select("guess", "hit1", "hitk", "logp", "units")
    assert blank.null_count().row(0) == (4, 4, 4, 4, 4)


@pytest.mark.parametrize(
    ("lines", "reason"), [([], "it is empty"), (["  ", "\t"], "it is empty"), (["one", "two"], "2 × line")]
)
def test_nothing_to_predict(tiny_word_model: Tiny, lines: list[str], reason: str) -> None:
    with pytest.raises(WordworthError, match=f"no word of the text can be predicted: {reason}"):
        predict_words(tiny_word_model("gpt2")[0], lines)


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
    model, _ = tiny_word_model("gpt2")
    table = predict_words(model, ["the old </s> river is"], PredictionRules(punctuation="attached"))
    assert table["left_out"].to_list()[2] == "it holds a special token of the model"
    apart = predict_words(model, ["the old </s> river is"])
    assert apart["word"].to_list()[2:5] == ["</", "s", ">"]
    assert apart["left_out"].to_list()[2:5] == [SHARED] * 3


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
    for name in ("boundary", "beginning", "punctuation"):
        with pytest.raises(WordworthError, match=f"there is no {name} 'none'; choose "):
            predict_words(model, [TEXT], PredictionRules(**{name: "none"}))
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


def test_loaded_from_a_folder(tiny_word_model: Tiny, tmp_path: Path) -> None:
    model, plain = tiny_word_model("llama-bpe")
    plain.network.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    loaded = load_word_model(tmp_path, device="cpu")
    assert (loaded.family, loaded.before, loaded.limit) == ("causal", (), 60)
    assert loaded.identity == model.identity, "it is the same model"
    one, other = (predict_words(each, [TEXT]) for each in (model, loaded))
    assert one.drop("logp", "logp_naive").equals(other.drop("logp", "logp_naive"))
    with pytest.raises(WordworthError, match=r"\(llama\) has no head that predicts words from the left as a mask"):
        load_word_model(tmp_path, family="masked")


def test_shared_units_are_left_out(tiny_word_model: Tiny) -> None:
    """A tokenizer that joins words over the space between them: neither can be predicted alone."""
    model, _ = tiny_word_model("gpt2")
    reading = WordTokenizer(model.tokenizer, model.units)
    lines = [[line_of(0, 0, ["a", "b", "c"])], [line_of(1, 1, ["d", "e", "f"])]]
    encoded: Any = [
        SimpleNamespace(ids=[1, 2], offsets=[(0, 1), (1, 5)]),
        SimpleNamespace(ids=[1, 2, 3], offsets=[(0, 1), (1, 3), (3, 5)]),
    ]
    found = read(reading, reading.found(lines, encoded))
    assert found.words == ["a", "b", "c", "d", "e", "f"]
    assert found.targets[:4] == [FIRST, SHARED, SHARED, FIRST]
    assert SHARED not in found.targets[4:]
    assert found.spans == [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4), (4, 5)]


def test_texts_read_together_are_those_read_alone(tiny_pair: Pair) -> None:
    """Word by word: units, where they begin, and what the word is to the model; also where characters are dropped."""
    model, _ = tiny_pair
    texts = [TEXT, "a\u200b b \u200b c", "naïve İstanbul <unk> ☃ x", "\u200b first the old", TEXT.upper()]
    alone = [passage(model, text) for text in texts]
    reading = WordTokenizer(model.tokenizer, model.units)
    found = reading.passages([[line_of(7, at, text.split())] for at, text in enumerate(texts)])
    together = read(reading, found)
    assert together.words == [word for one in alone for word in one.words]
    assert together.targets == [target for one in alone for target in one.targets]
    units = [
        (first + start, first + end)
        for first, one in zip(found.units_before.tolist(), alone, strict=False)
        for start, end in one.spans
    ]
    assert together.spans == units
    lines = [(line, at) for line, text in enumerate(texts) for at in range(len(text.split()))]
    assert found.where.T.tolist() == [[7, line, at, 0] for line, at in lines]

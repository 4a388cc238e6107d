"""Words among units, long texts in windows, and input that is not as it should be."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from wordworth.errors import WordworthError
from wordworth.whole_words import PREDICTIONS, PredictionRules, WordModel, predict_words, scan_words
from wordworth.whole_words import chunks as in_chunks
from wordworth.whole_words.chunks import Chunk, chunks
from wordworth.whole_words.pipeline import predict_chunks
from wordworth.whole_words.rules import room
from wordworth.whole_words.splitting import WordSplitter
from wordworth.whole_words.units import units_of
from wordworth.whole_words.words import FIRST, SHARED_UNITS, SHORT_LINE, Line, Target, WordTokenizer, read_lines

Pair = tuple[WordModel, Any]
Tiny = Callable[[str], Pair]
TEXT = "the old café was naïve and the river is pleasant to think of"
SPLITTER = WordSplitter()


def chunks_of(model: WordModel, lines: list[str], size: int, context: int, **documents: Any) -> list[Chunk]:
    read = read_lines(lines, documents.pop("documents", None), SPLITTER)
    return list(chunks(model, read, PredictionRules(window=size, context=context), **documents))


def predict(model: WordModel, line: str, *columns: str, **rules: Any) -> list[Any]:
    return predict_words(model, [line], PredictionRules(**rules)).get_column(*columns).to_list()


def test_spans_are_those_of_longer_and_longer_texts(tiny_pair: Pair) -> None:
    """The units of the first n words are the units of the text of the first n words: found without offsets."""
    model, plain = tiny_pair
    texts = [TEXT, "naïve İstanbul <unk> ☃ x", "a\u200b b \u200b c", TEXT.upper()]
    reading = WordTokenizer(model.tokenizer, model.units)
    lines = [[line] for line in read_lines(texts, [7, 7, 8, 8], WordSplitter("attached"))]
    found = reading.tokenize(lines)
    starts = []
    for text, first in zip(texts, found.units_before.tolist(), strict=False):
        words = text.split()
        starts += [first + len(plain.ids(words[:at])) for at in range(len(words))]
    assert found.places["start"].tolist() == starts
    where = [(7 + (line > 1), line, at) for line, text in enumerate(texts) for at in range(len(text.split()))]
    assert found.places[["document", "line", "at"]].tolist() == where
    targets = [reading.targets[number] for number in found.places["entry"][1:13].tolist()]
    assert all(isinstance(one, Target) and b"".join(one.text.split()).decode() == one.form for one in targets)
    is_lower = model.name in ("tiny-gpt", "tiny-bert", "tiny-albert")
    expected = TEXT.replace("é", "e").replace("ï", "i") if is_lower else TEXT
    assert [target.form for target in targets if isinstance(target, Target)] == expected.split()[1:]


def test_shared_units_are_left_out(tiny_word_model: Tiny) -> None:
    """A tokenizer that joins words over the space between them: neither can be predicted alone."""
    model, _ = tiny_word_model("gpt2")
    reading = WordTokenizer(model.tokenizer, model.units)
    lines = [[Line(0, 0, ["a", "b", "c"], [False] * 3, "a b c")], [Line(1, 1, ["d", "e", "f"], [False] * 3, "d e f")]]
    encoded: Any = [
        SimpleNamespace(ids=[1, 2], offsets=[(0, 1), (1, 5)]),
        SimpleNamespace(ids=[1, 2, 3], offsets=[(0, 1), (1, 3), (3, 5)]),
    ]
    found = reading.find_words(lines, encoded)
    targets = [reading.targets[max(number, ~number)] for number in found.places["entry"].tolist()]
    assert targets[:4] == [FIRST, SHARED_UNITS, SHARED_UNITS, FIRST]
    assert SHARED_UNITS not in targets[4:]
    spans = list(pairwise([*found.places["start"].tolist(), len(found.ids)]))
    assert spans == [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4), (4, 5)]


@pytest.mark.parametrize(("size", "context"), [(8, 2), (12, 6), (12, 11), (40, 20)])
def test_every_word_once_with_its_context(tiny_word_model: Tiny, size: int, context: int) -> None:
    model, plain = tiny_word_model("llama-unigram")
    words = TEXT.split() * 3
    (chunk,) = chunks_of(model, [" ".join(words)], size, context)
    read = np.split(chunk.ids, chunk.ends[:-1])
    for ids in read:
        assert len(ids) <= size + len(model.before)
        assert tuple(ids[: len(model.before)]) == model.before
    for place in chunk.places:
        target = chunk.targets[place["entry"]]
        assert isinstance(target, Target)
        assert tuple(read[place["window"]][place["start"] :][: len(target.ids)]) == target.ids
        assert place["start"] - len(model.before) >= min(context, len(plain.ids(words[: place["at"]])))
    assert sorted([*chunk.places["at"].tolist(), *chunk.skipped["at"].tolist()]) == list(range(len(words)))


def test_windows_equal_their_texts_alone(tiny_word_model: Tiny) -> None:
    """A word in a later window is predicted from the words of its window and no others."""
    model, plain = tiny_word_model("gpt2")
    text = " ".join(["the old river is pleasant to think of"] * 4)
    table = predict_words(model, [text], PredictionRules(window=14, context=6))
    (chunk,) = chunks_of(model, [text], 14, 6)
    words = text.split()
    for at, ids in enumerate(np.split(chunk.ids, chunk.ends[:-1])):
        place = chunk.places[chunk.places["window"] == at][0]
        row, target = table.row(place["at"], named=True), chunk.targets[place["entry"]]
        assert isinstance(target, Target)
        before = chunk.words[place["before"]]
        assert before == words[place["at"] - 1]
        _, hit1, hitk, logp, _ = plain.word(ids[: place["start"]].tolist(), list(target.ids), before)
        assert (row["hit1"], row["hitk"]) == (hit1, hitk)
        assert row["logp"] == pytest.approx(logp, abs=1e-4)
    assert table["word"].to_list() == words
    assert table["left_out"].null_count() == len(words) - 1


@pytest.mark.parametrize("by_document", [False, True])
def test_chunks_follow_in_order(tiny_word_model: Tiny, monkeypatch: pytest.MonkeyPatch, by_document: bool) -> None:
    """Also short lines, which are not read with the others; so that tables of chunks can be put one behind another."""
    model, _ = tiny_word_model("gpt2")
    monkeypatch.setattr(model.reader.budget, "tokens", 4)
    lines = [TEXT, "short one", TEXT, "", "one", TEXT, "two", TEXT, "last line"]
    documents = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    every = chunks_of(model, lines, 40, 10, documents=documents, by_document=by_document)
    assert len(every) > 2
    tables = predict_chunks(model, every, PredictionRules(guesses=False))
    found = [place for table in tables for place in table.select("line", "at").iter_rows()]
    assert found == [(line, at) for line, text in enumerate(lines) for at in range(len(text.split()))]
    assert sum(chunk.lines for chunk in every) == len(lines)


def test_seen_words_may_be_forgotten(tiny_word_model: Tiny, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So that memory does not grow with the words of a text; and its lines may come from a file."""
    model, _ = tiny_word_model("gpt2")
    lines = [" ".join([*TEXT.split()[at:], f"w{at}"]) for at in range(8)] + ["short one"]
    (tmp_path / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    expected = predict_words(model, lines, kept=tmp_path / "one")
    monkeypatch.setattr(in_chunks, "TOKENIZED_WORDS", 5)
    monkeypatch.setattr(in_chunks, "MAX_ENTRIES", 10)
    every = chunks_of(model, lines, 40, 10)
    assert len(every) > 4
    assert sum(chunk.lines for chunk in every) == len(lines)
    with (tmp_path / "text.txt").open(encoding="utf-8") as file:
        found = scan_words(model, file, kept=tmp_path / "two").collect()
    close = ["logp", "logp_naive"]  # other batches round otherwise
    assert found.drop(close).equals(expected.drop(close))
    assert (found["logp"] - expected["logp"]).abs().max() < 1e-5


def test_documents(tiny_word_model: Tiny) -> None:
    """Where the context is the document, its lines joined by spaces are read as one line."""
    model, _ = tiny_word_model("gpt2")
    lines = ["the old river is", "is pleasant to", "think of it"]
    apart = predict_words(model, lines, documents=[4, 4, 7], by_document=True)
    one = predict_words(model, ["the old river is is pleasant to", "think of it"])
    assert apart["document"].to_list() == [4] * 7 + [7] * 3
    assert apart["line"].to_list() == [0] * 4 + [1] * 3 + [2] * 3
    assert apart["at"].to_list() == [*range(4), *range(3), *range(3)]
    same = ["word", "guess", "hit1", "hitk", "logp", "left_out"]
    assert apart.select(same).equals(one.select(same))
    assert predict_words(model, lines)["document"].to_list() == [0] * 4 + [1] * 3 + [2] * 3
    with pytest.raises(WordworthError, match="line 3 has no document"):
        predict_words(model, lines, documents=[0, 0])
    with pytest.raises(WordworthError, match="by_document needs"):
        predict_words(model, lines, by_document=True)


def test_short_lines_are_counted(tiny_word_model: Tiny) -> None:
    table = predict_words(tiny_word_model("gpt2")[0], ["", "one", "two words", "the old river"])
    assert dict(table.schema) == PREDICTIONS
    assert table["left_out"].to_list() == [SHORT_LINE] * 3 + [FIRST, None, None]
    blank = table.filter(pl.col("left_out").is_not_null()).select("guess", "hit1", "hitk", "logp", "units")
    assert blank.null_count().row(0) == (4, 4, 4, 4, 4)


@pytest.mark.parametrize(("lines", "reason"), [(["  ", "\t"], "it is empty"), (["one", "two"], "2 × line")])
def test_nothing_to_predict(tiny_word_model: Tiny, lines: list[str], reason: str) -> None:
    with pytest.raises(WordworthError, match=f"no word of the text can be predicted: {reason}"):
        predict_words(tiny_word_model("gpt2")[0], lines)


def test_words_that_cannot_be_predicted_have_a_reason(tiny_word_model: Tiny) -> None:
    """<unk> of the text, characters that the vocabulary lacks, special tokens, words longer than a window."""
    strange = "the old <unk> ☃ river is"
    unknown = "the tokenizer does not know its characters"
    gpt2, unigram = (tiny_word_model(kind)[0] for kind in ("gpt2", "llama-unigram"))
    assert predict(unigram, strange, "left_out") == [FIRST, None, "<unk>", unknown, None, None]
    assert predict(gpt2, strange, "left_out")[2:4] == ["<unk>", None]
    special = "the old </s> river is"
    assert predict(gpt2, special, "left_out", punctuation="attached")[2] == "it holds a special token of the model"
    assert predict(gpt2, special, "word")[2:5] == ["</", "s", ">"]
    assert predict(gpt2, special, "left_out")[2:5] == [SHARED_UNITS] * 3
    reasons = predict(gpt2, f"the old {'xyz' * 30} river is pleasant to think", "left_out")
    assert "units and 13 tokens of context do not fit 52 tokens" in reasons[2]
    assert reasons[3:] == [None] * 5


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"k": -1}, "k is -1, but tiny-gpt2 has 420 units"),
        ({"window": 61}, "the window is 61 tokens, but tiny-gpt2 reads 2 to 52"),
        ({"window": 12, "context": 12}, "12 tokens of context do not fit a window of 12"),
    ],
)
def test_rules_out_of_range(tiny_word_model: Tiny, rules: dict[str, Any], message: str) -> None:
    with pytest.raises(WordworthError, match=message):
        predict(tiny_word_model("gpt2")[0], TEXT, "word", **rules)


def test_models_that_admit_too_little() -> None:
    with pytest.raises(WordworthError, match="the model reads 9 tokens, too few"):
        room(9, 1)


def test_splitters_of_ones_own(tiny_word_model: Tiny) -> None:
    model, _ = tiny_word_model("gpt2")
    table = predict_words(model, ["the-old-river"], split=lambda line: line.split("-"))
    assert table["word"].to_list() == ["the", "old", "river"]
    with pytest.raises(WordworthError, match="line 1: the splitter returned 'the old', but a word has no white space"):
        predict_words(model, ["the old-river-is"], split=lambda line: line.split("-"))
    with pytest.raises(WordworthError, match="line 1 contains half a character"):
        predict_words(model, ["the old \ud83d river"])


def test_a_tokenizer_without_marks() -> None:
    bare = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    bare.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(WordworthError, match="marks neither the beginnings nor the ends of words"):
        units_of(PreTrainedTokenizerFast(tokenizer_object=bare), 2)

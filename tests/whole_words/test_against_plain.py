"""Every hit, guess and probability of tiny models equals the plain way's, whatever the architecture and tokenizer."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from truth import plain_words

from wordworth.whole_words import PREDICTIONS, PredictionRules, WordModel, complete, predict_words
from wordworth.whole_words.splitting import WordSplitter

LINES = [
    "It is neither pleasant nor unpleasant to think of a garden",
    "the old café was naïve, don't “think” of (the jalapeño)!",
    "happy friends and unfriendly cities",
    "a river",
    "Łódź and Kraków : 北京 words",
]
Pair = tuple[WordModel, Any]


def compare(table: pl.DataFrame, lines: list[str], plain: Any) -> int:
    predicted = table.filter(pl.col("left_out").is_null())
    found = {(row["line"], row["at"]): row for row in predicted.iter_rows(named=True)}
    for number in sorted({line for line, _ in found}):
        for at, (guess, hit1, hitk, logp, naive) in enumerate(plain.line(lines[number]), start=1):
            row = found.get((number, at))
            if row is None:
                continue
            place = f"{number}:{at} {row['word']!r}"
            assert (row["guess"], row["hit1"], row["hitk"]) == (guess, hit1, hitk), place
            assert row["logp"] == pytest.approx(logp, abs=1e-4), place
            assert row["logp_naive"] == pytest.approx(naive, abs=1e-4), place
    return len(found)


@pytest.mark.parametrize(("beginning", "punctuation"), [("given", "apart"), ("guessed", "attached")])
@pytest.mark.parametrize("boundary", ["required", "top-1", "ignored"])
@pytest.mark.parametrize("k", [1, 40])
def test_equals_the_plain_way(tiny_pair: Pair, k: int, boundary: Any, beginning: Any, punctuation: Any) -> None:
    """k = 40 of a few hundred units lets many a second segmentation win."""
    model, plain = tiny_pair
    table = predict_words(model, LINES, PredictionRules(k, boundary, beginning, punctuation))
    assert dict(table.schema) == PREDICTIONS
    apart = punctuation == "apart"
    words = [word for line in LINES for word in (plain_words.split_words(line)[0] if apart else line.split())]
    assert table["word"].to_list() == words
    lines = LINES if k == 1 else LINES[:3]
    some = table.filter(pl.col("line") < len(lines))
    ends = {"boundary": boundary != "ignored", "path_boundary": boundary == "required"}
    way = replace(plain, k=k, **ends, given=beginning == "given", apart=apart)
    assert compare(some, lines, way) > 15


def same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    near = ["logp", "logp_naive"]
    assert one.drop(near).equals(other.drop(near))
    for name in near:
        assert (one[name] - other[name]).abs().max() < 1e-5


def test_models_without_a_memory_give_the_same(
    tiny_word_model: Callable[[str], Pair], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And second segmentations win somewhere: else the comparison above would show little."""
    model, _ = tiny_word_model("llama-bpe")
    reader: Any = model.reader
    assert reader.remembers
    kept = predict_words(model, LINES, PredictionRules(k=40), kept=tmp_path / "one")
    monkeypatch.setattr(reader, "remembers", False)
    same(predict_words(model, LINES, PredictionRules(k=40), kept=tmp_path / "two"), kept)
    assert 0 < kept["hitk"].sum() < len(kept)


def test_batches_do_not_change_the_numbers(tiny_pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = tiny_pair
    whole = predict_words(model, LINES, PredictionRules(k=20), kept=tmp_path / "one")
    monkeypatch.setattr(model.reader.budget, "tokens", 16)
    same(predict_words(model, LINES, PredictionRules(k=20), kept=tmp_path / "two"), whole)


def test_memory_that_runs_out_among_paths(
    tiny_word_model: Callable[[str], Pair], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader: Any
    model, reader = tiny_word_model("llama-bpe")[0], tiny_word_model("llama-bpe")[0].reader
    monkeypatch.setattr(reader.budget, "tokens", 24)
    lines = [" ".join(LINES[0].split()[at % 5 : 4 + at % 5 + at % 7]) for at in range(50)]
    whole = predict_words(model, lines, kept=tmp_path / "one")
    extend, refused = reader.extend, []

    def short(state: Any, nodes: list[Any]) -> Any:
        if len({node.text for node in nodes}) > 2:
            refused.append(len(nodes))
            raise torch.OutOfMemoryError("no memory is left")
        return extend(state, nodes)

    monkeypatch.setattr(reader, "extend", short)
    same(predict_words(model, lines, kept=tmp_path / "two"), whole)
    assert refused


def test_without_guesses_the_rest_is_the_same(tiny_pair: Pair) -> None:
    model, _ = tiny_pair
    full, spare = (predict_words(model, LINES, PredictionRules(k=20, guesses=guesses)) for guesses in (True, False))
    same(full.drop("guess"), spare.drop("guess"))
    known = spare["guess"].is_not_null()
    assert full.filter(known)["guess"].equals(spare.filter(known)["guess"])


@pytest.mark.parametrize("punctuation", ["apart", "attached"])
def test_no_word_is_more_probable_than_the_completions(tiny_pair: Pair, punctuation: Any) -> None:
    """Their probabilities are those that `predict_words` gives them in that place; and of all words of one unit, and
    some of two, none that is left out is more probable. A mark may follow without a space, and is then another text."""
    model, _ = tiny_pair
    context = "the old river"
    best = complete(model, [context], k=6, punctuation=punctuation)[0]
    assert complete(model, [context, "the"], k=6, punctuation=punctuation)[0] == [
        (word, pytest.approx(probability, rel=1e-4)) for word, probability in best
    ]
    units = [text.decode(errors="replace") for text in model.units.texts if text]
    single = dict.fromkeys(unit.strip() for unit in units if unit[:1] == " " or model.units.trailing)
    rng = np.random.default_rng(0)
    double = [first + units[rng.integers(len(units))].strip() for first in single]
    words = [word for word in dict.fromkeys([*(one.word for one in best), *single, *double]) if word.split() == [word]]
    lines = [f"{context} {word}" for word in words]
    if punctuation == "apart":  # one word more, and the units before it are the context's
        lines += [f"{context}{word}" for word in words]
        own, *others = model.tokenizer([context, *lines], add_special_tokens=False)["input_ids"]
        parted = [WordSplitter()(line).words for line in lines]
        is_next = [ids[: len(own)] == own and len(some) == 4 for ids, some in zip(others, parted, strict=True)]
        lines = [line for line, some, good in zip(lines, parted, is_next, strict=True) if good and some[2] == "river"]
    table = predict_words(model, lines, PredictionRules(1, guesses=False, punctuation=punctuation))
    last = table.filter(pl.col("at") == 3).filter(pl.col("left_out").is_null() & (pl.col("form") == pl.col("word")))
    top = last.sort("logp", descending=True).unique("word", keep="first", maintain_order=True).head(6)
    assert top["word"].to_list() == [one.word for one in best]
    assert top["logp"].exp().to_list() == pytest.approx([one.probability for one in best], rel=1e-4)

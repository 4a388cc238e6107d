"""Models whose every probability is written down here, so that words can be counted by hand.

The next unit depends on the last one alone. Sums and products below are done by hand from `NEXT`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from wordworth.engine.batching import Budget
from wordworth.whole_words import PredictionRules, WordModel, complete, predict_words, surprisal
from wordworth.whole_words.reader import Node
from wordworth.whole_words.units import units_of

UNITS = ["<s>", "</s>", "▁the", "▁cat", "▁c", "at", "s", "▁dog"]
NEXT: dict[str, dict[str, float]] = {
    "▁the": {"▁the": 0.05, "▁cat": 0.1, "▁c": 0.5, "▁dog": 0.15, "s": 0.15, "</s>": 0.05},
    "▁cat": {"s": 0.6, "▁the": 0.2, "▁dog": 0.1, "</s>": 0.1},
    "▁c": {"at": 0.9, "▁the": 0.1},
    "at": {"▁the": 0.5, "s": 0.3, "▁dog": 0.2},
    "s": {"▁the": 0.6, "▁dog": 0.3, "</s>": 0.1},
    "▁dog": {"s": 0.25, "▁the": 0.5, "▁c": 0.05, "</s>": 0.2},
}


class Table:
    """Gives the logits of a table; a row of hidden states is already the logits."""

    def __init__(self, units: list[str], after: dict[str, dict[str, float]]) -> None:
        self.budget, self.width, self.device = Budget(64, 1), len(units), torch.device("cpu")
        self.identity = ("toy", str(after))
        self._rows = {
            units.index(last): torch.tensor([after[last].get(unit, 0.0) for unit in units]).log() for last in after
        }

    def read(self, texts: Sequence[Sequence[int]], firsts: Sequence[int]) -> tuple[Tensor, None]:
        asked = [last for text, first in zip(texts, firsts, strict=True) for last in text[first:]]
        return torch.stack([self._rows[last] for last in asked]), None

    def join(self, states: Sequence[None]) -> None:
        return None

    def count_bytes(self, state: None) -> int:
        return 0

    def extend(self, state: None, nodes: Sequence[Node]) -> Tensor:
        return torch.stack([self._rows[node.unit] for node in nodes])

    def logits(self, rows: Tensor) -> Tensor:
        return rows.clone()


def toy(tokenizer: Tokenizer, units: list[str], after: dict[str, dict[str, float]]) -> WordModel:
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    reader = Table(units, after)
    assert fast.convert_ids_to_tokens(list(range(len(units)))) == units
    return WordModel(
        name="toy",
        source="",
        family="causal",
        reader=reader,
        tokenizer=fast,
        units=units_of(fast, len(units)),
        before=(),
        limit=None,
        around=0,
        dtype="float32",
    )


def pieces(units: list[str] = UNITS, after: dict[str, dict[str, float]] = NEXT) -> WordModel:
    """Own units of least number, as the scores are equal: `cat` is `▁cat`, though `▁c` `at` spells it too."""
    tokenizer = Tokenizer(models.Unigram([(unit, -1.0) for unit in units], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return toy(tokenizer, units, after)


def predict_last(model: WordModel, line: str, **rules: Any) -> dict[str, Any]:
    """What is said of the line's last word."""
    return predict_words(model, [line], PredictionRules(**{"k": 3} | rules)).row(-1, named=True)


def test_greedy_takes_another_segmentation() -> None:
    """After `the`: ▁c (.5), then at (.9), then ▁the (.5), which begins a word: the guess is cat, by other units."""
    row = predict_last(pieces(), "the the cat", k=1)
    assert (row["guess"], row["hit1"], row["hitk"], row["units"]) == ("cat", True, True, 1)
    # ▁cat · (begin after it: 1 − .6) / (begin after the: 1 − .15), the own units alone
    assert exp(row["logp"]) == pytest.approx(0.1 * 0.4 / 0.85)
    assert exp(row["logp_naive"]) == pytest.approx(0.1)


def test_the_end_of_a_guess() -> None:
    """After `cat`: s (.6), which goes on with the word before; after `s`, ▁the begins a word. Given that a word begins,
    it is ▁the (.2 / .4)."""
    row = predict_last(pieces(), "the cat dog", beginning="guessed")
    assert (row["guess"], row["hit1"]) == ("cats", False)
    row = predict_last(pieces(), "the cat dog")
    assert (row["guess"], row["hit1"]) == ("the", False)
    assert predict_last(pieces(), "the cat the", k=1)["hitk"]
    assert not predict_last(pieces(), "the cat the", k=1, beginning="guessed")["hitk"]
    # dog · (1 − .25) / (1 − .6)
    assert exp(row["logp"]) == pytest.approx(0.1 * 0.75 / 0.4)


def test_top_k_by_a_second_segmentation() -> None:
    """▁cat is the fifth after `the` (.5, .15, .15, .1): with k = 3, ▁c and at reach it and ▁the ends it."""
    model = pieces()
    assert predict_last(model, "the the cat", k=3)["hitk"]
    # dog: .15, equal to s, is among the two best after ▁c; `the` (.05, as the end) is among four that begin a word
    for beginning in ("given", "guessed"):
        assert predict_last(model, "the the dog", k=2, beginning=beginning)["hitk"]
        assert not predict_last(model, "the the dog", k=1, beginning=beginning)["hitk"]
        assert not predict_last(model, "the the the", k=3, beginning=beginning)["hitk"]
    assert predict_last(model, "the the the", k=4)["hitk"]
    assert not predict_last(model, "the the the", k=4, beginning="guessed")["hitk"]


def test_the_boundary_of_top_k() -> None:
    """cats: ▁c at s; at k = 2 both at (.9) and s (.3) are in, and ▁the follows. At k = 1, s is not reached."""
    model = pieces()
    assert predict_last(model, "the the cats", k=2)["hitk"]
    assert not predict_last(model, "the the cats", k=1)["hitk"]
    # cat at k = 1 by ▁c at; without the boundary the first greedy unit that spells it is enough
    only_s = NEXT | {"at": {"s": 0.9, "▁the": 0.1}}
    swallowed = pieces(after=only_s)
    assert not predict_last(swallowed, "the the cat", k=1)["hitk"]
    assert predict_last(swallowed, "the the cat", k=1)["guess"] == "cats"
    ignored = predict_last(swallowed, "the the cat", k=1, boundary="ignored")
    assert (ignored["guess"], ignored["hit1"], ignored["hitk"]) == ("cat", True, True)
    first = predict_last(swallowed, "the the cat", k=1, boundary="top-1")
    assert (first["guess"], first["hit1"], first["hitk"]) == ("cats", False, True)
    assert predict_last(swallowed, "the the cat", k=2)["hitk"]


def test_a_lone_space_and_the_rest_of_a_word() -> None:
    """▁" (.05) is the third after `the`; ▁ (.5) and " (.9) spell the same, and ▁the ends it. The tokenizer's own unit
    alone is its probability; after ▁, ▁dog is a second space and no word."""
    units = ["<s>", "</s>", "▁the", "▁", '"', '▁"', "▁dog"]
    after = {
        "▁the": {"▁": 0.5, "▁dog": 0.4, '▁"': 0.05, "</s>": 0.05},
        "▁": {'"': 0.6, "▁dog": 0.4},
        '"': {"▁the": 1.0},
        '▁"': {"▁the": 1.0},
        "▁dog": {"▁the": 1.0},
    }
    model = pieces(units, after)
    for punctuation in ("apart", "attached"):
        row = predict_last(model, 'the the "', k=1, punctuation=punctuation)
        assert (row["guess"], row["hit1"], row["hitk"], row["units"]) == ('"', True, True, 1)
        assert exp(row["logp"]) == pytest.approx(0.05)
        double = pieces(units, after | {"▁": {"▁dog": 0.6, '"': 0.4}})
        assert predict_last(double, "the the dog", k=1, punctuation=punctuation)["guess"] == ""


def test_marks_are_words_of_their_own() -> None:
    """After `tea`: `,` (.3) or ▁, (.1) begin a word, and s (.2) goes on. Behind `,` the word tea may follow with a
    space or without."""
    units = ["<s>", "</s>", "▁tea", ",", "▁,", "s", "tea", ',"']
    after = {
        "▁tea": {",": 0.3, "▁,": 0.1, "s": 0.2, "▁tea": 0.25, "</s>": 0.1, ',"': 0.05},
        ",": {"▁tea": 0.5, "tea": 0.2, ",": 0.1, "</s>": 0.2},
        "▁,": {"▁tea": 1.0},
        "s": {"▁tea": 1.0},
        "tea": {"▁tea": 1.0},
        ',"': {"▁tea": 1.0},
    }
    model = pieces(units, after)
    table = predict_words(model, ["tea tea, tea"], PredictionRules(k=1))
    assert table["word"].to_list() == ["tea", "tea", ",", "tea"]
    assert table["glued"].to_list() == [False, False, True, False]
    assert table["guess"].to_list()[1:] == [",", ",", "tea"]
    begin = 1 - 0.2  # after tea: all but s
    by_hand = [0.25 * begin / begin, 0.3 * (1 - 0.1) / begin, 0.5 * begin / (1 - 0.1)]
    assert table["logp"].drop_nulls().exp().to_list() == pytest.approx(by_hand)
    # With a space before it, it is the same word: the guess is `,` without one.
    assert predict_last(model, "tea tea ,", k=1)["hit1"]
    assert exp(predict_last(model, "tea tea ,")["logp"]) == pytest.approx(0.1 * 1 / begin)
    # A run of marks is one word; what parts at white space alone has `tea,` as one.
    runs = predict_words(model, ['tea tea," tea'], PredictionRules(k=3))
    assert runs["word"].to_list() == ["tea", "tea", ',"', "tea"]
    attached = predict_words(model, ["tea tea, tea"], PredictionRules(k=1, punctuation="attached"))
    assert attached["word"].to_list() == ["tea", "tea,", "tea"]
    begins = 0.1 + 0.25 + 0.1, 0.5 + 0.2  # after tea, after the comma: with a space, or the end
    assert attached["logp"].exp()[1] == pytest.approx(0.25 * 0.3 * begins[1] / begins[0])


def test_a_text_that_ends() -> None:
    ends = pieces(after=NEXT | {"▁dog": {"</s>": 0.7, "▁the": 0.3}})
    row = predict_last(ends, "the dog the")
    assert (row["guess"], row["hit1"]) == ("", False)
    assert predict_last(ends, "the the dog", k=2)["hitk"]  # the end of the text ends the word


def test_words_share_a_mass_of_one() -> None:
    """Without ▁cat each word has one segmentation. What can follow `the`: these words, or the end of the text."""
    units = [unit for unit in UNITS if unit != "▁cat"]
    after = {
        last: {unit: p / sum(p for other, p in row.items() if other != "▁cat") for unit, p in row.items()}
        for last, row in NEXT.items()
        if last != "▁cat"
    }
    model = pieces(units, after)
    # `c` and `at` both end words; `s` ends every word it stands in.
    words = ["the", "thes", "c", "cat", "cats", "dog", "dogs"]
    mass = sum(exp(predict_last(model, f"the the {word}")["logp"]) for word in words)
    begin = 1 - after["▁the"]["s"]
    assert mass + after["▁the"]["</s>"] / begin == pytest.approx(1.0, abs=1e-6)


def test_a_text_is_the_product_of_its_words() -> None:
    """Σ ln p(units), less the beginning of the first word predicted, plus the end of the last."""
    table = predict_words(pieces(), ["the cat dogs the cats"], PredictionRules(k=3))
    path = ["▁the", "▁cat", "▁dog", "s", "▁the", "▁cat", "s"]
    units = sum(log(NEXT[last][unit]) for last, unit in pairwise(path))
    assert table["logp"].sum() == pytest.approx(units + log(1.0) - log(0.85), abs=1e-5)
    assert table["logp_naive"].sum() == pytest.approx(units, abs=1e-5)


def test_word_pieces_end_where_no_piece_continues() -> None:
    units = ["<s>", "</s>", "the", "cat", "##s", "dog"]
    after = {
        "the": {"cat": 0.5, "dog": 0.2, "##s": 0.2, "</s>": 0.1},
        "cat": {"##s": 0.7, "the": 0.3},
        "##s": {"the": 0.8, "</s>": 0.2},
        "dog": {"the": 0.6, "##s": 0.4},
    }
    tokenizer = Tokenizer(models.WordPiece({unit: at for at, unit in enumerate(units)}, unk_token="<s>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    model = toy(tokenizer, units, after)
    row = predict_last(model, "the the cats")
    assert (row["guess"], row["hit1"], row["units"]) == ("cats", True, 2)
    assert exp(row["logp"]) == pytest.approx(0.5 * 0.7 / 0.8)
    mass = sum(exp(predict_last(model, f"the the {word}")["logp"]) for word in ("cat", "cats", "dog", "dogs"))
    assert mass + 0.1 / 0.8 == pytest.approx(1.0, abs=1e-6)
    assert not predict_last(model, "the the cat")["hit1"]


def marked_ends() -> WordModel:
    units = ["<s>", "</s>", "t", "o</w>", "to</w>", "i</w>"]
    after = {
        "to</w>": {"t": 0.6, "to</w>": 0.1, "i</w>": 0.2, "</s>": 0.1},
        "t": {"o</w>": 0.7, "i</w>": 0.3},
        "i</w>": {"t": 1.0},
        "o</w>": {"i</w>": 1.0},
    }
    vocabulary = {unit: at for at, unit in enumerate(units)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("t", "o</w>")], end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return toy(tokenizer, units, after)


def test_marked_ends_need_no_boundary() -> None:
    model = marked_ends()
    row = predict_last(model, "to to to")
    assert (row["guess"], row["hit1"], row["units"]) == ("to", True, 1)
    assert row["logp"] == row["logp_naive"] == pytest.approx(log(0.1))
    mass = sum(exp(predict_last(model, f"to to {word}")["logp"]) for word in ("to", "ti", "i"))
    # t·o</w> spells `to` as well, and only the own units count: .6 · .7 is not in the sum
    assert mass + 0.6 * 0.7 + 0.1 == pytest.approx(1.0, abs=1e-6)
    assert predict_last(model, "to to to", k=1)["hitk"]


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is read again, until the text or an option changes."""
    lines, rules = ["the cat the dog the cats the dogs"] * 100, PredictionRules(k=3)
    whole = predict_words(pieces(), lines, rules, kept=tmp_path / "whole")
    model = pieces()
    table: Any = model.reader
    read, allowed = table.read, 9

    def breaks(*given: Any) -> Any:
        nonlocal allowed
        allowed -= 1
        if allowed < 0:
            raise KeyboardInterrupt
        return read(*given)

    monkeypatch.setattr(table, "read", breaks)
    with pytest.raises(KeyboardInterrupt):
        predict_words(model, lines, rules, kept=tmp_path / "cut")
    assert len(list((tmp_path / "cut").glob("*/*.parquet"))) == 1
    allowed = 1000
    assert predict_words(model, lines, rules, kept=tmp_path / "cut").equals(whole)
    allowed = 0
    assert predict_words(model, lines, rules, kept=tmp_path / "cut").equals(whole)
    for others, rule in ((lines, PredictionRules(k=2)), (lines[1:], rules)):
        with pytest.raises(KeyboardInterrupt):
            predict_words(model, others, rule, kept=tmp_path / "cut")


def test_completions_by_hand() -> None:
    """After `the`, of the tokenizer's own units, each with its end, given that a word begins (.85): dog .15 · .75,
    cats .1 · .6 · 1, c .5 · .1, the .05 · .85, cat .1 · .4; ▁c at, another way to cat, is not added."""
    words = complete(pieces(), ["the the"], k=5)[0]
    assert [one.word for one in words] == ["dog", "cats", "c", "the", "cat"]
    by_hand = [0.15 * 0.75, 0.1 * 0.6, 0.5 * 0.1, 0.05 * 0.85, 0.1 * 0.4]
    assert [one.probability for one in words] == pytest.approx([p / 0.85 for p in by_hand], abs=1e-6)
    assert complete(pieces(), [" the  the\n"], k=2)[0] == words[:2]
    everything = complete(pieces(), ["the"], k=50)[0]
    assert sorted(one.word for one in everything) == sorted(["the", "thes", "c", "cat", "cats", "dog", "dogs"])


def test_surprisal_by_hand() -> None:
    """dog after cat: .1 · (1 − .25) / (1 − .6); nothing precedes the first word."""
    table = surprisal(pieces(), "the\ncat dogs  the")
    assert table.columns == ["text", "place", "word", "surprisal", "units", "skipped"]
    assert table["text"].to_list() == [0, 0, 0, 0]
    assert table["word"].to_list() == ["the", "cat", "dogs", "the"]
    assert table["place"].to_list() == [0, 1, 2, 3]
    assert table["units"].to_list() == [None, 1, 2, 1]
    by_hand = [0.1 * 0.4 / 0.85, 0.1 * 0.25 * 1 / 0.4, 0.6 * 0.85 / 1]
    assert table["surprisal"].to_list()[1:] == pytest.approx([-log(p) / log(2) for p in by_hand], abs=1e-5)
    assert table["skipped"].to_list() == ["first word, which nothing precedes", None, None, None]


def test_the_first_word_after_bos() -> None:
    """the after <s>: .4, and a word ends after it (.85); it is certain that a word begins where a text does."""
    after = NEXT | {"<s>": {"▁the": 0.4, "▁cat": 0.35, "s": 0.25}}
    table = surprisal(pieces(after=after), ["the cat", "dogs"], bos=True)
    by_hand = [0.4 * 0.85, 0.1 * 0.4 / 0.85]
    assert table["surprisal"].to_list()[:2] == pytest.approx([-log(p) / log(2) for p in by_hand], abs=1e-5)
    assert table["surprisal"][2] == float("inf")  # the table has no ▁dog after <s>
    assert table["skipped"].null_count() == 3


def test_marks_are_completions_of_their_own() -> None:
    """After `tea`: a word begins with .75; `,` by its own unit, .3 · .9; tea, by ▁tea, .2 · .75, whatever follows it.
    `,"` is one run of marks, and `tea` without a space no word behind tea."""
    units = ["<s>", "</s>", "▁tea", ",", "▁,", "s", "tea", ',"']
    after = {
        "▁tea": {",": 0.3, "▁,": 0.1, "s": 0.2, "▁tea": 0.2, "tea": 0.05, "</s>": 0.1, ',"': 0.05},
        ",": {"▁tea": 0.5, "tea": 0.2, ",": 0.1, "</s>": 0.2},
        "▁,": {"▁tea": 1.0},
        "s": {"▁tea": 1.0},
        "tea": {"▁tea": 1.0},
        ',"': {"▁tea": 1.0},
    }
    begin = 1 - 0.2 - 0.05
    found = dict(complete(pieces(units, after), ["tea tea"], k=4)[0])
    by_hand = {",": 0.3 * 0.9, "tea": 0.2 * begin, "teas": 0.2 * 0.2, ',"': 0.05}
    assert found == pytest.approx({word: p / begin for word, p in by_hand.items()}, abs=1e-6)
    row = surprisal(pieces(units, after), "tea tea, tea").row(2, named=True)
    assert 2 ** -row["surprisal"] == pytest.approx(found[","], abs=1e-6)
    # Behind a mark, `tea` needs no space: .5 with one, .2 without, of .9.
    assert complete(pieces(units, after), ["tea tea,"], k=1)[0][0] == ("tea", pytest.approx(0.5 * 0.75 / 0.9, abs=1e-6))
    # Where only spaces part words, one begins with .4 after tea, and with .7 after a comma.
    attached = complete(pieces(units, after), ["tea tea"], k=3, punctuation="attached")[0]
    by_hand = {",": 0.1, "tea": 0.2 * 0.4, "tea,": 0.2 * 0.3 * 0.7}
    assert dict(attached) == pytest.approx({word: p / 0.4 for word, p in by_hand.items()}, abs=1e-6)

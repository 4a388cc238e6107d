"""Words of scripts without spaces: where they are found, and that hits and probabilities are those of a slow search."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from wordworth.errors import WordworthError
from wordworth.whole_words import PredictionRules, WordModel, predict_words
from wordworth.whole_words.splitting import WordSplitter, find_unspaced_tokens, icu_words, is_unspaced

Pair = tuple[WordModel, Any]
K = 70
GIVEN = WordSplitter(unspaced=True)


def test_words_given_by_spaces() -> None:
    """The spaces part words and are not read, but between words of scripts that have them."""
    assert all(map(is_unspaced, "北々ひカー々ไทยខ"))
    assert not any(map(is_unspaced, "aé1한,! "))
    found = GIVEN("我 喜欢 “ 绿茶 ” 。 Hello World 2 个")
    assert found.words == ["我", "喜欢", "“", "绿茶", "”。", "Hello", "World", "2", "个"]
    assert found.text == "我喜欢“绿茶”。Hello World 2个"
    assert found.is_glued == [False, True, True, True, True, True, False, False, True]
    attached = WordSplitter("attached", unspaced=True)("我 喜欢， 茶")
    assert (attached.words, attached.text) == (["我", "喜欢，", "茶"], "我喜欢，茶")
    assert GIVEN("").words == []


def test_words_given_by_a_function() -> None:
    """The line is read as it stands."""
    halves = WordSplitter(split=lambda line: [line[:2], line[2:].strip()], unspaced=True)
    assert halves("绿茶 好") == (["绿茶", "好"], [False, False], "绿茶 好")
    assert halves("绿茶好").text == "绿茶好"
    with pytest.raises(WordworthError, match="the splitter returned '茶', which is not next in the line"):
        find_unspaced_tokens("绿", ["绿", "茶"])


@pytest.mark.parametrize(
    ("language", "code", "line", "words"),
    [
        ("chinese", "zh", "我喜欢喝北京的绿茶，特别是春天！”", "我 喜欢 喝 北京 的 绿茶 ， 特别 是 春天 ！”"),
        ("japanese", "ja", "私は東京でiPhone 15を買う。", "私 は 東京 で iPhone 15 を 買う 。"),
        ("thai", "th", "ผมชอบดื่มชาเขียวในกรุงเทพ", "ผม ชอบ ดื่ม ชา เขียว ใน กรุงเทพ"),
    ],
)
def test_words_found_by_icu(language: str, code: str, line: str, words: str) -> None:
    pytest.importorskip("icu4py")
    found = WordSplitter(split=icu_words(code), unspaced=True)(line)
    assert (found.words, found.text) == (words.split(), line)


def spell(plain: Any, unit: int) -> bytes | None:
    """What a unit spells where spaces before such characters say nothing."""
    text: bytes | None = plain.units[unit]
    return text[1:] if text and text[1:].decode(errors="replace")[:1] in ("北", "京") else text


def search_slowly(plain: Any, context: list[int], own: list[int], word: str, k: int) -> tuple[bool, bool, float]:
    """Greedy units, and paths of the k best, until what is said begins with the word or cannot; and the product."""
    target = word.encode()

    def reach(path: list[int], so_far: bytes, width: int) -> bool:
        if so_far.startswith(target):
            return True
        if not target.startswith(so_far) or len(path) >= len(own) + 8:
            return False
        logits = plain.query([*context, *path])
        best = (logits >= logits.sort(descending=True).values[width - 1]).nonzero()[:, 0].tolist()
        tried = [(unit, spell(plain, unit)) for unit in best]
        return any(
            reach([*path, unit], so_far + text if path else text.removeprefix(b" "), width)
            for unit, text in tried
            if text
        )

    product = sum(float(plain.query([*context, *own[:at]]).log_softmax(0)[unit]) for at, unit in enumerate(own))
    return reach([], b"", 1), reach([], b"", k), product


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_equals_a_slow_search(tiny_word_model: Callable[[str], Pair], kind: str) -> None:
    model, plain = tiny_word_model(kind)
    line = "北 京 北京 京北 北 北京 京 北"
    table = predict_words(model, [line], PredictionRules(k=K, unspaced=True))
    predicted = table.filter(pl.col("left_out").is_null())
    assert len(predicted) >= 4
    words = line.split()
    assert table["word"].to_list() == words
    for row in predicted.iter_rows(named=True):
        before, both = (plain.ids(["".join(words[: row["at"] + more])]) for more in (0, 1))
        hit1, hitk, product = search_slowly(plain, before, both[len(before) :], row["word"], K)
        assert (row["hit1"], row["hitk"]) == (hit1, hitk), row
        assert row["logp"] == pytest.approx(product, abs=1e-4)
        assert row["logp"] == pytest.approx(row["logp_naive"], abs=1e-5)
        assert row["hit1"] == (row["guess"] == row["word"])
    assert predicted["hitk"].any()
    spare = predict_words(model, [line], PredictionRules(k=K, unspaced=True, guesses=False))
    assert spare.drop("guess", "logp", "logp_naive").equals(table.drop("guess", "logp", "logp_naive"))

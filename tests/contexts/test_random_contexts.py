"""Contexts drawn from a corpus."""

from collections import Counter
from string import ascii_lowercase

from wordworth.contexts import random_contexts

LETTERS = list(ascii_lowercase)


def test_ten_words_before_and_nine_after() -> None:
    line = " ".join([*LETTERS[:13], "love", *LETTERS[13:]])
    (context,) = random_contexts(["love"], [line]).contexts
    assert context.text == " ".join([*LETTERS[3:13], "love", *LETTERS[13:22]])
    assert context.text[context.start : context.end] == "love"


def test_whole_words_without_their_punctuation() -> None:
    lines = ["a glove and “love,” he said", "lovely", "don't! well-known."]
    found = random_contexts(["love", "don't", "well-known", "lov"], lines)
    assert [context.text[context.start : context.end] for context in found.contexts] == ["love", "don't", "well-known"]
    assert found.contexts[0].text == "a glove and “love,” he said"
    assert found.missing == ("lov",)


def test_words_of_several_words() -> None:
    lines = ["an ice, cream", "an ice  cream."]
    (context,) = random_contexts(["ice cream"], lines).contexts
    assert context.text == "an ice  cream."
    assert context.text[context.start : context.end] == "ice  cream"


def test_own_capitals_are_preferred() -> None:
    lines = ["Love is all", "a Bill came", "the bill came", *["Love"] * 50, "love me"]
    found = random_contexts(["love", "Bill", "bill", "CAME"], lines)
    texts = {context.word: context.text for context in found.contexts}
    assert texts["love"] == "love me"
    assert texts["Bill"] == "a Bill came"
    assert texts["bill"] == "the bill came"
    assert texts["CAME"] in ("a Bill came", "the bill came")


def test_turkish_capitals() -> None:
    found = random_contexts(["ılık", "iyi"], ["ILIK ve İYİ"], language="turkish")
    assert [context.text[context.start : context.end] for context in found.contexts] == ["ILIK", "İYİ"]


def test_chinese_by_substring() -> None:
    line = "一" * 30 + "朋友" + "二" * 30
    (context,) = random_contexts(["朋友"], [line], language="chinese").contexts
    assert context.text == "一" * 20 + "朋友" + "二" * 18
    assert context.text[context.start : context.end] == "朋友"


def test_seeded_and_independent_of_other_words() -> None:
    lines = [f"{number} love and hate {number}" for number in range(100)]
    one = random_contexts(["love", "hate"], lines, seed=3)
    assert one == random_contexts(["love", "hate"], iter(lines), seed=3)
    other = random_contexts(["and", "hate", "love"], lines, seed=3)
    assert set(one.contexts) <= set(other.contexts)
    assert one != random_contexts(["love", "hate"], lines, seed=4)


def test_uniform() -> None:
    """Each of four occurrences in about a quarter of 2,000 draws: within five standard deviations."""
    lines = ["0 love", "1 love 2 love", "3 love"]
    places = Counter(
        (context.text, context.start)
        for seed in range(2000)
        for context in random_contexts(["love"], lines, seed=seed).contexts
    )
    assert len(places) == 4
    assert all(abs(count - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5 for count in places.values())

import pytest

from wordworth.contexts import Finder, split_sentences
from wordworth.contexts.sentences import count_tokens
from wordworth.errors import WordworthError


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("One is here. Two is there! Three? Yes.", ["One is here.", "Two is there!", "Three?", "Yes."]),
        ("Mr. X. Jones met the U.S. Army. He left.", ["Mr. X. Jones met the U.S. Army.", "He left."]),
        ("It is No. 5 of all. No. Six.", ["It is No. 5 of all.", "No.", "Six."]),
        ("It cost 3.5 million, i.e. too much. then nothing", ["It cost 3.5 million, i.e. too much. then nothing"]),
        ("“Is it I? It is.” “No.” He went.", ["“Is it I?", "It is.”", "“No.”", "He went."]),
        ("It was him or I. So be it.", ["It was him or I.", "So be it."]),
        ("He said so . The end came .", ["He said so .", "The end came ."]),
        ("  ", []),
        ("No stop at all", ["No stop at all"]),
        ("Wait... What?", ["Wait...", "What?"]),
        ("Das ist gut. Über allem steht es.", ["Das ist gut.", "Über allem steht es."]),
    ],
)  # fmt: skip
def test_sentences(line: str, expected: list[str]) -> None:
    assert list(split_sentences(line)) == expected


def test_sentences_without_spaces() -> None:
    assert list(split_sentences("這是北京。想起來！“好。”是嗎", "chinese")) == [
        "這是北京。",
        "想起來！",
        "“好。”",
        "是嗎",
    ]


def test_tokens_are_words_and_marks() -> None:
    assert count_tokens("It's 3.5 well-known words, isn't it?") == 8
    assert count_tokens("想起來非常愉快", "chinese") == 3


def words(finder: Finder, text: str) -> list[tuple[int, str]]:
    return [(at, text[start:end]) for at, start, end in finder.spans(text)]


def test_whole_words_in_any_case_where_they_stand_first() -> None:
    finder = Finder(["dog", "can't", "well-known", "ice cream", "Polish", "polish", "ça"])
    assert words(finder, "A DOG can't dog the doghouse.") == [(0, "DOG"), (1, "can't")]
    assert words(finder, "The dog's bone, a well-known hot-dog") == [(0, "dog"), (2, "well-known")]
    assert words(finder, "Ice  cream and (ça) Polish polish POLISH") == [
        (3, "Ice  cream"),
        (6, "ça"),
        (4, "Polish"),
        (5, "polish"),
    ]
    assert words(finder, "A known dogma of under_dog ice") == []


def test_turkish_and_chinese() -> None:
    assert words(Finder(["ışık"], "turkish"), "Burada IŞIK var") == [(0, "IŞIK")]
    assert words(Finder(["北京", "北", "朋友"], "chinese"), "北京的朋友在北京") == [(0, "北京"), (2, "朋友")]


def test_seven_to_seventy_five() -> None:
    """7 < tokens < 75."""
    finder = Finder(["cat"])
    lines = [f"cat {'a ' * (n - 1)}".strip() for n in (7, 8, 74, 75)]
    assert [count_tokens(found.text) for found in finder.sentences(lines)] == [8, 74]


def test_only_sentences_with_a_word_and_lower_case() -> None:
    finder = Finder(["cat"])
    lines = ["The Cat sat on the old Mat of Mary. The dog sat on the old mat of Mary."]
    assert [found.text for found in finder.sentences(lines)] == ["The Cat sat on the old Mat of Mary."]
    (found,) = Finder(["cat"], lower_case=True).sentences(lines)
    assert found.text == "the cat sat on the old mat of mary."


def test_no_words() -> None:
    with pytest.raises(WordworthError, match="a vocabulary without words has no contexts"):
        Finder([])

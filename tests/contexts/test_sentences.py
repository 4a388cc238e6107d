import random
import re

import pytest

from wordworth.catalog.registry import abbreviations
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


def plain_spans(vocabulary: list[str], language: str, text: str) -> list[tuple[int, int, int]]:
    """The rules of `Finder` word by word: the own spelling, else any case, else before ’s; then phrases."""

    def low(form: str) -> str:
        return (form.replace("İ", "i").replace("I", "ı") if language == "turkish" else form).lower()

    def known(form: str) -> int | None:
        if form in vocabulary:
            return vocabulary.index(form)
        folded = [low(word) for word in vocabulary]
        return folded.index(low(form)) if low(form) in folded else None

    places = [match.span() for match in re.finditer(r"[^\W_]+(?:[-'’_][^\W_]+)*", text)]
    met: dict[int, tuple[int, int, int]] = {}
    for at, (start, end) in enumerate(places):
        form = text[start:end]
        found, stop = known(form), end
        if found is None and form.endswith(("'s", "’s")):
            found, stop = known(form[:-2]), end - 2
        if found is not None:
            met.setdefault(found, (found, start, stop))
        for size in sorted({len(word.split()) for word in vocabulary} - {1}):
            if at + size <= len(places):
                stop = places[at + size - 1][1]
                found = known(" ".join(text[start:stop].split()))
                if found is not None:
                    met.setdefault(found, (found, start, stop))
    return list(met.values())


def plain_sentences(line: str) -> list[str]:
    """The rules of `split_sentences`, with the last word before a stop looked for by a pattern, from the beginning."""
    found, start = [], 0
    for match in re.finditer(r"[.!?…]+[\"'”’»)\]]*\s+", line):
        following = line[match.end() : match.end() + 1]
        if not (following in set("\"'“‘«([") or (following.isalnum() and not following.islower())):
            continue
        last = re.compile(r"(\S*?)\s*$").search(line, 0, match.start())
        before = last.group(1).lstrip("\"'“‘([") if last else ""
        initial = len(before) == 1 and before.isupper() and before != "I"
        number = before.lower() == "no" and following.isdigit()
        if line[match.start()] == "." and (
            initial or number or "." in before or before.lower() in abbreviations("english")
        ):
            continue
        found.append(line[start : match.end()].strip())
        start = match.end()
    return [*filter(None, [*found, line[start:].strip()])]


def test_equals_the_rules_word_by_word() -> None:
    """3,000 random texts of awkward pieces: possessives, phrases, capitals, hyphens, marks, other alphabets."""
    pieces = (
        "dog Dog DOG dog's Dog’s dog's's ice cream Ice Cream's ice-cream Polish polish POLISH ça ÇA U.S. Mr. X. I No. 5"
    )
    pieces += " IŞIK ışık İzmir izmir under_dog can't 's ’s . ... ! ?” “ ( ) , a the ΣΑΣ σας straße STRASSE ﬁsh ǅ"
    choice = random.Random(0)
    english = ["dog", "ice cream", "Polish", "polish", "ça", "dog's", "σας", "I", "the U.S. army", "ice", "straße"]
    turkish = ["ışık", "izmir", "İzmir", "dog", "ice cream"]
    vocabularies = {"english": english, "turkish": turkish, "german": ["Dog", "DOG", "straße"]}
    finders = {language: Finder(words, language) for language, words in vocabularies.items()}
    hits = 0
    for _ in range(1000):
        text = "".join(choice.choice(pieces.split()) + choice.choice(["", " ", " ", "  ", ", "]) for _ in range(12))
        assert list(split_sentences(text)) == plain_sentences(text)
        for language, vocabulary in vocabularies.items():
            found = finders[language].spans(text)
            assert list(found) == plain_spans(vocabulary, language, text), text
            hits += len(found)
    assert hits > 3000

"""WEAT 1 to 10 as VAST's appendix has them, a user's own tests, SEAT's files, tests in other languages."""

import json

import pytest

from wordworth.catalog.read.word_sets import load_test, load_tests, polar_words, translate_test
from wordworth.catalog.registry import entries
from wordworth.errors import WordworthError

needs_data = pytest.mark.usefixtures("data")

# Sizes, and the first word of each set, as the appendix of VAST gives them for Caliskan et al. (2017).
WEAT = {
    "weat1": ((25, 25, 25, 25), ("aster", "ant", "caress", "abuse")),
    "weat2": ((25, 25, 25, 25), ("bagpipe", "arrow", "caress", "abuse")),
    "weat3": ((32, 32, 25, 25), ("Adam", "Alonzo", "caress", "abuse")),
    "weat4": ((16, 16, 25, 25), ("Brad", "Darnell", "caress", "abuse")),
    "weat5": ((16, 16, 8, 8), ("Brad", "Darnell", "joy", "agony")),
    "weat6": ((8, 8, 8, 8), ("John", "Amy", "executive", "home")),
    "weat7": ((8, 8, 8, 8), ("math", "poetry", "male", "female")),
    "weat8": ((8, 8, 8, 8), ("science", "poetry", "brother", "sister")),
    "weat9": ((6, 6, 7, 7), ("sad", "sick", "impermanent", "stable")),
    "weat10": ((8, 8, 8, 8), ("Tiffany", "Ethel", "joy", "agony")),
}
GOOD = """
[test]
name = "fruit"
title = "Fruit and tools"
x = { label = "fruit", words = ["apple", "pear"] }
y = { label = "tools", words = ["saw", "drill"] }
a = { set = "pleasant" }
b = { label = "bad", words = ["abuse"] }
"""


@pytest.mark.parametrize("name", WEAT)
def test_weat(name):
    sizes, firsts = WEAT[name]
    test = load_test(name)
    assert tuple(map(len, test.groups)) == sizes
    assert tuple(words[0] for words in test.groups) == firsts
    assert test.language == "english"
    assert "Caliskan" in test.reference
    assert test.remarks == ()
    assert not set(test.X) & set(test.Y)
    assert not set(test.A) & set(test.B)


def test_weat3_as_either_paper_has_it():
    """VAST's appendix prints Terrance where Caliskan et al.'s list, and SEAT's copy of it, have Torrance."""
    caliskan, vast = load_test("weat3"), load_test("vast-weat3")
    assert set(caliskan.Y) ^ set(vast.Y) == {"Torrance", "Terrance"}
    assert caliskan.Y.index("Torrance") == vast.Y.index("Terrance") == 6
    assert (caliskan.X, caliskan.A, caliskan.B) == (vast.X, vast.A, vast.B)
    assert vast.names == {*vast.X, *vast.Y}


def test_names():
    """Every word with a capital is declared a name, and no other."""
    for name in WEAT:
        test = load_test(name)
        assert test.names == {word for group in test.groups for word in group if word != word.lower()}


def test_names_of_ones_own_test(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(GOOD + 'names = ["x", "saw"]\n')
    assert load_tests(path)[0].names == {"apple", "pear", "saw"}
    path.write_text(GOOD + 'names = ["x", "hammer"]\n')
    with pytest.raises(WordworthError, match="names of fruit must list sets or words of the test"):
        load_tests(path)


@needs_data
@pytest.mark.parametrize("number", range(1, 11))
def test_seat_has_the_same_words(number):
    """An independent copy: the same sets, but for two unpleasant words of tests 3 and 4."""
    ours, theirs = load_test(f"weat{number}"), load_test(f"seat-weat{number}")
    for mine, other in zip(ours.groups[:3], theirs.groups[:3], strict=True):
        assert set(mine) == set(other)
    if number in (3, 4):
        assert set(theirs.B) - set(ours.B) == {"bomb", "evil"}
        assert set(ours.B) - set(theirs.B) == {"agony", "prison"}
    else:
        assert set(ours.B) == set(theirs.B)


@needs_data
@pytest.mark.parametrize("declared", [one for one in entries("tests") if one.sources], ids=lambda one: one.name)
def test_every_seat_test_has_its_count(declared):
    test = load_test(declared.name)
    assert sum(map(len, test.groups)) == declared.count
    assert test.labels[0]


def test_own_test(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(GOOD)
    (test,) = load_tests(path)
    assert (test.name, test.title, test.X, test.Y) == ("fruit", "Fruit and tools", ("apple", "pear"), ("saw", "drill"))
    assert test.labels == ("fruit", "tools", "a", "bad")
    assert test.A == load_test("weat1").A
    assert test.B == ("abuse",)
    path.write_text(GOOD.replace('["saw", "drill"]', '["saw", "saw", "apple"]'))
    (test,) = load_tests(path)
    assert test.Y == ("saw", "apple")
    assert test.remarks == ("tools: 1 repeated words taken once, such as saw", "apple is in both fruit and tools")


def test_several_in_one_file(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(GOOD.replace("[test]", "[[test]]") + GOOD.replace("[test]", "[[test]]").replace("fruit", "veg", 1))
    assert [test.name for test in load_tests(str(path))] == ["fruit", "veg"]
    path.write_text(GOOD.replace("[test]", "[[test]]") * 2)
    with pytest.raises(WordworthError, match=r"own\.toml: two tests are named 'fruit'; give each a name of its own"):
        load_tests(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[test]", "[test", "own.toml is not TOML"),
        ('name = "fruit"', "", "test.1.name is missing"),
        ("title =", "titel =", "test.1.titel is an unknown field"),
        ('["saw", "drill"]', '["saw", " "]', "test.1.y.words.2: "),
    ],
)
def test_bad_fields_are_errors(tmp_path, old, new, message):
    path = tmp_path / "own.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(WordworthError) as raised:
        load_tests(path)
    assert message in str(raised.value)


def test_a_seat_file_of_ones_own(tmp_path):
    path = tmp_path / "seat.jsonl"
    sets = {
        key: {"category": key.upper(), "examples": [f"{key} {n}" for n in "abba"]}
        for key in ("targ1", "targ2", "attr1", "attr2")
    }
    path.write_text(json.dumps(sets))
    (test,) = load_tests(path)
    assert test.X == ("targ1 a", "targ1 b")
    assert test.labels == ("TARG1", "TARG2", "ATTR1", "ATTR2")
    assert test.remarks[0] == "TARG1: 2 repeated words taken once, such as targ1 b"
    del sets["attr2"]
    path.write_text(json.dumps(sets))
    with pytest.raises(WordworthError, match="b is missing"):
        load_tests(path)
    path.write_text("{\n oh")
    with pytest.raises(WordworthError, match=r"seat.jsonl, line 2: not JSON"):
        load_tests(path)


@needs_data
@pytest.mark.parametrize(
    ("name", "language", "sizes"),
    [
        ("weat1", "german", (25, 24, 26, 24)),
        ("weat2", "spanish", (24, 22, 27, 27)),
        ("weat8", "turkish", (8, 8, 8, 8)),
        ("weat8", "croatian", (8, 8, 8, 8)),
        ("weat1", "italian", (24, 23, 25, 24)),
        ("weat2", "russian", (25, 24, 29, 24)),
    ],
)
def test_in_other_languages(name, language, sizes):
    test = translate_test(load_test(name), language)
    assert (test.name, test.language) == (f"{name}-{language}", language)
    assert tuple(map(len, test.groups)) == sizes


@needs_data
def test_changes_by_translation_are_reported():
    german = translate_test(load_test("weat8"), "german")
    assert german.remarks == (
        "science: Einstein has no translation and stays as it is",
        "science: NASA has no translation and stays as it is",
        "arts: Shakespeare has no translation and stays as it is",
    )
    turkish = translate_test(load_test("weat8"), "turkish")
    assert turkish.remarks == ("o is in both male and female",)


def test_a_language_without_translation():
    for name, language in (("weat1", "korean"), ("weat3", "polish")):
        message = rf"{name} is not translated into '{language}'.*\(XWEAT has german, .*machine-translated into german"
        with pytest.raises(WordworthError, match=message):
            translate_test(load_test(name), language)


@pytest.mark.parametrize("language", ["german", "spanish", "portuguese", "polish", "turkish", "french", "chinese"])
def test_three_tests_by_machine(language, monkeypatch):
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    polar = polar_words(language)
    for name in ("weat1", "weat2", "weat8"):
        english, put = load_test(name), translate_test(load_test(name), language)
        assert (put.name, put.language, put.by_machine) == (f"{name}-{language}", language, True)
        assert put.remarks[-1].startswith("its words were translated by machine")
        assert not set(put.X) & set(put.Y)
        assert not set(put.A) & set(put.B)
        blank = sum("no counterpart of its own" in remark for remark in put.remarks)
        attributes = name == "weat8"
        if not attributes:
            assert (polar.pleasant, polar.unpleasant) == (put.A, put.B)
        groups = range(4 if attributes else 2)
        assert sum(len(put.groups[at]) for at in groups) == sum(len(english.groups[at]) for at in groups) - blank
        assert blank <= 6

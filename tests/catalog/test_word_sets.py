"""Word sets: count, first, ninth and last word; repeats told."""

import pytest

from wordworth.catalog import registry
from wordworth.catalog.read.word_sets import load_translations, load_word_set, polar_words
from wordworth.catalog.registry import entries
from wordworth.errors import WordworthError

needs_data = pytest.mark.usefixtures("data")
SHIPPED = [one for one in entries("word_sets") if not one.details.get("translations")]
TABLES = [one for one in entries("word_sets") if one.details.get("translations")]


@pytest.mark.parametrize("found", SHIPPED, ids=lambda found: found.name)
def test_every_shipped_set_has_its_count(found):
    words = load_word_set(found.name)
    assert (len(words.pairs) or len(words) + len(words.repeats)) == found.count
    assert all(word and word == word.strip() for word in words.words)
    assert len(set(words.words)) == len(words)


@pytest.mark.parametrize(
    ("name", "count", "first", "ninth", "last"),
    [
        ("pleasant", 25, "caress", "loyal", "vacation"),
        ("unpleasant", 25, "abuse", "poison", "prison"),
        ("multi_unpleasant", 23, "suffocate", "toothache", "putrid"),
        ("pleasant-spanish", 22, "caricia", "amigo", "feliz"),
        ("unpleasant-chinese", 24, "滥用", "毒", "痛苦"),
        ("pleasant-dutch", 25, "streling", "trouw", "vakantie"),
        ("unpleasant-dutch", 25, "misbruik", "vergif", "gevangenis"),
        ("bommasani-adjectives", 422, "abrupt", "aimless", "youthful"),
        ("bommasani-professions", 288, "accountant", "alderman", "writer"),
        ("bolukbasi-gender_specific_full", 1441, "he", "women", "psychic_Oda"),
        ("dev-occupations", 164, "accountant", "artist", "zoologist"),
        ("dev-polarized_adjectives", 35, "aggressive", "deceitful", "wise"),
    ],
)
def test_three_words(name, count, first, ninth, last):
    words = load_word_set(name).words
    assert (len(words), words[0], words[8], words[-1]) == (count, first, ninth, last)


def test_there_are_the_44_sets_of_vast():
    assert sum(one.title.startswith("VAST: ") for one in SHIPPED) == 44


def test_pairs_and_scores():
    pairs = load_word_set("bolukbasi-definitional_pairs")
    assert (len(pairs.pairs), pairs.pairs[0], pairs.pairs[8]) == (10, ("woman", "man"), ("herself", "himself"))
    assert load_word_set("bommasani-gender_pairs").pairs[0] == ("she", "he")
    professions = load_word_set("bolukbasi-professions")
    assert len(professions) == 320
    at = professions.words.index("actress")
    assert (professions.scores["definitional"][at], professions.scores["stereotypical"][at]) == (-1.0, 0.0)


@pytest.mark.parametrize(
    ("language", "pleasant", "unpleasant", "dropped"),
    [
        ("english", 25, 25, ()),
        ("german", 25, 24, ("Gefängnis",)),
        ("french", 25, 24, ("prison",)),
        ("spanish", 22, 25, ()),
        ("portuguese", 25, 25, ("divórcio", "cadeia", "pobreza", "feio", "cancro", "matar")),
        ("polish", 25, 25, ()),
        ("turkish", 23, 25, ()),
        ("chinese", 16, 24, ("监狱",)),
        ("dutch", 25, 25, ()),
    ],
)
def test_polar_words(language, pleasant, unpleasant, dropped):
    words = polar_words(language)
    assert (len(words.pleasant), len(words.unpleasant), words.repeats) == (pleasant, unpleasant, dropped)
    assert not set(words.pleasant) & set(words.unpleasant)


def test_messages():
    with pytest.raises(WordworthError, match=r"no polar words for 'korean'.*\(there are some for portuguese, chinese"):
        polar_words("korean")
    with pytest.raises(WordworthError, match="word_sets of the catalog; did you mean pleasant"):
        load_word_set("pleasent")
    with pytest.raises(WordworthError, match="xweat-german is a table of translations, not a word set"):
        load_word_set("xweat-german")
    with pytest.raises(WordworthError, match="pleasant is a word set, not a table of translations; those are xweat-"):
        load_translations("pleasant")


@needs_data
@pytest.mark.parametrize("found", TABLES, ids=lambda found: found.name)
def test_tables_of_translations(found):
    table = load_translations(found.name)
    assert len(table.forms) == found.count
    assert table.language == found.language


@needs_data
def test_forms():
    german = load_translations("xweat-german").forms
    assert german["piano"] == ("Klavier",)
    assert german["educator"] == ("Erzieher", "Erzieherin")
    assert "" not in german
    assert load_translations("turkish-bellezza-translation").forms["abuse"] == ("istismar",)
    assert load_translations("chinese-bellezza-translation").forms["abuse"] == ("濫用",)


def test_a_language_is_added_by_declarations_alone(monkeypatch):
    """The polar words of a new language may stand in the TOML itself."""
    terms = {"title": "t", "language": "klingon", "licence": "CC0", "reference": "wolfe2022"}
    for name, words in (("pleasant-klingon", ["bang", "quv"]), ("unpleasant-klingon", ["oy'", "Hegh", "oy'"])):
        declaration = registry.parse_entry("word_sets", name, {**terms, "words": words, "count": len(words)})
        monkeypatch.setitem(registry._of_kind("word_sets"), name, declaration)
    polar = polar_words("klingon")
    assert (polar.pleasant, polar.unpleasant, polar.repeats) == (("bang", "quv"), ("oy'", "Hegh"), ("oy'",))

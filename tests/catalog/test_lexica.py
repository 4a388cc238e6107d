"""Lexica: count, first, ninth and last record of each; their quirks; a user's own file; every message."""

import numpy as np
import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.registry import entry
from wordworth.errors import WordworthError

needs_data = pytest.mark.usefixtures("data")

# name: words, rows merged or left out, then first, ninth and last word with valence; read off the published files.
SHIPPED = {
    "bellezza": (399, 0, ("abuse", 1.53), ("ambition", 4.28), ("world", 4.03)),
    "vader": (7506, 14, ("$:", -1.5), ("(':", 2.3), ("}:-)", 0.3)),
}
REGISTERED = {
    "anew": (1029, 0, ("abduction", 2.76), ("ache", 2.46), ("zest", 6.79)),
    "warriner": (13915, 0, ("aardvark", 6.26), ("abduction", 2.05), ("zucchini", 6.3)),
    "spanish": (1034, 0, ("abandonado", 1.68), ("aburrido", 2.33), ("zurra", 1.96)),
    "portuguese": (1034, 0, ("maus-tratos", 1.51), ("agressivo", 2.48), ("zelo", 5.66)),
    "polish": (1586, 0, ("aborcja", 2.37), ("aktualności", 5.5), ("żywy", 7.64)),
    "french": (1031, 0, ("abeille", 4.22), ("agréable", 8.29), ("zoo", 6.84)),
    "turkish": (2029, 2, ("anne", 5.675675676), ("konfor", 7.658536585), ("tecavüz", 1.3)),
    "chinese": (5512, 0, ("不可思議", 5.4), ("不幸", 2.6), ("修長", 7.0)),
    "german": (1003, 31, ("Misshandlung", -2.6), ("aggressiv", -1.6), ("Elan", 1.92)),
}
FETCHED = {"dutch": (1000, 0, ("aandachtig", 4.9), ("aardig", 6.05), ("zwoel", 4.65))}


def check(name, words, left_out, *records):
    lexicon = load_lexicon(name)
    assert len(lexicon) == words
    assert len(lexicon.left_out) == left_out
    assert len(lexicon) + len(lexicon.left_out) == entry(name).count
    assert len(set(lexicon.words)) == words
    for at, (word, valence) in zip((0, 8, -1), records, strict=True):
        assert lexicon.words[at] == word
        assert lexicon.valence[at] == pytest.approx(valence)
    low, high = lexicon.scale
    assert low <= lexicon.valence.min() < lexicon.valence.max() <= high
    assert all(len(values) == words for values in lexicon.ratings.values())
    assert len(lexicon.sha256) == 64


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped(name):
    check(name, *SHIPPED[name])


@needs_data
@pytest.mark.parametrize("name", REGISTERED)
def test_registered(name):
    check(name, *REGISTERED[name])


@pytest.mark.index
@pytest.mark.parametrize("name", FETCHED)
def test_fetched(name, monkeypatch):
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    check(name, *FETCHED[name])


def test_repeated_words_are_averaged_and_reported():
    vader = load_lexicon("vader")
    at = vader.words.index("lol")
    assert vader.valence[at] == pytest.approx((2.9 + 1.8) / 2)  # both rows of the published file
    repeats = [one for one in vader.left_out if one.word == "lol"]
    assert [str(one) for one in repeats] == ["line 4406: 'lol' is on line 305 already; their ratings are averaged"]
    assert "true" in vader.words
    assert ":-)" in vader.words


@needs_data
def test_words_that_parsers_lose():
    warriner = load_lexicon("warriner")
    assert {"null", "true", "false"} <= set(warriner.words)
    assert warriner.words[8289] == "null"  # row 8,290 of the publication


@needs_data
def test_arousal_and_dominance():
    anew = load_lexicon("anew")
    assert {key: values[0] for key, values in anew.ratings.items()} == {
        "valence": 2.76,
        "arousal": 5.53,
        "dominance": 3.49,
    }
    assert list(load_lexicon("turkish").ratings) == ["valence", "arousal"]
    german = load_lexicon("german")
    assert (german.ratings["arousal"][0], german.ratings["dominance"][0]) == (7.65, 2.75)


@needs_data
def test_turkish_is_lower_cased_by_its_own_rule():
    turkish = load_lexicon("turkish")
    assert {"gün ışığı", "ırmak", "iyileşmek", "sade", "doğum günü", "hamam böceği"} <= set(turkish.words)
    assert turkish.valence[turkish.words.index("buz")] == pytest.approx((4.09375 + 4.923076923) / 2)


@needs_data
def test_english_words_of_other_lexica():
    german = load_lexicon("german")
    assert german.english[german.words.index("Unfall")] == ("accident",)
    assert load_lexicon("spanish").english[0] == ("derelict",)
    assert load_lexicon("turkish").english == ()


@needs_data
@pytest.mark.index
@pytest.mark.parametrize("name", ["anew", "warriner"])
def test_both_copies_give_the_same_words_and_ratings(name, monkeypatch):
    mine = load_lexicon(name)
    monkeypatch.delenv("WORDWORTH_DATA")
    fetched = load_lexicon(name)
    assert fetched.source == "labMTsimple 2.8.8"
    assert fetched.sha256 != mine.sha256
    assert fetched.words == mine.words
    for key, values in mine.ratings.items():
        np.testing.assert_array_equal(fetched.ratings[key], values)
    assert [one.word for one in fetched.left_out] == (["FALSE"] if name == "anew" else [])


@pytest.mark.index
def test_the_whole_of_anew():
    anew = load_lexicon("anew-1034")
    assert len(anew) == 1034
    assert {"false", "wish", "wit", "woman", "wonder"} <= set(anew.words)
    assert (anew.words[0], anew.words[8], anew.words[-1]) == ("abduction", "ache", "zest")


# A user's own file


def own(folder, text, name="mine.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_own_file_with_obvious_columns(tmp_path):
    path = own(tmp_path, "id,Word,Valence\n1,null,1.5\n2,nan,2\n3,sun,9\n")
    lexicon = load_lexicon(path)
    assert lexicon.name == "mine"
    assert lexicon.words == ("null", "nan", "sun")
    assert lexicon.valence.tolist() == [1.5, 2.0, 9.0]
    assert lexicon.scale is None
    assert lexicon.language == "english"
    assert load_lexicon(str(path), language="german", scale=(1, 9)).scale == (1, 9)


def test_own_file_with_named_columns_and_decimal_commas(tmp_path):
    path = own(tmp_path, "mot;n;moyenne\nsoleil;1;8,5\npluie;1;3,25\n")
    lexicon = load_lexicon(path, word_column="mot", rating_column="moyenne", language="french")
    assert dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True)) == {"soleil": 8.5, "pluie": 3.25}


@pytest.mark.parametrize("ratings", [("1,050", "950"), ("4,533", "5,250"), ("1,050", "7.5"), ("1,050", "7,5", "7.5")])
def test_commas_that_may_part_thousands_are_refused(tmp_path, ratings):
    rows = "".join(f"w{at};{rating}\n" for at, rating in enumerate(ratings))
    path = own(tmp_path, f"word;rating\n{rows}")
    for drop in (False, True):
        with pytest.raises(WordworthError, match=rf"line 2: '{ratings[0]}' .*thousands"):
            load_lexicon(path, drop_bad=drop)


@pytest.mark.parametrize(
    ("ratings", "values"),
    [(("1,050", "7,5"), [1.05, 7.5]), (("0,125", "4,533"), [0.125, 4.533]), (("-,5", "1050"), [-0.5, 1050.0])],
)
def test_a_column_that_has_decimal_commas_is_read_with_them(tmp_path, ratings, values):
    rows = "".join(f"w{at};{rating}\n" for at, rating in enumerate(ratings))
    assert load_lexicon(own(tmp_path, f"word;rating\n{rows}")).valence.tolist() == values


def test_bad_rows_stop_unless_dropped(tmp_path):
    path = own(tmp_path, "word,rating\nsun,8\nrain,n/a\n,5\n")
    with pytest.raises(WordworthError) as raised:
        load_lexicon(path)
    assert str(raised.value) == (
        f"{path}, line 3: 'rain' has a rating that is not a number: 'n/a'; correct it, or drop such rows "
        "with --on-bad drop"
    )
    lexicon = load_lexicon(path, drop_bad=True)
    assert lexicon.words == ("sun",)
    assert [(one.line, one.reason) for one in lexicon.left_out] == [
        (3, "has a rating that is not a number: 'n/a'"),
        (4, "has no word"),
    ]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("lemma,v\nsun,8\n", {}, "which column has the words? Give --word-column NAME; the columns are lemma, v"),
        ("word,rating\nsun,8\n", {"scale": (1, 5)}, "the rating 8 of 'sun' is outside the scale 1 to 5; give the"),
        ("word,rating\nsun,x\n", {"drop_bad": True}, "has no word with a rating; check the columns"),
    ],
)
def test_messages(tmp_path, text, options, message):
    with pytest.raises(WordworthError) as raised:
        load_lexicon(own(tmp_path, text), **options)
    assert message in str(raised.value)


def test_words_in_another_script_than_their_language(tmp_path):
    path = own(tmp_path, "word,valence\ntea,5\nwar,1\n愛,8\nsun,7\n")
    message = r"3 of 4 words, such as 'tea', are not written in the script of chinese; give the words' own language"
    with pytest.raises(WordworthError, match=message):
        load_lexicon(path, language="chinese")
    assert load_lexicon(path, language="english").words == ("tea", "war", "愛", "sun")
    assert load_lexicon(path, language="klingon").language == "klingon"  # of which nothing is known
    assert len(load_lexicon(own(tmp_path, "word,valence\n:-),5\n1984,1\n", "marks.csv"), language="chinese")) == 2


@needs_data
def test_words_without_a_row_are_reported():
    spanish = load_lexicon("bellezza-spanish")
    missing = [one for one in spanish.left_out if one.line == 0]
    assert len(missing) == 17
    assert str(missing[0]) == "'affectionate' has no row in spanish"
    assert spanish.name == "bellezza-spanish"
    assert spanish.scale == (1, 9)
    german = load_lexicon("bellezza-german")
    assert any(one.word == "Unfall" and one.line == 4 for one in german.left_out)


@needs_data
def test_french_by_its_own_column():
    french = load_lexicon("bellezza-french")
    assert (len(french), french.words[0], french.words[8], french.words[-1]) == (119, "ambition", "arme", "vitre")


@needs_data
def test_three_records_of_chinese():
    chinese = load_lexicon("bellezza-chinese")
    assert (chinese.words[0], chinese.words[8], chinese.words[-1]) == ("成功", "情人", "吹噓")
    assert chinese.english[0] == ("success",)

"""Pairs, analogies, frequencies and paraphrases: the catalog's, checked by known records, and users' files."""

import pytest

from wordworth.catalog.read.frequencies import is_frequency_file, load_frequencies
from wordworth.catalog.read.pairs import Triple, load_analogies, load_pairs, load_paraphrases
from wordworth.catalog.registry import entry
from wordworth.catalog.show import excerpt
from wordworth.errors import WordworthError

# Read off the published files.
RECORDS = {
    "rg-65": (65, ("gem", "jewel", 3.94), ("forest", "woodland", 3.65), ("chord", "smile", 0.02)),
    "mc-30": (30, ("car", "automobile", 3.92), ("furnace", "stove", 3.11), ("noon", "string", 0.08)),
    "ws-353": (353, ("love", "sex", 6.77), ("telephone", "communication", 7.5), ("architecture", "century", 3.78)),
    "ws-353-sim": (203, ("tiger", "cat", 7.35), ("doctor", "nurse", 7.0), ("king", "cabbage", 0.23)),
    "ws-353-rel": (252, ("computer", "keyboard", 7.62), ("planet", "people", 5.75), ("king", "cabbage", 0.23)),
    "simlex-999": (999, ("old", "new", 1.58), ("stupid", "dumb", 9.58), ("attend", "arrive", 6.08)),
    "simverb-3500": (3500, ("take", "remove", 6.81), ("plow", "dig", 6.64), ("protest", "release", 1.16)),
    "rw": (2034, ("squishing", "squirt", 5.88), ("instrumentality", "utility", 7.29), ("snickering", "laugh", 7.71)),
    "men": (3000, ("sun", "sunlight", 50.0), ("camera", "photography", 49.0), ("bakery", "zebra", 0.0)),
    "mturk-771": (771, ("access", "gateway", 3.791666667), ("activity", "event", 4.083333333),
        ("workplace", "workshop", 4.04)),
    "multisimlex-english": (1888, ("arm", "muscle", 9 / 13), ("bank", "seat", 0.0), ("loudly", "madly", 10 / 13)),
    "multisimlex-chinese": (1888, ("手臂", "肌肉", 13 / 11), ("银行", "座位", 2 / 11), ("大声地", "猛烈地", 31 / 11)),
    "multisimlex-french": (1888, ("bras", "muscle", 2.6), ("banque", "siège", 1.9), ("fortement", "follement", 2.9)),
    "multisimlex-polish": (1888, ("ramię", "mięsień", 1.3), ("brzeg", "siedzenie", 0.3), ("głośno", "szalenie", 0.6)),
    "multisimlex-spanish": (1888, ("brazo", "músculo", 1.4), ("banco", "asiento", 5.1),
        ("ruidosamente", "locamente", 1.1)),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_pairs_of_the_catalog(name):
    count, *records = RECORDS[name]
    pairs = load_pairs(name)
    assert len(pairs) == len(pairs.second) == len(pairs.scores) == count
    for at, (first, second, score) in zip((0, 8, -1), records, strict=True):
        assert (pairs.first[at], pairs.second[at]) == (first, second)
        assert pairs.scores[at] == pytest.approx(score)
    low, high = pairs.scale
    assert low <= pairs.scores.min() < pairs.scores.max() <= high
    assert pairs.left_out == ()


@pytest.mark.parametrize("mark", ["\t", ",", ";", " "])
def test_own_pairs(tmp_path, mark):
    path = tmp_path / "own.txt"
    path.write_text("\n".join(mark.join(row) for row in [("sun", "moon", "7"), ("sun", "soap", "1.5")]) + "\n\n")
    pairs = load_pairs(path, language="german")
    assert (pairs.name, pairs.language, pairs.first, pairs.second) == (
        "own",
        "german",
        ("sun", "sun"),
        ("moon", "soap"),
    )
    assert pairs.scores.tolist() == [7.0, 1.5]


def test_own_pairs_with_a_header(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("id\tword1\tword2\tpos\tscore\n1\tsun\tmoon\tN\t7\n")
    pairs = load_pairs(path)
    assert (pairs.first, pairs.second, pairs.scores.tolist()) == (("sun",), ("moon",), [7.0])
    assert pairs.left_out == ("line 1 is taken as the header: id, word1, word2, pos, score",)


def test_googles_analogies():
    google = load_analogies("google")
    assert len(google) == 19544
    assert google.questions[0] == ("Athens", "Greece", "Baghdad", "Iraq")
    assert google.questions[8] == ("Athens", "Greece", "Havana", "Cuba")
    assert google.questions[-1] == ("write", "writes", "work", "works")
    assert len(google.sections) == 14
    # ValNorm, section 2: 8,869 semantic and 10,675 syntactic questions
    sizes = {"semantic": 0, "syntactic": 0}
    for section in google.sections:
        sizes[section.kind] += section.stop - section.start
    assert sizes == {"semantic": 8869, "syntactic": 10675}
    assert (google.sections[0].name, google.sections[0].stop) == ("capital-common-countries", 506)
    assert sum(part.stop - part.start for part in google.sections) == 19544


def test_own_analogies(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(": family\nking queen man woman\n\n: gram1-plural\ncat cats dog dogs\n")
    own = load_analogies(path)
    assert [own.questions[part.start : part.stop] for part in own.sections if part.kind == "syntactic"] == [
        (("cat", "cats", "dog", "dogs"),)
    ]
    path.write_text("king queen man woman\n")
    assert [part.name for part in load_analogies(path).sections] == ["all"]


@pytest.mark.parametrize(
    ("load", "text", "message"),
    [
        (load_pairs, "", "own.txt has no pairs"),
        (load_pairs, "sun\tmoon\t7\nsun\tsoap\n", "own.txt, line 2: 2 fields"),
        (load_pairs, "sun\tmoon\t7\nsun\tsoap\tx\n", "own.txt, line 2: the score 'x' is not a number"),
        (load_pairs, "a\tb\tword1\tword2\tscore\nsun\tmoon\t7\n", "own.txt, line 2: 3 fields"),
        (load_analogies, ": family\nking queen man\n", "own.txt, line 2: 3 words; a question has four"),
        (load_analogies, ": family\n", "own.txt has no questions"),
        (load_frequencies, "the cat sat\nthe 3\n", "own.txt, line 1: 'the cat sat' is not a word and its count"),
        (load_frequencies, "\n", "has no words"),
        (load_paraphrases, "one\ntwo\n", "has 2 sentences; it needs three"),
    ],
)
def test_a_bad_line_is_named(tmp_path, load, text, message):
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(WordworthError, match=message):
        load(path)


@pytest.mark.index
def test_wordfreq():
    found = load_frequencies("wordfreq")
    assert len(found) == 321_180
    # wordfreq's documentation: word_frequency("the", "en") is 0.0537.
    assert found.counts["the"] == pytest.approx(5.37e6, rel=1e-3)
    assert sum(found.counts.values()) == pytest.approx(1e8, rel=0.02)
    assert next(iter(found.counts)) == "the"
    assert found.unit == "per 100 million words"
    assert found.licence
    assert excerpt(entry("wordfreq")).rows[0] == ("the", "5,370,318")


def test_own_frequencies(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("the\t100\ncat\t3.5\n\nNew York\t2\ncat\t1\n", encoding="utf-8")
    found = load_frequencies(path)
    assert found.counts == {"the": 100, "cat": 4.5, "New York": 2}
    assert is_frequency_file(path)
    path.write_text("the cat sat\nthe 3\n", encoding="utf-8")
    assert not is_frequency_file(path)
    assert not is_frequency_file(tmp_path / "absent.txt")


@pytest.mark.usefixtures("data")
def test_paraphrases_of_the_authors():
    rare, common = load_paraphrases("rare"), load_paraphrases("common")
    assert len(rare) == 50  # as in Table 2; the file has 51
    assert rare.left_out == ((common.triples[0].word, "also in common, where it is counted"),)
    assert common.triples[0].differing() == ("diameter", "length", "mass")
    assert (len(common), len(common.left_out)) == (49, 1)
    # Appendix C: (afterdamp, gas, liquid), which the file has in another order, and (discontinue, cease, continue).
    assert rare.triples[0].differing() == ("afterdamp", "gas", "liquid")
    assert rare.triples[8].differing() == ("arroyo", "gully", "hollow")
    assert rare.triples[-1].differing() == ("steeple.", "tower.", "platform.")
    assert common.triples[2].differing() == ("discontinue", "cease", "continue")
    assert common.triples[-1].differing() == ("castle.", "mansion.", "lodge.")


def test_own_paraphrases(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("A poodle barks.\nA dog barks.\nA cat barks.\n\nx\nx\ny\n", encoding="utf-8")
    found = load_paraphrases(path)
    assert found.triples == (Triple("A poodle barks.", "A dog barks.", "A cat barks."),)
    assert str(found.triples[0]) == "poodle / dog / cat"
    assert found.left_out == (("x", "two of the three sentences are the same"),)

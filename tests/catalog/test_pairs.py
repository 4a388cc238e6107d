"""Pairs: count, first, ninth and last record of each; a user's own file; every message."""

import pytest

from wordworth.catalog.read.pairs import load_pairs
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
def test_records(name):
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "own.txt has no pairs; it needs a word, a word and a score on each line"),
        ("sun\tmoon\t7\nsun\tsoap\n", "own.txt, line 2: 2 fields; each line has a word, a word and a score"),
        ("sun\tmoon\t7\nsun\tsoap\tx\n", "own.txt, line 2: the score 'x' is not a number; correct the line"),
        ("a\tb\tword1\tword2\tscore\nsun\tmoon\t7\n", "own.txt, line 2: 3 fields; each line has"),
    ],
)
def test_bad_lines_are_told(tmp_path, text, message):
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(WordworthError) as told:
        load_pairs(path)
    assert message in str(told.value)

"""WordNet's files: its real ones, checked by known facts, and a small one made here."""

import pytest

from wordworth.catalog.read.wordnet import load_wordnet
from wordworth.errors import WordworthError

LICENCE = "  1 This is a licence of two lines.  \n  2   \n"
NOUNS = """00000001 03 n 01 animal 0 001 ~ 00000002 n 0000 | a living thing
00000002 05 n 02 dog 0 domestic_dog 0 002 @ 00000001 n 0000 ~ 00000004 n 0000 | it barks
00000003 05 n 01 cat 0 001 @ 00000001 n 0000 | it mews
00000004 05 n 01 poodle 0 001 @ 00000002 n 0000 | it is curly
"""
INDEX = """animal n 1 1 ~ 1 0 00000001
cat n 1 1 @ 1 0 00000003
dog n 1 2 @ ~ 1 0 00000002
domestic_dog n 1 2 @ ~ 1 0 00000002
poodle n 1 1 @ 1 0 00000004
"""


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "dict"
    made.mkdir()
    for stem in ("noun", "verb", "adj", "adv"):
        (made / f"data.{stem}").write_text(LICENCE + (NOUNS if stem == "noun" else ""))
        (made / f"index.{stem}").write_text(LICENCE + (INDEX if stem == "noun" else ""))
    (made / "noun.exc").write_text("dogz dog\n")
    return made


def test_a_folder_of_the_users(folder):
    found = load_wordnet(folder)
    assert len(found) == 4
    assert found.words["n", 2] == ("dog", "domestic dog")
    assert found.hypernyms["n", 4] == (("n", 2),)
    assert found.hyponyms["n", 1] == (("n", 2), ("n", 3))
    assert found.lemmas("Dogs") == {("dog", "n")}
    assert found.lemmas("dogz") == {("dog", "n")}
    assert found.synsets("domestic dog") == {("n", 2)}
    assert found.synsets("zebra") == frozenset()


def test_broken_lines_of_the_index(folder):
    for line in ("cat", "cat n many", "cat n 9 1 @ 1 0 00000003", "cat n -1 1 @ 1 0 00000003", "cat n 1 1 @ 1 0 x"):
        (folder / "index.noun").write_text(f"{INDEX}{line}\n")
        with pytest.raises(WordworthError, match=r"index\.noun, line 6: not a word and its senses .*; fetch it again"):
            load_wordnet(folder)


@pytest.mark.index
def test_the_real_one():
    # Counts and facts as WordNet 3.0's own statistics and its browser give them.
    found = load_wordnet()
    assert len(found) == 117_659
    of = dict.fromkeys("nvar", 0)
    for _, kind in found.senses:
        of[kind] += 1
    assert of == {"n": 117_798, "v": 11_529, "a": 21_479, "r": 4_481}
    (poodle,) = found.senses["poodle", "n"]
    assert found.words[found.hypernyms[poodle][0]] == ("dog", "domestic dog", "canis familiaris")
    assert found.words[found.senses["car", "n"][0]] == ("car", "auto", "automobile", "machine", "motorcar")
    assert ("run", "v") in found.lemmas("running")
    assert ("big", "a") in found.lemmas("bigger")
    assert found.lemmas("churches") == {("church", "n"), ("church", "v")}

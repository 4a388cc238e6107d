"""Paraphrase triples: the authors' two sets, and a file of one's own."""

import pytest

from wordworth.catalog.read.pairs import Triple, load_paraphrases
from wordworth.errors import WordworthError


@pytest.mark.usefixtures("data")
def test_the_authors_sets():
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


def test_a_users_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("A poodle barks.\nA dog barks.\nA cat barks.\n\nx\nx\ny\n", encoding="utf-8")
    found = load_paraphrases(path)
    assert found.triples == (Triple("A poodle barks.", "A dog barks.", "A cat barks."),)
    assert str(found.triples[0]) == "poodle / dog / cat"
    assert found.left_out == (("x", "two of the three sentences are the same"),)


def test_not_in_threes(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    with pytest.raises(WordworthError, match="has 2 sentences; it needs three"):
        load_paraphrases(path)

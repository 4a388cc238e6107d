"""What is shown of an entry of each kind, without fetching anything."""

import pytest

from wordworth.catalog.registry import entries, entry
from wordworth.catalog.show import excerpt, is_here, summary


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine with nothing on it but the package."""
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path))
    monkeypatch.setenv("WORDWORTH_OFFLINE", "1")


@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("bellezza", ("word", "valence"), ("abuse", "1.53")),
        ("pleasant", ("word",), ("caress",)),
        ("bolukbasi-professions", ("word", "definitional", "stereotypical"), ("accountant", "0", "0.4")),
        ("bolukbasi-equalize_pairs", ("first", "second"), ("monastery", "convent")),
        ("weat6", ("set", "label", "count", "first words"), ("X", "male names", "8", "John, Paul, Mike, Kevin, Steve")),
        ("rg-65", ("first", "second", "score"), ("gem", "jewel", "3.94")),
        ("google", ("a", "b", "c", "d"), ("Athens", "Greece", "Baghdad", "Iraq")),
        ("vast", ("template", "text"), ("bleached", "This is WORD")),
        ("dev-occupation-gender", ("template", "text"), ("premise", "The SUBJECT VERB a/an OBJECT.")),
    ],
)
@pytest.mark.usefixtures("bare")
def test_excerpts_of_each_kind(name, header, row):
    assert is_here(entry(name))
    shown = excerpt(entry(name))
    assert shown.header == header
    assert shown.rows[0] == row


@pytest.mark.usefixtures("bare")
def test_missing_data_is_described_and_not_fetched():
    shown = summary(entry("warriner"))
    assert not shown["here"]
    assert shown["rows"] == ()
    assert shown["sources"] == ["$WORDWORTH_DATA/lexica/warriner.csv", "labMTsimple 2.8.8"]
    assert shown["bibtex"].startswith("@")
    assert not is_here(entry("bellezza-spanish"))
    assert not is_here(entry("glove-6b-50d"))
    assert ("family", "static") in excerpt(entry("glove-6b-50d")).rows


def test_dev_fillers_give_the_published_number_of_combinations():
    """10 × 95 + 10 × 89 + 2 × 9 + 5 × 22 = 1,968 verb–object combinations (the authors' code)."""
    verbs = entry("dev-occupation-gender").details["verbs"]
    count = {found.name: found.count for found in entries("word_sets")}
    assert sum(count[one["verbs"]] * sum(count[o] for o in one["objects"]) for one in verbs) == 1968

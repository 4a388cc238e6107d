"""The declarations: every one whole, every name found or corrected."""

import re

import pytest

from wordworth.catalog.registry import ENTRY_KINDS, entries, entry, kind_named, references
from wordworth.errors import WordworthError
from wordworth.measure import MEASURES
from wordworth.study import STUDIES, study

EVERY = entries()


@pytest.mark.parametrize("found", EVERY, ids=lambda found: f"{found.kind}-{found.name}")
def test_every_entry_is_whole(found):
    assert found.title
    assert found.licence
    assert found.language
    assert found.count > 0
    assert found.reference.title
    assert found.scale is None or found.scale[0] < found.scale[1]
    # What has no source is made of other entries, or is declared in full.
    made = ("derived", "x", "words", "bleached", "premise", "hub")
    assert found.sources or any(key in found.details for key in made)
    for source in found.sources:
        assert source.place
        for pin in source.content:
            assert re.fullmatch("[0-9a-f]{64}", pin.sha256)
            assert pin.bytes > 0
        if source.kind == "https":
            assert re.match(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/", source.url)
        if source.kind == "archive":
            for distribution, _ in source.parts:
                # gensim has an archive for each platform, so only the member can be pinned
                assert distribution.version
                assert distribution.package == "gensim" or re.fullmatch("[0-9a-f]{64}", distribution.sha256)


def test_names_are_unique_over_all_kinds():
    names = [found.name for found in EVERY]
    assert len(names) == len(set(names))


def test_every_reference_is_used_and_renders():
    used = {found.reference.key for found in EVERY} | {measure.paper for measure in MEASURES.values()}
    used |= {paper for name in STUDIES for paper in study(name).papers}
    assert used - {""} == set(references())
    assert str(references()["wolfe2022"]) == (
        "Robert Wolfe and Aylin Caliskan (2022). VAST: The valence-assessing semantics test for contextualizing "
        "language models. AAAI. https://doi.org/10.1609/aaai.v36i10.21400"
    )
    assert str(references()["imbir2015"]).startswith("Kamil K. Imbir (2015). Affective norms for 1,586 Polish words")
    assert str(references()["vulic2020"]).startswith("Ivan Vulić et al. (2020).")


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(WordworthError) as raised:
        entry("belezza", "lexica")
    assert str(raised.value) == (
        "'belezza' is not in the lexica of the catalog; did you mean bellezza, bellezza-polish, bellezza-german? "
        "(run `wordworth ls lexica` to list them)"
    )
    with pytest.raises(WordworthError, match=r"'qqqq' is not in the catalog \(run `wordworth ls` to list"):
        entry("qqqq")


def test_kinds_as_users_write_them():
    assert kind_named("word-sets") == "word_sets"
    there = ", ".join(ENTRY_KINDS).replace("_", "-")
    with pytest.raises(WordworthError, match=f"no kind 'books'; there are {there}"):
        kind_named("books")

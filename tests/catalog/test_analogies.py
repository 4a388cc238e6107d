"""Google's analogies, and files laid out as they are."""

import pytest

from wordworth.catalog.read.pairs import load_analogies
from wordworth.errors import WordworthError

KINDS = ("semantic", "syntactic")


def test_google():
    google = load_analogies("google")
    assert len(google) == 19544
    assert google.questions[0] == ("Athens", "Greece", "Baghdad", "Iraq")
    assert google.questions[8] == ("Athens", "Greece", "Havana", "Cuba")
    assert google.questions[-1] == ("write", "writes", "work", "works")
    assert len(google.sections) == 14
    # ValNorm, section 2: 8,869 semantic and 10,675 syntactic questions
    sizes = {kind: sum(one.stop - one.start for one in google.sections if one.kind == kind) for kind in KINDS}
    assert sizes == {"semantic": 8869, "syntactic": 10675}
    assert (google.sections[0].name, google.sections[0].stop) == ("capital-common-countries", 506)
    assert sum(part.stop - part.start for part in google.sections) == 19544


def test_own_questions(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(": family\nking queen man woman\n\n: gram1-plural\ncat cats dog dogs\n")
    own = load_analogies(path)
    assert [own.questions[part.start : part.stop] for part in own.sections if part.kind == "syntactic"] == [
        (("cat", "cats", "dog", "dogs"),)
    ]
    path.write_text("king queen man woman\n")
    assert [part.name for part in load_analogies(path).sections] == ["all"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (": family\nking queen man\n", "own.txt, line 2: 3 words; a question has four"),
        (": family\n", "own.txt has no questions; it needs four words on each line"),
    ],
)
def test_bad_lines_are_told(tmp_path, text, message):
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(WordworthError) as told:
        load_analogies(path)
    assert message in str(told.value)

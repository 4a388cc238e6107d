import gzip
from collections import Counter
from pathlib import Path

import pytest

from wordworth.contexts import Finder, draw_sentences, read_sample
from wordworth.contexts.sampling import MAX_FLAWS_SHOWN, Draw, draw, load_texts
from wordworth.errors import WordworthError

WORDS = ["cat", "dog", "emu"]
LINES = [f"Number {n} of the many lines has a {WORDS[n % 2]} in it. Nothing is in this one." for n in range(200)]
LINES += ["The only line with an emu also has a cat and a dog."]


def texts(path: Path, **options: int) -> list[str]:
    lines = options.pop("lines", LINES)
    return [found.text for found in draw_sentences(lines, Finder(WORDS), path, **options).read()]


def test_uniform_sample(tmp_path: Path) -> None:
    sample = draw_sentences(LINES, Finder(WORDS), tmp_path / "s", count=50)
    assert (sample.sentences, sample.eligible, sample.lines, sample.broken) == (50, 201, 201, 0)
    found = list(sample.read())
    assert len({one.text for one in found}) == 50
    for one in found:
        assert all(one.text[start:end] == WORDS[at] for at, start, end in one.spans)
    assert [one.text for one in sample.read(48)] == [one.text for one in found[48:]]
    assert read_sample(tmp_path / "s") == sample
    assert [path.name for path in tmp_path.iterdir()] == ["s"]  # no spool is left


def test_a_smaller_sample_is_the_beginning_of_a_larger(tmp_path: Path) -> None:
    small, large = texts(tmp_path / "a", count=20), texts(tmp_path / "b", count=120)
    assert large[:20] == small
    assert texts(tmp_path / "c", count=20, lines=LINES[::-1]) == small  # the order of the text does not matter
    assert texts(tmp_path / "d", count=20, seed=1) != small
    everything = texts(tmp_path / "e", count=10_000)
    assert len(everything) == 201
    assert everything[:120] == large
    assert everything != sorted(everything)


def test_every_sentence_is_as_likely(tmp_path: Path) -> None:
    """40 seeded draws of 50 out of 201: the counts are binomial, 10 ± 2.7."""
    drawn: Counter[str] = Counter()
    for seed in range(40):
        drawn.update(texts(tmp_path / str(seed), count=50, seed=seed))
    assert len(drawn) == 201
    assert max(drawn.values()) < 10 + 5 * 2.7


def test_contexts_a_word(tmp_path: Path) -> None:
    found = list(draw_sentences(LINES, Finder(WORDS), tmp_path / "s", per_word=5).read())
    met = Counter(WORDS[at] for one in found for at, _, _ in one.spans)
    assert met == {"cat": 5, "dog": 5, "emu": 1}
    # A sentence stands for the words that drew it alone.
    (emu,) = (one for one in found if "emu" in one.text)
    drew = {WORDS[at] for at, _, _ in emu.spans}
    assert "emu" in drew


def test_the_draw_of_a_word_does_not_depend_on_the_others(tmp_path: Path) -> None:
    lines = [f"Line {n} has a dog and a cat, and many more words in it." for n in range(100)]
    both = draw_sentences(lines, Finder(["cat", "dog"]), tmp_path / "a", per_word=7)
    alone = draw_sentences(lines, Finder(["dog"]), tmp_path / "b", per_word=7)
    drawn = [one.text for one in both.read() if any(at == 1 for at, _, _ in one.spans)]
    assert drawn == [one.text for one in alone.read()]


def test_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match=r"the text has no lines, so no contexts can be drawn; give another"):
        draw_sentences([], Finder(WORDS), tmp_path / "s", count=5)
    with pytest.raises(WordworthError, match=r"no word of the vocabulary occurs in .* \(1 lines\)"):
        draw_sentences(["A cat."], Finder(WORDS), tmp_path / "s", count=5)
    for options in ({}, {"count": 0}, {"count": 1, "per_word": 1}, {"per_word": -1}):
        with pytest.raises(WordworthError, match="number of sentences, in all or per word"):
            draw_sentences(LINES, Finder(WORDS), tmp_path / "s", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [Draw(count=50), Draw(per_word=20)])
def test_lines_and_broken_lines_of_a_file_are_counted(tmp_path: Path, how: Draw) -> None:
    path = tmp_path / "text.txt.gz"
    with gzip.open(path, "wb") as out:
        lines = (f"{n}: a line about the {WORDS[n % 3]} of a town.\n" for n in range(2000))
        out.writelines(line.encode() if n % 10 else b"\xff broken\n" for n, line in enumerate(lines))
    sample = draw(load_texts([path], "english"), WORDS, how)
    assert (sample.lines, sample.broken, len(sample.flaws)) == (1800, 200, MAX_FLAWS_SHOWN)

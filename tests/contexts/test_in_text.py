"""The contexts of VAST: texts and bins as the paper has them (“Approach”, “Contextual Settings”)."""

from pathlib import Path
from typing import Any

import pytest

from wordworth.catalog.registry import entries
from wordworth.contexts import (
    Context,
    contexts_in,
    in_template,
    load_templates,
    make_aligned,
    make_bleached,
    make_decontextualized,
    make_misaligned,
    polar_ratings,
    rescale,
)
from wordworth.errors import WordworthError

PAPER = [
    "It is very unpleasant to think of war",
    "It is unpleasant to think of war",
    "It is neither pleasant nor unpleasant to think of war",
    "It is pleasant to think of war",
    "It is very pleasant to think of war",
]


@pytest.mark.parametrize(
    ("rating", "bin_"), [(1, 0), (2.49, 0), (2.5, 1), (3.99, 1), (4, 2), (5.99, 2), (6, 3), (7.49, 3), (7.5, 4), (9, 4)]
)
def test_bins_of_the_paper(rating: float, bin_: int) -> None:
    (context,) = make_aligned(["war"], [rating], load_templates())
    assert context.text == PAPER[bin_]
    assert context.text[context.start : context.end] == "war"
    (context,) = make_misaligned(["war"], [rating], load_templates())
    assert context.text == PAPER[4 - bin_]


def test_bins_and_wording_of_the_authors_code() -> None:
    """`<=` at every edge, and “to think about”."""
    templates = load_templates("vast-code")
    assert [templates.bin_of(rating) for rating in (1, 2.5, 2.51, 4, 6, 7.5, 7.51, 9)] == [0, 0, 1, 1, 2, 3, 4, 4]
    assert make_aligned(["war"], [5], templates)[0].text == "It is neither pleasant nor unpleasant to think about war"


def test_bleached_and_alone() -> None:
    assert make_bleached(["war"], load_templates()) == [Context("war", "This is war", 8, 11)]
    assert make_decontextualized(["war"]) == [Context("war", "war", 0, 3)]


def test_polar_words_stay_aligned() -> None:
    templates, words = load_templates(), ["love", "murder"]
    ratings = [8.7, 1.5]

    def in_context(context: str, **options: Any) -> list[Context | None]:
        return contexts_in(context, words, templates=templates, ratings=ratings, **options)

    assert in_context("misaligned", polar=True) == make_aligned(words, ratings, templates)
    assert in_context("misaligned") == make_misaligned(words, ratings, templates)
    assert in_context("aligned") == in_context("aligned", polar=True) == make_aligned(words, ratings, templates)
    assert in_context("bleached") == make_bleached(words, templates)
    assert in_context("decontextualized") == make_decontextualized(words)
    drawn = Context("love", "all you need is love", 16, 20)
    assert in_context("random", random={"love": drawn}) == [drawn, None]


@pytest.mark.parametrize(
    ("context", "options", "message"),
    [
        ("random", {}, "random contexts are drawn from a corpus: give --corpus"),
        ("aligned", {}, "the context aligned needs templates"),
        ("misaligned", {"templates": load_templates()}, "the context misaligned needs a rating for every word"),
        ("alined", {}, "there is no context 'alined'; did you mean aligned"),
    ],
)
def test_contexts_need_their_inputs(context: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(WordworthError, match=message):
        contexts_in(context, ["war"], **options)


def test_ratings_of_polar_words() -> None:
    found = polar_ratings(["love", "rainbow"], ["murder", "jail"], {"love": 8.72, "murder": 1.48, "tree": 6})
    assert found == {"love": 8.72, "rainbow": 8.0, "murder": 1.48, "jail": 2.0}


def test_scales_are_mapped_linearly() -> None:
    assert rescale([1, 2.25, 5], (1, 5)) == [1, (2.25 - 1) * 2 + 1, 9]
    assert rescale([-4, 0, 4], (-4, 4)) == [1, 5, 9]
    assert rescale([-3, 1.5], (-3, 3)) == [1, 7]
    assert rescale([9.0000000001], (1, 9)) == [9]
    with pytest.raises(WordworthError, match=r"the rating 5\.5 is outside its scale 1 to 5; correct the scale"):
        rescale([5.5], (1, 5))


LANGUAGES = [one.language for one in entries("templates") if one.name.startswith("vast") and one.name != "vast-code"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(language: str) -> None:
    templates = load_templates("vast", language)
    assert templates.language == language
    assert templates.edges == (1, 2.5, 4, 6, 7.5, 9)
    texts = [templates.bleached, *templates.aligned]
    assert len(set(texts)) == 6
    # A causal model must have read the valence before it comes to the word.
    assert len({text[: in_template(text, "x").start] for text in texts}) == 6


def test_own_templates(tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match="there are no templates 'vats-english'"):
        load_templates("vats")
    path = tmp_path / "own.toml"
    path.write_text(
        '[mine]\nlanguage = "english"\nbleached = "Here is WORD."\n'
        'aligned = [{low = 0, high = 1, text = "bad WORD"}, {low = 1, high = 2, text = "good WORD"}]\n'
    )
    templates = load_templates(str(path))
    assert templates.name == "mine"
    assert [context.text for context in make_aligned(["x", "y"], [0.9, 1], templates)] == ["bad x", "good y"]
    with pytest.raises(WordworthError, match="have no bin for the rating 3, only for 0 to 2; map the ratings onto"):
        templates.bin_of(3)
    with pytest.raises(WordworthError, match='has no table with language = "polish"'):
        load_templates(str(path), "polish")


GOOD = {
    "bleached": '"a WORD"',
    "aligned": '[{low = 1, high = 2, text = "b WORD"}, {low = 2, high = 3, text = "c WORD"}]',
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bleached": '"no slot"'}, "bleached: it must have WORD in it exactly once"),
        ({"bleeched": '"a WORD"'}, "bleeched is an unknown field"),
        ({"aligned": "[{low = 1, high = 2}]"}, "aligned.1.text is missing"),
        ({"aligned": '[{low = 2, high = 2, text = "WORD"}]'}, "aligned 1 must have low < high"),
        (
            {"aligned": '[{low = 1, high = 2, text = "WORD"}, {low = 3, high = 4, text = "WORD"}]'},
            "aligned 1 ends at 2",
        ),
    ],
)
def test_faults_are_named(tmp_path: Path, change: dict[str, str], message: str) -> None:
    path = tmp_path / "own.toml"
    lines = [f"{key} = {value}" for key, value in (GOOD | change).items()]
    path.write_text("\n".join(["[mine]", 'language = "english"', *lines]))
    with pytest.raises(WordworthError, match=rf"table \[mine\]: {message}"):
        load_templates(str(path))

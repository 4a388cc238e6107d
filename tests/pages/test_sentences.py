"""Every sentence on a page is short enough to be read once."""

import re
from html import unescape
from pathlib import Path

import pytest

from made_runs import debiased, finish, random_infer, random_predict, random_vast
from wordworth.pages.page import page
from wordworth.results.runs import Runs, read_runs

MAX_WORDS = 20
BLOCKS = re.compile(
    r"<(p|li|h1|h2|h3|summary|div class=\"verdict\")\b[^>]*>(.*?)</(?:p|li|h1|h2|h3|summary|div)>", re.S
)
CITATION = re.compile(r" \([^()]*\d{4}[^()]*\)")


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a page's blocks of prose, without citations, tables and drawings."""
    text = re.sub(r"<(script|style|table|svg|pre)\b.*?</\1>", "", text, flags=re.S)
    blocks = (unescape(re.sub(r"<[^>]+>", " ", block)) for _, block in BLOCKS.findall(text))
    plain = (" ".join(CITATION.sub("", block).split()) for block in blocks)
    return [sentence for block in plain for sentence in re.split(r"(?<=[.?!:])\s+(?=[A-Z“↑])", block)]


@pytest.fixture(scope="module")
def runs() -> Runs:
    vast = random_vast(["tiny", "an-organization/a-model-of-some-size"])
    bare = debiased("glove", {"original": 1.2, "projection": 0.4, "random": 1.1}, {"original": 0.8, "projection": 0.6})
    return read_runs([vast, random_predict("tiny"), random_infer("nli"), finish(bare)])


def test_a_sentence_has_at_most_twenty_words(runs: Runs) -> None:
    sentences = sentences_of(page(runs, Path()))
    assert len(sentences) > 40
    long = [sentence for sentence in dict.fromkeys(sentences) if len(sentence.split()) > MAX_WORDS]
    assert long == []

"""Sentences of the probes: those of a treebank with gold tags, and CoLA's."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.read.layouts import Tagged, tagged_sentences
from wordworth.contexts import Context
from wordworth.run import Findings

TEST_SHARE = 0.2
TREEBANK = "treebank"


@dataclass(frozen=True)
class Ending:
    """The last word and the one before it in the text up to the last word, and the last word's tag."""

    last: Context
    before: Context
    tag: str


def endings(findings: Findings, most: int, seed: int) -> tuple[list[Ending], list[Ending]]:
    """Return the ends of the treebank's sentences in a training and a test part."""
    corpus = load_corpus(TREEBANK)
    every = [found for sentence in tagged_sentences(corpus.paths[0]) if (found := ending(sentence))]
    findings.used_data(corpus, len(every))
    order = np.random.default_rng(seed).permutation(len(every))[:most].tolist()
    cut = round(len(order) * TEST_SHARE)
    return [every[row] for row in order[cut:]], [every[row] for row in order[:cut]]


def ending(sentence: Tagged) -> Ending | None:
    """The end of a sentence whose words are set with a space between; None where it has fewer than two words."""
    starts = np.cumsum([0, *(len(word) + 1 for word, _ in sentence)]).tolist()
    spans = [(start, start + len(word), tag) for start, (word, tag) in zip(starts, sentence, strict=False)]
    text = " ".join(word for word, _ in sentence)
    words = [span for span in spans if text[span[0]].isalpha()]
    if len(words) < 2:
        return None
    (first, stop, _), (start, end, tag) = words[-2:]
    cut = text[:end]
    return Ending(Context(text[start:end], cut, start, end), Context(text[first:stop], cut, first, stop), tag)


def cola_sentences(corpus: Corpus) -> Iterator[tuple[str, str, str]]:
    """(part, label, sentence) of CoLA's in-domain sentences; the parts are `train` and `dev`."""
    for path in corpus.paths:
        if "out_of_domain" in path.name:
            continue
        part = "train" if "train" in path.name else "dev"
        for line in path.read_text(encoding="utf-8").splitlines():
            _, label, _, sentence = line.split("\t")
            yield part, label, sentence

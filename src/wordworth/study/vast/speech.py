"""Tagged sentences of the probes: a treebank with gold tags, or CoLA's acceptable sentences by NLTK's tagger."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.read.tagged import Tagged, tagged_sentences
from wordworth.contexts import Context
from wordworth.errors import WordworthError
from wordworth.run import Findings

TEST_SHARE = 0.2
BY_NLTK = "cola-nltk"
"""The paper's way."""
ACCEPTABLE = "1"


@dataclass(frozen=True)
class Ending:
    """The last word and the one before it in the text up to the last word, and the last word's tag."""

    last: Context
    before: Context
    tag: str


def endings(findings: Findings, named: str, most: int, seed: int) -> tuple[str, tuple[list[Ending], list[Ending]]]:
    """The name of the tagged sentences, and their ends in a training and a test part."""
    if named == BY_NLTK:
        return named, _of_cola(findings)
    corpus = load_corpus(named)
    every = [found for sentence in tagged_sentences(corpus.paths[0]) if (found := ending(sentence))]
    findings.used_data(corpus, len(every))
    order = np.random.default_rng(seed).permutation(len(every))[:most].tolist()
    cut = round(len(order) * TEST_SHARE)
    return corpus.name, ([every[row] for row in order[cut:]], [every[row] for row in order[:cut]])


def ending(sentence: Tagged) -> Ending | None:
    """The end of a sentence whose words are set with a space between; None where it has fewer than two words."""
    starts = np.cumsum([0, *(len(word) + 1 for word, _ in sentence)]).tolist()
    spans = [(start, start + len(word), tag) for start, (word, tag) in zip(starts, sentence, strict=False)]
    return _ending(" ".join(word for word, _ in sentence), spans)


def _ending(text: str, spans: Sequence[tuple[int, int, str]]) -> Ending | None:
    """From the places and tags of a text's tokens."""
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


def _of_cola(findings: Findings) -> tuple[list[Ending], list[Ending]]:
    """The ends of CoLA's acceptable sentences, tagged by NLTK (VAST, “Semantic Isolation”)."""
    corpus, nltk = load_corpus("cola"), _nltk()
    tokenizer = nltk.tokenize.NLTKWordTokenizer()
    parts: dict[str, list[Ending]] = {"train": [], "dev": []}
    for part, label, sentence in cola_sentences(corpus):
        if label != ACCEPTABLE:
            continue
        spans = list(tokenizer.span_tokenize(sentence))
        try:
            tagged = nltk.pos_tag([sentence[start:end] for start, end in spans])
        except LookupError as error:
            raise WordworthError(
                f"--tagged {BY_NLTK} needs NLTK's tagger, which is not here; run "
                "`python -m nltk.downloader averaged_perceptron_tagger_eng`"
            ) from error
        found = _ending(sentence, [(*span, tag) for span, (_, tag) in zip(spans, tagged, strict=True)])
        if found:
            parts[part].append(found)
    findings.note(f"probes: the tags of {BY_NLTK} are those of NLTK {nltk.__version__}.")
    return parts["train"], parts["dev"]


def _nltk() -> Any:
    try:
        return import_module("nltk")
    except ImportError as error:
        raise WordworthError(
            f"--tagged {BY_NLTK} tags CoLA by NLTK, which is not installed; install nltk, or take --tagged treebank"
        ) from error

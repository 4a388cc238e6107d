"""Experiment 4: what the top components hold, by logistic regression (VAST, “Semantic Isolation”).

Acceptability of a CoLA sentence from the vector of its last word; the last word's part of speech from its own vector
and from that of the word before it. Each from the whole vector, from the top components, and from the rest. Mean,
components and scale are fitted on the training part and applied to the test part.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wordworth.catalog.read.corpora import Corpus, Tagged, load_corpus, tagged_sentences
from wordworth.catalog.read.lexica import Lexicon
from wordworth.contexts import Context
from wordworth.embedding import Slot
from wordworth.measure.f1 import weighted_f1
from wordworth.results.findings import Findings
from wordworth.study.vast.words import EncodedWords
from wordworth.task.valence import get_bootstrap_options
from wordworth.transform import fit_components, nullify

COMPONENTS = (1, 2, 4, 8, 11, 12)
"""Numbers of components that are tried; the paper names 8, 11 and 12."""
MAX_SENTENCES = 4_000
"""Tagged sentences that are used."""
TEST_SHARE = 0.2
LAST, BEFORE = "last word", "word before"
_LAST_WORD = re.compile(r"(\w[\w'’-]*)\W*$")


@dataclass(frozen=True)
class Ending:
    """The last word and the one before it in the text up to the last word, and the last word's tag."""

    last: Context
    before: Context
    tag: str


def find_ending(sentence: Tagged) -> Ending | None:
    """Return the end of a sentence whose words are separated by spaces; None where it has fewer than two words."""
    starts = np.cumsum([0, *(len(word) + 1 for word, _ in sentence)]).tolist()
    spans = [(start, start + len(word), tag) for start, (word, tag) in zip(starts, sentence, strict=False)]
    text = " ".join(word for word, _ in sentence)
    words = [span for span in spans if text[span[0]].isalpha()]
    if len(words) < 2:
        return None
    (first, stop, _), (start, end, tag) = words[-2:]
    cut = text[:end]
    return Ending(Context(text[start:end], cut, start, end), Context(text[first:stop], cut, first, stop), tag)


@dataclass(frozen=True, eq=False)
class Part:
    """The vectors, labels and words of a training or test part."""

    vectors: NDArray[np.float64]
    labels: Sequence[str]
    words: Sequence[str]


@dataclass(frozen=True, eq=False)
class ProbedTask:
    """What a probe tells from a vector, in a training and a test part; `position` says of which word the vector is."""

    name: str
    dataset: str
    position: str
    train: Part
    test: Part


def score_probes(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score weighted F1 of every task and representation, in the top layer."""
    for task in (_load_acceptability(findings, words), *_load_tags(findings, words)):
        findings.add(score_probe(task, words), experiment="probes")


def _place(words: EncodedWords, dataset: str, position: str) -> dict[str, Any]:
    place = {"model": words.model.name, "language": words.language, "dataset": dataset, "subset": position}
    return place | {"pooling": words.pooling, "layer": words.layers[-1]}


def _load_acceptability(findings: Findings, words: EncodedWords) -> ProbedTask:
    """Return CoLA's in-domain sentences up to their last words, with their acceptability."""
    corpus = load_corpus("cola")
    findings.add_data(corpus, corpus.count)
    sentences: dict[str, list[tuple[Context, str]]] = {"train": [], "dev": []}
    for part, label, sentence in read_cola(corpus):
        last = _LAST_WORD.search(sentence)
        if last:
            sentences[part].append((Context(last[1], sentence[: last.end(1)], last.start(1), last.end(1)), label))
    place = _place(words, "cola", LAST)
    train, test = (_encode(findings, words, part, place) for part in sentences.values())
    return ProbedTask("acceptability", "cola", LAST, train, test)


def read_cola(corpus: Corpus) -> Iterator[tuple[str, str, str]]:
    """Yield part, label and sentence of CoLA's in-domain sentences; the parts are `train` and `dev`."""
    for path in corpus.paths:
        if "out_of_domain" not in path.name:
            part = "train" if "train" in path.name else "dev"
            for line in path.read_text(encoding="utf-8").splitlines():
                _, label, _, sentence = line.split("\t")
                yield part, label, sentence


def _load_tags(findings: Findings, words: EncodedWords) -> Iterator[ProbedTask]:
    """Yield binary noun and multiclass tag of a treebank's last words, from their vectors and those before them."""
    corpus = load_corpus("treebank")
    every = [end for sentence in tagged_sentences(corpus.paths[0]) if (end := find_ending(sentence))]
    findings.add_data(corpus, len(every))
    order = np.random.default_rng(words.settings.seed).permutation(len(every))[:MAX_SENTENCES].tolist()
    cut = round(len(order) * TEST_SHARE)
    parts = [[every[row] for row in rows] for rows in (order[cut:], order[:cut])]
    for part in parts:  # both words are in one text, which goes through the model once
        contexts = [context for end in part for context in (end.last, end.before)]
        words.encode_contexts([one.word for one in contexts], contexts, "sentence", words.layers[-1:])
    for position in (LAST, BEFORE):
        place = _place(words, corpus.name, position)
        train, test = (
            _encode(findings, words, [(end.last if position == LAST else end.before, end.tag) for end in part], place)
            for part in parts
        )
        nouns = [Part(part.vectors, [_noun(tag) for tag in part.labels], part.words) for part in (train, test)]
        yield ProbedTask("noun", corpus.name, position, *nouns)
        yield ProbedTask("part-of-speech", corpus.name, position, train, test)


def _noun(tag: str) -> str:
    return "noun" if tag.upper().startswith("N") else "other"


def _encode(
    findings: Findings, words: EncodedWords, labelled: Sequence[tuple[Context, str]], place: dict[str, Any]
) -> Part:
    """Return top-layer vectors of the words that were located; the others are recorded."""
    contexts, top = [context for context, _ in labelled], words.layers[-1]
    encoded = words.encode_contexts([one.word for one in contexts], contexts, "sentence", (top,))
    skipped = {"word": [contexts[at].word for at in encoded.reasons], "skipped": list(encoded.reasons.values())}
    findings.item("probed_words", experiment="probes", **place, **skipped)
    vectors = encoded.layers(words.pooling).read(Slot(top)).astype(np.float64)
    present = [labelled[at] for at in encoded.positions.tolist()]
    return Part(vectors, [label for _, label in present], [context.word for context, _ in present])


def score_probe(task: ProbedTask, words: EncodedWords) -> Findings:
    """Score weighted F1 from the whole vector, from its top components, and from the rest."""
    findings, train, test = Findings(), task.train, task.test
    place, options = _place(words, task.dataset, task.position), get_bootstrap_options(words.settings)

    def score(variant: str | None, answers: Sequence[str], components: int | None = None) -> None:
        f1 = weighted_f1(test.labels, answers, **options)
        columns = {"measure": task.name, "variant": variant, "components": components, "n": len(test.labels)}
        findings.score(**place, **columns, **f1)

    def predict(train_vectors: NDArray[np.float64], test_vectors: NDArray[np.float64]) -> list[str]:
        regression = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
        return [str(label) for label in regression.fit(train_vectors, train.labels).predict(test_vectors)]

    predicted = predict(train.vectors, test.vectors)
    score(None, predicted)
    score("majority", [Counter(train.labels).most_common(1)[0][0]] * len(test.labels))
    columns = {"word": list(test.words), "label": list(test.labels), "prediction": predicted}
    is_correct = [one == other for one, other in zip(predicted, test.labels, strict=True)]
    findings.item("probed_words", **place, probe=task.name, **columns, is_correct=is_correct)
    most = min(max(COMPONENTS), words.settings.components, len(train.vectors) - 1, train.vectors.shape[1] - 1)
    fitted = fit_components(train.vectors, most)
    for k in (k for k in COMPONENTS if k <= most):
        along = [(part.vectors - fitted.mean) @ fitted.directions[:k].T for part in (train, test)]
        score("components", predict(*along), k)
        score("rest", predict(nullify(train.vectors, fitted, k), nullify(test.vectors, fitted, k)), k)
    return findings

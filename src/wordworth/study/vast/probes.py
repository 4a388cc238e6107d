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

from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.read.layouts import Tagged, tagged_sentences
from wordworth.contexts import Context
from wordworth.embedding import Slot
from wordworth.encode import InContexts
from wordworth.measure.f1 import weighted_f1
from wordworth.results import Findings
from wordworth.study.vast.words import EncodedOnce, WordsInSettings
from wordworth.task.valence import drawn
from wordworth.transform import Components, fit_components, nullify

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


PROBED = (1, 2, 4, 8, 11, 12)
"""Numbers of components that are tried; the paper names 8, 11 and 12."""

_LAST_WORD = re.compile(r"(\w[\w'’-]*)\W*$")


@dataclass(frozen=True, eq=False)
class ProbedTask:
    """Vectors and labels, in a training and a test part."""

    name: str
    dataset: str
    position: str
    train: NDArray[np.float64]
    train_labels: Sequence[str]
    test: NDArray[np.float64]
    test_labels: Sequence[str]
    test_words: Sequence[str]


def probes(findings: Findings, words: WordsInSettings, most: int = 4_000) -> None:
    """Weighted F1 of every task and representation, in the top layer. At most `most` tagged sentences are used."""
    for task in [_cola(findings, words), *_speech(findings, words, most)]:
        findings.add(probe(task, words))


def _encoded(once: EncodedOnce, contexts: Sequence[Context]) -> InContexts:
    return once.in_contexts([context.word for context in contexts], contexts, "sentence")


def _vectors(
    findings: Findings, words: WordsInSettings, contexts: list[Context], once: EncodedOnce
) -> tuple[NDArray[np.float64], list[int]]:
    """Top-layer vectors, and the contexts whose word was located."""
    (top,) = once.layers
    encoded = _encoded(once, contexts)
    for reason in encoded.reasons.values():
        findings.left_out[f"probes: {reason}"] += 1
    return encoded.layers(words.pooling).read(Slot(top)).astype(np.float64), encoded.positions.tolist()


def _cola(findings: Findings, words: WordsInSettings) -> ProbedTask:
    corpus = load_corpus("cola")
    findings.used_data(corpus, corpus.count)
    parts: dict[str, tuple[list[Context], list[str]]] = {"train": ([], []), "dev": ([], [])}
    for part, label, sentence in cola_sentences(corpus):
        contexts, labels = parts[part]
        last = _LAST_WORD.search(sentence)
        if last:
            contexts.append(Context(last[1], sentence[: last.end(1)], last.start(1), last.end(1)))
            labels.append(label)
    once = EncodedOnce(words.model, words.measured[-1:])
    (train, train_rows), (test, test_rows) = (
        _vectors(findings, words, contexts, once) for contexts, _ in parts.values()
    )
    (_, train_labels), (contexts, test_labels) = parts.values()
    return ProbedTask(
        "acceptability",
        "cola",
        "last word",
        train,
        [train_labels[row] for row in train_rows],
        test,
        [test_labels[row] for row in test_rows],
        [contexts[row].word for row in test_rows],
    )


def _speech(findings: Findings, words: WordsInSettings, most: int) -> list[ProbedTask]:
    """Binary noun and multiclass tag of the last word, from its vector and from that of the word before."""
    parts = endings(findings, most, words.chosen.seed)
    once = EncodedOnce(words.model, words.measured[-1:])
    for part in parts:  # both words stand in one text, which goes through the model once
        _encoded(once, [context for ending in part for context in (ending.last, ending.before)])
    tasks = []
    for position in ("last word", "word before"):
        (train, train_tags, _), (test, test_tags, test_words) = (
            _tagged(findings, words, part, position, once) for part in parts
        )
        for name in ("noun", "part-of-speech"):
            answers = [[_noun(tag) for tag in tags] if name == "noun" else tags for tags in (train_tags, test_tags)]
            tasks.append(ProbedTask(name, TREEBANK, position, train, answers[0], test, answers[1], test_words))
    return tasks


def _noun(tag: str) -> str:
    return "noun" if tag.upper().startswith("N") else "other"


def _tagged(
    findings: Findings, words: WordsInSettings, part: Sequence[Ending], position: str, once: EncodedOnce
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Vectors of the last word or of the one before, the last word's tags, and the words."""
    contexts = [ending.last if position == "last word" else ending.before for ending in part]
    vectors, rows = _vectors(findings, words, contexts, once)
    return vectors, [part[row].tag for row in rows], [contexts[row].word for row in rows]


def probe(task: ProbedTask, words: WordsInSettings) -> Findings:
    """Weighted F1 from the whole vector, from its top components, and from the rest."""
    findings = Findings()
    most = min(max(PROBED), words.chosen.components, len(task.train) - 1, task.train.shape[1] - 1)
    fitted = fit_components(task.train, most)
    where: dict[str, Any] = {
        "experiment": "probes",
        "model": words.model.name,
        "language": words.language,
        "dataset": task.dataset,
    }
    where |= {"setting": task.position, "pooling": words.pooling, "layer": words.measured[-1]}
    where_score = {**where, "n": len(task.test)}
    commonest = Counter(task.train_labels).most_common(1)[0][0]
    for measure, answers in (
        (task.name, predicted := _predicted(task, task.train, task.test)),
        (f"{task.name}:majority", [commonest] * len(task.test)),
    ):
        findings.score(**where_score, measure=measure, **_f1(task, answers, words))
    findings.item(
        **where,
        item=list(task.test_words),
        group=[f"{task.name}: {label}" for label in task.test_labels],
        found_as=list(predicted),
        value=[float(one == other) for one, other in zip(predicted, task.test_labels, strict=True)],
    )
    for k in PROBED:
        if k > most:
            break
        top = _predicted(task, _along(task.train, fitted, k), _along(task.test, fitted, k))
        rest = _predicted(task, nullify(task.train, fitted, k), nullify(task.test, fitted, k))
        for part, answers in (("components", top), ("rest", rest)):
            findings.score(**where_score, pcs=k, measure=f"{task.name}:{part}", **_f1(task, answers, words))
    return findings


def _along(vectors: NDArray[np.float64], fitted: Components, k: int) -> NDArray[np.float64]:
    """Coordinates along the first k components."""
    return (vectors - fitted.mean) @ fitted.directions[:k].T


def _predicted(task: ProbedTask, train: NDArray[np.float64], test: NDArray[np.float64]) -> list[str]:
    """What a logistic regression says of the test part."""
    regression = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    return [str(label) for label in regression.fit(train, task.train_labels).predict(test)]


def _f1(task: ProbedTask, answers: Sequence[str], words: WordsInSettings) -> dict[str, float]:
    """Weighted F1 of answers with its interval, as columns of a score."""
    return weighted_f1(task.test_labels, answers, **drawn(words.chosen))

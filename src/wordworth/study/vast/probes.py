"""Experiment 4: what the top components hold, by logistic regression (VAST, “Semantic Isolation”).

Acceptability of a CoLA sentence from the vector of its last word; the last word's part of speech from its own vector
and from that of the word before it. Each from the whole vector, from the top components, and from the rest. Mean,
components and scale are fitted on the training part and applied to the test part.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.tagged import Tagged, tagged_sentences
from wordworth.contexts import Context
from wordworth.embedding import Slot
from wordworth.encode import in_contexts
from wordworth.run import Findings
from wordworth.study.vast.words import WordsInSettings
from wordworth.transform import Components, fit_components, nullify

PROBED = (1, 2, 4, 8, 12)
"""Numbers of components that are tried; the paper names 8, 11 and 12."""
TEST_SHARE = 0.2

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


def probes(findings: Findings, words: WordsInSettings, tagged: str = "treebank", most: int = 4_000) -> None:
    """Weighted F1 of every task and representation, in the top layer. At most `most` tagged sentences are used."""
    for task in [_cola(findings, words), *_speech(findings, words, tagged, most)]:
        findings.add(probe(task, words))


def _vectors(
    findings: Findings, words: WordsInSettings, contexts: list[Context]
) -> tuple[NDArray[np.float64], list[int]]:
    """Top-layer vectors, and the contexts whose word was located."""
    top = words.model.layers
    encoded = in_contexts(words.model, [context.word for context in contexts], contexts, "sentence", [top])
    for reason in encoded.reasons.values():
        findings.left_out[f"probes: {reason}"] += 1
    return encoded.layers(words.pooling).read(Slot(top)).astype(np.float64), encoded.positions.tolist()


def _cola(findings: Findings, words: WordsInSettings) -> ProbedTask:
    corpus = load_corpus("cola")
    findings.used_data(corpus, corpus.count)
    parts: dict[str, tuple[list[Context], list[str]]] = {"train": ([], []), "dev": ([], [])}
    for path in corpus.paths:
        contexts, labels = parts["train" if "train" in path.name else "dev"]
        if "out_of_domain" in path.name:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            _, label, _, sentence = line.split("\t")
            last = _LAST_WORD.search(sentence)
            if last:
                contexts.append(Context(last[1], sentence[: last.end(1)], last.start(1), last.end(1)))
                labels.append(label)
    (train, train_rows), (test, test_rows) = (_vectors(findings, words, contexts) for contexts, _ in parts.values())
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


def _speech(findings: Findings, words: WordsInSettings, named: str, most: int) -> list[ProbedTask]:
    """Binary noun and multiclass tag of the last word, from its vector and from that of the word before."""
    corpus = load_corpus(named)
    every = [found for sentence in tagged_sentences(corpus.paths[0]) if (found := _ending(sentence))]
    findings.used_data(corpus, len(every))
    rng = np.random.default_rng(words.chosen.seed)
    order = rng.permutation(len(every))[:most]
    cut = round(len(order) * TEST_SHARE)
    tasks = []
    for at, position in enumerate(("last word", "word before")):
        contexts = [every[row][at] for row in order.tolist()]
        tags = [every[row][2] for row in order.tolist()]
        vectors, rows = _vectors(findings, words, contexts)
        kept = np.array(rows)
        test, train = np.flatnonzero(kept < cut), np.flatnonzero(kept >= cut)
        for name in ("noun", "part-of-speech"):
            labels = ["noun" if tag.upper().startswith("N") else "other" for tag in tags] if name == "noun" else tags
            given = [labels[row] for row in rows]
            tasks.append(
                ProbedTask(
                    name,
                    corpus.name,
                    position,
                    vectors[train],
                    [given[row] for row in train.tolist()],
                    vectors[test],
                    [given[row] for row in test.tolist()],
                    [contexts[rows[row]].word for row in test.tolist()],
                )
            )
    return tasks


def _ending(sentence: Tagged) -> tuple[Context, Context, str] | None:
    """The last word and the one before it in the text up to the last word, and the last word's tag."""
    words = [at for at, (word, _) in enumerate(sentence) if word[:1].isalpha()]
    if len(words) < 2:
        return None
    before, last = words[-2:]
    text = " ".join(word for word, _ in sentence[: last + 1])
    start = len(text) - len(sentence[last][0])
    lead = len(" ".join(word for word, _ in sentence[:before])) + (before > 0)
    stop = lead + len(sentence[before][0])
    return (
        Context(sentence[last][0], text, start, len(text)),
        Context(sentence[before][0], text, lead, stop),
        sentence[last][1],
    )


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
    where |= {"setting": task.position, "pooling": words.pooling, "layer": words.model.layers}
    scores, predicted = _f1(task, task.train, task.test)
    findings.score(**where, measure=task.name, value=scores, n=len(task.test))
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
        top, _ = _f1(task, _along(task.train, fitted, k), _along(task.test, fitted, k))
        rest, _ = _f1(task, nullify(task.train, fitted, k), nullify(task.test, fitted, k))
        findings.score(**where, pcs=k, measure=f"{task.name}:components", value=top, n=len(task.test))
        findings.score(**where, pcs=k, measure=f"{task.name}:rest", value=rest, n=len(task.test))
    return findings


def _along(vectors: NDArray[np.float64], fitted: Components, k: int) -> NDArray[np.float64]:
    """Coordinates along the first k components."""
    return (vectors - fitted.mean) @ fitted.directions[:k].T


def _f1(task: ProbedTask, train: NDArray[np.float64], test: NDArray[np.float64]) -> tuple[float, Sequence[str]]:
    """Weighted F1 of a logistic regression, and what it predicts for the test part."""
    regression = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    predicted = regression.fit(train, task.train_labels).predict(test)
    return float(f1_score(task.test_labels, predicted, average="weighted")), [str(label) for label in predicted]

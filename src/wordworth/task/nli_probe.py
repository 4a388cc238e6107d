"""What a language model's states tell of inference: a linear classifier over frozen vectors of both sentences.

Features are |u − v| and u ∘ v of the sentences' vectors (after Conneau et al. 2017), each the mean over its tokens,
standardized; the classifier is a logistic regression, fitted anew on each version of a model.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from wordworth.catalog.read.nli import NliData
from wordworth.contexts import decontextualized
from wordworth.encode import LanguageModel, in_contexts
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.task.nli_accuracy import record_right

STRENGTH = 1e-3
"""Inverse of the penalty on the weights."""


def nli_probe(model: LanguageModel, train: NliData, test: NliData, layer: int) -> Findings:
    """Accuracy on the pairs of `test`, and an item a pair. A pair without a vector of both sentences is left out."""
    sentences = [text for data in (train, test) for side in (data.premises, data.hypotheses) for text in side]
    distinct = list(dict.fromkeys(sentences))
    found = in_contexts(model, distinct, decontextualized(distinct), "decontextualized", (layer,)).layers("mean")
    vectors = dict(zip(found.words, found.read(found.slots[0]), strict=True))
    train, test = (_with_vectors(data, vectors) for data in (train, test))
    scale = StandardScaler().fit(features := _features(train, vectors))
    classifier = LogisticRegression(C=STRENGTH, tol=1e-6, max_iter=5_000)
    classifier.fit(scale.transform(features), train.labels)
    right = classifier.predict(scale.transform(_features(test, vectors))) == np.array(test.labels)
    findings = Findings()
    where = {"experiment": "accuracy", "model": model.name, "language": "english", "dataset": test.name}
    record_right(findings, where | {"layer": layer}, test, right)
    missing = found.missing()
    if missing:
        texts, reasons = zip(*missing, strict=True)
        findings.item(**where, layer=layer, item=list(texts), left_out=list(reasons))
    return findings


def _with_vectors(data: NliData, vectors: Mapping[str, NDArray[np.float32]]) -> NliData:
    both = zip(data.premises, data.hypotheses, strict=True)
    kept = [at for at, pair in enumerate(both) if vectors.keys() >= set(pair)]
    if len({data.labels[at] for at in kept}) < 2:
        raise WordworthError(f"{len(kept)} pairs of {data.name} fit the model, and none tell two labels apart")
    premises, hypotheses, labels = (
        tuple(column[at] for at in kept) for column in (data.premises, data.hypotheses, data.labels)
    )
    return replace(data, premises=premises, hypotheses=hypotheses, labels=labels)


def _features(data: NliData, vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    u, v = (np.array([vectors[text] for text in side], dtype=np.float64) for side in (data.premises, data.hypotheses))
    return np.concatenate([np.abs(u - v), u * v], axis=1)

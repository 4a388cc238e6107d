"""infer and predict: the network of `nli-glove` written out, and whole words by one forward pass a word."""

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import islice

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file

from truth.check import Check, score
from truth.record_plain import plain_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.embedding import Embedding
from wordworth.measure import label
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.results.run import Run

FLOAT32 = 1e-5


def _relu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(x, 0)


def _softmax(x: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


class Attention:
    """Parikh et al. (2016) behind a BiLSTM: attend, compare, aggregate, one pair at a time, in numpy."""

    def __init__(self, weights: dict[str, NDArray[np.float32]], vectors: Embedding) -> None:
        self.weights, self.vectors = weights, vectors
        self.lstm = torch.nn.LSTM(vectors.dim, weights["encoder.weight_hh_l0"].shape[1], bidirectional=True)
        names = [name for name in weights if name.startswith("encoder.")]
        self.lstm.load_state_dict({name.removeprefix("encoder."): torch.tensor(weights[name]) for name in names})

    def layer(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        bias = self.weights.get(f"{name}.bias")
        return np.asarray(x @ self.weights[f"{name}.weight"].T + (0 if bias is None else bias))

    def read(self, sentence: str) -> NDArray[np.float32]:
        """The sentence's states: start, words in lower case, the full stop by itself."""
        words = [*sentence.rstrip(".").lower().split(), "."]
        rows = [self.weights["unknown_words"][-1], *(self.vectors[word] for word in words)]
        vectors = np.stack(rows).astype(np.float32)
        with torch.inference_mode():
            return self.lstm(torch.tensor(vectors))[0].numpy()

    def probabilities(self, premise: str, hypothesis: str) -> NDArray[np.float32]:
        a, b = self.read(premise), self.read(hypothesis)
        f = [_relu(self.layer("attend_2", _relu(self.layer("attend_1", x)))) for x in (a, b)]
        e = f[0] @ f[1].T
        beta, alpha = _softmax(e, 1) @ b, _softmax(e, 0).T @ a
        compared = []
        for own, other in ((a, beta), (b, alpha)):
            first = _relu(self.layer("compare_own", own) + self.layer("compare_other", other))
            compared.append(_relu(self.layer("compare_2", first)).sum(axis=0))
        x = np.concatenate(compared)
        x = _relu(self.layer("classify_2", _relu(self.layer("classify_1", x))))
        return _softmax(self.layer("output", x), 0)


def infer_checks(run: Run, vectors: Embedding, words: dict[str, str]) -> Iterator[Check]:
    """Every pair of a slice of the probe of gender, through the network written out above."""
    weights = load_file(str(files("wordworth.catalog") / "data" / "nli-glove" / "model.safetensors"))
    network = Attention(weights, vectors)
    pairs = PairSet.of(load_probe("gender")).where({key: [word] for key, word in words.items()})
    asked = [pairs.pair(at) for at in range(len(pairs))]
    entailment, neutral, contradiction = np.stack(
        [network.probabilities(pair.premise, pair.hypothesis) for pair in asked]
    ).T.astype(np.float64)
    values: dict[tuple[str, float | None], float] = {
        ("net-neutral", None): neutral.mean(),
        ("fraction-neutral", None): (neutral >= np.maximum(entailment, contradiction)).mean(),
        ("threshold", 0.5): (neutral > 0.5).mean(),
        ("entailment", None): entailment.mean(),
        ("contradiction", None): contradiction.mean(),
    }
    subset = ",".join(f"{key}={word}" for key, word in words.items())
    of, how = f"nli-glove, {len(asked)} pairs of gender", "attention written out, a pair at a time"
    for (measure, threshold), again in values.items():
        row = score(run.scores, measure=measure, threshold=threshold, version="original", subset=subset)
        if row:
            yield Check("infer", label(measure, threshold=threshold), of, how, row["value"], float(again), FLOAT32)


def predict_checks(run: Run, words: int = 24) -> Iterator[Check]:
    """Surprisal and hits of the first words of the text, with a fresh query of the network at every step."""
    plain = replace(plain_model(), given=True, apart=True)
    items = run.item_table("predictions").filter(pl.col("bits").is_not_null()).collect()
    ours = {(row["line"], row["position"]): row for row in items.to_dicts()}
    checked = 0
    for number, line in enumerate(load_corpus("enwiki-sample")):
        if checked >= words or (number, 1) not in ours:
            continue
        for at, (_, _, _, log, _) in enumerate(islice(plain.line(line), words - checked), start=1):
            row, checked = ours[number, at], checked + 1
            bits = -log / np.log(2)
            of = f"smollm2-135m, word {at} of line {number}"
            yield Check("predict", "surprisal", of, "the whole network asked at each step", row["bits"], bits, 1e-3)

"""The attention network written from its formulas, one pair and one token at a time, in float64."""

from math import exp, tanh

import numpy as np

from wordworth.nli.attention import AttentionNli


def slow_lstm(x: list[np.ndarray], weights: dict[str, np.ndarray], suffix: str) -> list[np.ndarray]:
    """torch's LSTM from its documentation: gates i, f, g, o."""
    w, u = weights[f"encoder.weight_ih_l0{suffix}"], weights[f"encoder.weight_hh_l0{suffix}"]
    b = weights[f"encoder.bias_ih_l0{suffix}"] + weights[f"encoder.bias_hh_l0{suffix}"]
    size = u.shape[1]
    h, c, out = np.zeros(size), np.zeros(size), []
    for token in x:
        gates = w @ token + u @ h + b
        i, f, g, o = (gates[at * size : (at + 1) * size] for at in range(4))
        c = np.array([_sigmoid(f[k]) * c[k] + _sigmoid(i[k]) * tanh(g[k]) for k in range(size)])
        h = np.array([_sigmoid(o[k]) * tanh(c[k]) for k in range(size)])
        out.append(h)
    return out


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def _softmax(x: list[float]) -> np.ndarray:
    made = np.array([exp(value - max(x)) for value in x])
    return made / made.sum()


def slow(one: AttentionNli, premise: str, hypothesis: str) -> np.ndarray:
    """Parikh et al. (2016), equations 1 to 6, with the BiLSTM in place of the first projection, in float64."""
    weights = {name: value.double().numpy() for name, value in one.network.state_dict().items()}

    def layer(name: str, x: np.ndarray) -> np.ndarray:
        return np.maximum(weights[f"{name}.weight"] @ x + weights[f"{name}.bias"], 0)

    def states(sentence: str) -> list[np.ndarray]:
        ids = np.array([one.embedder.ids(sentence)])
        x = list(one.embedder.vectors(ids)[0].double().numpy())
        forward, backward = slow_lstm(x, weights, ""), slow_lstm(x[::-1], weights, "_reverse")[::-1]
        beside = x if one.network.shape.beside else [np.empty(0)] * len(x)
        return [np.concatenate(parts) for parts in zip(forward, backward, beside, strict=True)]

    def compare(own: np.ndarray, other: np.ndarray) -> np.ndarray:
        both = np.concatenate([weights["compare_own.weight"], weights["compare_other.weight"]], axis=1)
        first = np.maximum(both @ np.concatenate([own, other]) + weights["compare_own.bias"], 0)
        return layer("compare_2", first)

    a, b = states(premise), states(hypothesis)
    fa, fb = a, b  # the code of Dev et al. (2020) has no layers here
    if "attend_1.weight" in weights:
        fa, fb = ([layer("attend_2", layer("attend_1", x)) for x in side] for side in (a, b))
    e = [[float(x @ y) for y in fb] for x in fa]
    v1 = sum(compare(a[i], _softmax(e[i]) @ np.stack(b)) for i in range(len(a)))
    v2 = sum(compare(b[j], _softmax([row[j] for row in e]) @ np.stack(a)) for j in range(len(b)))
    x = layer("classify_2", layer("classify_1", np.concatenate([v1, v2])))
    return _softmax(list(weights["output.weight"] @ x + weights["output.bias"]))

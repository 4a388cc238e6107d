"""A small ELMo in the published layout, with random weights, and a slow version of it in numpy."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

FILTERS = [[1, 4], [2, 3], [3, 5]]
CLIPS = {"cell_clip": 0.4, "proj_clip": 0.3}
OPTIONS = {
    "lstm": {"use_skip_connections": True, "projection_dim": 6, "dim": 9, "n_layers": 2, **CLIPS},
    "char_cnn": {"activation": "relu", "filters": FILTERS, "n_highway": 2, "embedding": {"dim": 4}}
    | {"n_characters": 262, "max_characters_per_token": 12},
}
Numbers = np.ndarray[Any, Any]


def write_elmo(folder: Path, seed: int = 5) -> Path:
    """Random weights, large enough that both clippings bite."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    (folder / "small_options.json").write_text(json.dumps(OPTIONS))
    with h5py.File(folder / "small_weights.hdf5", "w") as file:

        def put(name: str, *shape: int) -> None:
            file[name] = rng.normal(0, 0.7, shape).astype(np.float32)

        put("char_embed", 261, 4)
        for at, (width, count) in enumerate(FILTERS):
            put(f"CNN/W_cnn_{at}", 1, width, 4, count)
            put(f"CNN/b_cnn_{at}", count)
        for at in range(2):
            for part in ("transform", "carry"):
                put(f"CNN_high_{at}/W_{part}", 12, 12)
                put(f"CNN_high_{at}/b_{part}", 12)
        put("CNN_proj/W_proj", 12, 6)
        put("CNN_proj/b_proj", 6)
        for side in range(2):
            for layer in range(2):
                home = f"RNN_{side}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
                put(f"{home}/W_0", 12, 36)
                put(f"{home}/B", 36)
                put(f"{home}/W_P_0", 9, 6)
    return folder


def sigmoid(x: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-x))


def slow_word(file: Any, codes: list[int]) -> Numbers:
    """Characters → convolutions by hand → the highest of each filter → highways → projection."""
    x = np.stack([file["char_embed"][code] for code in codes]).astype(np.float64)
    pooled = []
    for at, (width, count) in enumerate(FILTERS):
        weight, bias = file[f"CNN/W_cnn_{at}"][0].astype(np.float64), file[f"CNN/b_cnn_{at}"][...]
        for one in range(count):
            sums = [
                sum(x[start + step] @ weight[step, :, one] for step in range(width)) + bias[one]
                for start in range(len(x) - width + 1)
            ]
            pooled.append(max(0.0, *sums))
    y = np.array(pooled)
    for at in range(2):
        high = file[f"CNN_high_{at}"]
        gate = sigmoid(y @ high["W_carry"][...] + high["b_carry"][...])
        y = gate * np.maximum(y @ high["W_transform"][...] + high["b_transform"][...], 0) + (1 - gate) * y
    return y @ file["CNN_proj/W_proj"][...] + file["CNN_proj/b_proj"][...]


def codes_of(word: str) -> list[int]:
    made = [258, *word.encode()[:10], 259]
    return made + [260] * (12 - len(made))


def slow_sentence(folder: Path, words: list[str], first: Callable[[Numbers], Numbers] | None = None) -> Numbers:
    """(tokens, 3, 12), as Peters et al. (2018) and their released program have it."""
    with h5py.File(folder / "small_weights.hdf5") as file:
        marks = [[258, mark, 259] + [260] * 9 for mark in (256, 257)]
        codes = [marks[0], *map(codes_of, words), marks[1]]
        x = np.stack([slow_word(file, one) for one in codes])
        x = x if first is None else first(x)
        layers = [np.concatenate([x, x], axis=1)]
        sides = [x, x[::-1]]
        for layer in range(2):
            for side in range(2):
                cell = file[f"RNN_{side}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"]
                out, memory, made = np.zeros(6), np.zeros(9), []
                for token in sides[side]:
                    i, j, f, o = np.split(np.concatenate([token, out]) @ cell["W_0"][...] + cell["B"][...], 4)
                    memory = sigmoid(f + 1) * memory + sigmoid(i) * np.tanh(j)
                    memory = np.clip(memory, -0.4, 0.4)
                    out = np.clip((sigmoid(o) * np.tanh(memory)) @ cell["W_P_0"][...], -0.3, 0.3)
                    made.append(out)
                sides[side] = np.stack(made) + (sides[side] if layer else 0)
            layers.append(np.concatenate([sides[0], sides[1][::-1]], axis=1))
        return np.stack(layers, axis=1)[1:-1]

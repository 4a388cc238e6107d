"""A sentence encoder from its folder: arrays without pickle, and a SentencePiece model. Nothing in it is run."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.catalog.kinds import SENTENCE_FILES
from wordworth.encode.model import LanguageModel
from wordworth.encode.sentence.network import BRANCHES, SentenceConfig, SentenceNetwork
from wordworth.encode.sentence.piece_model import read_tokenizer
from wordworth.errors import Foreign, WordworthError
from wordworth.progress import waiting

WEIGHTS, PIECES = SENTENCE_FILES


def lies_at(folder: Path) -> bool:
    """Whether a folder holds a sentence encoder."""
    return (folder / WEIGHTS).is_file() and (folder / PIECES).is_file()


def load_sentence_encoder(folder: Path, name: str, device: torch.device, dtype: torch.dtype) -> LanguageModel:
    """The network and its tokenizer; it has one layer, and one vector a text."""
    path = folder / WEIGHTS
    with waiting(f"loading {name}"):
        tokenizer = read_tokenizer(folder / PIECES)
        network = SentenceNetwork(SentenceConfig())
        not_so = Foreign(f"{path} does not hold the arrays of a sentence encoder", "fetch it again")
        with not_so, np.load(path, allow_pickle=False) as arrays:
            network.load_state_dict(_weights(dict(arrays), len(network.scale)))
    if len(tokenizer) > len(network.table):
        raise WordworthError(f"{folder} has {len(tokenizer):,} pieces and {len(network.table):,} vectors of pieces")
    return of_network(
        network.to(device=device, dtype=dtype),  # type: ignore[call-arg]  # the library wraps it
        tokenizer,
        name=name,
        source=str(folder),
    )


def of_network(network: SentenceNetwork, tokenizer: Any, *, name: str, source: str) -> LanguageModel:
    """A network and a tokenizer at hand as a model."""
    return LanguageModel(
        name=name,
        source=source,
        network=network.train(False).requires_grad_(False),
        tokenizer=tokenizer,
        family="sentence",
        layers=0,
        dim=network.config.hidden_size,
        max_length=None,
        left_only=False,
        reuses_kv_cache=False,
        takes_types=False,
    )


def _weights(arrays: dict[str, NDArray[np.generic]], chunks: int) -> dict[str, Tensor]:
    """The arrays under the network's own names; matrices of the file have the input down the rows."""
    parts = [arrays[f"q{number}"] for number in range(1, chunks + 1)]
    # Piece i is row i ÷ chunks of chunk i mod chunks.
    weights: dict[str, NDArray[np.generic]] = {"table": np.stack(parts, axis=1).reshape(-1, parts[0].shape[1])}
    weights |= {"scale": arrays["scale"], "lowest": arrays["lo"]}
    joined = {"enter.weight": "proj", "enter.bias": "proj_b", "entered.weight": "ln_g", "entered.bias": "ln_b"}
    for name, array in joined.items():  # of the three branches, side by side
        weights[name] = np.concatenate([arrays[f"{array}{pieces}"] for pieces, _ in BRANCHES], axis=-1).T
    for at, (pieces, _) in enumerate(BRANCHES):
        for number, layer in ((1, "first"), (2, "second")):
            weights[f"branches.{at}.{layer}.weight"] = arrays[f"w{number}_{pieces}"].T
            weights[f"branches.{at}.{layer}.bias"] = arrays[f"b{number}_{pieces}"]
    weights |= {"norm.weight": arrays["ln_g"], "norm.bias": arrays["ln_b"]}
    weights |= {"project.weight": arrays["cnn_W"].T, "project.bias": arrays["cnn_b"]}
    weights |= {f"{layer}.weight": arrays[layer].T for layer in ("d0", "d1", "p1", "d2", "p3", "d3")}
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in weights.items()}

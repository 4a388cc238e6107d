"""ELMo (Peters et al. 2018) from its published `options.json` and `weights.hdf5`, in torch.

A word's characters go through a CNN, highways and a projection: layer 1, the same wherever the word stands. Two LSTM
layers a direction, with projections, clipping and a residual connection, make layers 2 and 3. The released programs
carry the LSTM states from one batch into the next; here a sentence begins with zeros, so its vectors are its own.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from wordworth.errors import Foreign, WordworthError, reason_of
from wordworth.files import sha256_of

# Codes of the 261 “characters”: the bytes of UTF-8, and marks of sentence, word and filling.
SENTENCE_BEGINS, SENTENCE_ENDS, WORD_BEGINS, WORD_ENDS, FILLING = 256, 257, 258, 259, 260
CHARACTERS = 261
FORGET_BIAS = 1.0
_PACKED = 1100
"""No byte of a compressed array unpacks into more (deflate: 1032)."""


@dataclass(frozen=True)
class Cell:
    """One LSTM layer of one direction; gates stand in TensorFlow's order i, j, f, o."""

    from_input: Tensor
    """(projection, 4 · cells)"""
    from_state: Tensor
    """(projection, 4 · cells)"""
    bias: Tensor
    """(4 · cells,), the forget gate's with `FORGET_BIAS` added."""
    projection: Tensor
    """(cells, projection)"""


@dataclass(frozen=True, eq=False)
class Elmo:
    """The weights, and the numbers of the options that computing with them needs."""

    characters: Tensor
    """(261, dim): a row for each code."""
    filters: tuple[tuple[Tensor, Tensor], ...]
    """Weight (filters, dim, width) and bias of each width."""
    highways: tuple[tuple[Tensor, Tensor, Tensor, Tensor], ...]
    """Weight and bias of the transformed part, weight and bias of its gate."""
    projection: tuple[Tensor, Tensor]
    cells: tuple[tuple[Cell, ...], ...]
    """By direction (forward, backward), then by layer."""
    longest: int
    """Characters of a word, its two marks counted in."""
    rectified: bool
    """Whether the CNN's activation is ReLU; else tanh."""
    residual: bool
    cell_clip: float
    projection_clip: float
    sha256: str

    @property
    def dim(self) -> int:
        """Of a word in each layer: both directions."""
        return 2 * int(self.projection[1].shape[0])

    @property
    def layers(self) -> int:
        return 1 + len(self.cells[0])

    def codes(self, words: list[str]) -> Tensor:
        """(words, longest): the characters of each word between its marks, and filling behind."""
        codes = np.full((len(words), self.longest), FILLING, dtype=np.int64)
        for row, word in enumerate(words):
            inside = word.encode("utf-8", "ignore")[: self.longest - 2]
            codes[row, : len(inside) + 2] = [WORD_BEGINS, *inside, WORD_ENDS]
        return torch.from_numpy(codes)

    def marks(self) -> Tensor:
        """(2, longest): what stands before and behind a sentence."""
        codes = torch.full((2, self.longest), FILLING)
        codes[:, 0], codes[:, 2] = WORD_BEGINS, WORD_ENDS
        codes[:, 1] = torch.tensor([SENTENCE_BEGINS, SENTENCE_ENDS])
        return codes

    def words(self, codes: Tensor) -> Tensor:
        """(words, longest) → (words, dim / 2): layer 1."""
        x = self.characters[codes].transpose(1, 2)
        activation = torch.relu if self.rectified else torch.tanh
        pooled = [
            activation(functional.conv1d(x, weight, bias).amax(dim=2)) for weight, bias in self.filters
        ]  # both activations rise, so the highest position may be taken before them
        x = torch.cat(pooled, dim=1)
        for weight, bias, gate_weight, gate_bias in self.highways:
            gate = torch.sigmoid(x @ gate_weight + gate_bias)
            x = gate * torch.relu(x @ weight + bias) + (1 - gate) * x
        return x @ self.projection[0] + self.projection[1]

    def sentences(self, words: Tensor) -> Tensor:
        """Layer 1 of sentences of one length, marks and all (n, tokens + 2, dim / 2) → (n, tokens, layers, dim)."""
        layers = [torch.cat([words, words], dim=2)]
        sides = [words, words.flip(1)]
        for layer in range(len(self.cells[0])):
            for side, cells in enumerate(self.cells):
                out = self._through(cells[layer], sides[side])
                sides[side] = out + sides[side] if self.residual and layer else out
            layers.append(torch.cat([sides[0], sides[1].flip(1)], dim=2))
        return torch.stack(layers, dim=2)[:, 1:-1]

    def _through(self, cell: Cell, x: Tensor) -> Tensor:
        """One LSTM layer over (n, tokens, projection)."""
        gates = x @ cell.from_input + cell.bias
        out = x.new_zeros(len(x), cell.projection.shape[1])
        memory = x.new_zeros(len(x), cell.projection.shape[0])
        steps = []
        for at in range(x.shape[1]):
            i, j, f, o = (gates[:, at] + out @ cell.from_state).chunk(4, dim=1)
            memory = torch.sigmoid(f) * memory + torch.sigmoid(i) * torch.tanh(j)
            memory = memory.clamp(-self.cell_clip, self.cell_clip)
            out = (torch.sigmoid(o) * torch.tanh(memory)) @ cell.projection
            out = out.clamp(-self.projection_clip, self.projection_clip)
            steps.append(out)
        return torch.stack(steps, dim=1)


def load_elmo(options: Path, weights: Path) -> Elmo:
    """The published files; they are read as data and checked against each other."""
    try:
        import h5py
    except ImportError as error:
        raise WordworthError("ELMo's weights are an HDF5 file; install `wordworth[elmo]` to read it") from error
    lstm, cnn = _options(options)

    def take(name: str, *shape: int) -> Tensor:
        with Foreign(f"{weights} is not laid out as ELMo's published weights", "fetch or copy it again"):
            held = stored[name]
            _refuse_other(held, f"{weights}: {name}", weights, h5py.Dataset)
        if held.shape != shape:
            raise WordworthError(f"{weights}: {name} is {held.shape}, and {options.name} says {shape}")
        with Foreign(f"{weights}: {name} cannot be read", "fetch or copy it again"):
            return torch.from_numpy(np.ascontiguousarray(held[()], dtype=np.float32))

    with Foreign(f"{weights} cannot be read as HDF5", "fetch or copy it again"):
        stored = h5py.File(weights, "r")
    with stored:
        return Elmo(
            **_cnn(take, cnn, lstm["projection_dim"]),
            cells=tuple(tuple(_cell(take, side, layer, lstm) for layer in range(lstm["n_layers"])) for side in (0, 1)),
            longest=cnn["max_characters_per_token"],
            rectified=cnn["activation"] == "relu",
            residual=bool(lstm.get("use_skip_connections")),
            cell_clip=lstm["cell_clip"],
            projection_clip=lstm["proj_clip"],
            sha256=sha256_of(weights),
        )


def _refuse_other(held: Any, where: str, weights: Path, kind: Any) -> None:
    """Stops at what is no plain array in the file itself, before memory is taken for it."""
    if not isinstance(held, kind) or held.dtype.kind != "f":
        raise WordworthError(f"{where} is no array of numbers; fetch or copy it again")
    if held.is_virtual or held.external or held.file.filename != str(weights):
        raise WordworthError(f"{where} lies in another file, which is never read; fetch or copy it again")
    if held.nbytes > _PACKED * weights.stat().st_size:
        raise WordworthError(f"{where} cannot be as large as it says it is; fetch or copy it again")


def _options(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts `lstm` and `char_cnn`, with their numbers in bounds."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        lstm, cnn = dict(config["lstm"]), dict(config["char_cnn"])
        if cnn["activation"] not in ("relu", "tanh"):
            raise WordworthError(f"{path}: the activation {cnn['activation']!r:.40} is unknown; it is relu or tanh")
        for key in ("projection_dim", "dim", "n_layers"):
            _whole(lstm[key], key)
        _whole(cnn["n_highway"], "n_highway", least=0)
        _whole(cnn["embedding"]["dim"], "dim")
        for width, count in cnn["filters"]:
            _whole(width, "filters", most=_whole(cnn["max_characters_per_token"], "max_characters_per_token", 3, 1000))
            _whole(count, "filters")
        for key in ("cell_clip", "proj_clip"):
            lstm[key] = float(lstm.get(key) or np.inf)
            if not lstm[key] > 0:
                raise ValueError(f"{key} is {lstm[key]}")
        if _whole(cnn["n_characters"], "n_characters") not in (CHARACTERS, CHARACTERS + 1):
            raise WordworthError(f"{path}: n_characters is {cnn['n_characters']}; ELMo's code has {CHARACTERS}")
    except FileNotFoundError as error:
        raise WordworthError(f"there is no {path}; give the folder with ELMo's options and weights") from error
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {reason_of(error)}"
        raise WordworthError(f"{path} is not ELMo's options.json ({reason}); fetch or copy it again") from error
    return lstm, cnn


def _whole(value: object, name: str, least: int = 1, most: int = 1 << 20) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} is {value!r:.40}, where a whole number from {least:,} to {most:,} is expected")
    return value


def _cnn(take: Any, cnn: dict[str, Any], projection: int) -> dict[str, Any]:
    dim = cnn["embedding"]["dim"]
    width = sum(count for _, count in cnn["filters"])
    filters = []
    for at, (size, count) in enumerate(cnn["filters"]):
        weight = take(f"CNN/W_cnn_{at}", 1, size, dim, count)[0].permute(2, 1, 0).contiguous()
        filters.append((weight, take(f"CNN/b_cnn_{at}", count)))
    highways = tuple(
        (
            take(f"CNN_high_{at}/W_transform", width, width),
            take(f"CNN_high_{at}/b_transform", width),
            take(f"CNN_high_{at}/W_carry", width, width),
            take(f"CNN_high_{at}/b_carry", width),
        )
        for at in range(cnn["n_highway"])
    )
    return {
        "characters": take("char_embed", CHARACTERS, dim),
        "filters": tuple(filters),
        "highways": highways,
        "projection": (take("CNN_proj/W_proj", width, projection), take("CNN_proj/b_proj", projection)),
    }


def _cell(take: Any, side: int, layer: int, lstm: dict[str, Any]) -> Cell:
    size, projection = lstm["dim"], lstm["projection_dim"]
    home = f"RNN_{side}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
    both = take(f"{home}/W_0", 2 * projection, 4 * size)
    bias = take(f"{home}/B", 4 * size)
    bias[2 * size : 3 * size] += FORGET_BIAS
    return Cell(both[:projection], both[projection:], bias, take(f"{home}/W_P_0", size, projection))


def elmo_files(folder: Path) -> tuple[Path, Path] | None:
    """The options and weights in a folder, under their published names or with those at the end."""
    options, weights = sorted(folder.glob("*options.json")), sorted(folder.glob("*.hdf5"))
    return (options[0], weights[0]) if len(options) == 1 and len(weights) == 1 else None

"""ELMo (Peters et al. 2018) from its published `options.json` and `weights.hdf5`, in torch.

A word's characters go through a CNN, highways and a projection: layer 1, the same wherever the word stands. Two LSTM
layers a direction, with projections, clipping and a residual connection, make layers 2 and 3. The released programs
carry the LSTM states from one batch into the next; here a sentence begins with zeros, so its vectors are its own.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
import torch
from pydantic import AliasPath, BaseModel, Field, model_validator
from torch import Tensor
from torch.nn import functional

from wordworth.embedding.arrays import check_stored
from wordworth.errors import LibraryErrors, WordworthError, first_problem, require
from wordworth.files import sha256_of

# Codes of the 261 “characters”: the bytes of UTF-8, and marks of sentence, word and filling.
SENTENCE_BEGINS, SENTENCE_ENDS, WORD_BEGINS, WORD_ENDS, FILLING = 256, 257, 258, 259, 260
CHARACTERS = 261
FORGET_BIAS = 1.0


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
        """Return the dimension of a word in each layer: both directions."""
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
        """Run sentences of one length, layer 1 with marks: (n, tokens + 2, dim / 2) → (n, tokens, layers, dim)."""
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


Size = Annotated[int, Field(ge=1, le=1 << 20)]


class Options(BaseModel):
    """What computing needs of ELMo's `options.json`."""

    cells: Size = Field(validation_alias=AliasPath("lstm", "dim"))
    projection: Size = Field(validation_alias=AliasPath("lstm", "projection_dim"))
    layers: Size = Field(validation_alias=AliasPath("lstm", "n_layers"))
    cell_clip: float | None = Field(None, gt=0, validation_alias=AliasPath("lstm", "cell_clip"))
    projection_clip: float | None = Field(None, gt=0, validation_alias=AliasPath("lstm", "proj_clip"))
    residual: bool = Field(False, validation_alias=AliasPath("lstm", "use_skip_connections"))
    activation: Literal["relu", "tanh"] = Field(validation_alias=AliasPath("char_cnn", "activation"))
    longest: int = Field(ge=3, le=1000, validation_alias=AliasPath("char_cnn", "max_characters_per_token"))
    filters: list[tuple[Size, Size]] = Field(validation_alias=AliasPath("char_cnn", "filters"))
    """Width and number of each kind."""
    highways: int = Field(ge=0, le=1 << 20, validation_alias=AliasPath("char_cnn", "n_highway"))
    dim: Size = Field(validation_alias=AliasPath("char_cnn", "embedding", "dim"))
    characters: Literal[261, 262] = Field(validation_alias=AliasPath("char_cnn", "n_characters"))

    @model_validator(mode="after")
    def _check_widths(self) -> Self:
        if any(width > self.longest for width, _ in self.filters):
            raise ValueError("a filter is wider than max_characters_per_token")
        return self


def load_elmo(options: Path, weights: Path) -> Elmo:
    """Load the published files; they are read as data and checked against each other."""
    require("ELMo's weights")
    import h5py

    try:
        read = Options.model_validate_json(options.read_bytes())
    except ValueError as error:
        problem = first_problem(error)
        raise WordworthError(f"{options} is not ELMo's options.json ({problem}); fetch or copy it again") from error

    def take(name: str, *shape: int) -> Tensor:
        with LibraryErrors(f"{weights} is not laid out as ELMo's published weights", "fetch or copy it again"):
            array = stored[name]
            if not isinstance(array, h5py.Dataset) or array.dtype.kind != "f":
                raise WordworthError(f"{weights}: {name} is no array of numbers; fetch or copy it again")
            check_stored(array, f"{weights}: {name}", weights)
        if array.shape != shape:
            raise WordworthError(f"{weights}: {name} is {array.shape}, and {options.name} says {shape}")
        with LibraryErrors(f"{weights}: {name} cannot be read", "fetch or copy it again"):
            return torch.from_numpy(np.ascontiguousarray(array[()], dtype=np.float32))

    with LibraryErrors(f"{weights} cannot be read as HDF5", "fetch or copy it again"):
        stored = h5py.File(weights, "r")
    with stored:
        return Elmo(
            **_take_cnn(take, read),
            cells=tuple(tuple(_take_cell(take, side, layer, read) for layer in range(read.layers)) for side in (0, 1)),
            longest=read.longest,
            rectified=read.activation == "relu",
            residual=read.residual,
            cell_clip=read.cell_clip or np.inf,
            projection_clip=read.projection_clip or np.inf,
            sha256=sha256_of(weights),
        )


def _take_cnn(take: Any, options: Options) -> dict[str, Any]:
    dim, projection = options.dim, options.projection
    width = sum(count for _, count in options.filters)
    filters = []
    for at, (size, count) in enumerate(options.filters):
        weight = take(f"CNN/W_cnn_{at}", 1, size, dim, count)[0].permute(2, 1, 0).contiguous()
        filters.append((weight, take(f"CNN/b_cnn_{at}", count)))
    highways = [
        [
            take(f"CNN_high_{at}/{letter}_{part}", *shape)
            for part in ("transform", "carry")
            for letter, shape in (("W", (width, width)), ("b", (width,)))
        ]
        for at in range(options.highways)
    ]
    return {
        "characters": take("char_embed", CHARACTERS, dim),
        "filters": tuple(filters),
        "highways": tuple(map(tuple, highways)),
        "projection": (take("CNN_proj/W_proj", width, projection), take("CNN_proj/b_proj", projection)),
    }


def _take_cell(take: Any, side: int, layer: int, options: Options) -> Cell:
    size, projection = options.cells, options.projection
    home = f"RNN_{side}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
    both = take(f"{home}/W_0", 2 * projection, 4 * size)
    bias = take(f"{home}/B", 4 * size)
    bias[2 * size : 3 * size] += FORGET_BIAS
    return Cell(both[:projection], both[projection:], bias, take(f"{home}/W_P_0", size, projection))


def elmo_files(folder: Path) -> tuple[Path, Path] | None:
    """Return the options and weights in a folder, under their published names or with those at the end."""
    options, weights = sorted(folder.glob("*options.json")), sorted(folder.glob("*.hdf5"))
    return (options[0], weights[0]) if len(options) == 1 and len(weights) == 1 else None

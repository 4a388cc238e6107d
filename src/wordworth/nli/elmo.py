"""Compute ELMo (Peters et al. 2018) in torch from its published `options.json` and `weights.hdf5`.

Layer 1 of a word comes from its characters by a CNN, highways and a projection, whatever its context. Two LSTM layers
per direction, with projections, clipping and a residual connection, make layers 2 and 3. The released programs carry
the LSTM states from one batch to the next; here each sentence begins with zeros, so it does not depend on others.
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

# Codes of the 261 “characters”: the bytes of UTF-8, and marks of sentence, word and padding.
SENTENCE_BEGINS, SENTENCE_ENDS, WORD_BEGINS, WORD_ENDS, PADDING = 256, 257, 258, 259, 260
CHARACTERS = 261
FORGET_BIAS = 1.0


@dataclass(frozen=True)
class Cell:
    """One LSTM layer of one direction; gates are in TensorFlow's order i, j, f, o."""

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
    """The weights, and the options that computing needs."""

    characters: Tensor
    """(261, dim): a row per code."""
    filters: tuple[tuple[Tensor, Tensor], ...]
    """Weight (filters, dim, width) and bias of each width."""
    highways: tuple[tuple[Tensor, Tensor, Tensor, Tensor], ...]
    """Weight and bias of the transformation, weight and bias of its gate."""
    projection: tuple[Tensor, Tensor]
    cells: tuple[tuple[Cell, ...], ...]
    """By direction (forward, backward), then by layer."""
    max_characters: int
    """Characters of a word, including its two marks."""
    is_relu: bool
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
        """Return (words, max_characters): the characters of each word between its marks, then padding."""
        codes = np.full((len(words), self.max_characters), PADDING, dtype=np.int64)
        for row, word in enumerate(words):
            characters = word.encode("utf-8", "ignore")[: self.max_characters - 2]
            codes[row, : len(characters) + 2] = [WORD_BEGINS, *characters, WORD_ENDS]
        return torch.from_numpy(codes)

    def marks(self) -> Tensor:
        """Return (2, max_characters): the marks before and after a sentence."""
        codes = torch.full((2, self.max_characters), PADDING)
        codes[:, 0], codes[:, 2] = WORD_BEGINS, WORD_ENDS
        codes[:, 1] = torch.tensor([SENTENCE_BEGINS, SENTENCE_ENDS])
        return codes

    def words(self, codes: Tensor) -> Tensor:
        """Compute layer 1: (words, max_characters) → (words, dim / 2)."""
        x = self.characters[codes].transpose(1, 2)
        activation = torch.relu if self.is_relu else torch.tanh
        features = [
            activation(functional.conv1d(x, weight, bias).amax(dim=2)) for weight, bias in self.filters
        ]  # both activations are monotonic, so the maximum can come first
        x = torch.cat(features, dim=1)
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
                output = self._through(cells[layer], sides[side])
                sides[side] = output + sides[side] if self.residual and layer else output
            layers.append(torch.cat([sides[0], sides[1].flip(1)], dim=2))
        return torch.stack(layers, dim=2)[:, 1:-1]

    def _through(self, cell: Cell, x: Tensor) -> Tensor:
        """Apply one LSTM layer to (n, tokens, projection)."""
        gates = x @ cell.from_input + cell.bias
        output = x.new_zeros(len(x), cell.projection.shape[1])
        memory = x.new_zeros(len(x), cell.projection.shape[0])
        steps = []
        for position in range(x.shape[1]):
            i, j, f, o = (gates[:, position] + output @ cell.from_state).chunk(4, dim=1)
            memory = torch.sigmoid(f) * memory + torch.sigmoid(i) * torch.tanh(j)
            memory = memory.clamp(-self.cell_clip, self.cell_clip)
            output = (torch.sigmoid(o) * torch.tanh(memory)) @ cell.projection
            output = output.clamp(-self.projection_clip, self.projection_clip)
            steps.append(output)
        return torch.stack(steps, dim=1)


Size = Annotated[int, Field(ge=1, le=1 << 20)]


class Options(BaseModel):
    """The options in ELMo's `options.json` that computing needs."""

    cells: Size = Field(validation_alias=AliasPath("lstm", "dim"))
    projection: Size = Field(validation_alias=AliasPath("lstm", "projection_dim"))
    layers: Size = Field(validation_alias=AliasPath("lstm", "n_layers"))
    cell_clip: float | None = Field(None, gt=0, validation_alias=AliasPath("lstm", "cell_clip"))
    projection_clip: float | None = Field(None, gt=0, validation_alias=AliasPath("lstm", "proj_clip"))
    residual: bool = Field(False, validation_alias=AliasPath("lstm", "use_skip_connections"))
    activation: Literal["relu", "tanh"] = Field(validation_alias=AliasPath("char_cnn", "activation"))
    max_characters: int = Field(ge=3, le=1000, validation_alias=AliasPath("char_cnn", "max_characters_per_token"))
    filters: list[tuple[Size, Size]] = Field(validation_alias=AliasPath("char_cnn", "filters"))
    """Width and number of each kind of filter."""
    highways: int = Field(ge=0, le=1 << 20, validation_alias=AliasPath("char_cnn", "n_highway"))
    dim: Size = Field(validation_alias=AliasPath("char_cnn", "embedding", "dim"))
    characters: Literal[261, 262] = Field(validation_alias=AliasPath("char_cnn", "n_characters"))

    @model_validator(mode="after")
    def _check_widths(self) -> Self:
        if any(width > self.max_characters for width, _ in self.filters):
            raise ValueError("a filter is wider than max_characters_per_token")
        return self


def load_elmo(options: Path, weights: Path) -> Elmo:
    """Load the published files as data, and check them against each other."""
    require("ELMo's weights")
    import h5py

    try:
        spec = Options.model_validate_json(options.read_bytes())
    except ValueError as error:
        problem = first_problem(error)
        raise WordworthError(f"{options} is not ELMo's options.json ({problem}); fetch or copy it again") from error

    def take(name: str, *shape: int) -> Tensor:
        with LibraryErrors(f"{weights} does not have the layout of ELMo's published weights", "fetch or copy it again"):
            array = file[name]
            if not isinstance(array, h5py.Dataset) or array.dtype.kind != "f":
                raise WordworthError(f"{weights}: {name} is not an array of numbers; fetch or copy it again")
            check_stored(array, f"{weights}: {name}", weights)
        if array.shape != shape:
            raise WordworthError(f"{weights}: {name} is {array.shape}, but {options.name} says {shape}")
        with LibraryErrors(f"{weights}: {name} cannot be read", "fetch or copy it again"):
            return torch.from_numpy(np.ascontiguousarray(array[()], dtype=np.float32))

    with LibraryErrors(f"{weights} cannot be read as HDF5", "fetch or copy it again"):
        file = h5py.File(weights, "r")
    with file:
        return Elmo(
            **_take_cnn(take, spec),
            cells=tuple(tuple(_take_cell(take, side, layer, spec) for layer in range(spec.layers)) for side in (0, 1)),
            max_characters=spec.max_characters,
            is_relu=spec.activation == "relu",
            residual=spec.residual,
            cell_clip=spec.cell_clip or np.inf,
            projection_clip=spec.projection_clip or np.inf,
            sha256=sha256_of(weights),
        )


def _take_cnn(take: Any, options: Options) -> dict[str, Any]:
    dim, projection = options.dim, options.projection
    width = sum(count for _, count in options.filters)
    filters = []
    for number, (size, count) in enumerate(options.filters):
        weight = take(f"CNN/W_cnn_{number}", 1, size, dim, count)[0].permute(2, 1, 0).contiguous()
        filters.append((weight, take(f"CNN/b_cnn_{number}", count)))
    shapes = {"W": (width, width), "b": (width,)}
    gates = [(f"{letter}_{gate}", shape) for gate in ("transform", "carry") for letter, shape in shapes.items()]
    highways = [[take(f"CNN_high_{row}/{name}", *shape) for name, shape in gates] for row in range(options.highways)]
    return {
        "characters": take("char_embed", CHARACTERS, dim),
        "filters": tuple(filters),
        "highways": tuple(map(tuple, highways)),
        "projection": (take("CNN_proj/W_proj", width, projection), take("CNN_proj/b_proj", projection)),
    }


def _take_cell(take: Any, side: int, layer: int, options: Options) -> Cell:
    size, projection = options.cells, options.projection
    group = f"RNN_{side}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
    weights = take(f"{group}/W_0", 2 * projection, 4 * size)
    bias = take(f"{group}/B", 4 * size)
    bias[2 * size : 3 * size] += FORGET_BIAS
    return Cell(weights[:projection], weights[projection:], bias, take(f"{group}/W_P_0", size, projection))


def elmo_files(folder: Path) -> tuple[Path, Path] | None:
    """Return the options and weights in a folder, whose names end with the published ones."""
    options, weights = sorted(folder.glob("*options.json")), sorted(folder.glob("*.hdf5"))
    return (options[0], weights[0]) if len(options) == 1 and len(weights) == 1 else None

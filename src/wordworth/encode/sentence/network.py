"""The small multilingual Universal Sentence Encoder (Yang et al. 2020): convolutions over pieces, averaged, and a net.

A piece's vector goes through three branches, each of which looks at 2, 3 or 5 pieces at once; the four are put side by
side, summed over the text by 1/√length, and led through two residual layers. The vector of a text has length 1.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize, pad, relu
from transformers import PretrainedConfig, PreTrainedModel

BRANCHES = ((2, 0), (3, 1), (5, 2))
"""Pieces that a branch sees at once, and how many of them stand before the piece."""
EPSILON = 1e-12


class SentenceConfig(PretrainedConfig):  # type: ignore[no-untyped-call]  # as the library has it
    """Its sizes."""

    model_type = "sentence-encoder"

    def __init__(
        self, rows: int = 7530, chunks: int = 17, hidden_size: int = 512, branch: int = 256, inner: int = 320
    ) -> None:
        super().__init__()
        self.rows, self.chunks, self.hidden_size, self.branch, self.inner = rows, chunks, hidden_size, branch, inner


class _Branch(nn.Module):
    """Two convolutions over neighbouring pieces, each added to what it was given."""

    def __init__(self, size: int, pieces: int, before: int) -> None:
        super().__init__()
        self.before, self.after = before, pieces - 1 - before
        self.first = nn.Linear(pieces * size, size)
        self.second = nn.Linear(pieces * size, size)

    def forward(self, states: Tensor, there: Tensor) -> Tensor:
        """texts × pieces × size; what stands beyond the ends of a text is zero."""
        for convolution in (self.first, self.second):
            states = (states + relu(convolution(self._windows(states)))) * there
        return states

    def _windows(self, states: Tensor) -> Tensor:
        """Each piece's neighbours side by side."""
        wide = pad(states, (0, 0, self.before, self.after))
        count = states.shape[1]
        return torch.cat([wide[:, at : at + count] for at in range(self.before + 1 + self.after)], dim=-1)


class SentenceNetwork(PreTrainedModel):  # type: ignore[no-untyped-call]
    """Pieces of texts in, one vector a text out."""

    config_class = SentenceConfig
    main_input_name = "input_ids"
    table: Tensor
    scale: Tensor
    lowest: Tensor

    def __init__(self, config: SentenceConfig) -> None:
        super().__init__(config)
        dim, size, inner = config.hidden_size, config.branch, config.inner
        # Kept as it comes, a byte a number: a piece's row is made of it when it is read.
        bytes_of = torch.randint(0, 256, (config.rows * config.chunks, dim), dtype=torch.uint8)
        self.register_buffer("table", bytes_of)
        self.register_buffer("scale", torch.full((config.chunks,), 1 / 128))
        self.register_buffer("lowest", torch.full((config.chunks,), -1.0))
        beside = len(BRANCHES) * size
        self.enter = nn.Linear(dim, beside)
        self.entered = nn.LayerNorm(beside, eps=EPSILON)
        self.branches = nn.ModuleList(_Branch(size, *shape) for shape in BRANCHES)
        self.norm = nn.LayerNorm(dim + beside, eps=EPSILON)
        self.project = nn.Linear(dim + beside, dim)
        self.d0, self.d1 = nn.Linear(dim, inner, bias=False), nn.Linear(inner, inner, bias=False)
        self.p1, self.d2 = nn.Linear(dim, inner, bias=False), nn.Linear(inner, dim, bias=False)
        self.p3, self.d3 = nn.Linear(inner, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.post_init()  # type: ignore[no-untyped-call]

    def _init_weights(self, module: nn.Module) -> None:
        """A network without training has the weights that its layers are made with."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """texts × pieces → texts × dim; the mask is 1 for pieces and 0 for padding."""
        chunk = input_ids % len(self.scale)
        there = attention_mask.unsqueeze(-1).to(self.scale.dtype)
        vectors = self.table[input_ids].to(self.scale.dtype) * self.scale[chunk, None] + self.lowest[chunk, None]
        entered = (self.entered(self.enter(vectors)) * there).chunk(len(BRANCHES), dim=-1)
        seen = [branch(states, there) for branch, states in zip(self.branches, entered, strict=True)]
        summed = (self.norm(torch.cat([vectors, *seen], dim=-1)) * there).sum(1)
        length = there.sum(1)
        text = (summed @ self.project.weight.T + length * self.project.bias) / length.sqrt()
        first = relu(self.p1(text) + self.d1(relu(self.d0(text))))
        return normalize(torch.tanh(self.p3(first) + self.d3(relu(self.d2(first)))), dim=-1)

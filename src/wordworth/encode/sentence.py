"""The small multilingual Universal Sentence Encoder (Yang et al. 2020): convolutions over pieces, averaged, and a net.

A piece's vector goes through three branches, each of which looks at 2, 3 or 5 pieces at once; the four are put side by
side, summed over the text by 1/√length, and led through two residual layers. The vector of a text has length 1.
It is read from arrays without pickle and from a SentencePiece unigram model; nothing in its folder is run.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import Precompiled, Replace, Sequence, Strip
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing
from torch import Tensor, nn
from torch.nn.functional import normalize, pad, relu
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.models import SENTENCE_FILES
from wordworth.encode.model import LanguageModel
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.progress import waiting

BRANCHES = ((2, 0), (3, 1), (5, 2))
"""Pieces that a branch sees at once, and how many of them stand before the piece."""
NORM_EPSILON = 1e-12


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
        """texts × pieces × size; what is beyond the ends of a text is zero."""
        for convolution in (self.first, self.second):
            states = (states + relu(convolution(self._windows(states)))) * there
        return states

    def _windows(self, states: Tensor) -> Tensor:
        """Return each piece's neighbours side by side."""
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
        self.entered = nn.LayerNorm(beside, eps=NORM_EPSILON)
        self.branches = nn.ModuleList(_Branch(size, *shape) for shape in BRANCHES)
        self.norm = nn.LayerNorm(dim + beside, eps=NORM_EPSILON)
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
        inputs = (self.entered(self.enter(vectors)) * there).chunk(len(BRANCHES), dim=-1)
        outputs = [branch(states, there) for branch, states in zip(self.branches, inputs, strict=True)]
        total = (self.norm(torch.cat([vectors, *outputs], dim=-1)) * there).sum(1)
        length = there.sum(1)
        text = (total @ self.project.weight.T + length * self.project.bias) / length.sqrt()
        first = relu(self.p1(text) + self.d1(relu(self.d0(text))))
        return normalize(torch.tanh(self.p3(first) + self.d3(relu(self.d2(first)))), dim=-1)


UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
PIECES_FIELD, NORMALIZER_FIELD = 1, 3
"""Fields of the file that are used; in a piece 1 is its text and 2 its score, in the normalizer 2 is its table."""


def read_tokenizer(path: Path) -> PreTrainedTokenizerFast:
    """Return the tokenizer of a unigram model; a text goes between its marks of beginning and end."""
    with LibraryErrors(f"{path} is no SentencePiece model", "fetch it again"):
        pieces, table = _contents(path)
        if (names := [piece for piece, _ in pieces[:3]]) != [UNKNOWN, BEGIN, END]:
            raise RuntimeError(f"its first pieces are {names}, and not {UNKNOWN}, {BEGIN} and {END}")
        tokenizer = Tokenizer(Unigram(pieces, 0, False))
        spaces = [Strip(), Replace(Regex(" {2,}"), " ")]
        tokenizer.normalizer = Sequence([Precompiled(table), *spaces])
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always", split=False)
    tokenizer.post_processor = TemplateProcessing(single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, 1), (END, 2)])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        unk_token=UNKNOWN,
        bos_token=BEGIN,
        eos_token=END,
        clean_up_tokenization_spaces=False,
    )


def _contents(path: Path) -> tuple[list[tuple[str, float]], bytes]:
    """Pieces with their scores, and the table of characters."""
    pieces: list[tuple[str, float]] = []
    table = b""
    for field, message in _fields(path.read_bytes()):
        if field == PIECES_FIELD:
            parts = dict(_fields(message))
            score = struct.unpack("<f", parts[2])[0] if 2 in parts else 0.0
            pieces.append((parts.get(1, b"").decode(errors="replace"), score))
        elif field == NORMALIZER_FIELD:
            table = dict(_fields(message)).get(2, b"")
    return pieces, table


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """(number, content) of the fields of a protocol-buffer message that have bytes; whole numbers are passed over."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(message, at)
            continue
        if kind == 2:
            size, at = _number(message, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise RuntimeError(f"a field of kind {kind} is unknown")
        if at + size > len(message):
            raise EOFError("it is cut short")
        yield key >> 3, message[at : at + size]
        at += size


def _number(message: bytes, at: int) -> tuple[int, int]:
    """Return a whole number, seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(message) or shift > 63:
            raise EOFError("it is cut short")
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


WEIGHTS, PIECES = SENTENCE_FILES


def lies_at(folder: Path) -> bool:
    """Return whether a folder holds a sentence encoder."""
    return (folder / WEIGHTS).is_file() and (folder / PIECES).is_file()


def load_sentence_encoder(folder: Path, name: str, device: torch.device, dtype: torch.dtype) -> LanguageModel:
    """Return the network and its tokenizer; it has one layer, and one vector a text."""
    path = folder / WEIGHTS
    with waiting(f"loading {name}"):
        tokenizer = read_tokenizer(folder / PIECES)
        network = SentenceNetwork(SentenceConfig())
        not_so = LibraryErrors(f"{path} does not hold the arrays of a sentence encoder", "fetch it again")
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
    """Wrap a network and a tokenizer as a model."""
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
    """Return the arrays under the network's own names; matrices of the file have the input down the rows."""
    tables = [arrays[f"q{number}"] for number in range(1, chunks + 1)]
    # Piece i is row i ÷ chunks of chunk i mod chunks.
    weights: dict[str, NDArray[np.generic]] = {"table": np.stack(tables, axis=1).reshape(-1, tables[0].shape[1])}
    weights |= {"scale": arrays["scale"], "lowest": arrays["lo"]}
    side_by_side = {"enter.weight": "proj", "enter.bias": "proj_b", "entered.weight": "ln_g", "entered.bias": "ln_b"}
    for name, array in side_by_side.items():  # of the three branches, side by side
        weights[name] = np.concatenate([arrays[f"{array}{pieces}"] for pieces, _ in BRANCHES], axis=-1).T
    for at, (pieces, _) in enumerate(BRANCHES):
        for number, layer in ((1, "first"), (2, "second")):
            weights[f"branches.{at}.{layer}.weight"] = arrays[f"w{number}_{pieces}"].T
            weights[f"branches.{at}.{layer}.bias"] = arrays[f"b{number}_{pieces}"]
    weights |= {"norm.weight": arrays["ln_g"], "norm.bias": arrays["ln_b"]}
    weights |= {"project.weight": arrays["cnn_W"].T, "project.bias": arrays["cnn_b"]}
    weights |= {f"{layer}.weight": arrays[layer].T for layer in ("d0", "d1", "p1", "d2", "p3", "d3")}
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in weights.items()}

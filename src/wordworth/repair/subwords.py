"""A bias taken out of a transformer's subword embeddings, and of nothing else (Dev et al. 2020, §BERT).

Position and type embeddings, and whatever lies above, stay as they are. It is done where a subword is looked up:
x − (x Vᵀ) V for the orthonormal rows of V. The matrix itself is not touched, so a language-model head that is tied to
it keeps the vectors it was trained with, and taking the projection off leaves no trace. While a model is trained with
the projection on, gradients pass through it too, so that nothing can come back along V.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.embedding import Embedding, Provenance
from wordworth.encode.heads import HeadModel
from wordworth.errors import WordworthError

UNNAMED_MARK = "\x00"
"""Before the number of a piece that is no word that was asked for; no word begins so."""


def piece_vectors(headed: HeadModel, words: Sequence[str]) -> Embedding:
    """Return the rows of the subword matrix for those words that are one piece, as pieces that begin a word.

    Subspaces are learnt from it as from any embedding: he − she, pairs, sets. A word of several pieces has no vector of
    its own there and is missing.
    """
    matrix = subword_matrix(headed.network)
    known = single_pieces(headed.tokenizer, words)
    rows = matrix.detach()[list(known.values())].to("cpu", torch.float32).numpy()
    provenance = Provenance(headed.name, headed.source, steps=("subword embeddings",))
    return Embedding(list(known), rows, provenance)


def single_pieces(tokenizer: PreTrainedTokenizerFast, words: Sequence[str]) -> dict[str, int]:
    """Return those of the words that are one piece, as one that begins a word, and its number."""
    single = {word: pieces[0] for word in dict.fromkeys(words) if len(pieces := _pieces(tokenizer, word)) == 1}
    return {word: piece for word, piece in single.items() if piece != tokenizer.unk_token_id}


def _pieces(tokenizer: PreTrainedTokenizerFast, word: str) -> list[int]:
    """Return the pieces of a word that follows another, since a piece that begins a text may be a different one."""
    start = len("so ")
    encoded = tokenizer(f"so {word}", add_special_tokens=False, return_offsets_mapping=True)
    spans = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    return [int(piece) for piece, (begin, end) in spans if end > start and end > begin]


@contextmanager
def project_subwords(network: PreTrainedModel, basis: NDArray[np.float64]) -> Iterator[None]:
    """Let, while inside, every look-up of a subword give its vector without its part in the span of `basis`."""
    dim = int(subword_matrix(network).shape[1])
    if basis.ndim != 2 or basis.shape[1] != dim:
        raise WordworthError(
            f"directions of shape {basis.shape} cannot be taken out of subword embeddings of {dim} dimensions; learn "
            "them from the same model"
        )
    exact = torch.from_numpy(np.ascontiguousarray(basis, dtype=np.float32)).to(network.device)

    def without(_module: nn.Module, _given: Any, looked_up: Tensor) -> Tensor:
        x = looked_up.float()
        return (x - (x @ exact.T) @ exact).to(looked_up.dtype)

    handles = [module.register_forward_hook(without) for module in _find_tied(network)[0]]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def subword_matrix(network: PreTrainedModel) -> Tensor:
    """Return the vectors that subwords are looked up in, one row per subword."""
    module: Any = network.get_input_embeddings()
    if not isinstance(module, nn.Embedding):
        raise WordworthError(f"{type(network).__name__} has no matrix of subword embeddings to project")
    return module.weight


def _find_tied(network: PreTrainedModel) -> tuple[list[nn.Embedding], list[nn.Module]]:
    """Return the modules that look up subwords (an encoder–decoder may have several over one matrix), and others, such
    as heads, that compute with the same matrix."""
    shared = subword_matrix(network).data_ptr()
    holders = [
        module
        for module in network.modules()
        if isinstance(weight := getattr(module, "weight", None), Tensor) and weight.data_ptr() == shared
    ]
    look_ups = [module for module in holders if isinstance(module, nn.Embedding)]
    return look_ups, [module for module in holders if not isinstance(module, nn.Embedding)]


def replace_matrix(network: PreTrainedModel, matrix: NDArray[np.floating]) -> None:
    """Look subwords up in another matrix from now on. A head that is tied to the old one keeps it, untied."""
    look_ups, heads = _find_tied(network)
    old = subword_matrix(network)
    exact = torch.from_numpy(np.ascontiguousarray(matrix)).to(old.device, old.dtype)
    changed = nn.Parameter(exact, requires_grad=old.requires_grad)
    for module in look_ups:
        module.weight = changed
    if heads:
        network.config.tie_word_embeddings = False


def every_piece(headed: HeadModel, words: Sequence[str]) -> Embedding:
    """Return all rows of the subword matrix: `words` of one piece by the word, others by their number."""
    rows = subword_matrix(headed.network).detach().to("cpu", torch.float32).numpy()
    named = [f"{UNNAMED_MARK}{at}" for at in range(len(rows))]
    for word, piece in single_pieces(headed.tokenizer, words).items():
        if named[piece].startswith(UNNAMED_MARK):  # two words may be one piece where case is folded
            named[piece] = word
    return Embedding(named, rows, Provenance(headed.name, headed.source, steps=("subword embeddings",)))

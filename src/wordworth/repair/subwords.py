"""Remove a bias from a transformer's subword embeddings, and from nothing else (Dev et al. 2020, §BERT).

Position and type embeddings, and all layers above, do not change. The look-up of a subword returns x − (x Vᵀ) V for the
orthonormal rows of V. The matrix itself does not change: a language-model head that is tied to it keeps the vectors it
was trained with, and the projection can be undone. In training, gradients pass through the projection too, so that
nothing can return along V.
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
"""The mark before the number of a subword that is not one of the words; no word begins with it."""


def embed_words(model: HeadModel, words: Sequence[str]) -> Embedding:
    """Return the rows of the subword matrix for the words that are one subword, at the beginning of a word.

    Subspaces are learnt from it as from any embedding: he − she, pairs, sets. A word of several subwords has no vector
    of its own and is missing.
    """
    matrix = subword_matrix(model.network)
    subwords = find_single_subwords(model.tokenizer, words)
    rows = matrix.detach()[list(subwords.values())].to("cpu", torch.float32).numpy()
    provenance = Provenance(model.name, model.source, steps=("subword embeddings",))
    return Embedding(list(subwords), rows, provenance)


def find_single_subwords(tokenizer: PreTrainedTokenizerFast, words: Sequence[str]) -> dict[str, int]:
    """Return the words that are one subword, at the beginning of a word, with its id."""
    subwords = {word: ids[0] for word in dict.fromkeys(words) if len(ids := _tokenize(tokenizer, word)) == 1}
    return {word: subword for word, subword in subwords.items() if subword != tokenizer.unk_token_id}


def _tokenize(tokenizer: PreTrainedTokenizerFast, word: str) -> list[int]:
    """Return the subwords of a word that follows another, since a text may begin with a different subword."""
    start = len("so ")
    encoding = tokenizer(f"so {word}", add_special_tokens=False, return_offsets_mapping=True)
    spans = zip(encoding["input_ids"], encoding["offset_mapping"], strict=True)
    return [int(subword) for subword, (begin, end) in spans if end > start and end > begin]


@contextmanager
def project_subwords(network: PreTrainedModel, basis: NDArray[np.float64]) -> Iterator[None]:
    """Remove the part in the span of `basis` from every subword vector that is looked up, while inside."""
    dim = int(subword_matrix(network).shape[1])
    if basis.ndim != 2 or basis.shape[1] != dim:
        raise WordworthError(
            f"directions of shape {basis.shape} cannot be removed from subword embeddings of {dim} dimensions; learn "
            "them from the same model"
        )
    exact = torch.from_numpy(np.ascontiguousarray(basis, dtype=np.float32)).to(network.device)

    def project(_module: nn.Module, _inputs: Any, looked_up: Tensor) -> Tensor:
        x = looked_up.float()
        return (x - (x @ exact.T) @ exact).to(looked_up.dtype)

    handles = [module.register_forward_hook(project) for module in _find_tied(network)[0]]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def subword_matrix(network: PreTrainedModel) -> Tensor:
    """Return the subword embeddings, one row per subword."""
    module: Any = network.get_input_embeddings()
    if not isinstance(module, nn.Embedding):
        raise WordworthError(f"{type(network).__name__} has no matrix of subword embeddings to project")
    return module.weight


def _find_tied(network: PreTrainedModel) -> tuple[list[nn.Embedding], list[nn.Module]]:
    """Return the modules that look up subwords (several in an encoder–decoder), and others over the same matrix:
    heads."""
    address = subword_matrix(network).data_ptr()
    weights = ((module, getattr(module, "weight", None)) for module in network.modules())
    holders = [module for module, own in weights if isinstance(own, Tensor) and own.data_ptr() == address]
    look_ups = [module for module in holders if isinstance(module, nn.Embedding)]
    return look_ups, [module for module in holders if not isinstance(module, nn.Embedding)]


def replace_matrix(network: PreTrainedModel, matrix: NDArray[np.floating]) -> None:
    """Make a network look subwords up in another matrix; a head tied to the old one keeps it, untied."""
    look_ups, heads = _find_tied(network)
    old_matrix = subword_matrix(network)
    exact = torch.from_numpy(np.ascontiguousarray(matrix)).to(old_matrix.device, old_matrix.dtype)
    weight = nn.Parameter(exact, requires_grad=old_matrix.requires_grad)
    for module in look_ups:
        module.weight = weight
    if heads:
        network.config.tie_word_embeddings = False


def embed_subwords(model: HeadModel, words: Sequence[str]) -> Embedding:
    """Return all rows of the subword matrix: `words` of one subword by the word, others by their id."""
    rows = subword_matrix(model.network).detach().to("cpu", torch.float32).numpy()
    names = [f"{UNNAMED_MARK}{row}" for row in range(len(rows))]
    for word, subword in find_single_subwords(model.tokenizer, words).items():
        if names[subword].startswith(UNNAMED_MARK):  # two words may be one subword if the model ignores case
            names[subword] = word
    return Embedding(names, rows, Provenance(model.name, model.source, steps=("subword embeddings",)))

"""A subspace taken out of a transformer's subword embeddings, and of nothing else (Dev et al. 2020, §BERT).

Position and type embeddings, and whatever lies above, stay as they are. It is done where a subword is looked up:
x − (x Vᵀ) V for the orthonormal rows of V. The matrix itself is not touched, so a language-model head that is tied to
it keeps the vectors it was trained with, and taking the projection off leaves no trace. While a model is trained with
the projection on, gradients pass through it too, so that nothing can come back along V.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.embedding import Embedding, Provenance
from wordworth.encode.heads import Headed
from wordworth.encode.loading import quietly
from wordworth.errors import WordworthError, reason_of
from wordworth.files import replacing
from wordworth.infer.model.nli import TrainedWithout
from wordworth.transform import Subspace, project_out

NOTES = "projection.json"
"""What was taken out of a saved model."""


def piece_vectors(headed: Headed, words: Sequence[str]) -> Embedding:
    """The rows of the subword matrix for those words that are one piece, as pieces that begin a word.

    Subspaces are learnt from it as from any embedding: he − she, pairs, sets. A word of several pieces has no vector of
    its own there and is missing.
    """
    matrix = _matrix(headed.network)
    single = {word: pieces[0] for word in dict.fromkeys(words) if len(pieces := _pieces(headed.tokenizer, word)) == 1}
    unknown = headed.tokenizer.unk_token_id
    known = {word: piece for word, piece in single.items() if piece != unknown}
    rows = matrix.detach()[list(known.values())].to("cpu", torch.float32).numpy()
    provenance = Provenance(headed.name, headed.source, steps=("subword embeddings",))
    return Embedding(list(known), rows, provenance)


def _pieces(tokenizer: PreTrainedTokenizerFast, word: str) -> list[int]:
    """The pieces of a word that follows another, since a piece that begins a text may be a different one."""
    start = len("so ")
    encoded = tokenizer(f"so {word}", add_special_tokens=False, return_offsets_mapping=True)
    spans = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    return [int(piece) for piece, (begin, end) in spans if end > start and end > begin]


@contextmanager
def projected(network: PreTrainedModel, basis: NDArray[np.float64]) -> Iterator[None]:
    """While inside, every look-up of a subword gives its vector without its part in the span of `basis`."""
    dim = int(_matrix(network).shape[1])
    if basis.ndim != 2 or basis.shape[1] != dim:
        raise WordworthError(
            f"directions of shape {basis.shape} cannot be taken out of subword embeddings of {dim} dimensions; learn "
            "them from the same model"
        )
    exact = torch.from_numpy(np.ascontiguousarray(basis, dtype=np.float32)).to(network.device)

    def without(_module: nn.Module, _given: Any, looked_up: Tensor) -> Tensor:
        x = looked_up.float()
        return (x - (x @ exact.T) @ exact).to(looked_up.dtype)

    handles = [module.register_forward_hook(without) for module in _tied(network)[0]]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _matrix(network: PreTrainedModel) -> Tensor:
    module: Any = network.get_input_embeddings()
    if not isinstance(module, nn.Embedding):
        raise WordworthError(f"{type(network).__name__} has no matrix of subword embeddings to project")
    return module.weight


def _tied(network: PreTrainedModel) -> tuple[list[nn.Embedding], list[nn.Module]]:
    """The modules that look up subwords (an encoder–decoder may have several over one matrix), and others, such as
    heads, that compute with the same matrix."""
    shared = _matrix(network).data_ptr()
    holders = [
        module
        for module in network.modules()
        if isinstance(weight := getattr(module, "weight", None), Tensor) and weight.data_ptr() == shared
    ]
    look_ups = [module for module in holders if isinstance(module, nn.Embedding)]
    return look_ups, [module for module in holders if not isinstance(module, nn.Embedding)]


def save_projected(
    headed: Headed,
    subspace: Subspace | None,
    folder: Path,
    facts: dict[str, Any] | None = None,
    beside: Callable[[Path], None] = lambda part: None,
) -> None:
    """A folder that loads as a plain `transformers` model, with the subspace taken out of its matrix for good.

    `projection.json` says what was done. A head tied to the matrix is saved apart with the matrix as it was
    (`tie_word_embeddings` false), so that the saved model computes what the projected one does. The folder is there
    whole or not at all, with what `beside` writes into it; one that is there is replaced.
    """
    network = headed.network
    with replacing(folder) as part:
        with quietly(), _edited(network, subspace):
            # Copies share no memory, so that what is tied no longer (a head's bias too) is written on its own.
            network.save_pretrained(
                part, state_dict={name: weight.detach().clone() for name, weight in network.state_dict().items()}
            )
        headed.tokenizer.save_pretrained(part)
        notes: dict[str, Any] = {"model": headed.name, "weights": headed.weights, **(facts or {})}
        if subspace is not None:
            notes["taken_out"] = {
                "what": "the subword embedding matrix only",
                "subspace": subspace.name,
                "words": list(subspace.words),
                "basis": subspace.basis.tolist(),
            }
        (part / NOTES).write_text(json.dumps(notes, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        beside(part)
        if folder.is_dir():
            folder.replace(part.with_name("old"))


def noted(folder: str | Path) -> TrainedWithout | None:
    """What a folder of `save_projected` says was taken out; None where nothing was, or for a model of the hub."""
    path = Path(folder).expanduser() / NOTES
    if not path.is_file():
        return None
    try:
        taken = json.loads(path.read_text(encoding="utf-8")).get("taken_out")
        return TrainedWithout(str(taken["subspace"]), len(taken["basis"])) if taken else None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise WordworthError(f"{path} does not say what was taken out ({reason_of(error)}); train again") from error


@contextmanager
def _edited(network: PreTrainedModel, subspace: Subspace | None) -> Iterator[None]:
    """While inside, the look-ups hold an edited copy of the matrix, and heads the matrix itself."""
    if subspace is None:
        yield
        return
    (look_ups, heads), matrix = _tied(network), _matrix(network)
    tying = network.config.tie_word_embeddings
    exact = project_out(matrix.detach().to("cpu", torch.float64).numpy(), subspace.basis)
    changed = nn.Parameter(torch.from_numpy(exact).to(matrix.device, matrix.dtype), requires_grad=matrix.requires_grad)
    for module in look_ups:
        module.weight = changed
    if heads:
        network.config.tie_word_embeddings = False
    try:
        yield
    finally:
        for module in look_ups:
            module.weight = matrix
        network.config.tie_word_embeddings = tying

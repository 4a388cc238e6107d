"""Save a network without a bias in its subword embeddings, as a folder that plain `transformers` loads."""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel

from wordworth import __version__
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.resolve import NameLike
from wordworth.encode.heads import HeadModel
from wordworth.encode.loading import in_pooler, load_files, quietly
from wordworth.encode.model import max_length_of, trial_ids
from wordworth.encode.passes import ROUNDING_TOLERANCE
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.files import replacing
from wordworth.repair.subwords import replace_matrix, subword_matrix
from wordworth.transform import Subspace, project_out

NOTES = "projection.json"
"""The file that says what was removed from a saved model."""
CARD = "README.md"
REPAIRED_PART = "the subword embeddings, and nothing above them"
CARD_TEMPLATE = """---
library_name: transformers
tags:
- debiased
- wordworth
---

# {name}, with a bias removed

`{architecture}` of {name} (weights {weights}), changed by wordworth {version}; nothing was trained.

| | |
|---|---|
{table}

A language-model head that was tied to the subword embeddings is saved separately, unchanged. Weights are in float32.
`AutoModel.from_pretrained` and the like load it; it needs no code of its own.

Removing a direction does not remove a bias from everything that a model does: measure what remains (`wordworth run`).
"""


def load_whole(name_or_path: NameLike, *, device: str = "auto") -> HeadModel:
    """Load a network with all weights of its files, of the class that its configuration names, in float32."""
    model = locate_language_model(name_or_path)

    def own_class(config: PretrainedConfig) -> Any:
        name = str((config.architectures or ["none"])[0])
        network_class = getattr(transformers, name, None)
        if not (isinstance(network_class, type) and issubclass(network_class, PreTrainedModel)):
            raise WordworthError(f"{model.name} has the class {name}, which transformers lacks; update transformers")
        return network_class

    missing_weights: list[str] = []

    def may_lack(weight: str, network: PreTrainedModel) -> bool:
        missing_weights.append(weight)
        return in_pooler(weight, network)

    network, tokenizer, source = load_files(model.place, own_class, called=model.name, device=device, may_lack=may_lack)
    for weight in missing_weights:  # a pooler of random weights is not saved
        holder: Any = network.get_submodule(weight.partition("pooler")[0].rstrip("."))
        holder.pooler = None
    with LibraryErrors(f"the files of {name_or_path} do not go together", "fetch it again"):
        network = network.train(False).requires_grad_(False)
        return HeadModel(model.name, source, network, tokenizer, max_length_of(network, tokenizer))


def save_projected(
    model: HeadModel, subspace: Subspace | None, folder: Path, facts: dict[str, Any] | None = None
) -> None:
    """Save a network with a subspace removed from its subword matrix; `model` itself does not change.

    A head tied to the matrix is saved separately with the original matrix (`tie_word_embeddings` false), so that the
    saved model computes what the projected one does.
    """
    notes, network = dict(facts or {}), model.network
    if subspace is not None:
        notes["taken_out"] = {"what": "the subword embedding matrix only", **_describe(subspace)}
        matrix = subword_matrix(network).detach().to("cpu", torch.float64).numpy()
        network = repair_network(network, project_out(matrix, subspace.basis))
    _save(model, network, folder, notes)


def _save(
    model: HeadModel,
    network: PreTrainedModel,
    folder: Path,
    notes: dict[str, Any],
    card: str = "",
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write a changed network, its tokenizer, the notes and a card, and replace the folder as a whole.

    `check` examines the new folder before it replaces the old one.
    """
    with replacing(folder, overwrite=True) as target:
        with quietly():
            # Copies share no memory, so that weights no longer tied (also a head's bias) are written separately.
            network.save_pretrained(
                target, state_dict={name: weight.detach().clone() for name, weight in network.state_dict().items()}
            )
        model.tokenizer.save_pretrained(target)
        about = {"model": model.name, "weights": model.weights, **notes}
        (target / NOTES).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if card:
            (target / CARD).write_text(card, encoding="utf-8")
        if check is not None:
            check(target)


def _describe(subspace: Subspace) -> dict[str, Any]:
    return {"subspace": subspace.name, "words": list(subspace.words), "basis": subspace.basis.tolist()}


def compute_states(network: PreTrainedModel, ids: Sequence[int]) -> list[Tensor]:
    """Compute the hidden states of every layer, and the outputs of the head if there is one."""
    input_ids = torch.tensor([list(ids)], device=network.device)
    decoder_inputs = {"decoder_input_ids": input_ids} if network.config.is_encoder_decoder else {}
    with torch.inference_mode():
        output = network(input_ids=input_ids, output_hidden_states=True, **decoder_inputs)
    states = output.get("hidden_states") or (*output["encoder_hidden_states"], *output["decoder_hidden_states"])
    return [state.float().cpu() for state in (*states, *([output["logits"]] if "logits" in output else []))]


def refuse_unlike(states: Sequence[Tensor], folder: Path, like: PreTrainedModel, ids: Sequence[int]) -> None:
    """Raise if the folder, loaded by `transformers` only, does not compute what the network in memory did."""
    with quietly():
        network_copy: Any = type(like).from_pretrained(str(folder), local_files_only=True, use_safetensors=True)
    new_states = compute_states(network_copy.train(False), ids)
    for state, other in zip(states, new_states, strict=True):
        if bool(((state - other).abs().amax(-1) > ROUNDING_TOLERANCE[torch.float32] * state.abs().amax(-1)).any()):
            raise WordworthError(
                f"{type(like).__name__} computes something else once it is saved and loaded, so it is not saved; "
                "choose another model"
            )


def repair_network(network: PreTrainedModel, matrix: NDArray[np.floating] | None) -> PreTrainedModel:
    """Return a copy that looks subwords up in another matrix; the network itself if there is none.

    This is exact in every transformer, since nothing comes before the look-up.
    """
    if matrix is None:
        return network
    repaired_network = copy.deepcopy(network)
    replace_matrix(repaired_network, matrix)
    return repaired_network


@dataclass(frozen=True, eq=False)
class RepairJob:
    """A network as it was loaded, and the change to make."""

    model: HeadModel
    matrix: NDArray[np.floating] | None
    """The new subword vectors; None if there was nothing to remove."""
    method: str
    effect: str
    subspace: Subspace | None = None

    def __repr__(self) -> str:
        return f"<Repaired {self.model.name}: {self.effect}>"

    def save(self, folder: str | Path) -> None:
        """Write a folder that `from_pretrained` of `transformers` loads: safetensors, tokenizer and a card.

        The folder is loaded again, and must compute what the changed network in memory does, before it is put in place.
        """
        model, network, check = self.model, repair_network(self.model.network, self.matrix), None
        notes: dict[str, Any] = {"method": self.method, "wordworth": __version__}
        if self.matrix is not None:
            ids = trial_ids(model.tokenizer)
            check = partial(refuse_unlike, compute_states(network, ids), like=network, ids=ids)
            notes |= {"taken_out": {"what": REPAIRED_PART, **_describe(self.subspace)}} if self.subspace else {}
        _save(model, network, Path(folder), notes, self._card(), check)

    def _card(self) -> str:
        """Return the model card."""
        model, rows = self.model, {"changed": REPAIRED_PART if self.matrix is not None else "nothing"}
        rows |= {"method": f"{self.method}: {self.effect}"}
        if self.subspace is not None:
            rows["learnt from"] = ", ".join(self.subspace.words)
        table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
        return CARD_TEMPLATE.format(
            name=model.name,
            architecture=type(model.network).__name__,
            weights=model.weights,
            version=__version__,
            table=table,
        )

"""A network with a bias taken out of its subword embeddings, saved as a folder that plain `transformers` loads."""

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
"""What was taken out of a saved model."""
CARD = "README.md"
REPAIRED_PART = "the subword embeddings, and nothing above them"
CARD_TEMPLATE = """---
library_name: transformers
tags:
- debiased
- wordworth
---

# {name}, with a bias taken out

`{architecture}` of {name} (weights {weights}), changed by wordworth {version}; nothing was trained.

| | |
|---|---|
{table}

A language-model head that was tied to the subword embeddings is saved apart, as it was. Weights are in float32. It
loads with `AutoModel.from_pretrained` and the like; no code of its own is needed.

Taking a direction out does not take a bias out of all that a model does: measure what is left (`wordworth run`).
"""


def load_whole(named: NameLike, *, device: str = "auto") -> HeadModel:
    """Load a network with all that its files hold, of the class that its configuration names, in float32."""
    model = locate_language_model(named)

    def own_class(config: PretrainedConfig) -> Any:
        name = str((config.architectures or ["none"])[0])
        found = getattr(transformers, name, None)
        if not (isinstance(found, type) and issubclass(found, PreTrainedModel)):
            raise WordworthError(f"{model.name} is of the class {name}, which transformers does not have")
        return found

    lacking: list[str] = []

    def may_lack(weight: str, network: PreTrainedModel) -> bool:
        lacking.append(weight)
        return in_pooler(weight, network)

    network, tokenizer, source = load_files(model.place, own_class, called=model.name, device=device, may_lack=may_lack)
    for weight in lacking:  # a pooler of random weights is not saved
        holder: Any = network.get_submodule(weight.partition("pooler")[0].rstrip("."))
        holder.pooler = None
    with LibraryErrors(f"the files of {named} do not go together", "fetch it again"):
        network = network.train(False).requires_grad_(False)
        return HeadModel(model.name, source, network, tokenizer, max_length_of(network, tokenizer))


def save_projected(
    headed: HeadModel, subspace: Subspace | None, folder: Path, facts: dict[str, Any] | None = None
) -> None:
    """Save a network with a subspace removed from its subword matrix for good; `headed` itself stays as it is.

    A head tied to the matrix is saved apart with the matrix as it was (`tie_word_embeddings` false), so that the saved
    model computes what the projected one does.
    """
    notes, network = dict(facts or {}), headed.network
    if subspace is not None:
        notes["taken_out"] = {"what": "the subword embedding matrix only", **_describe(subspace)}
        matrix = subword_matrix(network).detach().to("cpu", torch.float64).numpy()
        network = repair_network(network, project_out(matrix, subspace.basis))
    _save(headed, network, folder, notes)


def _save(
    headed: HeadModel,
    network: PreTrainedModel,
    folder: Path,
    notes: dict[str, Any],
    card: str = "",
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write a changed network, its tokenizer, the notes and a card into a folder, which is replaced as a whole.

    `check` looks at what was written before it is put in its place.
    """
    with replacing(folder, overwrite=True) as part:
        with quietly():
            # Copies share no memory, so that what is tied no longer (a head's bias too) is written on its own.
            network.save_pretrained(
                part, state_dict={name: weight.detach().clone() for name, weight in network.state_dict().items()}
            )
        headed.tokenizer.save_pretrained(part)
        about = {"model": headed.name, "weights": headed.weights, **notes}
        (part / NOTES).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if card:
            (part / CARD).write_text(card, encoding="utf-8")
        if check is not None:
            check(part)


def _describe(subspace: Subspace) -> dict[str, Any]:
    return {"subspace": subspace.name, "words": list(subspace.words), "basis": subspace.basis.tolist()}


def compute_states(network: PreTrainedModel, ids: Sequence[int]) -> list[Tensor]:
    """Compute the hidden states of every layer, and the outputs of the head where there is one."""
    given = torch.tensor([list(ids)], device=network.device)
    more = {"decoder_input_ids": given} if network.config.is_encoder_decoder else {}
    with torch.inference_mode():
        output = network(input_ids=given, output_hidden_states=True, **more)
    several = output.get("hidden_states") or (*output["encoder_hidden_states"], *output["decoder_hidden_states"])
    return [one.float().cpu() for one in (*several, *([output["logits"]] if "logits" in output else []))]


def refuse_unlike(expected: Sequence[Tensor], folder: Path, like: PreTrainedModel, ids: Sequence[int]) -> None:
    """Raise where the folder, loaded by `transformers` alone, does not compute what the network in memory did."""
    with quietly():
        again: Any = type(like).from_pretrained(str(folder), local_files_only=True, use_safetensors=True)
    found = compute_states(again.train(False), ids)
    for one, other in zip(expected, found, strict=True):
        if bool(((one - other).abs().amax(-1) > ROUNDING_TOLERANCE[torch.float32] * one.abs().amax(-1)).any()):
            raise WordworthError(
                f"{type(like).__name__} does not compute the same once it is saved and loaded, so it is not saved; "
                "choose another model"
            )


def repair_network(network: PreTrainedModel, matrix: NDArray[np.floating] | None) -> PreTrainedModel:
    """Return a copy that looks subwords up in another matrix; the network itself where there is none.

    This is exact in every transformer, since nothing comes before the look-up.
    """
    if matrix is None:
        return network
    edited = copy.deepcopy(network)
    replace_matrix(edited, matrix)
    return edited


@dataclass(frozen=True, eq=False)
class RepairJob:
    """A network as it was loaded, and what is to be changed in it."""

    headed: HeadModel
    matrix: NDArray[np.floating] | None
    """The new vectors of subwords; None: those it had, since there was nothing to remove."""
    method: str
    said: str
    subspace: Subspace | None = None

    def __repr__(self) -> str:
        return f"<Repaired {self.headed.name}: {self.said}>"

    def save(self, folder: str | Path) -> None:
        """Write a folder that `from_pretrained` of plain `transformers` loads: safetensors, tokenizer and a card.

        Before it is put in its place it is loaded again, and must compute what the changed network in memory does.
        """
        headed, network, check = self.headed, repair_network(self.headed.network, self.matrix), None
        notes: dict[str, Any] = {"method": self.method, "wordworth": __version__}
        if self.matrix is not None:
            ids = trial_ids(headed.tokenizer)
            check = partial(refuse_unlike, compute_states(network, ids), like=network, ids=ids)
            notes |= {"taken_out": {"what": REPAIRED_PART, **_describe(self.subspace)}} if self.subspace else {}
        _save(headed, network, Path(folder), notes, self._card(), check)

    def _card(self) -> str:
        """Return what a user of the folder should know."""
        headed, rows = self.headed, {"changed": REPAIRED_PART if self.matrix is not None else "nothing"}
        rows |= {"method": f"{self.method}: {self.said}"}
        if self.subspace is not None:
            rows["learnt from"] = ", ".join(self.subspace.words)
        table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
        return CARD_TEMPLATE.format(
            name=headed.name,
            architecture=type(headed.network).__name__,
            weights=headed.weights,
            version=__version__,
            table=table,
        )

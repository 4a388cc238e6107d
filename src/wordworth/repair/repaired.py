"""What is changed in a network's weights, in its subword embeddings or in every layer; and the network saved so."""

import copy
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedModel

from wordworth import __version__
from wordworth.embedding.cosine import Matrix
from wordworth.encode.heads import Headed
from wordworth.encode.model import trial_ids
from wordworth.errors import WordworthError
from wordworth.repair.checkpoint import described, refuse_unlike, save_network, states
from wordworth.repair.stream import Stream, fold, projected_writes, share_in, stream_of
from wordworth.repair.subwords import replace_matrix, replaced_matrix
from wordworth.transform import Subspace
from wordworth.transform.projection import signed

LEFT = 1e-4
"""The share of the stream in the subspace that is rounding."""


@dataclass(frozen=True, eq=False)
class InSubwords:
    """Another matrix to look subwords up in: exact in every transformer, since nothing comes before the look-up."""

    matrix: NDArray[np.floating]
    step: str
    where: str = "the subword embeddings, and nothing above them"

    def fold(self, network: PreTrainedModel) -> None:
        """Puts it into the weights, for good."""
        replace_matrix(network, self.matrix)

    def applied(self, network: PreTrainedModel) -> AbstractContextManager[None]:
        """While inside, the network looks up so."""
        return replaced_matrix(network, self.matrix)


@dataclass(frozen=True, eq=False)
class InLayers:
    """A subspace out of all that is written into the stream, and so out of the stream in every layer."""

    basis: Matrix
    step: str
    ids: tuple[int, ...]
    called: str
    where: str = "all that writes into the residual stream, and so the stream of every layer"

    @classmethod
    def of(cls, headed: Headed, stream: Stream, subspace: Subspace) -> "InLayers":
        """For the network whose stream was found."""
        step = f"projected out: {signed(subspace.name, subspace.basis)}"
        return cls(subspace.basis, step, tuple(trial_ids(headed.tokenizer)), headed.name)

    def fold(self, network: PreTrainedModel) -> None:
        """Puts it into the weights, for good."""
        fold(network, self._stream(network), self.basis)

    def applied(self, network: PreTrainedModel) -> AbstractContextManager[None]:
        """While inside, the network writes so, by hooks; no weight is changed."""
        return projected_writes(self._stream(network), self.basis)

    def check(self, network: PreTrainedModel) -> None:
        """Stops where the stream of a network that it was folded into still has a part in the subspace."""
        left = share_in(network, self._stream(network), self.basis, self.ids)
        if left > LEFT:
            raise WordworthError(
                f"{left:.1e} of the stream of {self.called} is still in the subspace when it is out of the weights, so "
                "the model is not saved; choose --where subwords"
            )

    def _stream(self, network: PreTrainedModel) -> Stream:
        return stream_of(network, self.ids, self.called)


Repair = InSubwords | InLayers


def folded(network: PreTrainedModel, repair: Repair | None) -> PreTrainedModel:
    """A copy with the repair in its weights; the network itself where there is none."""
    if repair is None:
        return network
    edited = copy.deepcopy(network)
    repair.fold(edited)
    return edited


@dataclass(frozen=True, eq=False)
class Repaired:
    """A network as it was loaded, and what is to be changed in it."""

    headed: Headed
    repair: Repair | None
    """None: nothing, since there was nothing to take out."""
    method: str
    said: str
    subspace: Subspace | None = None

    def save(self, folder: str | Path) -> None:
        """A folder that `from_pretrained` of plain `transformers` loads: float32 safetensors, tokenizer and a card.

        Before it is put in its place it is loaded again, and must compute what the network in memory does with the
        change applied by hooks.
        """
        headed, repair, ids = self.headed, self.repair, trial_ids(self.headed.tokenizer)
        edited = folded(headed.network, repair)
        check = None
        if repair is not None:
            with repair.applied(headed.network):
                expected = states(headed.network, ids)
            if isinstance(repair, InLayers):
                repair.check(edited)
            check = partial(refuse_unlike, expected, like=headed.network, ids=ids)
        notes: dict[str, Any] = {"weights": headed.weights, "method": self.method, "wordworth": __version__}
        if repair is not None and self.subspace is not None:
            notes["taken_out"] = {"what": repair.where, **described(self.subspace)}
        save_network(replace(headed, network=edited), Path(folder), notes, card=self._card(), beside=check)

    def _card(self) -> str:
        """What a user of the folder should know."""
        headed, rows = self.headed, {"changed": self.repair.where if self.repair else "nothing"}
        rows |= {"method": f"{self.method}: {self.said}"}
        if self.subspace is not None:
            rows["learnt from"] = ", ".join(self.subspace.words)
        table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
        return CARD.format(
            name=headed.name,
            architecture=type(headed.network).__name__,
            weights=headed.weights,
            version=__version__,
            table=table,
        )


CARD = """---
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

"""What writes into a transformer's residual stream, found by trying the network and not by its name.

Where every block only adds to the stream, and what it adds comes out of linear maps, a subspace that is taken out of
those maps and of the embeddings is out of the stream in every layer: x − (x Vᵀ) V of each write is x − (x Vᵀ) V of
their sum. Where a norm stands between a map and the stream (BERT, Gemma 3), its gain would bring the subspace back.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from wordworth.embedding.cosine import Matrix
from wordworth.errors import WordworthError
from wordworth.repair.subwords import replace_matrix, subword_matrix, tied
from wordworth.transform import project_out

UNEXPLAINED = 1e-3
"""The share of what a block adds that may be left when its writes are summed; a norm between leaves tenths."""
ROUNDINGS = 16
"""Roundings of the stream itself that are allowed on top: it may be a thousand times as long as what is added."""
WRITES = 1e-2
"""A map whose output stands in the sum with less than this factor is none of those that write."""


@dataclass(frozen=True, eq=False)
class Stream:
    """The blocks, and the modules whose outputs add up to the stream."""

    blocks: Sequence[nn.Module]
    writers: Sequence[nn.Module]
    """Embeddings and linear maps, each once."""


def stream_of(network: PreTrainedModel, ids: Sequence[int], called: str) -> Stream:
    """The stream of a network, by one pass over `ids`; an error in one sentence where its writes are not linear."""
    blocks = _blocks(network, called)
    before, after, written = _trial(network, blocks, ids)
    inside = {id(module) for block in blocks for module in block.modules()}
    writers = _summed(before[0], torch.zeros_like(before[0]), [m for m in written if id(m) not in inside], written)
    parts = [writers]
    for at, block in enumerate(blocks):
        mine = {id(module) for module in block.modules()}
        candidates = [module for module in written if id(module) in mine]
        parts.append(_summed(after[at], before[at], candidates, written))
        if at and not torch.equal(before[at], after[at - 1]):
            parts.append(None)
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        raise WordworthError(
            f"{called} puts more than sums of linear maps into its stream (a norm behind them, or experts), so a "
            "subspace cannot be taken out of every layer by its weights; choose --where subwords"
        )
    return Stream(blocks, list({id(module): module for part in found for module in part}.values()))


def _blocks(network: PreTrainedModel, called: str) -> list[nn.Module]:
    """The one list of as many modules as the configuration has layers."""
    count = network.config.get_text_config().num_hidden_layers
    lists = [one for one in network.modules() if isinstance(one, nn.ModuleList) and len(one) == count]
    if len(lists) != 1 or network.config.is_encoder_decoder:
        raise WordworthError(
            f"{called} has no one stack of {count} layers, so a subspace cannot be taken out of every layer; choose "
            "--where subwords"
        )
    return list(lists[0])


def _trial(
    network: PreTrainedModel, blocks: Sequence[nn.Module], ids: Sequence[int]
) -> tuple[list[Tensor], list[Tensor], dict[nn.Module, Tensor]]:
    """The stream before and after each block, and the outputs of embeddings and linear maps that are as wide."""
    before: list[Tensor] = []
    after: list[Tensor] = []
    written: dict[nn.Module, Tensor] = {}

    def entering(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        before.append((given[0] if given else named["hidden_states"]).detach())

    def leaving(_module: nn.Module, _given: Any, output: Any) -> None:
        after.append((output[0] if isinstance(output, tuple) else output).detach())

    def writing(module: nn.Module, _given: Any, output: Any) -> None:
        if isinstance(output, Tensor):
            written[module] = output.detach()

    handles = [block.register_forward_pre_hook(entering, with_kwargs=True) for block in blocks]
    handles += [block.register_forward_hook(leaving) for block in blocks]
    maps = [one for one in network.modules() if isinstance(one, nn.Linear | Conv1D | nn.Embedding)]
    handles += [one.register_forward_hook(writing) for one in maps]
    try:
        with torch.inference_mode():
            network(input_ids=torch.tensor([list(ids)], device=network.device))
    finally:
        for handle in handles:
            handle.remove()
    width = before[0].shape[-1]
    return before, after, {module: output for module, output in written.items() if output.shape[-1] == width}


def _summed(
    after: Tensor, before: Tensor, candidates: Sequence[nn.Module], written: dict[nn.Module, Tensor]
) -> list[nn.Module] | None:
    """Those of the candidates whose outputs, each with a factor, add up to what was added; None where none do."""
    if not candidates:
        return None
    added = (after.double() - before.double())[0]
    outputs = [written[module].double().expand(1, *added.shape)[0] for module in candidates]
    columns = torch.stack([one.flatten() for one in outputs], dim=1).cpu().numpy()
    factors, *_ = np.linalg.lstsq(columns, added.flatten().cpu().numpy(), rcond=None)
    left = added - sum(float(factor) * one for factor, one in zip(factors, outputs, strict=True))
    rounding = ROUNDINGS * torch.finfo(after.dtype).eps * after.double()[0].norm(dim=-1)
    if bool((left.norm(dim=-1) > UNEXPLAINED * added.norm(dim=-1) + rounding).any()):
        return None
    return [one for one, factor in zip(candidates, factors.tolist(), strict=True) if abs(factor) > WRITES]


@contextmanager
def projected_writes(stream: Stream, basis: Matrix) -> Iterator[None]:
    """While inside, nothing that is written into the stream has a part in the span of `basis`; no weight changes."""

    def without(_module: nn.Module, _given: Any, output: Tensor) -> Tensor:
        exact = torch.from_numpy(np.ascontiguousarray(basis)).to(output.device)
        x = output.double()
        return (x - (x @ exact.T) @ exact).to(output.dtype)

    handles = [module.register_forward_hook(without) for module in stream.writers]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def fold(network: PreTrainedModel, stream: Stream, basis: Matrix) -> None:
    """Takes the span of `basis` out of all that writes into the stream, for good. A tied head keeps its vectors."""
    look_ups, _ = tied(network)
    matrix = subword_matrix(network)
    replace_matrix(network, project_out(matrix.detach().to("cpu", torch.float64).numpy(), basis))
    for module in stream.writers:
        if not any(module is one for one in look_ups):
            _project(module, basis)


def _project(module: nn.Module, basis: Matrix) -> None:
    """W x + b of a module becomes its part outside of the span."""
    weight: Any = module.weight
    rows = isinstance(module, nn.Linear)  # else outputs lie along the rows
    values = weight.detach().to("cpu", torch.float64).numpy()
    changed = project_out(values.T, basis).T if rows else project_out(values, basis)
    with torch.no_grad():
        weight.copy_(torch.from_numpy(changed))
        bias: Any = getattr(module, "bias", None)
        if isinstance(bias, Tensor):
            one = project_out(bias.detach().to("cpu", torch.float64).numpy()[None], basis)[0]
            bias.copy_(torch.from_numpy(one))


def share_in(network: PreTrainedModel, stream: Stream, basis: Matrix, ids: Sequence[int]) -> float:
    """The largest share of the stream, of any token before or after any block, that lies in the span of `basis`."""
    before, after, _ = _trial(network, stream.blocks, ids)
    exact = torch.from_numpy(np.ascontiguousarray(basis))
    shares = [(one.cpu().double() @ exact.T).norm(dim=-1) / one.cpu().double().norm(dim=-1) for one in before + after]
    return max(float(one.max()) for one in shares)

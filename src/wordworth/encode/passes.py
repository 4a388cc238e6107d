"""Forward passes: hidden states, tokens behind a left context that is run once; and what a network can do with context,
found by trying it and not by its name.
"""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode
from transformers import DynamicCache, PreTrainedModel

from wordworth.errors import LibraryErrors, WordworthError

KeysValues = tuple[Tensor, Tensor]
"""Both texts × heads × tokens × head size."""
UNABLE = (RuntimeError, ValueError, TypeError, LookupError, AttributeError)
"""What a network raises that takes no memory, no mask, or none of that kind."""


class _OneDnnProducts(TorchFunctionMode):
    """Computes the products of float32 states with weights by oneDNN while it is entered."""

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        if func is not linear or kwargs or not _is_plain(args[0], args[1]):
            return func(*args, **(kwargs or {}))
        states, weight, *bias = args
        # torch's compiler calls it too. `aten.mkldnn_linear` copies its input and output, which takes 10 % or more.
        return torch.ops.mkldnn._linear_pointwise.default(states, weight, *(bias or [None]), "none", [], "")


def _is_plain(states: Tensor, weight: Tensor) -> bool:
    """Return whether both are ordinary tensors of float32 in the machine's memory, and not quantized or on disk."""
    is_float32 = states.dtype == weight.dtype == torch.float32 and states.device.type == weight.device.type == "cpu"
    return is_float32 and type(weight) in (Tensor, nn.Parameter) and states.ndim > 1 and states.numel() > 0


@contextmanager
def inference() -> Iterator[None]:
    """Compute without gradients while inside, in this thread.

    On processors with AVX-512, oneDNN takes the place of MKL, which uses only half of it on AMD's. Sums are added in
    another order: on plain text both are within 1e-5 of float64.
    """
    with torch.inference_mode():
        has_onednn = hasattr(torch.ops.mkldnn, "_linear_pointwise")
        if has_onednn and torch.backends.cpu.get_cpu_capability() == "AVX512":
            with _OneDnnProducts():
                yield
        else:
            yield


def list_arguments(network: PreTrainedModel) -> frozenset[str]:
    """Return the names of the arguments that the network's forward pass takes."""
    return frozenset(inspect.signature(network.forward).parameters)


def hidden_states(network: PreTrainedModel, ids: Tensor, **more: Any) -> tuple[Tensor, ...]:
    """Return layers 0…L of a forward pass, each batch × tokens × dim; the last one is after the final norm."""
    options = without_memory(network) | more
    states: tuple[Tensor, ...] | None = network(input_ids=ids, output_hidden_states=True, **options).hidden_states
    if states is None:
        raise WordworthError(f"{type(network).__name__} gives no states of its layers; use another model")
    return states


def without_memory(network: PreTrainedModel) -> dict[str, bool]:
    """Return arguments by which a network keeps no keys and values or memories, since nothing is generated."""
    return {name: False for name in ("use_cache", "use_mems") if name in list_arguments(network)}


def layer_lists(network: nn.Module) -> list[str]:
    """Return the paths of the lists of modules that are not inside of others."""
    paths: list[str] = []
    for path, module in network.named_modules():
        if isinstance(module, nn.ModuleList) and not any(path.startswith(f"{outer}.") for outer in paths):
            paths.append(path)
    return paths


@contextmanager
def skipping_layers(network: nn.Module, top: int) -> Iterator[None]:
    """Leave out the layers above `top` while inside, except the next one: a network's last states are normed."""
    paths = [path for path in layer_lists(network) if len(network.get_submodule(path)) > top + 1]  # type: ignore[arg-type]
    owner, _, name = paths[0].rpartition(".")
    parent: Any = network.get_submodule(owner)
    layers = getattr(parent, name)
    setattr(parent, name, layers[: top + 1])
    try:
        yield
    finally:
        setattr(parent, name, layers)


def can_skip_layers(network: PreTrainedModel, ids: Sequence[int], top: int) -> bool:
    """Return whether the states up to layer `top` stay the same without the layers above, tried on a text."""
    try:
        plain = Trial(network, ids).plain
        with skipping_layers(network, top):
            lower = Trial(network, ids).plain
    except UNABLE:
        return False
    return len(lower) == top + 2 and all(_same(*states, NONE_AT_ALL) for states in zip(plain, lower[:-1], strict=False))


def run_prefixes(network: PreTrainedModel, tokens: Tensor) -> list[KeysValues] | None:
    """Return keys and values of the layers after prefixes of one length; None where a layer does not keep them all."""
    cache: Any = DynamicCache(config=network.config)
    network(input_ids=tokens, past_key_values=cache, use_cache=True)
    layers: list[KeysValues] = []
    for layer in cache.layers:
        if not getattr(layer, "is_initialized", True):  # it was skipped
            continue
        keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
        if not isinstance(keys, Tensor) or not isinstance(values, Tensor) or keys.shape[-2] != tokens.shape[1]:
            return None
        layers.append((keys, values))
    return layers


def run_tokens(
    network: PreTrainedModel, tokens: Tensor, paths: Sequence[KeysValues]
) -> tuple[tuple[Tensor, ...], list[KeysValues]]:
    """Run one token per path: return its hidden states, and the paths with it. Without paths, texts begin here."""
    cache: Any = DynamicCache(paths)
    states = hidden_states(network, tokens[:, None], past_key_values=cache, use_cache=True)
    return states, [(layer.keys, layer.values) for layer in cache.layers]


ROUNDING_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 1e-2}
"""Largest difference in a vector, relative to its largest value, that is rounding and not a different computation."""
NONE_AT_ALL = 1e-6
"""The same where masked tokens must add exactly nothing: a looser bound could hide a faint look to the right."""


def precision_of(network: PreTrainedModel) -> str:
    """Return the precision of a network, of which some keep a few weights in float32."""
    halves = (weight.dtype for weight in network.parameters() if weight.dtype.itemsize == 2)
    return str(next(halves, network.dtype)).removeprefix("torch.")


def refuse_overflow(name: str, dtype: str, where: str = "") -> NoReturn:
    """Stop at numbers that are not finite: every measure after them would be nonsense."""
    remedies = {"float16": "use bfloat16 or float32", "bfloat16": "use float32"}
    remedy = remedies.get(dtype, "its weights are damaged")
    raise WordworthError(f"{name} gives no finite values in {dtype}{where}; {remedy}")


class NoVectorsError(WordworthError):
    """A network has no state of one width per token in every layer."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What a network can do with context, tried on a text of a few different tokens."""

    network: PreTrainedModel
    ids: Sequence[int]
    only_last: bool = False
    """Only the last layer's states are of interest, as where words are predicted."""

    def states(self, *texts: Sequence[int], **more: Tensor) -> tuple[Tensor, ...]:
        """Return the states of texts of one length."""
        ids = torch.tensor(texts, device=self.network.device)
        with inference():
            if self.only_last:
                return (self.network(input_ids=ids, **without_memory(self.network), **more)[0],)
            return hidden_states(self.network, ids, **more)

    @cached_property
    def plain(self) -> tuple[Tensor, ...]:
        return self.states(self.ids)

    def refuse_unmeasurable(self, name: str) -> None:
        """Stop at networks that do not run on a text, whose words have no vector of their own in every layer, or
        another one each time."""
        precision = precision_of(self.network)
        advice = "use another model" if precision == "float32" else "use float32"
        with LibraryErrors(f"{name} cannot read a text in {precision}", advice):
            both = self.plain, self.states(self.ids)
            for end in range(1, len(self.ids) * self.only_last):  # pooled tokens may be too few
                self.states(self.ids[:end])
        if precision != "float32" and not all(bool(states.isfinite().all()) for states in self.plain):
            refuse_overflow(name, precision)
        if any(states.shape != (1, len(self.ids), self.plain[-1].shape[-1]) for states in self.plain):
            raise NoVectorsError(
                f"{name} pools its tokens or changes their width between its layers, so words have no vectors in "
                "every layer; use another model"
            )
        # What is no number in float32 is refused where it has a word's name.
        first, second = ([states.nan_to_num() for states in layers] for layers in both)
        if not _all_same(first, second):
            raise WordworthError(f"{name} gives other vectors for the same text each time; use another model")

    def looks_left_only(self) -> bool:
        """Return whether a token's states ignore what comes after it.

        The last token is changed, and the others must not move.
        """
        # Two passes of one shape, not one batch of two: the rows of a batch may differ by rounding.
        other = self.states([*self.ids[:-1], self.ids[0]])
        pairs = zip(self.plain, other, strict=True)
        return all(_same(left[0, :-1], right[0, :-1], NONE_AT_ALL) for left, right in pairs)

    def ignores_padding(self, pad: int, *, left_only: bool) -> bool:
        """Return whether a text has the same states alone and next to a longer one, padded on the right.

        Networks that mix or convolve neighbours (FNet, ConvBERT) see the padding in spite of its mask.
        """
        if not left_only and "attention_mask" not in list_arguments(self.network):
            return False
        length = len(self.ids) // 2
        row = [*self.ids[:length], *[pad] * (len(self.ids) - length)]
        mask = torch.ones((2, len(row)), dtype=torch.long, device=self.network.device)
        mask[0, length:] = 0
        together = self.states(row, self.ids, **({} if left_only else {"attention_mask": mask}))
        return _all_same(self.states(row[:length]), [states[:1, :length] for states in together])

    def reuses_kv_cache(self) -> bool:
        """Return whether a prefix run once and read by later tokens gives the states of a plain pass.

        Two tokens are tried.
        """
        network, device = self.network, self.network.device
        if self.only_last or "past_key_values" not in list_arguments(network):
            return False
        with inference():
            try:
                prefix = run_prefixes(network, torch.tensor([self.ids[:-2]], device=device))
                if prefix is None or len(prefix) != len(self.plain) - 1:
                    return False
                one, two = torch.tensor(self.ids[-2:], device=device)
                first, longer = run_tokens(network, one[None], prefix)
                second, _ = run_tokens(network, two[None], longer)
            except UNABLE:
                return False  # recurrent and hybrid networks have a memory of their own
            steps = [torch.cat(states, dim=1) for states in zip(first, second, strict=True)]
            return _all_same([states[:, -2:] for states in self.plain], steps)


def _all_same(expected: Sequence[Tensor], states: Sequence[Tensor]) -> bool:
    return all(_same(a, b, ROUNDING_TOLERANCE[a.dtype]) for a, b in zip(expected, states, strict=True))


def _same(expected: Tensor, states: Tensor, tolerance: float) -> bool:
    if expected.shape != states.shape:
        return False
    scale = expected.abs().amax(-1)
    return bool(((expected - states).abs().amax(-1) <= tolerance * scale).all())

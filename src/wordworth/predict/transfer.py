"""Between this process's arrays and the device, without waiting for it: sent and fetched in the order of its work."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Ints = NDArray[np.int64]


def send(device: torch.device, *arrays: Ints) -> list[Tensor]:
    """Whole numbers to the device, in one copy."""
    if device.type != "cuda":
        return [torch.from_numpy(array).to(device) for array in arrays]
    joined = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).pin_memory()
    flat = torch.split(joined.to(device, non_blocking=True), [array.size for array in arrays])
    return [one.view(array.shape) for one, array in zip(flat, arrays, strict=True)]


class Fetched:
    """Tensors on their way from the device. `arrays` waits for them, and for no more."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._event: Any = None
        if tensors and tensors[0].is_cuda:
            here = [torch.empty(one.shape, dtype=one.dtype, pin_memory=True) for one in tensors]
            self._tensors = [to.copy_(one, non_blocking=True) for to, one in zip(here, tensors, strict=True)]
            untyped: Any = torch.cuda.Event
            self._event = untyped()
            self._event.record()
        else:
            self._tensors = [one.cpu() for one in tensors]

    def arrays(self) -> list[NDArray[Any]]:
        if self._event is not None:
            self._event.synchronize()
        return [one.numpy() for one in self._tensors]

"""The identity of content: one sha256 over values, arrays and tensors, for the keys of caches and for runs."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

PIECE = 1 << 26
"""Numbers of a tensor that are hashed at once; a tensor on a device is copied piece by piece."""

_memo: ContextVar[WeakKeyDictionary[Any, dict[str, str]] | None] = ContextVar("hashes", default=None)


class _Digest(Protocol):
    def update(self, data: Any, /) -> None: ...


def hash_content(*values: Any) -> str:
    """Return the sha256 over JSON values, numpy arrays and torch tensors, nested in lists, mappings or dataclasses."""
    digest = hashlib.sha256()
    for value in values:
        _feed(digest, value)
    return digest.hexdigest()


@contextmanager
def hashed_once() -> Iterator[None]:
    """While inside, hash each object once: a study takes the identity of a model at its start and keeps it."""
    if _memo.get() is not None:
        yield
        return
    token = _memo.set(WeakKeyDictionary())
    try:
        yield
    finally:
        _memo.reset(token)


def hash_of(owner: Any, what: str, compute: Callable[[], str]) -> str:
    """Return the hash of a part of an object: computed now, since it may have changed, unless `hashed_once` holds."""
    memo = _memo.get()
    if memo is None:
        return compute()
    hashes = memo.setdefault(owner, {})
    if what not in hashes:
        hashes[what] = compute()
    return hashes[what]


def _feed(digest: _Digest, value: Any) -> None:
    if isinstance(value, Mapping):
        digest.update(f"mapping {len(value)}\n".encode())
        for key in sorted(value):
            digest.update(f"{key}\n".encode())
            _feed(digest, value[key])
    elif is_dataclass(value):
        _feed(digest, {one.name: getattr(value, one.name) for one in fields(value)})
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}\n".encode())
        for one in value:
            _feed(digest, one)
    elif hasattr(value, "untyped_storage"):
        _feed_tensor(digest, value)
    elif hasattr(value, "dtype"):
        import numpy as np

        digest.update(f"array {value.dtype.str} {value.shape}\n".encode())
        digest.update(np.ascontiguousarray(value).data)
    else:
        digest.update(f"{json.dumps(value, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass"))


def _feed_tensor(digest: _Digest, tensor: Any) -> None:
    import torch

    digest.update(f"tensor {tensor.dtype} {tuple(tensor.shape)}\n".encode())
    flat = tensor.detach().reshape(-1)
    for start in range(0, len(flat), PIECE):
        digest.update(flat[start : start + PIECE].cpu().contiguous().view(torch.uint8).numpy().data)

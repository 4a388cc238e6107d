"""Pickles read without running anything in them.

A pickle names functions and calls them. Here the only names that mean anything are stand-ins written below, which keep
what they are given and do nothing; every other name is refused, and nothing is ever imported.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError, reason_of

# What the unpickler raises for a stream that is cut or was never a pickle.
_BROKEN = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    TypeError,
    ValueError,
)


class Inert:
    """Stands for an object of any class: keeps its state and does nothing."""

    state: dict[Any, Any]

    def __new__(cls, *_: object) -> "Inert":
        made = super().__new__(cls)
        made.state = {}
        return made

    def __setstate__(self, state: object) -> None:
        if isinstance(state, dict):
            self.state.update(state)

    def __setitem__(self, key: object, value: object) -> None:
        self.state[key] = value

    def append(self, item: object) -> None:
        """What a container of an unknown kind holds is of no use here."""

    def extend(self, items: object) -> None:
        """As `append`."""


class Dtype:
    """Stands for a numpy dtype: its letter and byte order."""

    def __init__(self, code: str, *_: object) -> None:
        self.code = code
        self.order = "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]


class Array:
    """Stands for a numpy array until its bytes are taken with `numbers`."""

    shape: Any = ()
    dtype: object = None
    fortran: object = False
    data: object = b""

    def __init__(self, *_: object) -> None:
        """What numpy is called with before the state comes does not matter."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, self.shape, self.dtype, self.fortran, self.data = state

    def numbers(self) -> NDArray[np.floating]:
        """The array, when it is one of real numbers."""
        data = self.data.encode("latin1") if isinstance(self.data, str) else self.data  # str: written by Python 2
        kind = self.dtype.order + self.dtype.code if isinstance(self.dtype, Dtype) else ""
        if kind[1:] not in ("f2", "f4", "f8") or not isinstance(data, bytes | bytearray):
            raise ValueError("an array that is not one of real numbers")
        return np.frombuffer(data, dtype=np.dtype(kind)).reshape(self.shape, order="F" if self.fortran else "C")


def _frombuffer(data: object, dtype: Dtype, shape: tuple[int, ...], order: str) -> Array:
    array = Array()
    array.__setstate__((1, shape, dtype, order == "F", data))
    return array


def _stand_ins() -> dict[tuple[str, str], Callable[..., object]]:
    """The names that numpy arrays and plain containers need in a pickle. Made anew for each file: a pickle that sets
    attributes on what it is handed changes nothing for the next."""
    names: dict[tuple[str, str], Callable[..., object]] = {
        ("numpy", "ndarray"): Array,
        ("numpy", "dtype"): Dtype,
        ("_codecs", "encode"): lambda text, encoding: bytes(text, {"latin1": "latin1"}[encoding]),
        ("copyreg", "_reconstructor"): lambda cls, base, state: Inert(),
        ("copy_reg", "_reconstructor"): lambda cls, base, state: Inert(),
        ("collections", "defaultdict"): Inert,
        ("collections", "OrderedDict"): Inert,
    }
    for core in ("numpy.core", "numpy._core"):
        names[f"{core}.multiarray", "_reconstruct"] = lambda *_: Array()
        names[f"{core}.multiarray", "scalar"] = lambda *_: Inert()
        names[f"{core}.numeric", "_frombuffer"] = lambda *given: _frombuffer(*given)
    for builtins in ("builtins", "__builtin__"):
        names |= {(builtins, name): Inert for name in ("object", "int", "float", "hash", "set", "frozenset")}
    return names


class _Unpickler(pickle._Unpickler):
    """The unpickler in Python: that in C numbers what it keeps in an array, for which ten bytes can ask 2 GB."""

    def __init__(self, stream: BinaryIO, path: Path, encoding: str, inert: tuple[str, ...]) -> None:
        super().__init__(stream, encoding=encoding)
        self._path = path
        self._inert = inert
        self._names = _stand_ins() if inert else {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in self._names:
            return self._names[module, name]
        if any(module == package or module.startswith(f"{package}.") for package in self._inert):
            return Inert
        raise WordworthError(
            f"{self._path} is a pickle that asks for {module}.{name}, which plain vectors have no use for; "
            "nothing in it was run; get the vectors as word2vec text or npz"
        )

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("a persistent id")


def unpickled(path: Path, *, encoding: str, inert: tuple[str, ...] = ()) -> object:
    """What a pickle holds. `inert`: packages whose objects become `Inert`; without any, only lists, strings and the
    like are admitted. `encoding` is that of strings written by Python 2."""
    with path.open("rb") as stream:
        try:
            return _Unpickler(stream, path, encoding, inert).load()
        except _BROKEN as error:
            reason = f"{type(error).__name__}: {reason_of(error)}"
            raise WordworthError(
                f"{path} is a cut or damaged pickle ({reason}); fetch or copy the file again"
            ) from error
